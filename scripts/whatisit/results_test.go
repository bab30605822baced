package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/scripts/whatisit/accuracy"
)

// Real results: what was analysed is listed, newest first, and can be shown.
func TestResults(t *testing.T) {
	_, w, url := served(t)
	upload(t, w, "tea.gif", samples.All()[4].Bytes())
	for _, photo := range []string{"gs://uploads/tea.gif", album(t, "06") + "/06-mountain-lake.jpg"} {
		if c := prepared(t, nil, "analyze", "--url", url, photo); c.run() != 0 {
			t.Fatalf("%q", &c.stderr)
		}
	}
	c := prepared(t, []string{"API_URL=" + url}, "results", "--json")
	var all []finished
	if code := c.run(); code != 0 || json.Unmarshal(c.stdout.Bytes(), &all) != nil || len(all) != 2 || all[0].Finished.Before(all[1].Finished) {
		t.Fatalf("exit %d, %q, %q; want two results, newest first", code, &c.stdout, &c.stderr)
	}
	c = prepared(t, nil, "results", "--url", url, "--source", "image", "--since", "1d")
	if code, lines := c.run(), strings.Split(strings.TrimSpace(c.stdout.String()), "\n"); code != 0 || len(lines) != 2 || !strings.HasPrefix(lines[0], "FINISHED") || !strings.Contains(lines[1], all[1].ID) || !strings.Contains(lines[1], "image") {
		t.Errorf("exit %d, %q; want the line of the tea", code, &c.stdout)
	}
	c = prepared(t, nil, "results", "--url", url, "--csv")
	code := c.run()
	if table, err := csv.NewReader(&c.stdout).ReadAll(); code != 0 || err != nil || len(table) != 3 || table[0][0] != "id" || table[1][0] != all[0].ID {
		t.Errorf("exit %d, %q, %v; want a table of two", code, table, err)
	}
	c = prepared(t, nil, "results", "show", all[1].ID, "--url", url)
	var one finished
	if code := c.run(); code != 0 || json.Unmarshal(c.stdout.Bytes(), &one) != nil || one.ID != all[1].ID || one.Result.Source != "image" {
		t.Errorf("show: exit %d, %q, %q", code, &c.stdout, &c.stderr)
	}
	c = prepared(t, nil, "results", "show", "../health", "--url", url)
	if code := c.run(); code != 1 || c.stdout.Len() > 0 {
		t.Errorf("show of none: exit %d, %q; want 1", code, &c.stdout)
	}
	c = prepared(t, nil, "results", "--url", url, "--error", "analysis_failed")
	if code := c.run(); code != 0 || c.stdout.Len() > 0 {
		t.Errorf("nothing failed: exit %d, %q; want 0 and nothing", code, &c.stdout)
	}
	c.says("there are no such results")
}

// What people correct is printed as labels, with which whatisit eval measures as they are. A
// review of what somebody else has changed since is refused.
func TestResultsReviewed(t *testing.T) {
	_, w, url := served(t)
	photo := samples.All()[4].Bytes()
	upload(t, w, "tea.gif", photo)
	if c := prepared(t, nil, "analyze", "--url", url, "gs://uploads/tea.gif"); c.run() != 0 {
		t.Fatalf("%q", &c.stderr)
	}
	c := prepared(t, nil, "results", "--url", url, "--json")
	var all []finished
	if code := c.run(); code != 0 || json.Unmarshal(c.stdout.Bytes(), &all) != nil || len(all) != 1 || all[0].Revision == "" {
		t.Fatalf("exit %d, %q, %q", code, &c.stdout, &c.stderr)
	}
	id, seen, revision := all[0].ID, all[0].Revision, ""
	c = prepared(t, nil, "results", "review", id, "correct", "--set", "product_name=Oolong", "--set", "expiration_date=2027.01.31", "--by", "kim", "--revision", seen, "--url", url)
	if code := c.run(); code != 0 || !strings.Contains(c.stdout.String(), "kim  correct") || !strings.Contains(c.stdout.String(), "undo --revision 1.") {
		t.Fatalf("exit %d, %q, %q", code, &c.stdout, &c.stderr)
	}
	c = prepared(t, nil, "results", "review", id, "reject", "--by", "lee", "--revision", seen, "--url", url)
	if code := c.run(); code != 1 {
		t.Errorf("a review of what has changed since: exit %d, %q", code, &c.stdout)
	}
	c.says(`kim said "correct"`)
	c = prepared(t, nil, "results", "--reviewed", "--url", url)
	dir := t.TempDir()
	if code := c.run(); code != 0 {
		t.Fatalf("exit %d, %q", code, &c.stderr)
	}
	for name, data := range map[string][]byte{"tea.gif": photo, accuracy.LabelsFile: c.stdout.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	photos, _, err := accuracy.ReadFolder(dir)
	if err != nil || len(photos) != 1 || photos[0].Name[0] != "Oolong" || photos[0].Expiry[0] != "2027.01.31" || photos[0].Country == "" {
		t.Errorf("the labels are %+v, %v: %s", photos, err, &c.stdout)
	}
	for _, want := range []struct{ verdict, says string }{
		{"accept", "to take back accept: whatisit results review " + id + " undo --revision 2."},
		{"undo", "to take back correct: whatisit results review " + id + " undo --revision 3."},
		{"undo --revision", "nothing is left to take back\n"},
	} {
		args := append([]string{"results", "review", id, "--by", "kim", "--url", url}, strings.Fields(want.verdict)...)
		if args[len(args)-1] == "--revision" {
			args = append(args, revision)
		}
		c = prepared(t, nil, args...)
		code := c.run()
		if code != 0 || !strings.Contains(c.stdout.String(), want.says) {
			t.Errorf("%s: exit %d, %q, %q; want %q", want.verdict, code, &c.stdout, &c.stderr, want.says)
		}
		_, revision, _ = strings.Cut(c.stdout.String(), "\nrevision ")
		revision, _, _ = strings.Cut(revision, ";")
	}
}

// Labels are printed of photos that came over HTTP too, as JSON and CSV, and what is missing is said with its
// number.
func TestLabelsOfWhatWasSent(t *testing.T) {
	_, _, url := served(t)
	for _, prefix := range []string{"01", "05"} {
		if c := prepared(t, nil, "analyze", "--url", url, "--country", "US", "--lang", "en", album(t, prefix)); c.run() != 0 {
			t.Fatalf("%q", &c.stderr)
		}
	}
	c := prepared(t, nil, "results", "--url", url, "--json", "--word", "crackers")
	var all []finished
	if code := c.run(); code != 0 || json.Unmarshal(c.stdout.Bytes(), &all) != nil || len(all) != 1 {
		t.Fatalf("exit %d, %q, %q", code, &c.stdout, &c.stderr)
	}
	if c = prepared(t, nil, "results", "review", all[0].ID, "correct", "--set", "gtin=", "--by", "kim", "--url", url); c.run() != 0 {
		t.Fatalf("%q", &c.stderr)
	}
	c = prepared(t, nil, "results", "--reviewed", "--csv", "--url", url)
	code := c.run()
	if table, err := csv.NewReader(&c.stdout).ReadAll(); code != 0 || err != nil || len(table) != 2 || table[1][0] != "01-oat-crackers.jpg" || table[1][2] != "Sea Salt Oat Crackers" || table[1][7] != "2027-03-14" {
		t.Errorf("exit %d, %q, %v; want the label of the crackers", code, table, err)
	}
	c.says("1 photos have no label")
	c.says("1 photos came over HTTP")
	c.says("of 1 labels lack: gtin 1")
}

// As many pages are asked for as it takes, with the filters in each.
func TestResultPages(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.RawQuery)
		next := fmt.Sprintf(`,"next":"p%d"`, len(asked))
		if len(asked) == 3 {
			next = ""
		}
		fmt.Fprintf(w, `{"results":[{"id":"%d","result":{"product_name":"=1+1"}}]%s}`, len(asked), next)
	}))
	t.Cleanup(server.Close)
	c := prepared(t, []string{"API_URL=" + server.URL}, "results", "--no-doubt", "--limit", "0", "--csv")
	code := c.here()
	if got := strings.Join(asked, " "); code != 0 || got != "doubt=false&limit=100 after=p1&doubt=false&limit=100 after=p2&doubt=false&limit=100" {
		t.Errorf("exit %d, asked %s; %q", code, got, &c.stderr)
	}
	if out := c.stdout.String(); strings.Count(out, "\n") != 4 || !strings.Contains(out, ",'=1+1,") {
		t.Errorf("printed %q, want three lines under a heading, and no formula", out)
	}
}
