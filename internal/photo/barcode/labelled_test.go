package barcode

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// labelled are the GTINs of the pictures in gozxing's module that its own tests read, by
// symbology and folder. Its other ITF and Code 128 pictures contain no GS1 number.
var labelled = []struct{ symbology, folder, files, gtin string }{
	{"DataBar", "oned/rss/testdata", "1_1", "04412345678909"},
	{"DataBar", "oned/rss/testdata", "1_2", "00821935106427"},
	{"DataBar", "oned/rss/testdata", "1_3", "00075678164125"},
	{"DataBar", "oned/rss/testdata", "1_4", "20012345678909"},
	{"DataBar", "oned/rss/testdata", "1_5", "00034567890125"},
	{"DataBar", "oned/rss/testdata", "1_6 2_20 2_21 2_22 2_23 2_24", "00012345678905"},
	{"DataBar", "oned/rss/testdata", "2_1 2_2 2_3 2_4", "04412345678909"},
	{"DataBar", "oned/rss/testdata", "2_5 2_6 2_7 2_8 2_9 2_10 2_11 2_12 2_13 2_14 2_15 2_16 2_17 2_18 2_19", "02001234567893"},
	{"ITF-14", "oned/testdata/itf", "1", "30712345000010"},
	{"ITF-14", "oned/testdata/itf", "2", "00012345678905"},
	{"", "oned/testdata/itf", "3 5 6 7 8 9 10 13 14 15 16 17", ""},
	{"", "oned/testdata/code128", "2 01 05 09 13 17 21 25 29 33 37 40", ""},
}

// No picture of gozxing's module is misread, and the number of pictures read does not drop.
func TestLabelledReal(t *testing.T) {
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/makiuchi-d/gozxing").Output()
	if err != nil || len(dir) <= 1 {
		t.Skip("no module cache with gozxing's pictures")
	}
	read := map[string]int{}
	for _, l := range labelled {
		for _, name := range strings.Fields(l.files) {
			img := pictureOf(t, filepath.Join(strings.TrimSpace(string(dir)), filepath.FromSlash(l.folder), name+".png"))
			got := gtins(ReadIn(t.Context(), img, [][4]int{{100, 100, 900, 900}}))
			if bad := slices.DeleteFunc(slices.Clone(got), func(g string) bool { return g == l.gtin }); len(bad) > 0 {
				t.Errorf("%s/%s: ReadIn = %v, want %q", l.folder, name, bad, l.gtin)
			}
			if len(got) > 0 {
				read[l.symbology]++
			} else if l.gtin != "" {
				t.Logf("missed: %s/%s", l.folder, name)
			}
		}
	}
	t.Logf("read: %v", read)
	if read["DataBar"] < 14 || read["ITF-14"] < 2 {
		t.Errorf("read: %v, want 14 of DataBar and 2 of ITF-14 at least", read)
	}
}
