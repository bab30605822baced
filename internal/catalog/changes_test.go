package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
)

// changesSince returns the names of the records that were written since a time, and how many were deleted.
func changesSince(t *testing.T, c *catalog.Catalog, shop string, since time.Time) (names []string, removed int) {
	t.Helper()
	err := c.Changes(t.Context(), shop, spaceID(t), since, func(changed []catalog.Product, gone []string) error {
		for _, p := range changed {
			names = append(names, p.ProductName)
		}
		removed += len(gone)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return slices.Compact(names), removed
}

// Whatever writes or deletes a record is a change that is found: an import of new and of changed rows, of
// which the others are none, and what a person does.
func TestChanges(t *testing.T) {
	im := importer(t, emulate.Start(t, emulate.Firestore, emulate.Gemini))
	c := im.Catalog
	run := func(prices ...int) {
		t.Helper()
		var file strings.Builder
		for i, price := range prices {
			file.WriteString(line(fmt.Sprint("Tea ", i), fmt.Sprintf(`,"sku":"T-%d","price":%d,"currency":"USD"`, i, price)))
		}
		if _, err := im.Run(t.Context(), strings.NewReader(file.String())); err != nil {
			t.Fatal(err)
		}
	}
	last := time.Time{}
	since := func(what string, gone int, want ...string) {
		t.Helper()
		got, removed := changesSince(t, c, im.Shop, last)
		if !slices.Equal(got, want) || removed != gone {
			t.Errorf("%s: %q changed and %d are gone; want %q and %d", what, got, removed, want, gone)
		}
		last = time.Now()
		time.Sleep(2 * time.Millisecond) // times of changes are whole microseconds
	}
	run(1, 2, 3)
	since("an import", 0, "Tea 0", "Tea 1", "Tea 2")
	run(1, 5, 3)
	since("an import of one that is changed", 0, "Tea 1")
	run(1, 5, 3)
	since("the same file", 0)
	found, err := c.Named(t.Context(), im.Shop, im.Space.ID(), "T-0", "T-2")
	if err != nil || len(found) != 2 {
		t.Fatalf("Named = %d, %v; want two", len(found), err)
	}
	if _, err := c.Confirm(t.Context(), im.Shop, found[0].ID, "me", true); err != nil {
		t.Fatal(err)
	}
	since("a person confirms", 0, found[0].ProductName)
	if _, err := c.Delete(t.Context(), im.Shop, found[1].ID); err != nil {
		t.Fatal(err)
	}
	since("a person deletes", 1)
	last = time.Now().Add(-time.Minute)
	run(1, 5, 3)
	since("what was deleted is imported again", 0, "Tea 0", "Tea 1", "Tea 2")
}

// More changes than a page are read whole, also if many have one time, and an error ends the reading.
func TestPagesOfChanges(t *testing.T) {
	im := importer(t, emulate.Start(t, emulate.Firestore, emulate.Gemini))
	im.EmbedDocuments = nil
	im.Embed = func(_ context.Context, texts []string) (all [][]float32, err error) {
		for range texts {
			all = append(all, at(0))
		}
		return all, nil
	}
	var file strings.Builder
	for i := range 1100 {
		file.WriteString(line(fmt.Sprint("Tea ", i), fmt.Sprintf(`,"sku":"T-%d"`, i)))
	}
	if _, err := im.Run(t.Context(), strings.NewReader(file.String())); err != nil {
		t.Fatal(err)
	}
	if names, _ := changesSince(t, im.Catalog, im.Shop, time.Time{}); len(names) != 1100 {
		t.Errorf("%d records changed, want 1100", len(names))
	}
	stop, pages := errors.New("enough"), 0
	err := im.Catalog.Changes(t.Context(), im.Shop, im.Space.ID(), time.Time{}, func([]catalog.Product, []string) error { pages++; return stop })
	if !errors.Is(err, stop) || pages != 1 {
		t.Errorf("Changes = %v after %d pages, want the error of the first", err, pages)
	}
}

// A column of a name that Firestore refuses is told, and the file is imported without it.
func TestReservedFacets(t *testing.T) {
	im := importer(t, emulate.Start(t, emulate.Firestore, emulate.Gemini))
	var faults []string
	im.Fault = func(f catalog.Fault) { faults = append(faults, f.Field) }
	done, err := im.Run(t.Context(), strings.NewReader("product_name,facets.__id__,facets._stock,facets.color\nTea,7,in,green\n"))
	if want := "facets.__id__ facets._stock"; err != nil || done != (catalog.Imports{New: 1}) || strings.Join(faults, " ") != want {
		t.Errorf("Run = %v, %v, faults in %q; want one new, and %q", done, err, faults, want)
	}
}
