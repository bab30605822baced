package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/scripts/whatisit/accuracy"
)

// A photo that the limit cuts off is not asked, and not wrong.
func TestProvePhotoCutOff(t *testing.T) {
	service(t)
	o := options{limit: 1, repeat: 1, out: filepath.Join(t.TempDir(), "left")}
	w, err := newWorld(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if err := w.start(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	photos, err := accuracy.Drawn()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	shots, err := accuracy.Run(t.Context(), photos[:3], accuracy.Settings{}, 1, w.asker(), func(s accuracy.Shot) {
		if asked++; asked == 1 {
			w.budget.mu.Lock()
			w.budget.limit = w.budget.spent
			w.budget.mu.Unlock()
		}
	})
	if f := accuracy.FiguresOf(shots); err != nil || f.Photos != 1 || f.AllRight != 1 || f.NotAsked != 2 || f.Failed != 0 {
		t.Errorf("three photos with money for one: %+v, %v; want one right and two not asked", f, err)
	}
	if r := shots[0].Reading; r == nil || !r.Right || shots[0].ModelMarks == nil || shots[0].ModelMarks.Honest == 0 {
		t.Errorf("the photo that was asked was read as %+v with the marks %+v, want both known", r, shots[0].ModelMarks)
	}
}

// A model that calls nothing, signs nothing, leaves nothing out or writes in another order is
// told; an emulated one proves nothing of these.
func TestProveFunctions(t *testing.T) {
	s := service(t)
	w, err := newWorld(t.Context(), options{limit: 1, repeat: 1})
	if err != nil {
		t.Fatal(err)
	}
	w.prober.base = s.URL()
	const real = "gemini-3.6-flash"
	facts := map[string]Fact{}
	for _, g := range w.groups {
		for _, f := range g.facts {
			facts[f.ID] = f
		}
	}
	call := []gemini.FunctionCall{{Name: "get_forecast_from_cache", Args: map[string]any{"city": "Seoul"}}}
	tests := []struct {
		name, fact string
		answer     gemini.Answer
		status     Status
		seen       string
	}{
		{"text", "function_call", gemini.Answer{Text: "Sunny.", ModelVersion: real}, Failed, "no function was called: Sunny."},
		{"text of an emulated model", "function_call", gemini.Answer{Text: "Sunny."}, NotChecked, "an emulated model answered"},
		{"a function that is not declared", "function_call", gemini.Answer{Calls: []gemini.FunctionCall{{Name: "other"}}, ModelVersion: real}, Failed, "other"},
		{"a declared function", "function_call", gemini.Answer{Calls: call, ModelVersion: real}, Held, "get_forecast_from_cache"},
		{"a stream in order", "stream_order", gemini.Answer{Text: `{"zebra":"` + strings.Repeat("z", 200) + `","apple":"a","melon":"m"}`, ModelVersion: real}, Held, "pieces"},
		{"a stream in another order", "stream_order", gemini.Answer{Text: `{"apple":"` + strings.Repeat("a", 200) + `","zebra":"z","melon":"m"}`, ModelVersion: real}, Failed, "pieces"},
		{"a stream of one piece", "stream_order", gemini.Answer{Text: `{"zebra":"z","apple":"a","melon":"m"}`, ModelVersion: real}, Failed, "1 pieces"},
		{"nothing left out", "left_out", gemini.Answer{Text: `{"printed":"Oat Crackers","date":""}`, ModelVersion: real}, Failed, "date"},
		{"all left out", "left_out", gemini.Answer{Text: `{"printed":"Oat Crackers"}`, ModelVersion: real}, Held, "Oat Crackers"},
		{"one call of two", "parallel_calls", gemini.Answer{Calls: call, Signature: []byte("s"), ModelVersion: real}, NotChecked, "the model made one call"},
	}
	for _, test := range tests {
		s.Script(test.answer)
		if status, seen := facts[test.fact].check(t.Context(), w.prober); status != test.status || !strings.Contains(seen, test.seen) {
			t.Errorf("%s: %s, %q; want %s, %q", test.name, status, seen, test.status, test.seen)
		}
	}
}

// Every structured question that the code asks is among those that are checked.
func TestEveryQuestionIsChecked(t *testing.T) {
	service(t)
	w, err := newWorld(t.Context(), options{limit: 1, repeat: 1})
	if err != nil {
		t.Fatal(err)
	}
	all, err := w.config.Questions()
	if err != nil {
		t.Fatal(err)
	}
	checked, asked := 0, 0
	for _, agent := range all {
		checked += len(agent.Questions)
	}
	err = filepath.WalkDir(filepath.Join("..", "..", "internal"), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		n, err := promptsMade(path)
		asked += n
		return err
	})
	if err != nil || checked != asked || asked < 12 {
		t.Errorf("%d questions are checked, and the code makes %d, %v; want every one: name it in its agent's Questions", checked, asked, err)
	}
}

// promptsMade counts the calls of agent.NewPrompt in a file of Go.
func promptsMade(path string) (n int, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return 0, err
	}
	ast.Inspect(file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		function := call.Fun
		if instance, ok := function.(*ast.IndexExpr); ok { // with its type argument
			function = instance.X
		}
		if name, ok := function.(*ast.SelectorExpr); ok && name.Sel.Name == "NewPrompt" {
			if of, ok := name.X.(*ast.Ident); ok && of.Name == "agent" {
				n++
			}
		}
		return true
	})
	return n, nil
}
