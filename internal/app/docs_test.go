package app_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"example.com/whatis/docs"
	"example.com/whatis/internal/app"
)

// A setting is one comment of the configuration, and the variables that it stands above.
type setting struct {
	comment             string
	variables, defaults []string
}

// The table of docs/configuration.md is the fields of Config with their comments, in which
// the variables take the place of the fields' names.
func TestDocsConfiguration(t *testing.T) {
	var table strings.Builder
	table.WriteString("| variable | default | what it does |\n| --- | --- | --- |\n")
	for _, part := range structTypes(t, reflect.TypeFor[app.Config]()) {
		for _, s := range settingsOf(part) {
			fmt.Fprintf(&table, "| %s | %s | %s |\n", strings.Join(s.variables, ", "), strings.Join(s.defaults, ", "), s.comment)
		}
	}
	docs.Section(t, "configuration.md", "configuration", table.String())
}

// structTypes are the syntax of the structs that config is made of, in its order.
func structTypes(t *testing.T, config reflect.Type) (all []*ast.StructType) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*ast.StructType{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				found[spec.Name.Name], _ = spec.Type.(*ast.StructType)
			}
			return true
		})
	}
	for i := range config.NumField() {
		name := config.Field(i).Type.Name()
		if found[name] == nil {
			t.Fatalf("the source of %s was not found", name)
		}
		all = append(all, found[name])
	}
	return all
}

// settingsOf returns the settings of one struct.
func settingsOf(s *ast.StructType) (all []setting) {
	variable := map[string]string{}
	for _, f := range s.Fields.List {
		variable[f.Names[0].Name], _ = variableOf(f)
	}
	for _, f := range s.Fields.List {
		name, fallback := variableOf(f)
		if name == "" || name == "K_SERVICE" { // which Cloud Run sets
			continue
		}
		if f.Doc != nil || len(all) == 0 {
			all = append(all, setting{comment: withVariables(f.Doc.Text(), variable)})
		}
		last := &all[len(all)-1]
		last.variables = append(last.variables, "`"+name+"`")
		if fallback != "" {
			last.defaults = append(last.defaults, "`"+fallback+"`")
		}
	}
	return all
}

// variableOf returns the variable that a field reads, and its default.
func variableOf(f *ast.Field) (name, fallback string) {
	tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("env")
	name, _, _ = strings.Cut(tag, ",")
	_, fallback, _ = strings.Cut(tag, "default=")
	return name, fallback
}

var word = regexp.MustCompile(`[A-Za-z]+`)

// withVariables is a comment on one line, in which variables stand for fields.
func withVariables(comment string, variable map[string]string) string {
	comment = strings.Join(strings.Fields(comment), " ")
	return word.ReplaceAllStringFunc(comment, func(w string) string {
		if name := variable[w]; name != "" {
			return "`" + name + "`"
		}
		return w
	})
}
