package app_test

import (
	"net/http"
	"slices"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/openfoodfacts"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/app"
)

// A code that the catalogue does not know is looked up once in a directory of products,
// which decides as an import does; what it does not know, and its outages, change nothing.
func TestGTINDirectory(t *testing.T) {
	directory, err := openfoodfacts.Start(openfoodfacts.Options{Products: map[string]map[string]string{
		"3017620422003": {"product_name": "Pâte à tartiner", "brands": "Une marque", "ingredients_text": "never sent", "product_type": "food"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = directory.Close() })
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini, emulate.Storage)
	point(t, w, "GTIN_DIRECTORY="+directory.URL(), "GTIN_DIRECTORY_CONTACT=shop@example.com", "RESULT_CACHE_DAYS=0")
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(c)
	in, err := a.Intake(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, code string
		status     int // of the directory; 0 is as it should be
		source     string
		asked      int // in all
	}{
		{"down", "3017620422003", http.StatusServiceUnavailable, "google_search", 1},
		{"known to the directory", "3017620422003", 0, "local_db", 2},
		{"known to the catalogue", "3017620422003", 0, "local_db", 2},
		{"unknown", "4006381333931", 0, "google_search", 3},
		{"unknown, asked today", "4006381333931", 0, "google_search", 3},
		{"of a restricted range", "2000000000022", 0, "google_search", 3},
	}
	for _, test := range tests {
		directory.Fail(test.status)
		pack, err := samples.Pack(samples.Print{GTIN: test.code})
		if err != nil {
			t.Fatal(err)
		}
		r, err := in.Photo(t.Context(), intake.Photo{Data: pack.Bytes()}, nil)
		if err != nil || string(r.Source) != test.source || len(directory.Asked()) != test.asked {
			t.Fatalf("%s: %s, %v, asked for %q; want %s after %d questions", test.name, r.Source, err, directory.Asked(), test.source, test.asked)
		}
		if test.source == "local_db" && (r.ProductName != "Pâte à tartiner" || r.RAGConfidence.Probability != 0.95 || r.Record.Status != "imported") {
			t.Errorf("%s: %+v with %+v of %+v, want the directory's record with 0.95", test.name, r.Identification, r.RAGConfidence, r.Record)
		}
	}
	records, err := a.Reviews(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found, err := records.Catalog.Beginning(t.Context(), records.Shop, "Pâte", 5)
	if err != nil || len(found) != 1 || !slices.Contains(found[0].Provenance, "gtin_directory") || !slices.Contains(found[0].Provenance, "https://world.openfoodfacts.org/product/3017620422003") {
		t.Errorf("the catalogue has %+v, %v; want the record, from the directory", found, err)
	}
}
