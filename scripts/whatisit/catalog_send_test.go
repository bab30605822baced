package main

import (
	"path/filepath"
	"strings"
	"testing"

	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/internal/jobs/queue"
)

// A file is compared and imported by a service, which alone has the catalogue's credentials.
func TestImportByAService(t *testing.T) {
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
	file := filepath.Join(t.TempDir(), "shelf.csv")
	write(t, file, "Artikel;EAN;Preis\nOat Bar;036000291452;1,20 EUR\nRye Bar;;2 apples\n;;3\n")
	for _, tt := range []struct {
		args string
		code int
		want []string
	}{
		{"--diff --map Artikel=product_name", 0, []string{"it is a table: ", "Preis → price", "2 apples", "new", "Oat Bar", "2 new", "1 left out"}},
		{"--fail-over 50 --map Artikel=product_name", 0, []string{"2 imported, 0 known before, 1 left out"}},
		{"--map Artikel=product_name", 1, []string{"2 known before", "1 of 3 rows", "--fail-over"}},
		{"--shop second --fail-over 50 --map Artikel=product_name", 0, []string{"2 imported, 0 known before"}},
		{"--map Name=product_name", 1, []string{"no column", "Artikel, EAN, Preis"}},
		{"--restore", 2, []string{"GOOGLE_CLOUD_PROJECT"}},
		{"--currency euros", 1, []string{"ISO 4217"}},
	} {
		c := prepared(t, append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "TASKS_TOPIC=tasks", "EMBEDDING_MODEL=emulated-embedding", "IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge"), append(append([]string{"catalog", "import", "--url", url}, strings.Fields(tt.args)...), file)...)
		code, out := c.here(), c.stdout.String()+c.stderr.String()
		if code != tt.code {
			t.Errorf("import %s exits with %d, %q; want %d", tt.args, code, out, tt.code)
		}
		for _, want := range tt.want {
			if !strings.Contains(out, want) {
				t.Errorf("import %s says %q, want %q in it", tt.args, out, want)
			}
		}
	}
}
