package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// A valueMutation changes what a local value, a variable's default or an output says.
type valueMutation struct {
	file, of    string // of is local.NAME, var.NAME or output.NAME
	begin, end  int
	was, is     string
	referencing []string // the resources whose arguments depend on it
}

// values returns changes of value: a number grows, a truth turns, a text becomes that of the
// same field beside it (a link, a remedy, a query of another alert) or another; a variable that
// must be given gets a default; an output says what the next one does.
func values(sources []source) []valueMutation {
	uses := referencing(sources)
	var all []valueMutation
	for _, s := range sources {
		v := valuesOf{source: s}
		for _, block := range s.body.Blocks {
			switch block.Type {
			case "locals":
				for _, name := range slices.Sorted(maps.Keys(block.Body.Attributes)) {
					v.of = "local." + name
					v.expression(block.Body.Attributes[name].Expr, nil)
				}
			case "variable":
				v.of = "var." + block.Labels[0]
				v.variable(block)
			}
		}
		v.outputs()
		all = append(all, v.out...)
	}
	for i := range all {
		all[i].referencing = uses[all[i].of]
	}
	return all
}

type valuesOf struct {
	source source
	of     string
	out    []valueMutation
}

func (v *valuesOf) emit(e hclsyntax.Expression, is string) {
	if was := string(e.Range().SliceBytes(v.source.text)); was != is {
		v.out = append(v.out, valueMutation{file: v.source.name, of: v.of, begin: e.Range().Start.Byte, end: e.Range().End.Byte, was: was, is: is})
	}
}

// expression changes the literals of e, of which beside are the expressions of the same field
// in the objects beside it.
func (v *valuesOf) expression(e hclsyntax.Expression, beside []hclsyntax.Expression) {
	switch e := e.(type) {
	case *hclsyntax.ObjectConsExpr:
		for i, item := range e.Items {
			key, _ := item.KeyExpr.Value(nil)
			var same []hclsyntax.Expression
			for _, other := range beside {
				if other, ok := other.(*hclsyntax.ObjectConsExpr); ok {
					for _, o := range other.Items {
						if k, _ := o.KeyExpr.Value(nil); k.RawEquals(key) {
							same = append(same, o.ValueExpr)
						}
					}
				}
			}
			if len(beside) == 0 { // an object of objects: those behind are beside
				for j := range e.Items {
					same = append(same, e.Items[(i+1+j)%len(e.Items)].ValueExpr)
				}
			}
			v.expression(item.ValueExpr, same)
		}
	case *hclsyntax.TupleConsExpr:
		for i, one := range e.Exprs {
			v.expression(one, append(slices.Clone(e.Exprs[i+1:]), e.Exprs[:i]...))
		}
	case *hclsyntax.ForExpr:
		v.expression(e.ValExpr, nil)
	default:
		v.literal(e, beside)
	}
}

func (v *valuesOf) literal(e hclsyntax.Expression, beside []hclsyntax.Expression) {
	value, problems := e.Value(nil)
	_, template := e.(*hclsyntax.TemplateExpr)
	switch {
	case !template && problems.HasErrors() && len(beside) == 0:
	case !problems.HasErrors() && value.Type() == cty.Number:
		v.emit(e, "("+string(e.Range().SliceBytes(v.source.text))+") + 1")
	case !problems.HasErrors() && value.Type() == cty.Bool:
		v.emit(e, fmt.Sprint(!value.True()))
	case template || !problems.HasErrors() && value.Type() == cty.String || len(beside) > 0:
		was := v.source.textOf(e)
		for _, other := range beside {
			if text := string(other.Range().SliceBytes(v.source.text)); v.source.textOf(other) != was && !strings.Contains(text, "\n") {
				v.emit(e, text)
				return
			}
		}
		if !problems.HasErrors() {
			v.emit(e, fmt.Sprintf("%q", other(value.AsString())))
		} else if template {
			v.emit(e, `"${`+string(e.Range().SliceBytes(v.source.text))+`}-x"`)
		}
	}
}

// variable changes a default, and those of the fields of an object; one without gets one.
func (v *valuesOf) variable(block *hclsyntax.Block) {
	if a := block.Body.Attributes["default"]; a != nil {
		v.defaulted(a.Expr)
	} else {
		text := map[string]string{"bool": "true", "number": "1"}[v.source.textOf(block.Body.Attributes["type"].Expr)]
		at := block.OpenBraceRange.End.Byte
		v.out = append(v.out, valueMutation{file: v.source.name, of: v.of, begin: at, end: at, is: "\n  default = " + cmp.Or(text, `"global"`)})
	}
}

func (v *valuesOf) defaulted(e hclsyntax.Expression) {
	switch v.source.textOf(e) {
	case "[]":
		v.emit(e, `["x"]`)
	case "null":
		v.emit(e, "1")
	case "{}": // its fields have defaults of their own
	default:
		v.expression(e, nil)
	}
}

// outputs makes each say what the next one does.
func (v *valuesOf) outputs() {
	var blocks []*hclsyntax.Block
	for _, block := range v.source.body.Blocks {
		if block.Type == "output" {
			blocks = append(blocks, block)
		}
	}
	for i, block := range blocks {
		v.of = "output." + block.Labels[0]
		next := blocks[(i+1)%len(blocks)].Body.Attributes["value"].Expr
		v.emit(block.Body.Attributes["value"].Expr, string(next.Range().SliceBytes(v.source.text)))
	}
}

// referencing returns, of each local value and variable, the resources that depend on it.
func referencing(sources []source) map[string][]string {
	direct := map[string]map[string]bool{} // what names it: local.NAME or a resource
	note := func(from string, node hclsyntax.Node) {
		for _, m := range regexp.MustCompile(`\b(local|var)\.(\w+)`).FindAllString(textOfNode(sources, node), -1) {
			if direct[m] == nil {
				direct[m] = map[string]bool{}
			}
			direct[m][from] = true
		}
	}
	for _, s := range sources {
		for _, block := range s.body.Blocks {
			switch block.Type {
			case "locals":
				for name, a := range block.Body.Attributes {
					note("local."+name, a)
				}
			case "resource":
				note(strings.Join(block.Labels, "."), block)
			}
		}
	}
	reached := map[string][]string{}
	for of := range direct {
		seen := map[string]bool{of: true}
		for queue := []string{of}; len(queue) > 0; queue = queue[1:] {
			for user := range direct[queue[0]] {
				if !seen[user] {
					seen[user] = true
					queue = append(queue, user)
				}
			}
		}
		for user := range seen {
			if !strings.HasPrefix(user, "local.") && !strings.HasPrefix(user, "var.") {
				reached[of] = append(reached[of], user)
			}
		}
	}
	return reached
}

func textOfNode(sources []source, node hclsyntax.Node) string {
	i := slices.IndexFunc(sources, func(s source) bool { return s.name == node.Range().Filename })
	return string(node.Range().SliceBytes(sources[i].text))
}

// capped leaves at most a dozen changes of each name, spread over it: the fields of fifty indexes
// would be most of all.
func capped(all []valueMutation) (some []valueMutation) {
	count, seen := map[string]int{}, map[string]int{}
	for _, m := range all {
		count[m.of]++
	}
	for _, m := range all {
		step := max(1, count[m.of]/12)
		if seen[m.of]%step == 0 && seen[m.of]/step < 12 {
			some = append(some, m)
		}
		seen[m.of]++
	}
	return some
}

// tryValues tries a sample of the changes of value with the runs that name what depends on
// them, and reports whether 95 of 100 are noticed by an assertion or a refusal that is meant.
func tryValues(ctx context.Context, c checker, sampled int) (bool, error) {
	sources, err := readSources(c.dir)
	if err != nil {
		return false, err
	}
	all := capped(values(sources))
	step := max(1, float64(len(all))/float64(sampled))
	c.brief = true
	tried, noticed := 0, 0
	for next := step / 2; int(next) < len(all); next += step {
		m := all[int(next)]
		found, runs, _, err := c.run(ctx, func(to string) error {
			if err := os.CopyFS(to, os.DirFS(c.dir)); err != nil {
				return err
			}
			if err := edit(filepath.Join(to, m.file), func(text string) (string, error) { return text[:m.begin] + m.is + text[m.end:], nil }); err != nil {
				return err
			}
			return isolate(filepath.Join(to, "tests"), func(_, text string) bool {
				return strings.Contains(text, m.of) || slices.ContainsFunc(m.referencing, func(r string) bool { return strings.Contains(text, r) })
			})
		})
		if err != nil {
			return false, err
		}
		tried++
		verdict := "UNNOTICED"
		if runs == 0 || slices.ContainsFunc(found, func(d diagnostic) bool {
			return d.asserted() || strings.HasPrefix(d.text, "Invalid value for variable")
		}) {
			verdict = "noticed"
			noticed++
		}
		fmt.Printf("%-9s  %s, %s: %.60q is %.60q\n", verdict, m.file, m.of, m.was, m.is)
	}
	fmt.Printf("of %d changes of value %d were tried, and %d noticed\n", len(all), tried, noticed)
	return float64(noticed) >= 0.95*float64(tried), nil
}
