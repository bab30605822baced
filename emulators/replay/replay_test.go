package replay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/genai"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/gemini"
)

const key = "AIzaSyTestKeyOfNobody_0123456789abcdefg"

// client is Google's own, with that key.
func client(t *testing.T, url string) *genai.Client {
	t.Helper()
	c, err := genai.NewClient(t.Context(), &genai.ClientConfig{Backend: genai.BackendGeminiAPI, APIKey: key, HTTPOptions: genai.HTTPOptions{BaseURL: url}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// recorder records what upstream answers.
func recorder(t *testing.T, o RecordOptions) *Recorder {
	t.Helper()
	r, err := Record(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func player(t *testing.T, o PlayOptions) *Player {
	t.Helper()
	p, err := Play(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// conversation returns what a program asks, and what it gets: whole answers, one in pieces,
// vectors, and a refusal.
func conversation(t *testing.T, url string) string {
	t.Helper()
	c, ctx := client(t, url), t.Context()
	var said strings.Builder
	note := func(what string, v any, err error) { fmt.Fprintf(&said, "%s: %v %v\n", what, v, err) }
	for i := range 2 {
		answer, err := c.Models.GenerateContent(ctx, "emulated-judge", genai.Text("How many?"), nil)
		note(fmt.Sprint("whole ", i), answer.Text(), err)
	}
	for piece, err := range c.Models.GenerateContentStream(ctx, "emulated-judge", genai.Text("In pieces?"), nil) {
		note("piece", piece.Text(), err)
	}
	vectors, err := c.Models.EmbedContent(ctx, "emulated-embedding", genai.Text("oat crackers"), nil)
	if err == nil {
		note("vector", vectors.Embeddings[0].Values[:8], nil)
	}
	_, err = c.Models.GenerateContent(ctx, "gemini-0.1-none", genai.Text("Anybody?"), nil)
	note("gone", nil, err)
	return said.String()
}

// What was recorded is answered again when the service is gone, an equal request's
// answers in their order.
func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	w := emulate.Start(t, emulate.Gemini)
	w.Gemini.Script(gemini.Answer{Text: "one"}, gemini.Answer{Text: "two"}, gemini.Answer{Text: "three pieces of text"})
	dir := filepath.Join(t.TempDir(), "new")
	r := recorder(t, RecordOptions{Dir: dir, Upstream: w.Gemini.URL(), Settings: map[string]string{"POLICY": "strict"}})
	then := conversation(t, r.URL())
	if r.Kept() != 5 || !strings.Contains(then, "whole 0: one") || !strings.Contains(then, "whole 1: two") || !strings.Contains(then, "404") {
		t.Fatalf("the recorder keeps %d answers and hands on\n%s\nwant 5", r.Kept(), then)
	}
	if err := w.Gemini.Close(); err != nil {
		t.Fatal(err)
	}
	p := player(t, PlayOptions{Dir: dir})
	if now := conversation(t, p.URL()); now != then || p.Misses() != 0 {
		t.Errorf("replayed:\n%s\nrecorded:\n%s\nwant the same, and no miss of %d", now, then, p.Misses())
	}
	made, err := ReadRecording(dir)
	if err != nil || made.Settings["POLICY"] != "strict" || made.Upstream != w.Gemini.URL() || made.Made.IsZero() {
		t.Errorf("ReadRecording = %+v, %v; want what it was made of", made, err)
	}
	nothingOf(t, dir, key)
}

// nothingOf looks for a secret in all files of a folder.
func nothingOf(t *testing.T, dir, secret string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", dir, len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil || bytes.Contains(data, []byte(secret)) || strings.Contains(f.Name(), secret) {
			t.Errorf("%s holds a key, or cannot be read (%v): %s", f.Name(), err, data)
		}
	}
}

// A request that was not recorded is an error that shows it and the nearest one.
func TestMiss(t *testing.T) {
	t.Parallel()
	w := emulate.Start(t, emulate.Gemini)
	dir := t.TempDir()
	r := recorder(t, RecordOptions{Dir: dir, Upstream: w.Gemini.URL()})
	ask := func(url, text string, tokens int32) error {
		_, err := client(t, url).Models.GenerateContent(t.Context(), "emulated-judge", genai.Text(text), &genai.GenerateContentConfig{MaxOutputTokens: tokens})
		return err
	}
	for _, text := range []string{"a photo of crackers", "something quite different"} {
		if err := ask(r.URL(), text, 100); err != nil {
			t.Fatal(err)
		}
	}
	var logged []string
	p := player(t, PlayOptions{Dir: dir, Log: func(why string) { logged = append(logged, why) }})
	err := ask(p.URL(), "a photo of crackers", 200)
	for _, want := range []string{
		"400", "was not recorded", "/v1beta/models/emulated-judge:generateContent", "The nearest is emulated-judge-generateContent-",
		`generationConfig.maxOutputTokens is "200", and was "100"`, `"text":"a photo of crackers"`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a request that was not recorded: %v, want %q in it", err, want)
		}
	}
	if err != nil && strings.Contains(err.Error(), "and was \\\"something") {
		t.Errorf("%v: want the nearer of the two", err)
	}
	if p.Misses() != 1 || len(logged) != 1 {
		t.Errorf("%d misses, %d logged: want 1", p.Misses(), len(logged))
	}
}

// No key is kept wherever a service repeats it, nor told when the service is not there.
func TestScrubbed(t *testing.T) {
	t.Parallel()
	const token, other = "ya29.an-access-token-of-nobody", "AIzaSyAnotherKeyOfNobody_123456789abcde"
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, "you sent %s, %s and %s; did you mean %s?", r.URL, r.Header.Get("X-Goog-Api-Key"), r.Header.Get("Authorization"), other)
	}))
	dir := t.TempDir()
	var logged []string
	r := recorder(t, RecordOptions{Dir: dir, Upstream: echo.URL, Log: func(why string) { logged = append(logged, why) }})
	send := func() string {
		body := strings.NewReader(`{"contents":[{"parts":[{"text":"my key is ` + key + `"}]}]}`)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL()+"/v1beta/models/m:generateContent?alt=sse&key="+key+"&access_token="+token, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Goog-Api-Key", key)
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if got := send(); !strings.Contains(got, key) {
		t.Errorf("the client gets %q, want what the service wrote", got)
	}
	for _, secret := range []string{key, token, other} {
		nothingOf(t, dir, secret)
	}
	kept, err := read(dir)
	if err != nil || len(kept) != 1 || kept[0].Request.Query != "alt=sse" || !strings.Contains(string(kept[0].Answer.Bytes()), "did you mean [key]?") {
		t.Errorf("kept: %+v, %v; want one, without keys", kept, err)
	}
	echo.Close()
	got := send()
	if told := got + strings.Join(logged, " "); strings.Contains(told, key) || strings.Contains(told, token) || !strings.Contains(got, "does not answer") || len(logged) != 1 {
		t.Errorf("a service that is not there: %q, %q; want that, without keys", got, logged)
	}
}

// What Before refuses is never sent and not kept; After sees the rest.
func TestBefore(t *testing.T) {
	t.Parallel()
	w := emulate.Start(t, emulate.Gemini)
	dir := t.TempDir()
	var seen []int
	refusing := false
	r := recorder(t, RecordOptions{
		Dir: dir, Upstream: w.Gemini.URL(),
		Before: func(Sent) error {
			if refusing {
				return fmt.Errorf("the limit is reached")
			}
			return nil
		},
		After: func(_ Sent, a Answer) { seen = append(seen, a.Status) },
	})
	ask := func(ctx context.Context) error {
		_, err := client(t, r.URL()).Models.GenerateContent(ctx, "emulated-judge", genai.Text("Anybody?"), nil)
		return err
	}
	if err := ask(t.Context()); err != nil {
		t.Fatal(err)
	}
	refusing = true
	if err := ask(t.Context()); err == nil || !strings.Contains(err.Error(), "the limit is reached") {
		t.Errorf("refused: %v, want why", err)
	}
	if len(seen) != 1 || seen[0] != 200 || r.Kept() != 1 || len(w.Gemini.Calls()) != 1 {
		t.Errorf("After saw %v, %d kept, the service was asked %d times; want one", seen, r.Kept(), len(w.Gemini.Calls()))
	}
}

func TestRefusedFolders(t *testing.T) {
	t.Parallel()
	used, empty := t.TempDir(), t.TempDir()
	recorder(t, RecordOptions{Dir: used, Upstream: "http://127.0.0.1:1"})
	if _, err := Record(RecordOptions{Dir: used, Upstream: "http://127.0.0.1:1"}); err == nil || !strings.Contains(err.Error(), "holds a recording already") {
		t.Errorf("Record into a recording = %v, want a refusal", err)
	}
	taken := t.TempDir()
	first := recorder(t, RecordOptions{Dir: t.TempDir(), Upstream: "http://127.0.0.1:1"})
	if _, err := Record(RecordOptions{Dir: taken, Addr: strings.TrimPrefix(first.URL(), "http://"), Upstream: "http://127.0.0.1:1"}); err == nil {
		t.Error("Record at an address that is taken gave no error")
	}
	recorder(t, RecordOptions{Dir: taken, Upstream: "http://127.0.0.1:1"}) // at another, the folder is still new
	if _, err := Record(RecordOptions{Dir: empty, Upstream: "127.0.0.1"}); err == nil || !strings.Contains(err.Error(), "want one as https://") {
		t.Errorf("Record of no address = %v, want what to say", err)
	}
	if _, err := Play(PlayOptions{Dir: empty}); err == nil || !strings.Contains(err.Error(), "holds no recording") {
		t.Errorf("Play of an empty folder = %v, want that", err)
	}
	if _, err := Play(PlayOptions{Dir: used}); err == nil || !strings.Contains(err.Error(), "holds no exchange") {
		t.Errorf("Play of a recording of nothing = %v, want that", err)
	}
}
