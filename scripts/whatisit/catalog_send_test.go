package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/internal/jobs/queue"
)

// All that is done with a catalogue is done by a service too, which alone has its credentials.
func TestCatalogByAService(t *testing.T) {
	a, w, url := served(t)
	const tasks = "projects/emulated/topics/tasks"
	if err := w.PubSub.CreateTopic(tasks); err != nil {
		t.Fatal(err)
	}
	w.PubSub.Subscribe(tasks, func(m pubsub.Message) {
		if err := a.Tasks().Dispatch(t.Context(), queue.Delivery{Data: m.Data}); err != nil {
			t.Error(err)
		}
	})
	folder := t.TempDir()
	file, report, exported := filepath.Join(folder, "shelf.csv"), filepath.Join(folder, "report.jsonl"), filepath.Join(folder, "out.jsonl")
	say := func(code int, wants []string, args ...string) {
		t.Helper()
		c := prepared(t, append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "TASKS_TOPIC=tasks", "EMBEDDING_MODEL=emulated-embedding", "IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge"), append([]string{"catalog", args[0], "--url", url}, args[1:]...)...)
		got, out := c.here(), c.stdout.String()+c.stderr.String()
		if got != code {
			t.Errorf("catalog %q exits with %d, %q; want %d", args, got, out, code)
		}
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("catalog %q says %q, want %q in it", args, out, want)
			}
		}
	}
	named := []string{"--map", "Artikel=product_name", file}
	write(t, file, "Artikel;EAN;Preis\nOat Bar;036000291452;1,20 EUR\nRye Bar;;2 apples\n;;3\n")
	say(0, []string{"it is a table: ", "Preis → price", "2 apples", "new", "Oat Bar", "2 new", "1 left out"}, append([]string{"import", "--diff"}, named...)...)
	say(0, []string{"it is a table: ", "Preis → price", "2 apples", "2 imported, 0 known before, 1 left out"}, append([]string{"import", "--fail-over=50", "--report", report}, named...)...)
	if lines, err := os.ReadFile(report); err != nil || strings.Count(string(lines), "\n") != 2 || !strings.Contains(string(lines), "2 apples") {
		t.Errorf("the report is %s, %v; want the row without a name and the price of apples", lines, err)
	}
	say(1, []string{"2 known before", "1 of 3 rows", "--fail-over"}, append([]string{"import"}, named...)...)
	say(0, []string{"2 imported, 0 known before"}, append([]string{"import", "--shop=second", "--fail-over=50"}, named...)...)
	say(1, []string{"no column", "Artikel, EAN, Preis"}, "import", "--map", "Name=product_name", file)
	say(1, []string{"ISO 4217"}, append([]string{"import", "--currency=euros"}, named...)...)

	write(t, file, "Artikel;EAN;Preis\nOat Bar;036000291452;1,20 EUR\n;;3\n")
	say(0, []string{"Rye Bar"}, "list")
	say(2, []string{"remove", "Rye Bar", "1 rows", "--anyway"}, append([]string{"prune", "--yes"}, named...)...)
	say(0, []string{"1 records removed, 0 stay"}, append([]string{"prune", "--yes", "--anyway"}, named...)...)
	say(0, []string{"1 records of shelf.csv are in the file; nothing is to be removed"}, append([]string{"prune", "--yes", "--anyway"}, named...)...)
	say(0, []string{`"records": 1`}, "stats")
	say(0, []string{`"records": 2`}, "stats", "--shop=second")

	say(0, []string{"1 records exported"}, "export", exported)
	say(0, []string{"1 imported"}, "import", "--restore", "--shop=third", exported)
	say(0, []string{"embedded: 1 records, 0 had"}, "reembed", "emulated-embedding", "gemini-embedding-001")
	say(0, []string{`"gemini-embedding-001": 1`}, "stats")
	say(1, []string{"only after the switch"}, "reembed", "--drop", "emulated-embedding", "gemini-embedding-001")
	say(1, []string{"no thresholds"}, "reembed", "emulated-embedding", "word2vec")
	say(1, []string{"INDEX_BUCKET"}, "index")
}
