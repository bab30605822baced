// Command whatisit is the command line.
//
//	whatisit analyze PATH… → photos → POST /analyze → a line each, and one JSON
//	whatisit batch gs://…  → POST /batches → its events → one JSON
//	whatisit search WORDS… → POST /search → a table, or JSON
//	whatisit catalog import FILE → Firestore, embeddings → a line
//	whatisit upload PHOTO… → the upload bucket → the results bucket → JSON
//	whatisit results       → GET /results → a table, JSON or CSV
//	whatisit spend         → GET /spend → a table, or JSON
//	whatisit pause, resume → POST, DELETE /spend/pause → the same
//	whatisit doctor        → each model, bucket, topic and query once → a table, or JSON
//	whatisit replay NAME…  → the topic of uploads → a line each
//	whatisit logs          → gcloud logging read → a line each
//	whatisit eval FOLDER   → photos with labels → accuracy, a page, or JSON
//	whatisit eval search   → queries with known answers → a table, or JSON
//	whatisit forecast CITY → GET /forecast/CITY → a text, and one JSON
//	whatisit discover      → POST /discover → its decisions → a table, JSON or CSV
//	whatisit inspect PATH… → pixels → a line of JSON each
//	whatisit date STRING…  → a line of JSON each
//
// Analyze sends photos to a remote service, or to the same API in this process, which
// uses the Google services that the environment names, or emulators.
// Inspect and date use no service.
// Lines for people go to standard error, JSON and tables to standard output.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// The exit codes of every command. The answer "no product" and an empty list are
// successes.
const (
	exitFine        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// commands declares the commands and global flags, for kong.
type commands struct {
	JSON        bool             `name:"json" help:"Print JSON on standard output, in place of a table or lines."`
	Output      string           `short:"o" enum:"text,json,yaml,csv" default:"text" placeholder:"FORM" help:"text, json (as --json), yaml, or csv where there is --csv."`
	Quiet       bool             `short:"q" help:"Print errors only: no progress and no messages."`
	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`

	Analyze  analyzeCommand  `cmd:"" help:"Identify the products in photos."`
	Batch    batchCommand    `cmd:"" help:"Identify the products in all photos of a bucket's folder."`
	Upload   uploadCommand   `cmd:"" help:"Upload photos to the upload bucket, and wait for their results."`
	Compare  compareCommand  `cmd:"" help:"Say what two runs over the same photos answer differently."`
	Results  resultsCommand  `cmd:"" help:"List earlier results."`
	Doctor   doctorCommand   `cmd:"" help:"Ask each configured model once, and look at the cloud's part of the configuration."`
	Spend    spendCommand    `cmd:"" help:"Print what the models have cost today, by agent and by model."`
	Pause    pauseCommand    `cmd:"" help:"Stop all that costs, in all instances of a service, until resume."`
	Resume   resumeCommand   `cmd:"" help:"Let paid work go on."`
	Replay   replayCommand   `cmd:"" help:"Send photos of the upload bucket to the service again."`
	Logs     logsCommand     `cmd:"" help:"Print the services' logs."`
	Search   searchCommand   `cmd:"" help:"Find products of a shop by words, by a picture, or by both."`
	Catalog  catalogCommand  `cmd:"" help:"Import, list and maintain the catalogue."`
	Forecast forecastCommand `cmd:"" help:"Print the weather forecast of a place."`
	Discover discoverCommand `cmd:"" help:"Find the data on greenhouse gas emissions that a place publishes."`
	MCP      mcpCommand      `cmd:"" name:"mcp" help:"Serve the Model Context Protocol on standard input and output."`
	Inspect  inspectCommand  `cmd:"" help:"Print what can be read from photos without a model: barcodes, hashes, size."`
	Eval     evalCommand     `cmd:"" help:"Measure accuracy on inputs with known right answers."`
	Date     dateCommand     `cmd:"" help:"Parse dates as they are printed on packs."`
	Version  versionCommand  `cmd:"" help:"Print the version."`

	Open openCommand `cmd:"" help:"Open the service's page in the browser."`

	Completion completionCommand `cmd:"" help:"Print the completion script for bash, zsh, fish or PowerShell."`
	Complete   completeCommand   `cmd:"" name:"__complete" hidden:"" passthrough:""`
}

const description = `Identifies the product in a photo, and searches the catalogue.

  whatisit analyze --emulated photo.jpg    try it here: no key, no network
  whatisit analyze --url https://… photos/ 20 --random
  whatisit batch gs://uploads/2026/ --dry-run
  whatisit upload photo.jpg                upload to the bucket and wait for the result
  whatisit results --doubt --since 1d      results that a person should check
  whatisit spend                           what the models have cost today
  whatisit pause                           stop all that costs, until whatisit resume
  whatisit doctor                          whether all that is configured answers
  whatisit search --emulated kính mát nữ   search the products of a shop
  whatisit catalog import products_db.json import products into the catalogue
  whatisit forecast --emulated 서울 --lang ko
  whatisit discover --emulated --country Kenya --sector waste
  whatisit mcp --url https://…             tools for a program that speaks MCP
  whatisit eval photos/ --url https://…    how often answers are right
  whatisit eval search --emulated          how well the search ranks
  whatisit inspect photos/                 barcodes and hashes, without a model
  whatisit date 'BB 31 DEC 26'
  whatisit help catalog import             the same as whatisit catalog import --help

Exit codes: 0 answered, even "no product"; 1 something failed; 2 wrong usage; 130 after Ctrl-C.`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second Ctrl-C does not wait
	os.Exit(run(ctx, os.Args[1:], &console{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// run executes the command in args and returns the exit code.
func run(ctx context.Context, args []string, c *console) int {
	parsed := &commands{}
	parser, err := parserOf(ctx, parsed, c)
	if err != nil {
		return c.fail(err)
	}
	if len(args) > 0 && args[0] == "help" {
		args = append(args[1:], "--help")
	}
	chosen, err := parser.Parse(args)
	if err != nil {
		return c.refuse(parser, args, err)
	}
	if parsed.Output == "csv" && !asCSV(chosen) {
		return c.fail(usage("%s prints no CSV: want -o text, json or yaml", chosen.Command()))
	}
	c.json, c.quiet, c.in = parsed.JSON || parsed.Output == "json" || parsed.Output == "yaml", parsed.Quiet, &input{ctx: ctx, r: c.in}
	var printed bytes.Buffer
	out := c.out
	if parsed.Output == "yaml" {
		c.out = &printed
	}
	err = chosen.Run()
	if parsed.Output == "yaml" {
		err = errors.Join(err, writeYAML(out, &printed))
	}
	if err != nil && ctx.Err() != nil { // whatever else broke, it was because of that
		err = errInterrupted
	}
	return c.fail(err)
}

// asCSV sets the command's flag --csv, if it has one.
func asCSV(chosen *kong.Context) bool {
	for _, flag := range chosen.Flags() {
		if flag.Name == "csv" {
			flag.Target.SetBool(true)
			return true
		}
	}
	return false
}

// writeYAML writes values of JSON as YAML, in the order of their fields. What is no JSON stays as it is.
func writeYAML(w io.Writer, printed *bytes.Buffer) error {
	raw := printed.Bytes()
	values := json.NewDecoder(printed)
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	for {
		var one json.RawMessage
		switch err := values.Decode(&one); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			_, err = w.Write(raw)
			return err
		}
		var node yaml.Node // JSON is YAML, whose nodes keep the order of fields
		if err := yaml.Unmarshal(one, &node); err != nil {
			return err
		}
		plain(&node)
		if err := encoder.Encode(&node); err != nil {
			return err
		}
	}
}

// plain has a node written as YAML is, without the braces and quotes of JSON.
func plain(node *yaml.Node) {
	node.Style = 0
	for _, child := range node.Content {
		plain(child)
	}
}

// An input reads r, from the first Read on, until ctx ends. As a wait for a terminal or a pipe
// cannot be ended, it goes on beside that until the process ends.
type input struct {
	ctx   context.Context
	r     io.Reader
	begin sync.Once
	out   *io.PipeReader
}

func (i *input) Read(p []byte) (int, error) {
	i.begin.Do(func() {
		var in *io.PipeWriter
		i.out, in = io.Pipe()
		context.AfterFunc(i.ctx, func() { in.CloseWithError(errInterrupted) })
		go func() {
			_, err := io.Copy(in, i.r)
			in.CloseWithError(err)
		}()
	})
	return i.out.Read(p)
}

// parserOf returns a parser that reads command lines into parsed.
func parserOf(ctx context.Context, parsed *commands, c *console) (*kong.Kong, error) {
	return kong.New(parsed, kong.Name("whatisit"), kong.Description(description), kong.Vars{"version": version()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoAppDescFormat: true}),
		kong.Writers(c.out, c.err), kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(c))
}

// refuse says what is wrong with args: everything that can be said if they say
// nothing.
func (c *console) refuse(parser *kong.Kong, args []string, err error) int {
	var parsed *kong.ParseError
	if i := slices.IndexFunc(args, negative); i >= 0 && args[0] != "date" {
		return c.fail(usage("%s: a count is 1 or more", args[i]))
	}
	if len(args) > 0 || !errors.As(err, &parsed) {
		return c.fail(usage("%s (see whatisit --help)", err))
	}
	parser.Stdout = c.err
	_ = parsed.Context.PrintUsage(false)
	return exitUsage
}

// negative reports that s is a number below zero, which looks like a flag.
func negative(s string) bool { return strings.HasPrefix(s, "-") && wholeNumber(s[1:]) }

// A usageError is caused by a wrong command line.
type usageError struct{ error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

var (
	errPrinted     = errors.New("whatisit: it was printed already") // exit 1 without another word
	errInterrupted = errors.New("interrupted")
)

// fail prints err, which may be nil, and returns its exit code.
func (c *console) fail(err error) int {
	var wrong usageError
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errPrinted):
		return exitFailed
	}
	c.complain("whatisit: %s", err)
	switch {
	case errors.As(err, &wrong):
		return exitUsage
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	}
	return exitFailed
}
