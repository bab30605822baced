package accuracy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
)

// a product as it might be answered.
func answer(name, brand string, sure float64) analyze.Result {
	return analyze.Result{Identification: &analyze.Identification{
		ProductName: name, Brand: brand, ProductNameConfidence: sure, BrandConfidence: sure, Category: "Crackers",
		ExpirationDate: "2027.03.14", Source: analyze.FromImage,
	}, GTIN: "09520011000017"}
}

func TestJudge(t *testing.T) {
	label := Label{File: "a.jpg", Name: Accepted{"Sea Salt Oat Crackers", "Oat Crackers"}, Brand: Accepted{"Brindlemoor"},
		Category: Accepted{"crackers"}, GTIN: Accepted{"9520011000017"}, Expiry: Accepted{"2027.03.14"}}
	lake := Label{File: "lake.jpg", NoProduct: true}
	dark := Label{File: "dark.png", Name: Accepted{""}}
	nobody := analyze.Result{Error: analyze.NotAProduct}
	tests := []struct {
		name   string
		label  Label
		result analyze.Result
		want   string // outcome name brand category gtin expiration_date, - where it is not scored
	}{
		{"all right", label, answer("SEA SALT Oat-Crackers", "brindlemoor", 1), "right right right right right right"},
		{"another accepted name, with the brand before it", label, answer("Brindlemoor Oat Crackers", "Brindlemoor", 1), "right right right right right right"},
		{"the name of another product", label, answer("Rye Crackers", "Brindlemoor", 1), "right wrong right right right right"},
		{"the name left open", label, answer("", "Brindlemoor", 1), "right missing right right right right"},
		{"no product seen", label, nobody, "wrong missing missing missing missing missing"},
		{"failed", label, analyze.Result{}.Failed("down", true), "missing missing missing missing missing missing"},
		{"no product, rightly", lake, nobody, "right - - - - -"},
		{"a product invented", lake, answer("Lake", "", 1), "wrong - - - - -"},
		{"nothing to read, nothing said", dark, answer("", "", 0), "right right - - - -"},
		{"nothing to read, a name invented", dark, answer("Cocoa", "", 1), "right wrong - - - -"},
	}
	for _, test := range tests {
		verdicts := test.label.Judge(test.result)
		var got []string
		for _, field := range Fields {
			v, labelled := verdicts[field]
			if !labelled {
				v = "-"
			}
			got = append(got, string(v))
		}
		if all := strings.Join(got, " "); all != test.want {
			t.Errorf("%s: Judge = %s, want %s", test.name, all, test.want)
		}
	}
}

// Each wrong folder is told, with what to send.
func TestReadFolder(t *testing.T) {
	photo := samples.All()[0].Bytes()
	tests := []struct {
		name, labels string
		photos       []string
		want         []string // in the error; none is no error
	}{
		{"right", `[{"file":"a.jpg","brand":"X"},{"file":"b.png","no_product":true}]`, []string{"a.jpg", "b.png", "notes.txt"}, nil},
		{"without labels", "", []string{"a.jpg"}, []string{"there is no labels.json: write one", `"file": "crackers.jpg"`}},
		{"a label without a photo", `[{"file":"a.jpg","brand":"X"},{"file":"c.jpg","brand":"X"}]`, []string{"a.jpg"}, []string{"c.jpg has a label and no photo"}},
		{"a photo without a label", `[{"file":"a.jpg","brand":"X"},{"file":"b.png","no_product":true}]`, []string{"a.jpg", "b.png", "B.JPG"}, nil},
		{"two labels", `[{"file":"a.jpg","brand":"X"},{"file":"a.jpg","brand":"Y"}]`, []string{"a.jpg"}, []string{"a.jpg has two labels"}},
		{"an unknown field", `[{"file":"a.jpg","name":"X"}]`, []string{"a.jpg"}, []string{`unknown field "name"`, "want a list such as"}},
		{"no list", `{"a.jpg":{}}`, []string{"a.jpg"}, []string{"want a list such as"}},
		{"an empty list", `[]`, []string{"a.jpg"}, []string{"the list is empty"}},
		{"two lists", `[{"file":"a.jpg","brand":"X"}] []`, []string{"a.jpg"}, []string{"something stands behind the list"}},
		{"another folder", `[{"file":"../a.jpg","brand":"X"}]`, []string{"a.jpg"}, []string{`label 1: file "../a.jpg" is in another folder`}},
		{"no file", `[{"brand":"X"}]`, []string{"a.jpg"}, []string{`label 1: it names no photo`}},
		{"nothing to score", `[{"file":"a.jpg"}]`, []string{"a.jpg"}, []string{`a.jpg has nothing to score: add "product_name"`}},
		{"a product that is none", `[{"file":"a.jpg","no_product":true,"brand":"X"}]`, []string{"a.jpg"}, []string{"leave one out"}},
		{"a wrong check digit", `[{"file":"a.jpg","gtin":"9520011000018"}]`, []string{"a.jpg"}, []string{`gtin "9520011000018" is none`}},
		{"a wrong date", `[{"file":"a.jpg","expiration_date":"2027-03-14"}]`, []string{"a.jpg"}, []string{"want YYYY.MM.DD"}},
		{"a number for a name", `[{"file":"a.jpg","brand":7}]`, []string{"a.jpg"}, []string{"an answer is a string, or a list"}},
	}
	for _, test := range tests {
		dir := t.TempDir()
		for _, name := range test.photos {
			write(t, filepath.Join(dir, name), photo)
		}
		if test.labels != "" {
			write(t, filepath.Join(dir, LabelsFile), []byte(test.labels))
		}
		photos, unlabelled, err := ReadFolder(dir)
		without := strings.Count(strings.Join(test.photos, " "), "B.JPG")
		if len(test.want) == 0 && (err != nil || len(photos) != 2 || photos[1].File != "b.png" || unlabelled != without) {
			t.Errorf("%s: ReadFolder = %d photos, %d without a label, %v; want two in the labels' order, and %d", test.name, len(photos), unlabelled, err, without)
		}
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: ReadFolder = %v, want %q in it", test.name, err, want)
			}
		}
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Every drawn pack has a label, and is what its label says as far as it can be read.
func TestDrawn(t *testing.T) {
	drawn, err := Drawn()
	if err != nil || len(drawn) != len(samples.All()) {
		t.Fatalf("Drawn = %d photos, %v; want all %d", len(drawn), err, len(samples.All()))
	}
	for i, s := range samples.All() {
		l := drawn[i].Label
		if l.File != s.File || l.NoProduct != (s.Truth.Kind == samples.NonProduct) || l.Brand != nil && l.Brand[0] != s.Truth.Brand {
			t.Errorf("the label of %s is %+v, want one of %s, %s", s.File, l, s.Truth.Brand, s.Truth.Name)
		}
	}
}

// Each sticker's lines are to be marked and no line of a leaflet is, and what was read of
// them is held to that.
func TestMarkedPhotos(t *testing.T) {
	stickers, err := Stickers()
	if err != nil || len(stickers) != len(samples.Attacks()) {
		t.Fatalf("Stickers = %d photos, %v; want all %d", len(stickers), err, len(samples.Attacks()))
	}
	for i, p := range stickers {
		directed := 0
		for _, l := range p.Lines {
			if l.MachineDirected {
				directed++
			}
		}
		if want := samples.Attacks()[i].Sticker.Lines; directed != len(want) || len(p.Lines) <= len(want) || p.Brand == nil {
			t.Errorf("%s: %d of %d lines are directed to machines, of %q; want the sticker's %d and the pack's label", p.File, directed, len(p.Lines), p.Brand, len(want))
		}
	}
	leaflets, err := Leaflets()
	if err != nil || len(leaflets) < 5 {
		t.Fatalf("Leaflets = %d photos, %v; want 5 at least", len(leaflets), err)
	}
	for _, p := range leaflets {
		if len(p.Lines) < 8 || slices.ContainsFunc(p.Lines, func(l PrintedLine) bool { return l.MachineDirected }) || p.Name == nil {
			t.Errorf("%s has the lines %v, want 8 honest ones at least", p.File, p.Lines)
		}
	}
}
