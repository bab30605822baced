package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/docs"
	"example.com/whatis/emulators/realdata"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/scripts/whatisit/accuracy"
)

// recordedRun returns the only run of whatisit eval with recorded answers, and the exit code.
func recordedRun(t *testing.T, args ...string) (accuracy.Measure, int) {
	t.Helper()
	c := prepared(t, nil, append([]string{"eval", "--model", "recorded", "--json"}, args...)...)
	code := c.run()
	var r accuracy.Report
	if err := json.Unmarshal(c.stdout.Bytes(), &r); err != nil || len(r.Runs) != 1 || r.Runs[0].Models != accuracy.Recorded {
		t.Fatalf("whatisit eval %q = exit %d, %v, %q, %q; want one run of recorded answers", args, code, err, &c.stdout, &c.stderr)
	}
	return r.Runs[0], code
}

// A drawn pack is decided by its reading, and its code is read; one that is not there is looked
// at again, which nobody has recorded, and found on the web.
func TestEvalRecorded(t *testing.T) {
	t.Parallel()
	set, err := filepath.Abs("testdata/recorded")
	if err != nil {
		t.Fatal(err)
	}
	photos := t.TempDir()
	pack, err := samples.Pack(samples.Print{Brand: "Tarnholm", Name: "Rye Sticks", Amount: "150 g", GTIN: "9520011000017"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(photos, "pack.png"), pack.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	honest := []string{"--answers", set + "/honest", "--photos", photos}
	m, code := recordedRun(t, honest...)
	if code != exitFine || len(m.Shots) != 2 || m.Figures.AllRight != 2 {
		t.Fatalf("exit %d, %+v, want two photos, all right", code, m.Shots)
	}
	a, b := m.Shots[0], m.Shots[1]
	if a.Row != 3 || a.Calls.Generate != 1 || a.StandIn || a.AtLoss != 0 || a.WebUSD != 0 || a.CostUSD <= 0 || a.Said[accuracy.GTIN] != "09520011000017" {
		t.Errorf("the pack is %+v, want row 3 by one paid call, and its code", a)
	}
	if b.Row != 5 || b.Calls.Generate != 4 || b.Calls.GroundedQueries != 1 || !b.StandIn || b.AtLoss != 1 || b.WebUSD < 0.014 || b.CostUSD <= b.WebUSD {
		t.Errorf("the pack that is not there is %+v, want row 5 after a look without an answer and one query", b)
	}

	c := prepared(t, nil, append([]string{"eval", "--model", "recorded"}, honest...)...)
	code = c.run()
	for _, want := range []string{"name 2 of 2; brand 2 of 2; category 2 of 2; date 1 of 1; gtin 1 of 1", "0/0/1/0/1/0", "1/0/0/1", "1 of 2 photos are not there: a stand-in picture was sent", "no model answered, and this is no accuracy"} {
		if code != exitFine || !strings.Contains(c.stdout.String(), want) {
			t.Errorf("whatisit eval = exit %d, %q in\n%s\nwant %q", code, &c.stderr, &c.stdout, want)
		}
	}

	c = prepared(t, nil, "eval", "--model", "recorded", "--answers", set+"/honest", "--answers", set+"/misread")
	if code := c.run(); code != exitFailed || !strings.Contains(c.stderr.String(), "a wrong name or brand passed at row 3: a1") || strings.Contains(c.stdout.String(), "b2") {
		t.Errorf("whatisit eval of a misread name = exit %d, %q, want exit 1 and the photo, alone", code, &c.stderr)
	}
}

// foundModes are the folders of readings of real photos, what is in each, and the suspicion that
// it should raise; with one each photo is looked at again, and the web is not asked.
var foundModes = []struct {
	name, what string
	suspicion  analyze.Suspicion
}{
	{"honest", "as they are", ""},
	{"variant", "a word that is not printed in the name", analyze.NameUnread},
	{"crossbrand", "another maker's name for the brand, in another script", analyze.Translated},
	{"crossname", "another product's name, in another script", analyze.Translated},
	{"brand_in", "the line in the brand and in the name", analyze.BrandOverextended},
	{"brand_out", "the line in the brand alone", analyze.BrandOverextended},
	{"brandjoin", "the line in the brand, without a space", analyze.BrandOverextended},
	{"sibling", "the web names another variant", ""},
	{"translated", "the right name in the request's language", ""},
	{"wrong", "the same of packs abroad, all of them right", ""},
	{"known", "goods without a brand, known to the model", ""},
	{"gap", "a date stamp with a gap", ""},
}

// The readings of real photos come to what docs/evidence.md says, with a stand-in picture for
// each photo, and the right ones miss no goal.
func TestDocsFound(t *testing.T) {
	t.Parallel()
	shared := filepath.Dir(realdata.Need(t, "found/answers/honest")[0])
	table := "| readings | photos | name right | wrong name or brand at row 3 | rows 1/2/3/4/5/6 | calls 1/2/3/4 and more | searched, in vain | queries, for a code | looked at again, changed | suspicious, misread | calls without an answer |\n" + strings.Repeat("| --- ", 11) + "|\n"
	for _, mode := range foundModes {
		args := []string{"--answers", filepath.Join(shared, "honest")}
		if mode.name != "honest" {
			args = append(args, "--answers", filepath.Join(shared, mode.name))
		}
		m, code := recordedRun(t, args...)
		f := accuracy.RecordedFiguresOf(m.Shots)
		table += fmt.Sprintf("| %s: %s | %d | %s | %d | %s | %s | %d, %d | %d, %d | %d, %d | %d, %d | %d |\n", mode.name, mode.what, f.Photos, f.Name, len(f.Passed),
			slashed(f.Rows[1:]), slashed(f.Calls[1:]), f.Searched, f.InVain, f.Queries, f.ByCode, f.Looks, f.Changed, f.Suspicions, f.Justified, f.AtLoss)
		foundGoals(t, mode.name, mode.suspicion, m, code)
	}
	docs.Section(t, "evidence.md", "found", table)
}

// unsearchable are photos of which the web cannot know what they show: tables, a shelf, and goods
// without a brand, whose name is known once the second look has confirmed it.
var unsearchable = map[string][]string{"honest": {"p03", "p04", "p08", "p17"}, "known": {"p34", "p69"}}

// foundGoals fails the test if right readings end wrong, a fault is not noticed or is answered,
// or the web is asked what it cannot know.
func foundGoals(t *testing.T, mode string, suspicion analyze.Suspicion, m accuracy.Measure, code int) {
	t.Helper()
	f := accuracy.RecordedFiguresOf(m.Shots)
	if code != exitFine {
		t.Errorf("%s: exit %d, and wrong names or brands of %q passed", mode, code, f.Passed)
	}
	if mode == "honest" && (f.Name.Right < 34 || f.Brand.Right < 34 || f.Category.Right < 39 || f.NoProduct.Right < 4) {
		t.Errorf("%+v, want all right that is printed", f)
	}
	for _, s := range m.Shots {
		name := mode + "/" + s.Label.File
		if slices.Contains(unsearchable[mode], s.Label.File) && s.Calls.GroundedQueries > 0 {
			t.Errorf("%s: the web was asked, and cannot know it", name)
		}
		if s.Calls.GroundedQueries > 1 {
			t.Errorf("%s: %d queries, want one at most", name, s.Calls.GroundedQueries)
		}
		if mode == "honest" && s.Label.Name != nil && slices.ContainsFunc(s.Suspicions, func(of analyze.Suspicion) bool { return of == analyze.NameUnread || of == analyze.Overconfident }) {
			t.Errorf("%s: a right reading is suspected: %s", name, s.Suspicions)
		}
		if suspicion != "" && (!slices.Contains(s.Suspicions, suspicion) || s.Row != 3 || s.Calls.GroundedQueries > 0 || s.Verdicts[accuracy.Name] != accuracy.Right || s.Verdicts[accuracy.Brand] == accuracy.Wrong) {
			t.Errorf("%s: suspicions %s, row %d, %d queries, wrong %s; want %s, and the right answer by a second look", name, s.Suspicions, s.Row, s.Calls.GroundedQueries, s.Wrong(), suspicion)
		}
		if mode == "sibling" && s.Source == string(analyze.FromGoogleSearch) && s.Verdicts[accuracy.Name] == accuracy.Wrong && s.Sure[accuracy.Name] > 0.5 {
			t.Errorf("%s: the name of another variant counts %v", name, s.Sure[accuracy.Name])
		}
	}
}
