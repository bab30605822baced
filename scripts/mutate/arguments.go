package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// An argument is one that a resource sets: of KIND.NAME, with the blocks that it stands in,
// such as "template.containers.image". A block without arguments is an argument itself. For
// what Terraform alone reads (lifecycle, depends_on, count, for_each) and assertions cannot
// see, the path of lifecycle's arguments ends in their text.
type argument struct{ resource, path string }

func (a argument) String() string { return a.resource + " " + a.path }

// kind returns the type of the resource.
func (a argument) kind() string {
	kind, _, _ := strings.Cut(a.resource, ".")
	return kind
}

// A source is a file of Terraform.
type source struct {
	name string
	text []byte
	body *hclsyntax.Body
}

// readSources returns the files of dir, and of the folders below it that hold overrides.
func readSources(dir string) ([]source, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.tf"))
	if err != nil {
		return nil, err
	}
	overrides, err := filepath.Glob(filepath.Join(dir, "*", "*_override.tf"))
	if err != nil {
		return nil, err
	}
	var sources []source
	for _, path := range slices.Concat(paths, overrides) {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, err
		}
		// scripts/deploy copies overrides here.
		if strings.HasSuffix(name, "_override.tf") && !strings.Contains(name, string(filepath.Separator)) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		s, err := parseSource(name, text)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return sources, nil
}

func parseSource(name string, text []byte) (source, error) {
	file, problems := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	if problems.HasErrors() {
		return source{}, fmt.Errorf("%s: %w", name, problems)
	}
	return source{name, text, file.Body.(*hclsyntax.Body)}, nil
}

// resources calls visit for each resource.
func (s source) resources(visit func(resource string, block *hclsyntax.Block)) {
	for _, block := range s.body.Blocks {
		if block.Type == "resource" {
			visit(strings.Join(block.Labels, "."), block)
		}
	}
}

// arguments returns what the sources set, sorted, each once for each place.
func arguments(sources []source) []argument {
	var set []argument
	for _, s := range sources {
		s.resources(func(resource string, block *hclsyntax.Block) {
			for _, path := range s.paths("", block.Body) {
				set = append(set, argument{resource, path})
			}
		})
	}
	slices.SortFunc(set, func(a, b argument) int { return strings.Compare(a.String(), b.String()) })
	return set
}

// paths returns what a body sets. A dynamic block stands for those that it makes.
func (s source) paths(prefix string, body *hclsyntax.Body) []string {
	var set []string
	for name, attribute := range body.Attributes {
		path := prefix + name
		if strings.HasPrefix(path, "lifecycle.") {
			path += " = " + s.textOf(attribute.Expr)
		}
		set = append(set, path)
	}
	for _, block := range body.Blocks {
		name, inner := made(block)
		below := s.paths(prefix+name+".", inner.Body)
		if len(below) == 0 {
			below = []string{prefix + name}
		}
		set = append(set, below...)
	}
	slices.Sort(set)
	return set
}

// made returns the name and the content of a block, which may be dynamic.
func made(block *hclsyntax.Block) (string, *hclsyntax.Block) {
	if block.Type != "dynamic" {
		return block.Type, block
	}
	for _, inner := range block.Body.Blocks {
		if inner.Type == "content" {
			return block.Labels[0], inner
		}
	}
	return block.Labels[0], block
}

// textOf returns an expression as it is written, on one line.
func (s source) textOf(e hclsyntax.Expression) string {
	return strings.Join(strings.Fields(string(e.Range().SliceBytes(s.text))), " ")
}

// A deviation is an argument that is set and should not be, or the other way round.
type deviation struct {
	argument
	added  bool
	reason string // what it would do, or "" if nobody has said
}

func (d deviation) String() string {
	text := "is not set any more"
	if d.added {
		text = "is set, and was not"
	}
	if d.reason != "" {
		text += ": " + d.reason
	}
	return d.argument.String() + " " + text
}

// deviations compares what is set with what is held, each as often as it is there.
func deviations(held, set []argument) []deviation {
	count := map[argument]int{}
	for _, a := range held {
		count[a]--
	}
	for _, a := range set {
		count[a]++
	}
	var found []deviation
	for a, n := range count {
		if n != 0 {
			found = append(found, deviation{a, n > 0, reasonOf(a, n > 0)})
		}
	}
	slices.SortFunc(found, func(a, b deviation) int { return strings.Compare(a.argument.String(), b.argument.String()) })
	return found
}

// wrong returns the arguments whose expression is not the one that they all must have.
func wrong(sources []source) []deviation {
	var found []deviation
	for _, s := range sources {
		s.resources(func(resource string, block *hclsyntax.Block) {
			for name, a := range block.Body.Attributes {
				of := argument{resource, name}
				for _, r := range expressions {
					if strings.HasPrefix(of.kind(), r.kind) && r.path == name && s.textOf(a.Expr) != r.text {
						found = append(found, deviation{of, true, r.reason})
					}
				}
			}
		})
	}
	return found
}

// format returns arguments as the file of held ones has them: a line each, and how often.
func format(set []argument) string {
	var b strings.Builder
	for i := 0; i < len(set); {
		n := i
		for n < len(set) && set[n] == set[i] {
			n++
		}
		fmt.Fprintf(&b, "%d %s\n", n-i, set[i])
		i = n
	}
	return b.String()
}

// readHeld returns the arguments of such a file.
func readHeld(path string) ([]argument, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseHeld(string(text))
}

func parseHeld(text string) ([]argument, error) {
	var held []argument
	for line := range strings.Lines(text) {
		var n int
		var a argument
		if _, err := fmt.Sscanf(line, "%d %s", &n, &a.resource); err != nil {
			return nil, fmt.Errorf("held arguments: %q: %w", line, err)
		}
		_, rest, _ := strings.Cut(line, " ")
		_, path, _ := strings.Cut(rest, " ")
		a.path = strings.TrimSpace(path)
		for range n {
			held = append(held, a)
		}
	}
	return held, nil
}
