package spreadsheet

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNoFormulas(t *testing.T) {
	for cell, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\tx": "'\tx", "＝1+1": "'＝1+1", "＋1": "'＋1", "－1": "'－1", "＠x": "'＠x",
		"Tea": "Tea", "": "", "1-2": "1-2", "a,b": `"a,b"`, "\ufffd": "\ufffd",
	} {
		var b strings.Builder
		w := NewWriter(&b, "name", "other")
		if err := errors.Join(w.Row(cell, "x"), w.Flush()); err != nil || b.String() != "name,other\n"+want+",x\n" {
			t.Errorf("the row of %q is %q, %v; want %q", cell, b.String(), err, want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWriterTellsErrors(t *testing.T) {
	w := NewWriter(full{}, "name")
	if err := w.Flush(); err == nil {
		t.Error("Flush = nil, want the error of writing")
	}
}

// Nothing else of the program writes CSV.
func TestTheOnlyWriter(t *testing.T) {
	for _, root := range []string{"../../internal", "../../scripts", "../../function"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "spreadsheet.go" {
				return err
			}
			code, err := os.ReadFile(path)
			if strings.Contains(string(code), "csv.NewWriter(") {
				t.Errorf("%s writes CSV: write it with spreadsheet.Writer", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
