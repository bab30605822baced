package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/replay"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/scripts/whatisit/accuracy"
)

const key = "AIzaSyTestKeyOfNobody_0123456789abcdefg"

// service returns the emulator in the service's place, and the environment of somebody who
// has a key for it.
func service(t *testing.T) *gemini.Server {
	t.Helper()
	s, err := answers.Start(gemini.Options{APIKey: key}, answers.Options{Tesseract: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for _, name := range []string{
		"GOOGLE_VERTEX_BASE_URL", "FIRESTORE_EMULATOR_HOST", "STORAGE_EMULATOR_HOST", "FIRESTORE_DATABASE", "GOOGLE_CLOUD_PROJECT", "UPLOAD_BUCKET", "RESULTS_BUCKET",
		"TASKS_TOPIC", "LONG_TASKS_TOPIC", "RESULTS_TOPIC", "FAILURES_TOPIC", "LEARN_FROM_SEARCH", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "K_SERVICE",
	} {
		t.Setenv(name, "") // and back to what it was at the end
	}
	t.Setenv("GOOGLE_GEMINI_BASE_URL", s.URL())
	t.Setenv("GOOGLE_API_KEY", key)
	return s
}

// found returns the findings that were left in a folder, by ID.
func found(t *testing.T, folder string) map[string]Finding {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "assumptions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Facts []Finding }
	if err := json.Unmarshal(data, &list); err != nil || len(list.Facts) < 20 {
		t.Fatalf("assumptions.json holds %d, %v; want 20 at least", len(list.Facts), err)
	}
	byID := map[string]Finding{}
	for _, f := range list.Facts {
		if byID[f.ID].ID != "" || f.Seen == "" || f.Assumption == "" {
			t.Errorf("%+v is there twice, or says nothing", f)
		}
		if _, err := os.Stat(filepath.Join("..", "..", f.Stands)); err != nil {
			t.Errorf("%s stands nowhere: %v", f.ID, err)
		}
		byID[f.ID] = f
	}
	return byID
}

// labelled returns a folder with one photo and its label.
func labelled(t *testing.T) string {
	t.Helper()
	folder, s := t.TempDir(), samples.All()[0]
	label := `[{"file":"` + s.File + `","product_name":"` + s.Truth.Name + `","country":"US","lang":"en"}]`
	for name, data := range map[string][]byte{s.File: s.Bytes(), accuracy.LabelsFile: []byte(label)} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// What the emulator enforces holds of it, what only a model shows is not checked, and
// all of it is left behind, to be replayed, without the key.
func TestProve(t *testing.T) {
	s := service(t)
	out := filepath.Join(t.TempDir(), "left")
	var printed bytes.Buffer
	if err := run(t.Context(), options{limit: 1, photos: labelled(t), repeat: 1, out: out, yes: true}, nil, strings.NewReader(""), &printed); err != nil {
		t.Fatalf("prove: %v, after\n%s", err, &printed)
	}
	if got := printed.String(); !strings.Contains(got, "It spends at most $1.00") || !strings.Contains(got, "9 drawn, 18 stickers, 6 leaflets, 1 photos") {
		t.Errorf("prove says\n%s\nwant the limit and the photos", got)
	}
	if want := "of 245 false ones 0 told, of 226 honest ones 40 refused"; !strings.Contains(printed.String(), want) { // the emulated model vouches for no hard one
		t.Errorf("prove says\n%s\nwant %q", &printed, want)
	}
	notChecked := map[string]bool{"answer_order": true, "left_out": true, "bare_schema": true, "stream_order": true, "usage": true, "search_sources": true, "media_resolution": true, "photo_tokens": true, "embed_scores": true, "speech": true, "function_call": true}
	groups := map[string]bool{}
	for id, f := range found(t, out) {
		groups[f.Group] = true
		if f.Group == "flex" && f.Status == NotChecked && strings.Contains(f.Seen, "named no tier") {
			continue
		}
		want := Held
		if notChecked[id] {
			want = NotChecked
		}
		if f.Status != want {
			t.Errorf("%s: %s (%s), want %s of the emulator", id, f.Status, f.Seen, want)
		}
	}
	for _, group := range []string{"models", "schemas", "thinking", "functions", "signatures", "search", "photos", "embeddings", "speech", "flex"} {
		if !groups[group] {
			t.Errorf("nothing was asked about %s", group)
		}
	}
	for _, want := range []string{"Nothing is proven of Google's models, since an emulated model answered", "not proven, as nothing decided them: ", "identified: drawn 9 of 9", "stickers 18 of 18"} {
		if last := printed.String()[strings.LastIndex(printed.String(), "It is all in"):]; !strings.Contains(last, want) {
			t.Errorf("prove ends with\n%s\nwant %q", last, want)
		}
	}
	for _, set := range []string{"drawn", "stickers", "leaflets", "photos"} {
		reports, err := filepath.Glob(filepath.Join(out, set, "eval_*.json"))
		if err != nil || len(reports) != 1 {
			t.Fatalf("%s: %q, %v; want a report", set, reports, err)
		}
		r, err := accuracy.ReadReport(reports[0])
		if f := r.Runs[0].Figures; err != nil || f.AllRight != f.Photos || r.Runs[0].Models != accuracy.Emulated {
			t.Errorf("%s: %+v, %v; want all right, by the emulated model", set, f, err)
		}
		marks := r.Runs[0].Figures.Marks
		if set == "photos" {
			continue // no line is labelled
		}
		if marks == nil || marks.Model == nil || marks.Model.Honest < 20 || marks.Model.False+marks.Model.Missed > 0 || (marks.Model.Directed > 40) != (set == "stickers") {
			t.Errorf("%s: the marks are %+v, want those of the emulated model, which marks the lines of stickers", set, marks)
		}
		if doubts := r.Runs[0].Figures.Doubts; len(doubts) == 0 || len(r.Runs[0].Figures.Rows) == 0 {
			t.Errorf("%s: rows %v, doubts %v; want some", set, r.Runs[0].Figures.Rows, doubts)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := replay.Play(replay.PlayOptions{Dir: filepath.Join(out, "recordings")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	again := (&prober{base: p.URL(), key: key}).ask(t.Context(), "gemini-0.1-none", "generateContent", question(nil))
	if again.status != 404 || p.Misses() != 0 {
		t.Errorf("a check replayed: %s, %d misses; want the 404 that was recorded", again.text(), p.Misses())
	}
	err = filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(key)) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A service that is otherwise than we think is told, and one that does not answer
// proves nothing.
func TestProveFailed(t *testing.T) {
	s := service(t)
	w, err := newWorld(t.Context(), options{limit: 1, repeat: 1})
	if err != nil {
		t.Fatal(err)
	}
	w.prober.base = s.URL()
	tests := []struct {
		name   string
		fault  gemini.Fault
		status Status // of an assumption that requests are taken
		seen   string
	}{
		{"a model that is gone", gemini.Fault{Type: gemini.Gone}, Failed, "404"},
		{"no quota", gemini.Fault{Type: gemini.DailyQuota}, NotChecked, "429"},
		{"no right", gemini.Fault{Type: gemini.Forbidden}, NotChecked, "403"},
		{"an outage", gemini.Fault{Type: gemini.Unavailable}, NotChecked, "503"},
		{"an answer cut off", gemini.Fault{Type: gemini.Cut}, NotChecked, "EOF"},
	}
	m := models{image: "gemini-3.5-flash-lite", judge: "gemini-3.6-flash"}
	for _, test := range tests {
		s.SetFaults(test.fault)
		status, seen := takes(m.ask("", m.image, nil))(t.Context(), w.prober)
		if status != test.status || !strings.Contains(seen, test.seen) {
			t.Errorf("%s: %s, %q; want %s, %q", test.name, status, seen, test.status, test.seen)
		}
	}
	s.SetFaults()
	if status, seen := refuses(400, m.ask("", m.image, nil))(t.Context(), w.prober); status != Failed || !strings.HasSuffix(seen, ": 200") {
		t.Errorf("a request taken that should be refused: %s, %q; want it failed", status, seen)
	}
	s.Script(gemini.Answer{Text: `{"apple":"1","melon":"2","zebra":"3"}`, ModelVersion: "gemini-3.5-flash-lite"}, gemini.Answer{Text: `{"zebra":"3","apple":"1","melon":"2"}`, ModelVersion: "gemini-3.5-flash-lite"})
	for _, want := range []Status{Failed, Held} {
		if status, seen := observes(m.ask("", m.image, config(schema(ordered))), inOrder)(t.Context(), w.prober); status != want {
			t.Errorf("an answer in some order: %s, %q; want %s", status, seen, want)
		}
	}
}

// No call goes out beyond the limit, and what was not asked is told.
func TestProveLimit(t *testing.T) {
	service(t)
	const limit = 0.003
	out := filepath.Join(t.TempDir(), "left")
	var printed bytes.Buffer
	err := run(t.Context(), options{limit: limit, repeat: 1, out: out, yes: true}, nil, strings.NewReader(""), &printed)
	if !errors.Is(err, errLimit) {
		t.Fatalf("prove within $%v: %v, want %v", limit, err, errLimit)
	}
	byStatus := map[Status]int{}
	for _, f := range found(t, out) {
		byStatus[f.Status]++
	}
	if !strings.Contains(printed.String(), "of photos, 33 were not asked and prove nothing") {
		t.Errorf("prove within $%v ends with\n%s\nwant all photos not asked", limit, printed.String()[max(0, printed.Len()-600):])
	}
	if byStatus[Failed] > 0 || byStatus[Held] == 0 || byStatus[NotChecked] < 10 {
		t.Errorf("prove within $%v: %v, want some held, more not checked, and none failed", limit, byStatus)
	}
}

// A call is paid for by its own account; one without an answer at its worst.
func TestBudget(t *testing.T) {
	b := newBudget(0.01)
	call := func(id int64, body string) replay.Sent {
		var r replay.Request
		if err := json.Unmarshal([]byte(`{"path":"/v1beta/models/gemini-3.6-flash:generateContent","body":{"json":`+body+`}}`), &r); err != nil {
			t.Fatal(err)
		}
		return replay.Sent{Request: r, ID: id}
	}
	small := `{"generationConfig":{"maxOutputTokens":1000}}` // 3.75 or 7.50 USD a million
	first := call(1, small)
	if err := b.before(first); err != nil {
		t.Fatal(err)
	}
	if err := b.before(call(2, `{"tools":[{"googleSearch":{}}],"generationConfig":{"maxOutputTokens":1}}`)); err == nil {
		t.Error("ten searches at 1.4 cents are let out within 1 cent")
	}
	if err := b.before(call(3, `{}`)); err == nil {
		t.Error("an answer of any length is let out within 1 cent")
	}
	var paid replay.Answer
	if err := json.Unmarshal([]byte(`{"status":200,"body":{"json":{"candidates":[{}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":10,"thoughtsTokenCount":10}}}}`), &paid); err != nil {
		t.Fatal(err)
	}
	b.after(first, paid)
	if b.spent <= 0 || b.spent >= worstCase(first.Request)/10 || len(b.underway) != 0 {
		t.Errorf("30 tokens cost $%v of a worst case of $%v, want what they cost", b.spent, worstCase(first.Request))
	}
	if err := b.before(call(4, small)); err != nil { // and nothing comes back
		t.Fatal(err)
	}
	if err := b.before(call(5, small)); err == nil && worstCase(first.Request)*2 > b.limit {
		t.Error("a call without an answer does not count")
	}
	if err := b.reached(); !errors.Is(err, errLimit) {
		t.Errorf("after refusals: %v, want %v", err, errLimit)
	}
}

func TestProveUsage(t *testing.T) {
	s := service(t)
	out := filepath.Join(t.TempDir(), "left")
	tests := []struct {
		name string
		env  map[string]string
		o    options
		rest []string
		want string
	}{
		{"no key", map[string]string{"GOOGLE_API_KEY": ""}, options{limit: 1, repeat: 1, out: out, yes: true}, nil, "it needs a key: set GOOGLE_API_KEY"},
		{"no project", map[string]string{"GOOGLE_GENAI_USE_VERTEXAI": "true"}, options{limit: 1, repeat: 1, out: out, yes: true}, nil, "on Vertex AI it needs GOOGLE_CLOUD_PROJECT"},
		{"Cloud Run", map[string]string{"K_SERVICE": "s"}, options{limit: 1, repeat: 1, out: out, yes: true}, nil, "K_SERVICE is set"},
		{"no limit", nil, options{repeat: 1, out: out, yes: true}, nil, "-limit is 0: name what may be spent"},
		{"no repeat", nil, options{limit: 1, out: out, yes: true}, nil, "-repeat is 0: want 1 to 100"},
		{"an argument", nil, options{limit: 1, repeat: 1, out: out, yes: true}, []string{"photo.jpg"}, "it takes options only"},
		{"no labels", nil, options{limit: 1, repeat: 1, out: out, yes: true, photos: t.TempDir()}, nil, "-photos: "},
		{"no yes", nil, options{limit: 1, repeat: 1, out: out}, nil, "nothing was asked and nothing spent"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			var printed bytes.Buffer
			err := run(t.Context(), test.o, test.rest, strings.NewReader("nope\n"), &printed)
			var wrong usageError
			if !errors.As(err, &wrong) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("prove: %v, want a wrong usage, %q", err, test.want)
			}
		})
	}
	if _, err := os.Stat(out); err == nil || len(s.Calls()) > 0 {
		t.Errorf("something was asked (%d calls) or written (%v), want nothing", len(s.Calls()), err)
	}
}
