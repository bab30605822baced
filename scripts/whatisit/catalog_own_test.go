package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The catalogue is imported with a report, listed, shown, confirmed, deleted, counted,
// exported, imported elsewhere, and moved to another embedding model.
func TestCatalogIsOwned(t *testing.T) {
	_, w, url := served(t)
	env := append(w.Env(), "API_URL="+url, "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "EMBEDDING_MODEL=emulated-embedding", "IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge")
	dir := t.TempDir()
	file, csv, report, exported := filepath.Join(dir, "tea.jsonl"), filepath.Join(dir, "shelf.csv"), filepath.Join(dir, "report.jsonl"), filepath.Join(dir, "out.jsonl")
	write(t, file, `{"code":"8801234567893","product_name":"Barley Tea","brands":"Haetsal","lang":"en"}
{"code":"8801234567890","product_name":"Corn Tea","brands":"Haetsal","lang":"en"}
`)
	write(t, csv, "Artikel;EAN;Marke\nOat Bar;036000291452;Morning\n")
	say := func(wantCode int, wants []string, args ...string) string {
		t.Helper()
		c := prepared(t, env, append([]string{"catalog"}, args...)...)
		code := c.here()
		out := c.stdout.String() + c.stderr.String()
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("catalog %q says %q, want %q in it", args, out, want)
			}
		}
		if code != wantCode {
			t.Errorf("catalog %q exits with %d, %q; want %d", args, code, out, wantCode)
		}
		return c.stdout.String()
	}
	say(1, []string{"1 imported", "1 left out", "check digit", "1 of 2 rows"}, "import", "--report", report, file)
	if line, err := os.ReadFile(report); err != nil || !strings.Contains(string(line), `"code":"8801234567890","reason":"wrong code"`) || strings.Count(string(line), "\n") != 1 {
		t.Errorf("the report is %s, %v; want the line of the wrong code", line, err)
	}
	say(0, []string{"1 imported"}, "import", "--status", "confirmed", "--map", "Artikel=product_name", "--map", "EAN=gtin", "--map", "Marke=brand", csv)
	say(2, []string{"no column", "Artikel, EAN, Marke"}, "import", "--map", "Name=product_name", csv)
	say(2, []string{"both gtin"}, "import", "--map", "EAN=gtin", "--map", "Marke=gtin", csv)
	say(2, []string{"must be one of"}, "import", "--status", "sure", csv)
	say(0, []string{"imported", "08801234567893", "Barley Tea", "confirmed", "Oat Bar"}, "list")
	for _, one := range [][]string{{"list", "8801234567893"}, {"list", "haet"}, {"list", "--status", "imported"}, {"list", "--json", "--limit", "1", "barley"}} {
		if out := say(0, []string{"Barley Tea"}, one...); strings.Contains(out, "Oat Bar") {
			t.Errorf("catalog %q lists the oat bar too: %s", one, out)
		}
	}
	var record struct {
		ID, Status string
		Provenance []string
	}
	if err := json.Unmarshal([]byte(say(0, nil, "show", "8801234567893")), &record); err != nil || record.Status != "imported" || len(record.Provenance) != 2 || record.Provenance[1] != "tea.jsonl" {
		t.Errorf("show = %+v, %v; want an imported record from tea.jsonl", record, err)
	}
	say(2, []string{"no record"}, "show", "8801234567894")
	say(0, []string{"confirmed by me"}, "confirm", "--by", "me", "8801234567893")
	say(0, []string{`"hidden": true`}, "hide", "8801234567893")
	say(0, []string{"1 known before"}, "import", "--fail-over=60", file)
	say(0, []string{`"hidden":true`}, "list", "--json", "8801234567893")
	say(0, []string{`"product_name": "Roasted Barley Tea"`, `"confirmed_by": "lee"`}, "edit", "--by", "lee", "--name", "Roasted Barley Tea", "8801234567893")
	say(0, []string{`"product_name": "Barley Tea"`}, "edit", "--name", "Barley Tea", "8801234567893")
	say(2, []string{"nothing is to be changed"}, "edit", "8801234567893")
	if out := say(0, nil, "hide", "--undo", "8801234567893"); strings.Contains(out, "hidden") {
		t.Errorf("it is still hidden: %s", out)
	}
	say(0, []string{`"confirmed": 2`, `"records": 2`, `"emulated-embedding": 2`}, "stats")
	say(0, []string{"2 records exported"}, "export", exported)

	env = append(env, "SHOP=elsewhere")
	say(0, []string{"2 imported", "0 left out"}, "import", "--restore", exported)
	say(0, []string{"0 imported, 2 known before, 0 left out"}, "import", "--restore", exported)
	say(0, []string{`"confirmed": 2`}, "stats", "--shop", "elsewhere")
	say(0, []string{"Barley Tea"}, "list", "--shop", "elsewhere", "Barley Tea")
	say(0, []string{"0 records exported"}, "export", "--shop", "elsewhere", "--status", "rejected")
	say(0, []string{"0 records exported"}, "export", "--shop", "nowhere")
	say(0, []string{"embedded: 2 records, 0 had", "removed from 0"}, "reembed", "emulated-embedding", "gemini-embedding-001")
	say(0, []string{"embedded: 0 records, 2 had"}, "reembed", "emulated-embedding", "gemini-embedding-001")
	say(0, []string{`"emulated-embedding": 2`, `"gemini-embedding-001": 2`}, "stats", "--shop", "elsewhere")
	say(1, []string{"only after the switch"}, "reembed", "--drop", "emulated-embedding", "gemini-embedding-001")
	say(2, []string{"no thresholds"}, "reembed", "emulated-embedding", "word2vec")
	env = append(env, "EMBEDDING_MODEL=gemini-embedding-001")
	say(0, []string{"removed from 2"}, "reembed", "--drop", "emulated-embedding", "gemini-embedding-001")
	say(0, []string{`"records": 2`, `"gemini-embedding-001": 2`}, "stats", "--shop", "elsewhere")
	say(0, []string{"2 known before"}, "import", "--restore", exported)
	moved := say(0, []string{"Barley Tea"}, "list", "--json", "--shop", "elsewhere", "--status", "confirmed") // its service still has the former model
	moved, _, _ = strings.Cut(moved[strings.Index(moved, `"id":"`)+len(`"id":"`):], `"`)
	if err := json.Unmarshal([]byte(say(0, nil, "show", moved)), &record); err != nil {
		t.Fatal(err)
	}
	say(0, []string{"is deleted; a file that has it brings it back"}, "delete", "--by", "lee", moved)
	var done struct {
		Acts []struct{ Act, By string }
	}
	resp, err := http.Get(url + "/catalog/" + record.ID + "/acts")
	if err == nil {
		err = errors.Join(json.NewDecoder(resp.Body).Decode(&done), resp.Body.Close())
	}
	if err != nil || fmt.Sprint(done.Acts) != "[{delete lee}]" {
		t.Errorf("the acts on the record are %+v, %v; want that lee deleted it", done.Acts, err)
	}
	say(2, []string{"no record"}, "delete", moved)

	say(0, []string{"1 records of MORNING are Morning Foods"}, "rename-brand", "MORNING", "Morning Foods")
	var oats []struct{ ID string }
	for _, line := range strings.Split(strings.TrimSpace(say(0, nil, "list", "--json", "--brand", "Morning Foods")), "\n") {
		oats = append(oats, struct{ ID string }{})
		if err := json.Unmarshal([]byte(line), &oats[len(oats)-1]); err != nil {
			t.Fatal(err)
		}
	}
	if out := say(0, nil, "list", "--no-gtin"); strings.Contains(out, "Oat") || len(oats) != 1 {
		t.Errorf("without a code are %s; of the brand are %v, want one", out, oats)
	}
	say(2, []string{"no record"}, "merge", oats[0].ID, strings.Repeat("0", 32))
	say(1, []string{"codes are"}, "merge", "8801234567893", oats[0].ID)
	if out := say(0, nil, "export", "--csv", "-"); !strings.HasPrefix(out, "id,status,product_name,brand") || strings.Count(out, "\n") != 3 {
		t.Errorf("the table is %s; want a head and two products", out)
	}

	env = append(env, "SHOP=shelf")
	mapped := func(command ...string) []string {
		return append(command, "--map", "Artikel=product_name", "--map", "EAN=gtin", csv)
	}
	write(t, csv, "Artikel;EAN;Regal\nOat Bar;036000291452;red\nRye Bar;;blue\n")
	say(0, []string{"2 imported", `columns that are not read: "Regal"`}, mapped("import")...)
	write(t, csv, "Artikel;EAN\nOat Biscuit;036000291452\n")
	say(0, []string{"renamed", `product_name "Oat Bar" → "Oat Biscuit"`, "nothing is written: 0 new, 0 changed, 1 renamed"}, mapped("import", "--diff")...)
	say(0, []string{`{"what":"renamed"`}, mapped("import", "--diff", "--json")...)
	say(0, []string{"remove", "Rye Bar", "1 records would be removed"}, mapped("prune")...)
	say(0, []string{`{"what":"remove"`}, mapped("prune", "--json")...)
	write(t, csv, "Artikel;EAN\nOat Biscuit;036000291452\n;4006381333931\n")
	say(2, []string{"1 rows", "--anyway"}, mapped("prune", "--yes")...)
	say(0, []string{"1 records removed, 0 stay"}, mapped("prune", "--yes", "--anyway")...)
	say(0, []string{"nothing is to be removed"}, mapped("prune", "--yes")...)
	say(0, []string{"Oat Bar"}, "list", "--shop", "shelf")
}

// An export writes a new file, and leaves none that is not whole: an earlier export stays as
// it is, whatever becomes of the next.
func TestExportIsWhole(t *testing.T) {
	url, _ := scripted(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, `{"id":"1"}`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}, says("{\"id\":\"1\"}\n"), func(w http.ResponseWriter, _ *http.Request) {
		problemDocument(w, 403, "role_needed", "owners alone")
	}, says("{\"id\":\"1\"}\n{\"id\":\"2\"}\n"))
	folder := t.TempDir()
	file := filepath.Join(folder, "backup.jsonl")
	for _, tt := range []struct {
		name string
		code int
		says string
		left string // in the file; "" for none, which then is not there
	}{
		{"cut off", exitFailed, "incomplete after 1 records", ""},
		{"whole", exitFine, "1 records exported", "{\"id\":\"1\"}\n"},
		{"refused", exitFailed, "owners alone", "{\"id\":\"1\"}\n"},
		{"over it", exitFine, "2 records exported", "{\"id\":\"1\"}\n{\"id\":\"2\"}\n"},
	} {
		c := prepared(t, nil, "catalog", "export", "--url", url, file)
		code := c.here()
		left, _ := os.ReadFile(file)
		if all, err := os.ReadDir(folder); err != nil || len(all) > 1 || len(all) == 1 && tt.left == "" {
			t.Errorf("%s: the folder holds %v, %v; want the file alone, if any", tt.name, all, err)
		}
		if _, err := os.Stat(file); code != tt.code || !strings.Contains(c.stderr.String(), tt.says) || string(left) != tt.left || (err == nil) != (tt.left != "") {
			t.Errorf("%s: exit %d, %q, and the file holds %q, %v; want exit %d, %q and %q", tt.name, code, &c.stderr, left, err, tt.code, tt.says, tt.left)
		}
	}
}
