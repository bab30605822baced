package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/whatis/docs"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/scripts/whatisit/accuracy"
)

// Two photos of a folder, each setting measured, and a page and JSON left behind; then
// the same against that report, and against one in which more was right.
func TestEvalPhotos(t *testing.T) {
	folder := t.TempDir()
	for _, s := range samples.All()[:2] {
		if err := os.WriteFile(filepath.Join(folder, s.File), s.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(folder, accuracy.LabelsFile), `[
		{"file":"01-oat-crackers.jpg","product_name":"Sea Salt Oat Crackers","brand":"Brindlemoor","country":"US","lang":"en"},
		{"file":"02-rice-chips.png","product_name":"another","brand":"볕고을"}]`)
	c := prepared(t, nil, "eval", folder, "--emulated", "--json", "--second-look", "doubt,never", "--thinking", "low", "--out", folder)
	code := c.here()
	var r accuracy.Report
	if err := json.Unmarshal(c.stdout.Bytes(), &r); code != exitFine || err != nil || len(r.Runs) != 2 || r.Runs[0].Models != accuracy.Emulated {
		t.Fatalf("whatisit eval = exit %d, %v, %q, %q; want two runs", code, err, &c.stdout, &c.stderr)
	}
	for i, look := range []string{"doubt", "never"} {
		m := r.Runs[i]
		if m.Settings != (accuracy.Settings{Model: modelEmulated, SecondLook: look, Thinking: "low"}) || m.Figures.Photos != 2 || m.Figures.AllRight != 1 || m.Figures.Fields[1].Right != 1 {
			t.Errorf("run %d is %+v of %+v, want one of two right with the second look %s", i, m.Figures, m.Settings, look)
		}
	}
	kept, err := filepath.Glob(filepath.Join(folder, "eval_*"))
	if err != nil || len(kept) != 2 {
		t.Fatalf("left behind: %q, %v; want a page and JSON", kept, err)
	}
	page, report := kept[0], kept[1]
	if data, err := os.ReadFile(page); err != nil || strings.Count(string(data), "data:image/jpeg;base64,") != 2 || !strings.Contains(string(data), "regression guard") {
		t.Errorf("the page is %d bytes, %v; want the photo that went wrong, twice", len(data), err)
	}

	again := []string{"eval", folder, "--emulated", "--second-look", "doubt", "--thinking", "low", "--out", "-", "--against"}
	c = prepared(t, nil, append(again, report)...)
	if code := c.here(); code != exitFine || !strings.Contains(c.stdout.String(), "product_name") || !strings.Contains(c.stdout.String(), "0.5 → 0.5") {
		t.Errorf("whatisit eval --against the same = exit %d, %q, %q; want nothing worse", code, &c.stdout, &c.stderr)
	}
	was, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	better := filepath.Join(t.TempDir(), "better.json")
	write(t, better, strings.ReplaceAll(string(was), `"product_name": "wrong"`, `"product_name": "right"`))
	c = prepared(t, nil, append(again, better)...)
	if code := c.here(); code != exitFailed || !strings.Contains(c.stderr.String(), "product_name is 0.5, was 1: 02-rice-chips.png") {
		t.Errorf("whatisit eval --against a better report = exit %d, %q; want exit 1 and what is worse", code, &c.stderr)
	}
}

// What was measured, and paid for, is printed also if it cannot be written.
func TestEvalIsNotLost(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "no folder any more")
	var stdout, stderr bytes.Buffer
	measured := accuracy.NewReport(time.Now(), "service", "photos", []accuracy.Measure{accuracy.Measured(accuracy.Settings{Model: modelReal}, nil)})
	err := (&evalPhotosCommand{Out: file}).tell(&console{out: &stdout, err: &stderr, json: true}, measured, nil, nil)
	var r accuracy.Report
	if bad := json.Unmarshal(stdout.Bytes(), &r); bad != nil || len(r.Runs) != 1 || err == nil || !strings.Contains(err.Error(), "--out: ") {
		t.Errorf("tell = %v, and prints %q, %v; want the report, and why it is not kept", err, &stdout, bad)
	}
}

func TestEvalUsage(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "a.jpg"), "x")
	labelled := t.TempDir()
	write(t, filepath.Join(labelled, "a.jpg"), "x")
	write(t, filepath.Join(labelled, accuracy.LabelsFile), `[{"file":"a.jpg","brand":"X","lang":"klingon!"}]`)
	pairs := filepath.Join(folder, "pairs.jsonl")
	write(t, pairs, `{"a":"x","b":"y","same":true}`)
	tests := []struct {
		args []string
		want string
	}{
		{[]string{folder, "--emulated"}, "there is no labels.json: write one"},
		{[]string{folder, "--emulated", "--drawn"}, "leave one out"},
		{[]string{labelled, "--emulated"}, `lang "klingon!": want a language tag`},
		{[]string{"--drawn"}, "no service is named"},
		{[]string{"--drawn", "--emulated", "--policy", "lax"}, `"lax" is unknown`},
		{[]string{"--drawn", "--emulated", "--thinking", "much"}, `--thinking "much": want minimal`},
		{[]string{"--drawn", "--emulated", "--thinking", "low/low"}, `--thinking "low/low": want minimal`},
		{[]string{"--drawn", "--url", "http://127.0.0.1:1", "--thinking", "low"}, "--thinking is set where the service is deployed"},
		{[]string{"--drawn", "--emulated", "--tolerance", "2"}, "--tolerance is 2"},
		{[]string{"--drawn", "--emulated", "--jobs", "0"}, "--jobs is 0"},
		{[]string{"--drawn", "--emulated", "--out", pairs}, "--out: "},
		{[]string{"--drawn", "--emulated", "--against", folder + "/none.json"}, "--against: "},
		{[]string{"--drawn", "--emulated", "--against", labelled + "/labels.json"}, "want the JSON that an earlier whatisit eval wrote"},
		{[]string{"--drawn", "--model", "best"}, `--model "best": want none, perfect, emulated, local or real`},
		{[]string{"--drawn", "--model", "none,none"}, "--model has none twice"},
		{[]string{"--drawn", "--emulated", "--model", "none"}, "--emulated is --model emulated: leave one out"},
		{[]string{"--drawn", "--model", "perfect", "--url", "http://127.0.0.1:1"}, "leave --url out"},
		{[]string{"--drawn", "--model", "real"}, "no service is named"},
		{[]string{"--drawn", "--model", "recorded"}, "--model recorded, alone, and --answers FOLDER go together"},
		{[]string{"--drawn", "--answers", folder, "--model", "recorded"}, "leave one out"},
		{[]string{"--answers", folder, "--model", "recorded"}, "there is no truth.tsv in it or above"},
		{[]string{"search", "--model", "recorded"}, `--model "recorded": want none, perfect, emulated, local or real`},
		{[]string{"discover", "--model", "real"}, "a discovery is measured on the small web in this process"},
		{[]string{"discover"}, "a discovery is measured on the small web in this process"},
		{[]string{"thresholds", pairs, "--model", "none"}, "thresholds need an embedding model"},
		{[]string{"thresholds", pairs}, "name one embedding model: --emulated, or --model"},
		{[]string{"thresholds", pairs, "--emulated", "--model", "gemini-embedding-2"}, "name one embedding model"},
		{[]string{"thresholds", pairs, "--model", "gemini-embedding-9"}, "has no thresholds"},
		{[]string{"thresholds", pairs, "--model", "gemini-embedding-2"}, "1 pairs are of the same product and 0 of two"},
		{[]string{"thresholds", folder + "/none", "--emulated"}, "no such file"},
		{[]string{"thresholds", pairs, "--emulated", "--precision", "99"}, "--precision is 99"},
	}
	for _, test := range tests {
		c := prepared(t, nil, append([]string{"eval"}, test.args...)...)
		if code := c.here(); code != exitUsage || c.stdout.Len() > 0 || !strings.Contains(c.stderr.String(), test.want) || strings.Contains(c.stderr.String(), "EMULATED") {
			t.Errorf("whatisit eval %q = exit %d, %q, %q; want exit 2 and %q, before anything is asked", test.args, code, &c.stdout, &c.stderr, test.want)
		}
	}
}

// pairs are two pairs of one product and two of different ones.
const pairs = `{"a":["Sea Salt","Oat Crackers","200 g"],"b":["Oat Crackers","Sea Salt"],"same":true}
{"a":["Sea Salt","Oat Crackers","200 g"],"b":["lavender","fabric softener"],"same":false}
{"a":["현미","누룽지칩","60 g"],"b":["누룽지칩","현미"],"same":true}
{"a":["현미","누룽지칩","60 g"],"b":["cordless drill"],"same":false}`

// Thresholds of the emulated embedder, which say nothing of a real one, part its pairs.
func TestEvalThresholds(t *testing.T) {
	c := prepared(t, nil, "eval", "thresholds", "-", "--emulated", "--json")
	c.Stdin = strings.NewReader(pairs)
	code := c.here()
	var got accuracy.Thresholds
	if err := json.Unmarshal(c.stdout.Bytes(), &got); code != exitFine || err != nil {
		t.Fatalf("whatisit eval thresholds = exit %d, %v, %q, %q", code, err, &c.stdout, &c.stderr)
	}
	if got.Pairs != 4 || got.Same != 2 || got.Accept.Precision != 1 || got.Accept.Recall != 1 || got.Floor.Score > got.Accept.Score || got.Now.Accept.Score != 0.5 {
		t.Errorf("whatisit eval thresholds = %+v, want the four parted, beside the 0.5 of now", got)
	}
}

// The drawn packs are answered as docs/evidence.md says, with each of the models.
func TestDocsPhotos(t *testing.T) {
	t.Parallel()
	c := prepared(t, nil, "eval", "--drawn", "--model", "none,perfect,emulated", "--json")
	code := c.run()
	var r accuracy.Report
	if err := json.Unmarshal(c.stdout.Bytes(), &r); code != exitFine || err != nil || len(r.Runs) != 3 {
		t.Fatalf("whatisit eval --drawn = exit %d, %v, %q, %q; want three models measured", code, err, &c.stdout, &c.stderr)
	}
	docs.Section(t, "evidence.md", "photos", columnsOf(r).markdown())
}

// A perfect model answers from the labels of a folder, whatever the photos show; without a
// model nothing is right, and that is no failure.
func TestEvalPerfect(t *testing.T) {
	folder := t.TempDir()
	for i, s := range samples.All()[:3] {
		if err := os.WriteFile(filepath.Join(folder, string(rune('a'+i))), s.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(folder, accuracy.LabelsFile), `[
		{"file":"a","product_name":"Rye Sticks","brand":"Fenn","expiration_date":"2031.05.31","country":"DE","lang":"de"},
		{"file":"b","product_name":""}, {"file":"c","no_product":true}]`)
	c := prepared(t, nil, "eval", folder, "--model", "perfect,none", "--json")
	code := c.here()
	var r accuracy.Report
	if err := json.Unmarshal(c.stdout.Bytes(), &r); code != exitFine || err != nil || len(r.Runs) != 2 || r.Runs[0].Models != accuracy.Emulated {
		t.Fatalf("whatisit eval = exit %d, %v, %q, %q; want two runs", code, err, &c.stdout, &c.stderr)
	}
	for i, want := range []int{3, 0} {
		if got := r.Runs[i].Figures.AllRight; got != want {
			t.Errorf("%s: %d photos are all right, want %d: %+v", r.Runs[i].Settings, got, want, r.Runs[i].Shots)
		}
	}
}
