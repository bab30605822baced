package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/ollama"
	"example.com/whatis/emulators/ollama/ollamatest"
	"example.com/whatis/emulators/site"
	"example.com/whatis/scripts/whatisit/accuracy"
)

// small is a vision model that is not the default one.
const small = "small-vl:2b"

// ollamaHere starts an Ollama whose models answer what the emulated model answers, and returns
// the variables that name it.
func ollamaHere(t *testing.T) (*ollamatest.Server, []string) {
	t.Helper()
	served := ollamatest.StartEmulated(t, map[string]ollamatest.Pulled{ollama.DefaultVision: ollamatest.Sees, small: ollamatest.Sees, ollama.DefaultEmbed: ollamatest.Embeds})
	return served, []string{"OLLAMA_HOST=" + served.URL}
}

// A local model is measured beside the emulated one: the figures of the one are accuracy by a
// model with a name and a size in memory, those of the other are not, and neither changes the
// other's.
func TestEvalLocal(t *testing.T) {
	t.Parallel()
	_, env := ollamaHere(t)
	folder := t.TempDir()
	c := prepared(t, env, "eval", "--drawn", "--model", "local,emulated", "--json", "--out", folder)
	code := c.run()
	var r accuracy.Report
	if err := json.Unmarshal(c.stdout.Bytes(), &r); code != exitFine || err != nil || len(r.Runs) != 2 {
		t.Fatalf("whatisit eval = exit %d, %v, %q, %q; want two runs", code, err, &c.stdout, &c.stderr)
	}
	local, emulated := r.Runs[0], r.Runs[1]
	if local.Models != accuracy.Local || !slices.Equal(local.LocalModels, []string{ollama.DefaultVision}) || local.MemoryBytes[ollama.DefaultVision] != ollamatest.Size || local.MemoryBytes[ollama.DefaultEmbed] != ollamatest.Size {
		t.Errorf("the local run is of %+v, want %s and how much memory it takes", local.AnsweredBy, ollama.DefaultVision)
	}
	if f := local.Figures; f.Photos != 9 || f.AllRight < 5 || f.Failed != 0 || f.P50MS <= 0 || f.CostUSD != 0 || f.Calls.Queries != 0 {
		t.Errorf("the local figures are %+v, want 9 photos with times, and no cost or web query", f)
	}
	if f := emulated.Figures; emulated.Models != accuracy.Emulated || emulated.LocalModels != nil || emulated.MemoryBytes != nil || f.AllRight != 9 || f.Calls.Queries == 0 {
		t.Errorf("the emulated run is of %+v, %+v, want all 9 right, with web queries, as without the local run before it", emulated.AnsweredBy, f)
	}
	const want = "accuracy on these photos, by the local model qwen3-vl:4b-instruct (model local); a regression guard: no real model answered, and this is no accuracy (model emulated)"
	if got := r.Kind(); got != want {
		t.Errorf("Kind = %q, want %q", got, want)
	}
	if !strings.Contains(c.stderr.String(), "LOCAL MODEL: qwen3-vl:4b-instruct") || !strings.Contains(c.stderr.String(), "EMULATED MODEL") {
		t.Errorf("standard error = %q, want who is measured", &c.stderr)
	}
	kept, err := filepath.Glob(filepath.Join(folder, "eval_*.json"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("left behind: %q, %v", kept, err)
	}
	if again, err := accuracy.ReadReport(kept[0]); err != nil || again.Kind() != want {
		t.Errorf("the kept report is %q, %v, want %q", again.Kind(), err, want)
	}

	c = prepared(t, slices.Concat(env, []string{"OLLAMA_VISION=" + small}), "eval", "--drawn", "--model", "local", "--against", kept[0])
	code = c.run()
	for _, want := range []string{"This is accuracy on these photos, by the local model small-vl:2b.\n", "memory at the end: embeddinggemma 3.2 GB, small-vl:2b 3.2 GB\n", "p50 ", "Against the earlier report:"} {
		if code != exitFine || !strings.Contains(c.stdout.String(), want) {
			t.Errorf("whatisit eval = exit %d, %q; want %q in\n%s", code, &c.stderr, want, &c.stdout)
		}
	}
	var page bytes.Buffer
	local.MemoryBytes = map[string]int64{"a": 2e9}
	if err := (accuracy.Report{Runs: []accuracy.Measure{local}}).WriteHTML(&page, nil, nil); err != nil || !strings.Contains(page.String(), "Memory at the end: a 2.0 GB.") || !strings.Contains(page.String(), "by the local model qwen3-vl:4b-instruct") {
		t.Errorf("the page lacks the model or its memory (%v)", err)
	}
}

// Without Ollama or its models nothing is measured, and the command that helps is named.
func TestEvalLocalUsage(t *testing.T) {
	_, env := ollamaHere(t)
	for _, test := range []struct {
		env  []string
		args []string
		want string
	}{
		{[]string{"OLLAMA_HOST=127.0.0.1:1"}, []string{"--drawn", "--model", "local"}, "start it with `ollama serve`"},
		{slices.Concat(env, []string{"OLLAMA_VISION=none"}), []string{"--drawn", "--model", "local"}, "none is not pulled: ollama pull none"},
		{slices.Concat(env, []string{"OLLAMA_JUDGE=none"}), []string{"search", "--model", "local"}, "none is not pulled: ollama pull none"},
		{slices.Concat(env, []string{"OLLAMA_EMBED=none"}), []string{"discover", "--model", "local"}, "none is not pulled: ollama pull none"},
		{slices.Concat(env, []string{"K_SERVICE=x"}), []string{"--drawn", "--model", "local"}, "K_SERVICE is set"},
		{env, []string{"thresholds", "-", "--model", "local"}, "such as local-embed-embeddinggemma"},
	} {
		c := prepared(t, test.env, slices.Concat([]string{"eval"}, test.args)...)
		if code := c.here(); code != exitUsage || c.stdout.Len() > 0 || !strings.Contains(c.stderr.String(), test.want) {
			t.Errorf("whatisit eval %q = exit %d, %q, %q; want exit 2 and %q", test.args, code, &c.stdout, &c.stderr, test.want)
		}
	}
}

// Queries and discoveries are answered by a local model, too.
func TestEvalLocalAgents(t *testing.T) {
	served, env := ollamaHere(t)
	c := prepared(t, env, "eval", "search", "--model", "local", "--queries", "-", "--json")
	c.Stdin = strings.NewReader(`{"group":"names","query":"Aria 100","skus":["EW-1001"]}`)
	code := c.here()
	var m measured
	if err := json.Unmarshal(c.stdout.Bytes(), &m); code != exitFine || err != nil || m.All.Queries != 1 || m.MemoryBytes[ollama.DefaultVision] != ollamatest.Size {
		t.Errorf("whatisit eval search = exit %d, %v, %q, %q; want one query, and the memory", code, err, &c.stdout, &c.stderr)
	}
	web, err := site.Start(site.Options{Drawn: true}) // the emulated model knows the pages of webs that run in its process
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	asked := len(served.Asked())
	c = prepared(t, env, "eval", "discover", "--model", "local", "--drawn", "1", "--json")
	code = c.here()
	var d []discovered
	if err := json.Unmarshal(c.stdout.Bytes(), &d); code != exitFine || err != nil || len(d) != 1 || d[0].Runs == 0 || d[0].Records == 0 || d[0].Invented > 0 || d[0].MemoryBytes[ollama.DefaultVision] != ollamatest.Size || len(served.Asked()) == asked {
		t.Errorf("whatisit eval discover = exit %d, %v, %q, %q; want discoveries by Ollama, and the memory", code, err, &c.stdout, &c.stderr)
	}
}

// The thresholds of a local embedding model are proposed with the lines that go run
// ./emulators -ollama exports.
func TestEvalLocalThresholds(t *testing.T) {
	t.Parallel()
	served, _ := ollamaHere(t)
	m, err := ollama.Open(t.Context(), ollama.Options{URL: served.URL})
	if err != nil {
		t.Fatal(err)
	}
	wire, err := m.Start(gemini.Options{APIKey: "emulated"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { wire.Close() })
	c := prepared(t, []string{"GOOGLE_GEMINI_BASE_URL=" + wire.URL(), "GOOGLE_API_KEY=emulated"}, "eval", "thresholds", "-", "--model", m.EmbedName())
	c.Stdin = strings.NewReader(pairs)
	code := c.run()
	for _, want := range []string{"local-embed-embeddinggemma: 4 pairs, 2 of the same product", "accept, now        0.500", "In internal/catalog/vectorspace.go: Floor: "} {
		if code != exitFine || !strings.Contains(c.stdout.String(), want) || !strings.Contains(c.stderr.String(), "about $0.0000") {
			t.Errorf("whatisit eval thresholds = exit %d, %q, %q; want %q, at no cost", code, &c.stdout, &c.stderr, want)
		}
	}
}
