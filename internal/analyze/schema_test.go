package analyze_test

import (
	"testing"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/minds"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
)

// Each way to an answer is gone with schemas that a service with the least budget for
// them takes.
func TestSchemasAreSmall(t *testing.T) {
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
			script: []emulated.Answer{analysis(unclear), {Kind: minds.KindStructure, JSON: tea, Grounding: grounded("x").Grounding}}, source: analyze.FromGoogleSearch},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, test.change)
			if test.stock != nil {
				test.stock(b)
			}
			b.Gemini.SetSchemaBudget(1)
			b.Gemini.Script(test.script...)
			r, err := b.run(nil)
			if err != nil || r.Source != test.source {
				t.Fatalf("Run = source %q, %v, want %q", r.Source, err, test.source)
			}
			if n := b.CheckSchemas(t); n == 0 {
				t.Error("no schema was sent")
			}
		})
	}
}
