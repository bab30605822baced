package barcode

import (
	"image"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// An expandedPhoto is a photo of a DataBar Expanded symbol.
type expandedPhoto struct {
	name string
	img  image.Image
	want string
}

// expandedPhotos reads those of ZXing, which the module zxinggo brings with it: 35, 23 and 117
// photos of symbols in one row, 65 and 7 of stacked ones.
func expandedPhotos(t testing.TB) (all []expandedPhoto) {
	if raceDetector {
		t.Skip("the race detector has nothing to find here, and takes minutes")
	}
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/ericlevine/zxinggo").Output()
	if err != nil {
		t.Skipf("there is no go command here to find the module by: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "testdata/blackbox/rssexpanded*", "*.png"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the module has %d photos, %v", len(files), err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		img, _, err := image.Decode(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, ".png") + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, expandedPhoto{filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file)), img, string(want)})
	}
	return all
}

// Of the photos all are read but those of "1098 1234": no element of GS1 may hold a space.
func TestExpandedReal(t *testing.T) {
	var took []time.Duration
	right, all := 0, expandedPhotos(t)
	for _, p := range all {
		begin := time.Now()
		codes := ReadIn(t.Context(), p.img, [][4]int{{0, 0, 1000, 1000}})
		took = append(took, time.Since(begin))
		switch {
		case len(codes) == 1 && codes[0].Text == p.want && codes[0].Symbology == "DataBar Expanded":
			right++
		case len(codes) > 0:
			t.Errorf("%s: %s %q, want %q", p.name, codes[0].Symbology, codes[0].Text, p.want)
		default:
			t.Logf("%s: nothing, want %q", p.name, p.want)
		}
		if got := Read(t.Context(), p.img); len(got) > 0 {
			t.Errorf("%s: Read = %v, want nothing without a box", p.name, got)
		}
	}
	slices.Sort(took)
	t.Logf("%d of %d are read, in %v at half of them, %v at most", right, len(all), took[len(took)/2], took[len(took)-1])
	if right < len(all)-3 {
		t.Errorf("%d of %d are read, want all but 3", right, len(all))
	}
}

// What is said of a symbol must be known to GS1.
func TestBracketedCode(t *testing.T) {
	for text, want := range map[string]string{
		"(01)98898765432106(3202)012345(15)991231": "98898765432106",
		"(10)12A":                "",
		"(01)98898765432107":     "refused", // its check digit is 6
		"(15)991341":             "refused", // a month 13
		"(01)98898765432106(09)": "refused",
		"(10)1098 1234":          "refused",
		"98898765432106":         "refused",
		"":                       "refused",
	} {
		c, ok := bracketedCode(text)
		if got := map[bool]string{true: c.GTIN, false: "refused"}[ok]; got != want {
			t.Errorf("bracketedCode(%q) = %q, want %q", text, got, want)
		}
	}
}

// BenchmarkExpanded2MP reads photos of 2 megapixels, in a box around all of each.
func BenchmarkExpanded2MP(b *testing.B) {
	for _, p := range expandedPhotos(b) {
		if !strings.HasSuffix(p.name, "/5.png") {
			continue
		}
		img := at2MP(p.img)
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				ReadIn(b.Context(), img, [][4]int{{0, 0, 1000, 1000}})
			}
		})
	}
}
