package analyze_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
)

// Each way to an answer works with a service that has the smallest limit for schemas,
// and with one that refuses all of them: then the result has a warning.
func TestSchemas(t *testing.T) {
	tests := []struct {
		name   string
		change func(*analyze.Config)
		stock  func(*bench)
		script []emulated.Answer
		source analyze.Source
	}{
		{name: "image", script: []emulated.Answer{analysis(nil)}, source: analyze.FromImage},
		{name: "local_db",
			stock:  func(b *bench) { b.stock("보리차", "햇살마루", "", catalog.Unconfirmed, features...) },
			script: []emulated.Answer{analysis(unclear), judgement(analyze.Judgement{Pick: 1})}, source: analyze.FromLocalDB},
		{name: "google_search",
			script: []emulated.Answer{analysis(unclear), grounded("It is 햇살마루 보리차."), finding(tea)}, source: analyze.FromGoogleSearch},
		{name: "google_search in one call",
			change: func(c *analyze.Config) { c.SearchWithSchema = true },
			script: []emulated.Answer{analysis(unclear), {Kind: answers.KindStructure, JSON: tea, Grounding: grounded("x").Grounding}}, source: analyze.FromGoogleSearch},
	}
	for i := range 2 * len(tests) {
		test, refused := tests[i/2], i%2 == 1
		t.Run(fmt.Sprintf("%s, refused %v", test.name, refused), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, test.change)
			if test.stock != nil {
				test.stock(b)
			}
			b.Gemini.SetSchemaBudget(1)
			if refused {
				b.Gemini.SetFaults(emulated.Fault{Type: emulated.SchemaRefused})
			}
			b.Gemini.Script(test.script...)
			r, err := b.run(nil)
			if err != nil || r.Source != test.source {
				t.Fatalf("Run = source %q, %v, want %q", r.Source, err, test.source)
			}
			if slices.Contains(r.Warnings, gemini.WarnSchemaRefused) != refused {
				t.Errorf("warnings %q, want %s: %v", r.Warnings, gemini.WarnSchemaRefused, refused)
			}
			if n := b.CheckSchemas(t); n == 0 {
				t.Error("no schema was sent")
			}
		})
	}
}

// The emulated model reads the same of a pack with and without a schema.
func TestSampleWithoutSchemas(t *testing.T) {
	b := newBench(t, nil)
	var err error
	if b.req.Photo, err = photo.Prepare(samples.All()[1].Bytes(), photo.Limits{}); err != nil {
		t.Fatal(err)
	}
	with, err := b.run(nil)
	if err != nil || with.ProductName == "" {
		t.Fatalf("Run = %q, %v, want a product", with.ProductName, err)
	}
	b.Gemini.SetFaults(emulated.Fault{Type: emulated.SchemaRefused})
	without, err := b.run(nil)
	if err != nil || without.ProductName != with.ProductName || without.Source != with.Source {
		t.Errorf("Run without schemas = %q of %s, %v, want %q of %s", without.ProductName, without.Source, err, with.ProductName, with.Source)
	}
}
