package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
)

// An import that was stopped after its first 800 products and goes on leaves the same records, and
// tells the same, as one that was not.
func TestImportResumedIsAsWhole(t *testing.T) {
	const head = "product_name,brand,sku,gtin\n"
	before, first, last := make([]string, 2), "", ""
	for _, rows := range []struct{ first, second, begin, end string }{ // of two files before, and the ends of the file
		{"", "", "A,Lune,,9520011000017", "A crate,Lune,S-1,9520011000017"},                      // the GTIN of a new record
		{"B,Lune,,4006381333931", "", "B,Lune,,4006381333931", "B crate,Lune,S-2,4006381333931"}, // of one that was there
		{"C,Lune,,", "", "C,Lune,,8801234567893", "C crate,Lune,S-3,8801234567893"},              // of one that was taken by its name
		{"D,Lune,,", "D,Lune,,96385074", "D,Lune,,96385074", "D crate,Lune,S-4,96385074"},        // of one that was taken so, and is as in the file
		{"E,Lune,E1,\nE,Lune,E2,", "", "E,Lune,,", ""},                                           // undecided
		{"", "", ",Lune,,", ",Lune,,\nF,Lune,,\n,Lune,,"},                                        // no products
	} {
		before[0], before[1], first, last = before[0]+rows.first+"\n", before[1]+rows.second+"\n", first+rows.begin+"\n", last+rows.end+"\n"
	}
	for i := range 800 {
		first += fmt.Sprintf("Filler-%d,Lune,F-%d,\n", i, i)
	}
	run := func(stops bool) (catalog.Imports, string) {
		im := importer(t, emulate.Start(t, emulate.Firestore, emulate.Gemini))
		for _, file := range before {
			if _, err := im.Run(t.Context(), strings.NewReader(head+file)); err != nil {
				t.Fatal(err)
			}
		}
		im.ID = "the task"
		if stops {
			im.Keep = func(_ context.Context, stored catalog.Checkpoint) error {
				im.After = stored
				return errors.New("stopped")
			}
			if _, err := im.Run(t.Context(), strings.NewReader(head+first+last)); err == nil {
				t.Fatal("the import is not stopped")
			}
			im.Keep = nil
		}
		done, err := im.Run(t.Context(), strings.NewReader(head+first+last))
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Fields(strings.ReplaceAll(records(t, im), " crate", "-crate"))
		return done, strings.Join(slices.DeleteFunc(all, func(s string) bool { return strings.Contains(s, "F-") }), " ")
	}
	whole, had := run(false)
	resumed, has := run(true)
	if want := (catalog.Imports{New: 806, Changed: 1, Known: 2, LeftOut: 4}); whole != want || resumed != want || has != had {
		t.Errorf("resumed: %v with %s;\nwhole: %v with %s; want %v", resumed, has, whole, had, want)
	}
}

// An import that was stopped behind its last row resumes to the same, also if its last rows are no
// products.
func TestImportResumedBehindItsEnd(t *testing.T) {
	im := importer(t, emulate.Start(t, emulate.Firestore, emulate.Gemini))
	const file = "product_name,brand\n,Lune\nTea,Lune\n,Lune\n"
	var stored catalog.Checkpoint
	im.Keep = func(_ context.Context, c catalog.Checkpoint) error { stored = c; return nil }
	whole, err := im.Run(t.Context(), strings.NewReader(file))
	if want := (catalog.Imports{New: 1, LeftOut: 2}); err != nil || whole != want {
		t.Fatalf("Run = %v, %v; want %v", whole, err, want)
	}
	im.After = stored
	if resumed, err := im.Run(t.Context(), strings.NewReader(file)); err != nil || resumed != whole {
		t.Errorf("resumed: %v, %v; want %v", resumed, err, whole)
	}
}
