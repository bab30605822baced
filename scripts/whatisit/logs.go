package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// logsCommand prints the services' logs with gcloud.
type logsCommand struct {
	Name    string `arg:"" optional:"" help:"A photo's name, or the ID of a result or a batch: only lines that contain it."`
	Service string `placeholder:"upload|task|api" help:"Only this service."`
	Since   string `default:"1h" placeholder:"1h" help:"How far back: 90s, 15m, 1h or 2d (${default})."`
	Errors  bool   `help:"Only warnings and errors."`
	Limit   int    `default:"1000" placeholder:"N" help:"The newest N (${default})."`
	Follow  bool   `help:"Show new lines until Ctrl-C; gcloud needs its beta component."`
	DryRun  bool   `help:"Print the filter and gcloud's command, and run nothing."`
	Project string `env:"GOOGLE_CLOUD_PROJECT" placeholder:"ID" help:"The project (GOOGLE_CLOUD_PROJECT, else gcloud's own)."`
	Prefix  string `default:"whatis" placeholder:"NAME" help:"The deployment (${default})."`
}

// Help returns the help text of whatisit logs, without its flags.
func (logsCommand) Help() string {
	return `Prints one line for each entry, oldest first: time, severity, service, message and fields; with --json the entries as Cloud Logging has them. It calls gcloud, with its account.

    whatisit logs --errors
    whatisit logs --since 1d photo.jpg
    whatisit logs --follow

Exit codes: 0 read, even if nothing was logged; 1 gcloud is missing or lacks permission; 2 wrong usage; 130 after Ctrl-C.`
}

// The syntax of --since and --prefix.
var (
	sinceForm  = regexp.MustCompile(`^[1-9][0-9]*[smhd]$`)
	prefixForm = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
)

// check refuses values that gcloud would not understand.
func (l *logsCommand) check() error {
	switch {
	case !slices.Contains([]string{"", "upload", "task", "api"}, l.Service):
		return usage("--service is %s: want upload, task or api", l.Service)
	case !sinceForm.MatchString(l.Since):
		return usage("--since is %s: want 90s, 15m, 1h or 2d", l.Since)
	case l.Limit < 1:
		return usage("--limit is %d: want a number, 1 or more", l.Limit)
	case !prefixForm.MatchString(l.Prefix):
		return usage("--prefix is %s: want small letters, digits and hyphens", l.Prefix)
	}
	return nil
}

// filter returns the filter for Cloud Logging. The name may be in any field; backslashes
// and quotes in it are escaped.
func (l *logsCommand) filter() string {
	services := fmt.Sprintf("(%[1]s-upload|%[1]s-task|%[1]s-api)", l.Prefix)
	if l.Service != "" {
		services = l.Prefix + "-" + l.Service
	}
	filter := fmt.Sprintf(`resource.type="cloud_run_revision" AND resource.labels.service_name=~"^%s$"`, services)
	if l.Errors {
		filter += " AND severity>=WARNING"
	}
	if l.Name != "" {
		filter += ` AND "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(l.Name) + `"`
	}
	return filter
}

// endOfEntry is the line that gcloud writes behind each entry, as a value may have several
// lines: an error of Google's clients has its details in them.
const endOfEntry = "."

// logLine formats the fields that the services log, and those of Cloud Run's request
// log, separated by tabs.
const logLine = `value[terminator="\n` + endOfEntry + `\n"](timestamp.date("%Y-%m-%d %H:%M:%S",tz=LOCAL),severity.yesno(no="INFO"),resource.labels.service_name,jsonPayload.message,textPayload,jsonPayload.object,jsonPayload.batch,jsonPayload.photo,jsonPayload.source,jsonPayload.reason,jsonPayload.took,jsonPayload.cost_usd,jsonPayload.error,httpRequest.requestMethod,httpRequest.status,httpRequest.requestUrl,httpRequest.latency)`

// command returns the gcloud command line.
func (l *logsCommand) command(asJSON bool) []string {
	format := "--format=" + logLine
	if asJSON {
		format = "--format=json"
	}
	words := []string{"gcloud", "logging", "read", l.filter(), "--freshness=" + l.Since, fmt.Sprintf("--limit=%d", l.Limit), format}
	if l.Follow {
		words = []string{"gcloud", "beta", "logging", "tail", l.filter(), format}
	}
	if l.Project != "" {
		words = append(words, "--project="+l.Project)
	}
	return words
}

// Run reads.
func (l *logsCommand) Run(ctx context.Context, c *console) error {
	if err := l.check(); err != nil {
		return err
	}
	words := l.command(c.json)
	if l.DryRun {
		_, err := fmt.Fprintf(c.out, "%s\n%s\n", l.filter(), quoted(words))
		return err
	}
	if _, err := exec.LookPath("gcloud"); err != nil {
		return errors.New("gcloud is missing: https://cloud.google.com/sdk/docs/install")
	}
	gcloud := exec.CommandContext(ctx, words[0], words[1:]...)
	gcloud.Stderr = c.err
	if l.Follow {
		return l.followed(c, gcloud)
	}
	read, err := gcloud.Output()
	if err != nil {
		return fmt.Errorf("gcloud: %w", err)
	}
	if c.json {
		return printEntries(c, read)
	}
	lines := bufio.NewScanner(bytes.NewReader(read))
	lines.Buffer(nil, longestLine)
	for _, entry := range slices.Backward(slices.Collect(entriesOf(lines))) { // gcloud prints the newest first
		if err := printLogged(c.out, entry); err != nil {
			return err
		}
	}
	return lines.Err()
}

// entriesOf returns the entries in lines, each as what stands before its end.
func entriesOf(lines *bufio.Scanner) iter.Seq[string] {
	return func(yield func(string) bool) {
		var entry []string
		for lines.Scan() {
			if lines.Text() != endOfEntry {
				entry = append(entry, lines.Text())
				continue
			}
			if !yield(strings.Join(entry, "\n")) {
				return
			}
			entry = nil
		}
	}
}

// followed prints lines as they arrive.
func (l *logsCommand) followed(c *console, gcloud *exec.Cmd) error {
	out, err := gcloud.StdoutPipe()
	if err != nil {
		return err
	}
	if err := gcloud.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, longestLine)
	for c.json && err == nil && lines.Scan() {
		_, err = fmt.Fprintln(c.out, lines.Text())
	}
	for entry := range entriesOf(lines) {
		if err = printLogged(c.out, entry); err != nil {
			break
		}
	}
	return errors.Join(err, lines.Err(), gcloud.Wait())
}

// printLogged prints an entry on one line, without the fields that it does not have.
func printLogged(out io.Writer, entry string) error {
	fields := slices.DeleteFunc(strings.Split(entry, "\t"), func(field string) bool { return field == "" })
	if len(fields) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(out, printable(strings.Join(fields, "  ")))
	return err
}

// printEntries prints the list that gcloud has, oldest first.
func printEntries(c *console, read []byte) error {
	entries := []json.RawMessage{}
	if len(bytes.TrimSpace(read)) > 0 {
		if err := json.Unmarshal(read, &entries); err != nil {
			return fmt.Errorf("gcloud's output is not JSON: %w", err)
		}
	}
	slices.Reverse(entries)
	return printJSON(c, entries)
}

// quoted returns words quoted for a shell.
func quoted(words []string) string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(all, " ")
}
