package main

import (
	"bytes"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search"
)

// The command searches the frames that are drawn here, by words and by a picture.
func TestSearchEmulated(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	wanted := samples.Frames()[0]
	var b bytes.Buffer
	if err := jpeg.Encode(&b, wanted.Picture(samples.View{Width: 420, Turn: 6, Scale: 0.8, Background: 0xE9DFC9}), nil); err != nil {
		t.Fatal(err)
	}
	picture := filepath.Join(t.TempDir(), "glasses.jpg")
	if err := os.WriteFile(picture, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	c := prepared(t, nil, "search", "--emulated", "black", "round", "sunglasses", "--image", picture, "--filter", "color="+wanted.Color, "--limit", "9")
	if code := c.here(); code != exitFine || !strings.Contains(c.stdout.String(), wanted.Name+", "+wanted.Brand) || !strings.Contains(c.stdout.String(), "SCORE") || !strings.Contains(c.stderr.String(), "shop eyewear") {
		t.Errorf("exit code %d, %s\n%s\nwant 0 and %s", code, &c.stdout, &c.stderr, wanted.Name)
	}
}

// What makes no sense is told before anything is asked, or by the service.
func TestSearchRefused(t *testing.T) {
	folder := t.TempDir()
	write(t, folder+"/face.json", `{"face_shape":`)
	tests := []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--emulated"}, exitUsage, "the search is empty"},
		{[]string{"--emulated", "--image", folder + "/none.jpg"}, exitUsage, "none.jpg"},
		{[]string{"--emulated", "--face", folder + "/face.json", "a"}, exitUsage, "--face"},
		{[]string{"round", "frames"}, exitUsage, "no service is named"},
		{[]string{"--limit", "many", "a"}, exitUsage, "limit"},
		{[]string{"--emulated", "--limit", "51", "round", "frames"}, exitUsage, "send 1 to 50"},
		{[]string{"--emulated", "--shop", "nowhere", "round", "frames"}, exitFailed, "another"},
	}
	for _, test := range tests {
		c := prepared(t, nil, append([]string{"search"}, test.args...)...)
		if code := c.here(); code != test.code || !strings.Contains(c.stderr.String(), test.says) {
			t.Errorf("search %q: exit code %d, %s; want %d with %q", test.args, code, &c.stderr, test.code, test.says)
		}
	}
}

// Each answer is printed as its intent has it.
func TestFound(t *testing.T) {
	stock := 3
	tests := []struct {
		name   string
		result search.Result
		out    []string
		err    []string
	}{
		{"products", search.Result{Exhausted: true, Products: []search.Hit{{Name: "Aria 1", Brand: "Lunavelle", Price: catalog.Price{Amount: 1290000, Currency: "VND"}, Score: 0.873, Why: []string{"red", "round"}, ProductID: "id1"}}},
			[]string{"SCORE", "0.87", "Aria 1, Lunavelle", "1,290,000 VND", "red; round", "id1"}, nil},
		{"caveats", search.Result{IgnoredFilters: []search.IgnoredFilter{{Facet: "color", Value: "infrared"}}, Relaxed: []string{"color", "gender"}, Expected: &search.Rank{ProductID: "id2", RemovedBy: "price"}, Warnings: []string{"irrelevant_image"}},
			nil, []string{`ignored: color "infrared"`, "dropped filters, as no product matched all: color, gender", "more products", "id2 was removed by price", "warning: irrelevant_image"}},
		{"stats", search.Result{Result: search.Answer{Stats: &search.Stats{Facet: "color", Total: 7, Counts: []search.FacetCount{{Label: "black", Count: 4}}}}},
			[]string{"black", "4", "all", "7"}, nil},
		{"availability", search.Result{Result: search.Answer{Availability: []search.Stock{{Name: "Aria 1", Availability: "in_stock", Stock: &stock}, {Name: "Elm 2", Availability: "unknown"}}}},
			[]string{"3 in stock", "stock unknown"}, nil},
		{"a comparison", search.Result{Result: search.Answer{Comparison: &search.Comparison{Rows: []search.ComparisonRow{{Attribute: "color", Values: []string{"red", "blue"}}}}}},
			[]string{"color", "red", "blue"}, nil},
		{"a quote", search.Result{Result: search.Answer{FAQ: &search.FAQ{Quote: "Titanium is light.", Source: "materials"}}}, []string{"“Titanium is light.”", "materials"}, nil},
		{"suggestions", search.Result{Result: search.Answer{Suggestions: []string{"round\x1b[31m frames"}}}, []string{"try: round [31m frames"}, nil},
	}
	for _, test := range tests {
		var out, told bytes.Buffer
		if err := (&console{out: &out, err: &told}).found(test.result); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		for _, want := range test.out {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s prints\n%s\nwant %q in it", test.name, &out, want)
			}
		}
		for _, want := range test.err {
			if !strings.Contains(told.String(), want) {
				t.Errorf("%s tells\n%s\nwant %q in it", test.name, &told, want)
			}
		}
	}
}
