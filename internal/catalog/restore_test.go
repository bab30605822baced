package catalog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"strconv"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
)

// exportOf returns the export of an import's shop, and its records by name.
func exportOf(t *testing.T, im catalog.Import) (file []byte, byName map[string]catalog.Exported) {
	t.Helper()
	var b bytes.Buffer
	byName = map[string]catalog.Exported{}
	for _, all := range []iter.Seq2[catalog.Product, error]{im.Catalog.All(t.Context(), im.Shop, im.Space.ID()), im.Catalog.Tombstones(t.Context(), im.Shop)} {
		for p, err := range all {
			if err == nil {
				err = json.NewEncoder(&b).Encode(p.Export())
			}
			if err != nil {
				t.Fatal(err)
			}
			byName[p.ProductName+"/"+string(p.Status)] = p.Export()
		}
	}
	return b.Bytes(), byName
}

func run(t *testing.T, im catalog.Import, file []byte) catalog.Imports {
	t.Helper()
	im.Format.Restore = true
	done, err := im.Run(t.Context(), bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// lived fills a catalogue as one that was used: with n products of a file, and with others that
// were learnt, confirmed, corrected, rejected and deleted. It returns the file.
func lived(t *testing.T, im catalog.Import, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("product_name,brand,sku,gtin,price,currency,stock,facets.color\n")
	for i := range n {
		sku, gtin := "", ""
		if i%3 == 0 {
			sku = fmt.Sprint("S", i)
		}
		if i%3 == 1 {
			gtin = gtinOf(i)
		}
		fmt.Fprintf(&b, "Tea %d,Lune,%s,%s,%d.5,EUR,%d,green\n", i, sku, gtin, 1+i%9, i%4)
	}
	im.From = "shelf.csv"
	if done := run(t, im, b.Bytes()); done.New != n {
		t.Fatalf("the file gives %v, want %d", done, n)
	}
	run(t, im, []byte(`{"code":"8801234567893","product_name":"Nut Cream","product_name_ko":"땅콩","brands":"Lune, Luna","lang":"en"}`))
	learnt := func(name string) catalog.Product {
		return tea(name, 3, func(p *catalog.Product) {
			p.Status, p.Source, p.Probability, p.GTIN, p.Provenance = catalog.Unconfirmed, "google_search", 0.83, "04006381333931", []string{"https://example.com/" + name}
		})
	}
	create(t, im.Catalog, learnt("Guess"), learnt("Wrong"), learnt("Deleted"), learnt("Right"))
	wrong, deleted, right := learnt("Wrong"), learnt("Deleted"), learnt("Right")
	corrected := right
	corrected.ID, corrected.ProductName, corrected.ConfirmedBy, corrected.ConfirmedVerified = "", "Right Tea", "Kim", true
	settle(t, im, wrong.Identify(), catalog.Word{Shop: "test", Rejected: true, Rejects: true, Seen: "1"})
	settle(t, im, right.Identify(), catalog.Word{Shop: "test", Confirmed: &corrected, Photos: []string{"b2", "a1"}, Confirms: true, Seen: "1"})
	if _, err := im.Catalog.Delete(t.Context(), "test", deleted.Identify()); err != nil {
		t.Fatal(err)
	}
	owned, err := im.Catalog.Named(t.Context(), "test", im.Space.ID(), "S0")
	if err != nil || len(owned) != 1 {
		t.Fatalf("Named(S0) = %v, %v", owned, err)
	}
	if _, err := im.Catalog.Confirm(t.Context(), "test", owned[0].ID, "owner", false); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// gtinOf returns a GTIN-13 that no shop gave.
func gtinOf(i int) string {
	digits := fmt.Sprintf("88%010d", i)
	sum := 0
	for at, d := range digits {
		sum += int(d-'0') * (1 + 2*(at%2))
	}
	return digits + strconv.Itoa((10-sum%10)%10)
}

func settle(t *testing.T, im catalog.Import, id string, w catalog.Word) {
	t.Helper()
	by := catalog.Embedder{Space: im.Space, Embed: func(ctx context.Context, features []string) ([]float32, error) {
		v, err := im.Embed(ctx, []string{strings.Join(features, " ")})
		if err != nil {
			return nil, err
		}
		return v[0], nil
	}}
	if err := im.Catalog.Settle(t.Context(), id, by, func(context.Context) (catalog.Word, error) { return w, nil }); err != nil {
		t.Fatal(err)
	}
}

// An export that is imported into an empty catalogue is exported the same to the byte, and works
// the same: guesses stay guesses, tombstones stay, a review can be undone, the file is known. With
// WHATIS_RESTORE=20000 that many records are.
func TestRoundTrip(t *testing.T) {
	n := 90
	if many, err := strconv.Atoi(os.Getenv("WHATIS_RESTORE")); err == nil {
		n = many
	}
	from := importer(t, emulate.Start(t, emulate.Firestore, emulate.Gemini))
	rows := lived(t, from, n)
	file, _ := exportOf(t, from)
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	to := importer(t, w)
	to.Fault = func(f catalog.Fault) { t.Errorf("import of the export: %+v", f) }
	if done := run(t, to, file); done != (catalog.Imports{New: n + 5}) {
		t.Fatalf("the export gives %v, want %d new", done, n+5)
	}
	again, records := exportOf(t, to)
	if !bytes.Equal(file, again) {
		t.Fatalf("the export of what was imported differs: %s", firstDifference(file, again))
	}
	w.Gemini.ResetCalls()
	if done := run(t, to, file); done != (catalog.Imports{Known: n + 5}) || len(w.Gemini.Calls()) > 0 {
		t.Errorf("the export once more gives %v and %d calls of the model, want %d known and none", done, len(w.Gemini.Calls()), n+5)
	}
	to.From = "shelf.csv"
	if done := run(t, to, rows); done != (catalog.Imports{Known: n}) {
		t.Errorf("the file of before gives %v, want %d known", done, n)
	}
	wantRestored(t, to, records)
}

// firstDifference returns the first line in which two files differ.
func firstDifference(a, b []byte) string {
	others := strings.Split(string(b), "\n")
	for i, line := range strings.Split(string(a), "\n") {
		if i >= len(others) || line != others[i] {
			return fmt.Sprintf("line %d was\n%s\nand is\n%s", i+1, line, strings.Join(others[min(i, len(others)-1):min(i+1, len(others))], ""))
		}
	}
	return "there is more"
}

func wantRestored(t *testing.T, to catalog.Import, records map[string]catalog.Exported) {
	t.Helper()
	if guess := records["Guess/unconfirmed"]; guess.Source != "google_search" || guess.Probability != 0.83 {
		t.Errorf("the guess is %+v, want it learnt with 0.83", guess)
	}
	if known, err := to.Catalog.Known(t.Context(), catalog.Keys{Shop: "test", GTIN: "04006381333931", Photo: "a1"}); err != nil || known.Record == nil || known.Record.ProductName != "Right Tea" || known.Shown == nil {
		t.Errorf("Known = %+v, %v; want the corrected record, and by its photo", known, err)
	}
	for _, name := range []string{"Wrong", "Deleted"} {
		if _, err := to.Catalog.Create(t.Context(), tea(name, 3)); err == nil {
			t.Errorf("%s is learnt again", name)
		}
	}
	right := tea("Right", 3)
	settle(t, to, right.Identify(), catalog.Word{Shop: "test", Seen: "2"})
	if p, err := to.Catalog.ByID(t.Context(), "test", right.Identify()); err != nil || p.ProductName != "Right" || p.Status != catalog.Unconfirmed {
		t.Errorf("after the review is undone: %+v, %v; want the guess", p, err)
	}
	v := space(t, "emulated-embedding")
	found, err := to.Catalog.Search(t.Context(), catalog.Query{Shop: "test", Space: v, Vector: vectorOf(t, to, "Right"), Names: []string{"Right"}, Limit: 5})
	if err != nil || !strings.Contains(fmt.Sprint(names(found)), "Right") {
		t.Errorf("Search after it = %q, %v; want Right, which has its vector", names(found), err)
	}
}

func vectorOf(t *testing.T, im catalog.Import, name string) []float32 {
	t.Helper()
	v, err := im.Embed(t.Context(), []string{strings.Join(tea(name, 3).KeyFeatures, " ")})
	if err != nil {
		t.Fatal(err)
	}
	return v[0]
}

// A line of an export never takes back what people have said since, nor lowers trust; one that
// people changed by hand changes its record.
func TestRestoreOver(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	lived(t, im, 3)
	_, records := exportOf(t, im)
	lineOf := func(name string, edit func(*catalog.Exported)) []byte {
		e, ok := records[name]
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		edit(&e)
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, test := range []struct {
		name, of string
		edit     func(*catalog.Exported)
		want     catalog.Imports
		fault    string
	}{
		{"another price", "Tea 1/imported", func(e *catalog.Exported) { e.Amount = 9 }, catalog.Imports{Changed: 1}, ""},
		{"another name", "Guess/unconfirmed", func(e *catalog.Exported) { e.ProductName, e.KeyFeatures = "Better", []string{"better"} }, catalog.Imports{Changed: 1}, ""},
		{"a guess confirmed", "Guess/unconfirmed", func(e *catalog.Exported) { e.Status = catalog.Confirmed }, catalog.Imports{Changed: 1}, ""},
		{"the guess again", "Guess/unconfirmed", func(*catalog.Exported) {}, catalog.Imports{Known: 1}, ""},
		{"what was imported as a guess", "Tea 1/imported", func(e *catalog.Exported) { e.Status = catalog.Unconfirmed }, catalog.Imports{Known: 1}, ""},
		{"what the owner confirmed as imported", "Tea 0/confirmed", func(e *catalog.Exported) { e.Status = catalog.Imported }, catalog.Imports{Known: 1}, ""},
		{"what was reviewed, otherwise", "Right Tea/confirmed", func(e *catalog.Exported) { e.ProductName = "Left Tea" }, catalog.Imports{Known: 1}, ""},
		{"what was rejected, as a guess", "Guess/unconfirmed", func(e *catalog.Exported) { e.ID = records["/rejected"].ID }, catalog.Imports{Known: 1}, ""},
		{"what was imported, rejected", "/rejected", func(e *catalog.Exported) { e.ID = records["Tea 2/imported"].ID }, catalog.Imports{Known: 1}, ""},
		{"a wrong code", "Tea 1/imported", func(e *catalog.Exported) { e.GTIN = "08801234567890" }, catalog.Imports{LeftOut: 1}, "gtin"},
		{"no features", "Tea 1/imported", func(e *catalog.Exported) { e.KeyFeatures = nil }, catalog.Imports{LeftOut: 1}, "key_features"},
		{"a review of nothing", "Right Tea/confirmed", func(e *catalog.Exported) { e.Before.ProductName = "" }, catalog.Imports{LeftOut: 1}, "before: product_name"},
		{"no currency", "Tea 1/imported", func(e *catalog.Exported) { e.Currency = "" }, catalog.Imports{LeftOut: 1}, "currency"},
	} {
		var faults string
		im.Fault = func(f catalog.Fault) { faults += f.Why }
		if done := run(t, im, lineOf(test.of, test.edit)); done != test.want || !strings.Contains(faults, test.fault) || test.fault == "" && faults != "" {
			t.Errorf("%s: Run = %v, %q; want %v, %q", test.name, done, faults, test.want, test.fault)
		}
	}
	create(t, im.Catalog, tea("Second Guess", 2, func(p *catalog.Product) { p.Status, p.Source = catalog.Unconfirmed, "google_search" }))
	second := tea("Second Guess", 2)
	if done := run(t, im, lineOf("/rejected", func(e *catalog.Exported) { e.ID, e.Before = second.Identify(), nil })); done != (catalog.Imports{Changed: 1}) {
		t.Errorf("a guess, rejected: %v, want it changed", done)
	}
	if status, err := im.Catalog.StatusOf(t.Context(), second.Identify()); err != nil || status != catalog.Rejected {
		t.Errorf("StatusOf what was rejected = %v, %v", status, err)
	}
}

// Elsewhere an export makes the same records under the IDs of that shop and space.
func TestRestoreElsewhere(t *testing.T) {
	from := importer(t, emulate.Start(t, emulate.Firestore, emulate.Gemini))
	rows := lived(t, from, 30)
	file, records := exportOf(t, from)
	to := importer(t, emulate.Start(t, emulate.Firestore, emulate.Gemini))
	to.Shop, to.Space = "corner", space(t, "gemini-embedding-2")
	if done := run(t, to, file); done != (catalog.Imports{New: 35}) {
		t.Fatalf("Run = %v, want 35 new", done)
	}
	_, others := exportOf(t, to)
	for name, was := range records {
		is := others[name]
		if is.Status != was.Status || is.Source != was.Source || is.Probability != was.Probability || len(is.Photos) != len(was.Photos) || (is.Before == nil) != (was.Before == nil) || is.Shop != "corner" {
			t.Errorf("%s was %+v and is %+v", name, was, is)
		}
		if was.Status != catalog.Rejected && is.ID == was.ID {
			t.Errorf("%s has the ID of another shop", name)
		}
	}
	to.From = "shelf.csv"
	if done := run(t, to, rows); done != (catalog.Imports{Known: 30}) {
		t.Errorf("the file of before gives %v, want 30 known", done)
	}
	wrong := tea("Wrong", 3, func(p *catalog.Product) { p.Shop, p.Vectors.Embedder = "corner", to.Space.ID() })
	if _, err := to.Catalog.Create(t.Context(), wrong); err == nil {
		t.Error("what was rejected is learnt elsewhere")
	}
}

// A file of a stranger that calls itself an export decides nothing: its products are those of
// any file, its guesses and tombstones are left out, and it is said what was not taken.
func TestExportAsAnyFile(t *testing.T) {
	from := importer(t, emulate.Start(t, emulate.Firestore, emulate.Gemini))
	lived(t, from, 6)
	file, records := exportOf(t, from)
	to := importer(t, emulate.Start(t, emulate.Firestore, emulate.Gemini))
	left, unread := map[catalog.Reason]int{}, ""
	to.Fault = func(f catalog.Fault) {
		if f.LeftOut {
			left[f.Reason]++
		} else {
			unread += f.Why
		}
	}
	guesses := 0
	for _, was := range records {
		if was.Status == catalog.Unconfirmed || was.Status == catalog.Rejected {
			guesses++
		}
	}
	done, err := to.Run(t.Context(), bytes.NewReader(file))
	lines := bytes.Count(file, []byte("\n"))
	if err != nil || done.New == 0 || done.New+done.LeftOut != lines || left[catalog.NotRestored] == 0 || len(left) != 1 || !strings.Contains(unread, `"status"`) {
		t.Errorf("Run = %v, %v, left out %v, %q; want %d lines, of which those that are trusted are new", done, err, left, unread, lines)
	}
	_, is := exportOf(t, to)
	for name, e := range is {
		if e.Status != catalog.Imported || e.Reviewed || e.ConfirmedBy != "" || len(e.Photos) > 0 || e.Probability != 0 || e.Before != nil {
			t.Errorf("%s is %+v, want a record as of any file", name, e)
		}
	}
	if guesses == 0 || len(is) != done.New {
		t.Errorf("%d records of %d new ones, with %d guesses in the file", len(is), done.New, guesses)
	}
}
