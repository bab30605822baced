package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// A generated mutation replaces bytes of a file, of one argument of a resource.
type generated struct {
	how         string // removed, changed, neighbour's or added
	file        string
	argument    argument
	begin, end  int
	replacement string
}

func (g generated) apply(text string) (string, error) {
	if g.end > len(text) {
		return "", fmt.Errorf("%s has %d bytes, want %d", g.file, len(text), g.end)
	}
	return text[:g.begin] + g.replacement + text[g.end:], nil
}

// A schemaBlock is a block of a resource in the provider's schema.
type schemaBlock struct {
	Attributes map[string]struct {
		Type               json.RawMessage
		Required, Optional bool
	}
	BlockTypes map[string]struct {
		Block schemaBlock
	} `json:"block_types"`
}

// readSchema returns the resources of a schema as `terraform providers schema -json` and
// the checker's cache write it.
func readSchema(path string) (map[string]schemaBlock, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var whole struct {
		Providers map[string]struct {
			Resources map[string]struct{ Block schemaBlock } `json:"resource_schemas"`
		} `json:"provider_schemas"`
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	schema := map[string]schemaBlock{}
	for _, provider := range whole.Providers {
		for kind, resource := range provider.Resources {
			schema[kind] = resource.Block
		}
	}
	return schema, nil
}

// generate returns, of each argument of each resource: it is removed, changed, or made its
// neighbour's of the same type; and of each kind of resource, once: each argument of the
// schema that it does not set is added.
func generate(sources []source, schema map[string]schemaBlock) []generated {
	var all []generated
	seen := map[string]bool{}
	for _, s := range sources {
		s.resources(func(resource string, resourceBlock *hclsyntax.Block) {
			kind := argument{resource: resource}.kind()
			g := generator{source: s, resource: resource, add: !seen[kind]}
			seen[kind] = true
			g.body("", resourceBlock, schema[kind])
			if g.add {
				g.added("lifecycle.ignore_changes = all", resourceBlock, "lifecycle {\n ignore_changes = all\n}")
			}
			all = append(all, g.out...)
		})
	}
	return all
}

type generator struct {
	source   source
	resource string
	add      bool // arguments that are not set, too
	out      []generated
}

func (g *generator) emit(how, path string, begin, end int, replacement string) {
	g.out = append(g.out, generated{how, g.source.name, argument{g.resource, path}, begin, end, replacement})
}

// added puts text at the end of a block, which may stand on one line.
func (g *generator) added(path string, to *hclsyntax.Block, text string) {
	begin, end := to.OpenBraceRange.End.Byte, to.CloseBraceRange.Start.Byte
	g.emit("added", path, begin, end, "\n"+strings.TrimSpace(string(g.source.text[begin:end]))+"\n"+text+"\n")
}

// meta are arguments of Terraform itself, whose values the provider does not know.
var meta = []string{"for_each", "count", "depends_on", "provider", "lifecycle"}

func (g *generator) body(prefix string, of *hclsyntax.Block, schema schemaBlock) {
	body := of.Body
	attributes := slices.SortedFunc(maps.Values(body.Attributes), func(a, b *hclsyntax.Attribute) int {
		return a.SrcRange.Start.Byte - b.SrcRange.Start.Byte
	})
	for i, a := range attributes {
		path := prefix + a.Name
		g.emit("removed", path, a.SrcRange.Start.Byte, a.SrcRange.End.Byte, "")
		if slices.Contains(meta, a.Name) || prefix == "lifecycle." {
			continue
		}
		kind := string(schema.Attributes[a.Name].Type)
		if text, ok := g.changed(a, kind); ok {
			g.emit("changed", path, a.Expr.Range().Start.Byte, a.Expr.Range().End.Byte, text)
		}
		for _, other := range attributes[i+1:] {
			if kind != "" && kind == string(schema.Attributes[other.Name].Type) && g.source.textOf(other.Expr) != g.source.textOf(a.Expr) {
				g.emit("neighbour's", path, a.Expr.Range().Start.Byte, a.Expr.Range().End.Byte, string(other.Expr.Range().SliceBytes(g.source.text)))
				break
			}
		}
	}
	set := map[string]bool{}
	for _, block := range body.Blocks {
		name, inner := made(block)
		if block.Type != "precondition" && block.Type != "lifecycle" {
			g.emit("removed", prefix+name, block.TypeRange.Start.Byte, block.CloseBraceRange.End.Byte, "")
		}
		if !set[name] {
			g.body(prefix+name+".", inner, schema.BlockTypes[name].Block)
		}
		set[name] = true
	}
	if !g.add || prefix == "lifecycle." {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Attributes)) {
		if a := schema.Attributes[name]; body.Attributes[name] == nil && (a.Optional || a.Required) {
			g.added(prefix+name, of, name+" = "+sample(string(a.Type)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(schema.BlockTypes)) {
		if !set[name] {
			g.added(prefix+name, of, block(name, schema.BlockTypes[name].Block))
		}
	}
}

// block returns a block with its required arguments.
func block(name string, schema schemaBlock) string {
	var b strings.Builder
	b.WriteString(name + " {\n")
	for _, name := range slices.Sorted(maps.Keys(schema.Attributes)) {
		if schema.Attributes[name].Required {
			b.WriteString(name + " = " + sample(string(schema.Attributes[name].Type)) + "\n")
		}
	}
	b.WriteString("}")
	return b.String()
}

// sample returns a value of a type of the schema.
func sample(kind string) string {
	switch {
	case kind == `"bool"`:
		return "true"
	case kind == `"number"`:
		return "1"
	case strings.HasPrefix(kind, `["list"`), strings.HasPrefix(kind, `["set"`):
		return `["x"]`
	case strings.HasPrefix(kind, `["map"`):
		return `{ x = "x" }`
	}
	return `"x"`
}

// changed returns another value for an argument, of its type.
func (g *generator) changed(a *hclsyntax.Attribute, kind string) (string, bool) {
	was := string(a.Expr.Range().SliceBytes(g.source.text))
	switch {
	case kind == `"bool"`:
		return "!(" + was + ")", true
	case kind == `"number"`:
		return "(" + was + ") + 1", true
	case strings.HasPrefix(kind, `["list"`), strings.HasPrefix(kind, `["set"`):
		return "[]", was != "[]"
	case strings.HasPrefix(kind, `["map"`):
		return "{}", was != "{}"
	case kind == `"string"`:
		if value, problems := a.Expr.Value(nil); !problems.HasErrors() {
			return fmt.Sprintf("%q", other(value.AsString())), true
		}
		return `"${` + was + `}-x"`, true
	}
	return "", false
}

// other returns another text; of a duration in seconds, one that is ten times as long.
func other(text string) string {
	if seconds, ok := strings.CutSuffix(text, "s"); ok && seconds != "" && strings.Trim(seconds, "0123456789") == "" {
		return seconds + "0s"
	}
	return text + "x"
}

// notice says how the held arguments notice a mutation: by what it would do, as unexpected,
// or not at all.
func notice(sources []source, held []argument, g generated) (meaning, noticed bool, err error) {
	broken := slices.Clone(sources)
	for i, s := range broken {
		if s.name != g.file {
			continue
		}
		text, err := g.apply(string(s.text))
		if err != nil {
			return false, false, err
		}
		if broken[i], err = parseSource(s.name, []byte(text)); err != nil {
			return false, false, fmt.Errorf("%s %s: %w", g.how, g.argument, err)
		}
	}
	for _, d := range append(deviations(held, arguments(broken)), wrong(broken)...) {
		noticed = true
		meaning = meaning || d.reason != ""
	}
	return meaning, noticed, nil
}

//go:embed testdata/arguments.txt
var heldText string

// A tally counts mutations by how they were noticed.
type tally struct{ meaning, unexpected, unnoticed, untried int }

func (t tally) String() string {
	return fmt.Sprintf("%d by meaning, %d as unexpected, %d unnoticed, %d not tried", t.meaning, t.unexpected, t.unnoticed, t.untried)
}

// tryGenerated tries generated mutations, those that the held arguments let through with
// sampled runs of Terraform's tests (-1: all), but for the first skip, and reports whether
// enough are noticed. What was not tried is counted as what was.
func tryGenerated(ctx context.Context, c checker, schemaFile string, sampled, skip int) (bool, error) {
	sources, err := readSources(c.dir)
	if err != nil {
		return false, err
	}
	schema, err := readSchema(schemaFile)
	if err != nil {
		return false, err
	}
	held, err := parseHeld(heldText)
	if err != nil {
		return false, err
	}
	counts := map[string]*tally{}
	var through []generated
	for _, g := range generate(sources, schema) {
		if counts[g.how] == nil {
			counts[g.how] = &tally{}
		}
		meaning, noticed, err := notice(sources, held, g)
		switch {
		case err != nil:
			return false, err
		case meaning:
			counts[g.how].meaning++
		case noticed:
			counts[g.how].unexpected++
		default:
			through = append(through, g)
		}
	}
	step := 1.0
	if sampled >= 0 && sampled < len(through) {
		step = float64(len(through)) / float64(max(sampled, 1))
	}
	var tested tally
	next := 0.0
	for i, g := range through {
		if i < skip || float64(i) < next || sampled == 0 {
			counts[g.how].untried++
			continue
		}
		next += step
		meaning, noticed, err := c.tests(ctx, g)
		if err != nil {
			return false, err
		}
		verdict := "UNNOTICED"
		switch {
		case meaning:
			verdict = "meaning"
			counts[g.how].meaning++
			tested.meaning++
		case noticed:
			verdict = "unexpected"
			counts[g.how].unexpected++
			tested.unexpected++
		default:
			counts[g.how].unnoticed++
			tested.unnoticed++
		}
		fmt.Printf("%-10s  %-11s %s: %q\n", verdict, g.how, g.argument, g.replacement)
	}
	var sum tally
	for _, how := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("%-12s %s\n", how, counts[how])
		sum.meaning += counts[how].meaning
		sum.unexpected += counts[how].unexpected
		sum.unnoticed += counts[how].unnoticed
		sum.untried += counts[how].untried
	}
	all := float64(sum.meaning + sum.unexpected + sum.unnoticed + sum.untried)
	n := float64(max(tested.meaning+tested.unexpected+tested.unnoticed, 1))
	meaning := (float64(sum.meaning) + float64(sum.untried)*float64(tested.meaning)/n) / all
	noticed := meaning + (float64(sum.unexpected)+float64(sum.untried)*float64(tested.unexpected)/n)/all
	fmt.Printf("of %.0f mutations %.0f%% are noticed, %.0f%% by their meaning\n", all, 100*noticed, 100*meaning)
	return noticed >= 0.95 && meaning >= 0.60, nil
}

// tests reports how Terraform's tests notice a mutation: those runs that name its resource.
func (c checker) tests(ctx context.Context, g generated) (meaning, noticed bool, err error) {
	found, runs, _, err := c.run(ctx, func(to string) error {
		if err := os.CopyFS(to, os.DirFS(c.dir)); err != nil {
			return err
		}
		if err := edit(filepath.Join(to, g.file), g.apply); err != nil {
			return err
		}
		return isolate(filepath.Join(to, "tests"), func(_, text string) bool { return strings.Contains(text, g.argument.resource) })
	})
	return slices.ContainsFunc(found, diagnostic.asserted), len(found) > 0 || runs == 0, err
}
