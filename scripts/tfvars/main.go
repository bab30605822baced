// Command tfvars merges the variables of a deployment into one file.
//
//	go run ./scripts/tfvars -o FILE [-kept FILE] [-file FILE | -var name=value | -default name]...
//
// Later arguments take precedence over earlier ones, and all of them over the kept file,
// which is what an earlier deployment was told. -default removes a variable. The values are
// those of Terraform: text as it is for a variable of type string, an expression otherwise.
// Prints every variable of the result, and beside those that change what they were. Exits
// with 2, and lists all of them, if there are variables that terraform/ does not declare, or
// models that are not where they would be asked.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"example.com/whatis/internal/gemini"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "tfvars: %v\n", err)
		os.Exit(2)
	}
}

// values are the values of variables, by name.
type values map[string]cty.Value

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("tfvars", flag.ContinueOnError)
	out := flags.String("o", "", "the file to write")
	kept := flags.String("kept", "", "the file of an earlier deployment; it may be missing or empty")
	dir := flags.String("dir", "terraform", "the folder that declares the variables")
	type change struct{ kind, text string }
	var changes []change
	for kind, usage := range map[string]string{"file": "a file of variables, .json or HCL", "var": "name=value", "default": "a variable that gets its default again"} {
		flags.Func(kind, usage, func(text string) error {
			changes = append(changes, change{kind, text})
			return nil
		})
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	types, defaults, err := declared(*dir)
	if err != nil {
		return err
	}
	before := values{}
	if _, err := os.Stat(*kept); *kept != "" && err == nil {
		if before, err = readFile(*kept); err != nil {
			return err
		}
	}
	after := maps.Clone(before)
	var refused []error
	for _, c := range changes {
		var given values
		switch c.kind {
		case "file":
			given, err = readFile(c.text)
		case "var":
			given, err = readVar(c.text, types)
		default:
			delete(after, c.text)
			given, err = values{c.text: cty.NilVal}, nil
		}
		refused = append(refused, err, check(given, types))
		for name, value := range given {
			if !separate[name] && value != cty.NilVal {
				after[name] = value
			}
		}
	}
	// A variable that a newer version no longer has would stop Terraform.
	maps.DeleteFunc(after, func(name string, _ cty.Value) bool { _, ok := types[name]; return !ok })
	whole := maps.Clone(defaults)
	maps.Copy(whole, after)
	refused = append(refused, whole.checkLocations())
	if err := errors.Join(refused...); err != nil {
		return err
	}
	if err := os.WriteFile(*out, after.format(), 0o600); err != nil {
		return err
	}
	show(stdout, before, after)
	if lacks := gemini.LacksModel(whole.text("speech_model"), whole.text("vertex_location")); lacks != "" && whole.onVertex() && whole.text("speech_location") == "" && whole.text("openweather_secret") != "" {
		fmt.Fprintf(stdout, "forecasts will be text alone: %s. --var speech_location=global has them spoken: their words, and no photo, are processed anywhere\n", lacks)
	}
	return nil
}

// separate are the variables that scripts/deploy passes by itself. They are not kept.
var separate = map[string]bool{"project": true, "region": true, "name_prefix": true, "learn_from_search": true, "image": true}

// check returns an error for each value that cannot be kept.
func check(given values, types map[string]string) error {
	var refused []error
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := types[name]; !ok {
			refused = append(refused, fmt.Errorf("there is no variable %s", name))
		} else if name == "allow_data_loss" {
			refused = append(refused, errors.New("allow_data_loss is not kept: give it with --var, for one deployment"))
		}
	}
	return errors.Join(refused...)
}

// declared returns the type of each variable that the folder declares, as it is written, and
// the defaults of those that have one.
func declared(dir string) (map[string]string, values, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.tf"))
	if err != nil {
		return nil, nil, err
	}
	types, defaults := map[string]string{}, values{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, err
		}
		file, problems := hclwrite.ParseConfig(text, path, hcl.InitialPos)
		if problems.HasErrors() {
			return nil, nil, problems
		}
		for _, block := range file.Body().Blocks() {
			if block.Type() != "variable" {
				continue
			}
			types[block.Labels()[0]] = ""
			if a := block.Body().GetAttribute("type"); a != nil {
				types[block.Labels()[0]] = strings.TrimSpace(string(a.Expr().BuildTokens(nil).Bytes()))
			}
			if a := block.Body().GetAttribute("default"); a != nil {
				if value, err := readVar(block.Labels()[0]+"="+string(a.Expr().BuildTokens(nil).Bytes()), map[string]string{block.Labels()[0]: "expression"}); err == nil {
					maps.Copy(defaults, value)
				}
			}
		}
	}
	if len(types) == 0 {
		return nil, nil, fmt.Errorf("%s declares no variables", dir)
	}
	return types, defaults, nil
}

// text returns a variable of type string, "" if it is not set.
func (v values) text(name string) string {
	if value, ok := v[name]; ok && value.Type() == cty.String && value.IsKnown() && !value.IsNull() {
		return value.AsString()
	}
	return ""
}

// onVertex reports that models are asked on Vertex AI, at a location that is known.
func (v values) onVertex() bool {
	return v.text("gemini_secret") == "" && v.text("vertex_location") != ""
}

// checkLocations refuses each model that Google does not have where it would be asked. Speech
// without a location of its own is left out where it is not to be had.
func (v values) checkLocations() error {
	if !v.onVertex() {
		return nil
	}
	at := v.text("vertex_location")
	settings := []struct{ model, setting, location string }{
		{"embedding_model", "embedding_location", cmp.Or(v.text("embedding_location"), at)},
	}
	for _, model := range []string{"image_model", "judge_model", "search_model", "forecast_model", "thinking_model", "structured_model"} {
		settings = append(settings, struct{ model, setting, location string }{model, "vertex_location", at})
	}
	if location := v.text("speech_location"); location != "" {
		settings = append(settings, struct{ model, setting, location string }{"speech_model", "speech_location", location})
	}
	var refused []error
	for _, s := range settings {
		if lacks := gemini.LacksModel(v.text(s.model), s.location); lacks != "" {
			advice := "choose another " + s.setting + " or " + s.model
			if s.model == "speech_model" {
				advice = "choose another speech_location, or --default speech_location for text alone"
			}
			refused = append(refused, fmt.Errorf("%s: %s: %s; if Google's page says otherwise by now, correct that file", s.model, lacks, advice))
		}
	}
	return errors.Join(refused...)
}

// readFile returns the variables of a file.
func readFile(path string) (values, error) {
	parse := hclparse.NewParser().ParseHCLFile
	if strings.HasSuffix(path, ".json") {
		parse = hclparse.NewParser().ParseJSONFile
	}
	file, problems := parse(path)
	if problems.HasErrors() {
		return nil, problems
	}
	attributes, problems := file.Body.JustAttributes()
	if problems.HasErrors() {
		return nil, problems
	}
	read := values{}
	for name, a := range attributes {
		value, problems := a.Expr.Value(nil)
		if problems.HasErrors() {
			return nil, problems
		}
		read[name] = value
	}
	return read, nil
}

// readVar returns the variable of name=value.
func readVar(text string, types map[string]string) (values, error) {
	name, value, _ := strings.Cut(text, "=")
	if types[name] == "string" || types[name] == "" {
		return values{name: cty.StringVal(value)}, nil
	}
	expression, problems := hclsyntax.ParseExpression([]byte(value), name, hcl.InitialPos)
	if problems.HasErrors() {
		return nil, fmt.Errorf("%s is a %s: %w", text, types[name], problems)
	}
	read, problems := expression.Value(nil)
	if problems.HasErrors() {
		return nil, fmt.Errorf("%s is a %s: %w", text, types[name], problems)
	}
	return values{name: read}, nil
}

// format returns the file, sorted by name.
func (v values) format() []byte {
	file := hclwrite.NewEmptyFile()
	for _, name := range slices.Sorted(maps.Keys(v)) {
		file.Body().SetAttributeValue(name, v[name])
	}
	return hclwrite.Format(file.Bytes())
}

// written returns a value on one line.
func written(value cty.Value) string {
	return strings.Join(strings.Fields(string(hclwrite.TokensForValue(value).Bytes())), " ")
}

// show prints the variables, those that change with a star.
func show(out io.Writer, before, after values) {
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, kept := before[name]
		is, given := after[name]
		switch {
		case !given:
			fmt.Fprintf(out, "* %s: its default (was %s)\n", name, written(was))
		case !kept:
			fmt.Fprintf(out, "* %s = %s (was its default)\n", name, written(is))
		case written(was) != written(is):
			fmt.Fprintf(out, "* %s = %s (was %s)\n", name, written(is), written(was))
		default:
			fmt.Fprintf(out, "  %s = %s\n", name, written(is))
		}
	}
}
