package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"example.com/whatis/emulators/samples"
)

// nobody is an address at which no service answers.
const nobody = "http://127.0.0.1:1"

// Each command says by its exit code the same as all others: 0 answered, 1 something
// failed, 2 wrong usage, 130 interrupted.
func TestExitCodes(t *testing.T) {
	_, w, url := served(t)
	upload(t, w, "tea.gif", samples.All()[4].Bytes())
	for _, topic := range []string{"uploads", "tasks"} {
		if err := w.PubSub.CreateTopic("projects/" + w.Project + "/topics/" + topic); err != nil {
			t.Fatal(err)
		}
	}
	gcloud, _ := fakeGcloud(t, "exit 1")
	for _, line := range append(gcloud, "API_URL="+url, "UPLOAD_TOPIC=uploads", "EMBEDDING_MODEL=emulated-embedding") {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
	}
	folder := t.TempDir()
	t.Chdir(folder)
	write(t, "lake.jpg", string(samples.All()[5].Bytes()))
	write(t, "broken.jpg", "no image")
	write(t, "products.json", `[{"product_name":"Tea","brand":"B","category":"Tea","key_features":["green"],"gtin":"9520015000051"}]`)
	write(t, "bad.json", `{"products": 5}`)
	write(t, "result.json", `{"items":[]}`)
	write(t, "photos/labels.json", `[{"file":"lake.jpg","no_product":true}]`)
	write(t, "photos/lake.jpg", string(samples.All()[5].Bytes()))
	write(t, "pairs.jsonl", `{"a":"x","b":"y"}`)

	const none = "-" // there is no such case
	commands := []struct {
		command               string
		answered, failed, bad string // what stands behind it, words apart by spaces
		here                  bool   // it asks nobody, and is done before it is interrupted
	}{
		{"catalog import", "products.json", none, "bad.json", false},
		{"catalog prune", "--anyway products.json", none, "bad.json", false},
		{"catalog prune", none, "--url " + nobody + " products.json", none, false},
		{"catalog list", "--json", none, "--limit=-1", false},
		{"catalog show", "9520015000051", none, "nothing", false},
		{"catalog export", "", none, "nowhere/file.jsonl", false},
		{"catalog stats", "", none, "x", false},
		{"catalog confirm", "9520015000051", none, "nothing", false},
		{"catalog edit", none, "9520015000051 --name Tea --url " + nobody, "9520015000051", false},
		{"catalog hide", none, "9520015000051 --url " + nobody, "", false},
		{"catalog index", none, "--url " + nobody, "x", false},
		{"catalog delete", "9520015000051", none, "nothing", false},
		{"catalog merge", none, "a b --url " + nobody, "a", false},
		{"catalog rename-brand", none, "a b --url " + nobody, "a", false},
		{"catalog reembed", none, "emulated-embedding gemini-embedding-001 --drop", "a b", false},
		{"analyze", "lake.jpg", "--url " + nobody + " lake.jpg", "", false},
		{"batch", "gs://uploads/ --dry-run", "gs://uploads/none/", "", false},
		{"upload", "--no-wait lake.jpg", "--no-wait --bucket none lake.jpg", "", false},
		{"compare", none, "a b --url " + nobody, "a", false},
		{"results list", "", "--url " + nobody, "--source guess", false},
		{"results show", none, "00000000000000000000000000000000", "", false},
		{"results review", none, "00000000000000000000000000000000 accept", "x like", false},
		{"doctor", "--cloud", "--deployed --region r", "--deployed", false},
		{"spend", "", "--url " + nobody, "x", false},
		{"pause", none, "--url " + nobody, "x", false},
		{"resume", none, "--url " + nobody, "x", false},
		{"replay", "tea.gif", "none.gif", "", false},
		{"logs", "--dry-run", "", "--since yesterday", true},
		{"search", none, "--shop default tea", "", false},
		{"forecast", "Seattle", "--url " + nobody + " Seattle", "Seattle --units furlong", false},
		{"discover seek", none, "--country Kenya --sector waste --url " + nobody, "", false},
		{"discover mark", none, "20260101-000000-00000000 none wrong --url " + nobody, "20260101-000000-00000000 none perhaps", false},
		{"discover verify", none, none, "result.json", true},
		{"discover portals", "", none, "--file none.json", true},
		{"mcp", "", "--url " + nobody, "--emulated --url " + nobody, false},
		{"inspect", "lake.jpg", "broken.jpg", "none.jpg", false},
		{"eval accuracy", "photos", "photos --url " + nobody, "", false},
		{"eval discover", none, none, "", false},
		{"eval floor", none, none, "--model nobody", false},
		{"eval search", none, "--url " + nobody, "--min-ndcg 90", false},
		{"eval thresholds", none, none, "pairs.jsonl", false},
		{"date", "2027-01-01 nonsense", none, "--country EU 2027-01-01", true},
		{"open", none, none, "--url=", true},
		{"version", "", none, "1", true},
		{"completion", "bash", none, "csh", true},
	}
	tested := map[string]bool{}
	for _, test := range commands {
		tested[test.command] = true
		stopped, stop := context.WithCancel(t.Context())
		stop()
		interrupted := exitInterrupted
		if test.here {
			interrupted = exitFine
		}
		for _, one := range []struct {
			ctx  context.Context
			args string
			code int
		}{{t.Context(), test.bad, exitUsage}, {t.Context(), test.failed, exitFailed}, {stopped, test.answered, interrupted}, {t.Context(), test.answered, exitFine}} {
			if one.args == none {
				continue
			}
			args := append(strings.Fields(test.command), strings.Fields(one.args)...)
			var stdout, stderr bytes.Buffer
			if code := run(one.ctx, args, &console{in: strings.NewReader(""), out: &stdout, err: &stderr}); code != one.code {
				t.Errorf("whatisit %q = exit %d, want %d; %.300q, %.600q", args, code, one.code, &stdout, &stderr)
			}
		}
	}
	if files, _ := filepath.Glob("*"); len(files) != 7 {
		t.Errorf("the folder holds %q: something was written that nobody asked for", files)
	}
	for _, command := range leaves(t) {
		if !tested[command] {
			t.Errorf("nothing says how whatisit %s ends", command)
		}
	}
}

// leaves returns the names of all commands that can be called.
func leaves(t *testing.T) (names []string) {
	t.Helper()
	parser, err := parserOf(t.Context(), &commands{}, &console{})
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range parser.Model.Leaves(true) {
		names = append(names, strings.TrimPrefix(leaf.Path(), parser.Model.Name+" "))
	}
	return names
}
