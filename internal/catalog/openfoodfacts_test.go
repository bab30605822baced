package catalog_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/realdata"
	"example.com/whatis/internal/catalog"
)

// A record of Open Food Facts becomes a product identified by its code.
func TestReadOpenFoodFacts(t *testing.T) {
	const tea = `"code":"8801234567893","product_name":"Thé  vert\n","lang":"fr"`
	tests := []struct{ in, want, fault string }{
		{`{` + tea + `}`, "Thé vert [] |  [] |  | 08801234567893 |  fr | Thé vert", ""},
		{`{"_id":"1",` + tea + `,"brands":"Haetsal, HAETSAL ,Sun,","quantity":"500 ml","generic_name":"thé"}`, "Thé vert [] | Haetsal [Sun] |  | 08801234567893 |  fr | Haetsal/Thé vert/Sun/500 ml/thé", ""},
		{`{` + tea + `,"categories":"Boissons, Thés, en:teas","categories_tags":["en:beverages","en:green-teas","fr:x"],"labels":"Bio,Vegan,en:kosher,Halal","packaging":"Sachet,Carton"}`,
			"Thé vert [] |  [] | Green teas | 08801234567893 |  fr | Thé vert/Thés/Bio/Vegan/Sachet", ""},
		{`{` + tea + `,"product_name_fr":"thé vert","product_name_ko":"녹차","product_name_en":"Green tea","product_name_en_debug_tags":["x"]}`,
			"Thé vert [Green tea 녹차] |  [] |  | 08801234567893 |  fr | Thé vert/Green tea/녹차", ""},
		{`{"code":"8801234567893","product_name":"","product_name_de":"Tee","lang":"de"}`, "Tee [] |  [] |  | 08801234567893 |  de | Tee", ""},
		{`{` + tea + `,"countries_tags":["en:south-korea"]}`, "Thé vert [] |  [] |  | 08801234567893 | KR fr | Thé vert", ""},
		{`{` + tea + `,"countries_tags":["en:france","en:united-states"]}`, "Thé vert [] |  [] |  | 08801234567893 |  fr | Thé vert", ""},
		{`{` + tea + `,"quantity":" g","brands":null,"categories_tags":"x","labels":7}`, "Thé vert [] |  [] |  | 08801234567893 |  fr | Thé vert/7", ""},
		{`{"code":73513537,"product_name":"Tea","lang":"xx"}`, "Tea [] |  [] |  | 00000073513537 |   | Tea", ""},
		{`{"code":"8801234567890","product_name":"Tea"}`, "", `8801234567890 wrong code code "8801234567890" is no GTIN`},
		{`{"code":"880123","product_name":"Tea"}`, "", `880123 wrong code`},
		{`{"code":"8801234567893","brands":"Haetsal"}`, "", "8801234567893 no name"},
		{`{` + tea + `}` + "\n" + `{"code":"0 8801234567893","product_name":"Other"}`, "Thé vert [] |  [] |  | 08801234567893 |  fr | Thé vert", "0 8801234567893 duplicate gtin 08801234567893 is also that of line 1, products[0]"},
	}
	for _, test := range tests {
		products, faults, err := read(test.in)
		var got []string
		for _, p := range products {
			got = append(got, fmt.Sprint(p.ProductName, " ", p.Aliases, " | ", p.Brand, " ", p.BrandAliases, " | ", p.Category, " | ", p.GTIN, " | ", p.Country, " ", p.Lang, " | ", strings.Join(p.KeyFeatures, "/")))
			if p.Identity != catalog.ByGTIN || len(p.Provenance) != 1 || !strings.HasPrefix(p.Provenance[0], "https://world.openfoodfacts.org/product/") {
				t.Errorf("ReadProducts(%s) = %+v, want it known by its code, and where it can be read", test.in, p)
			}
		}
		if err != nil || strings.Join(got, "\n") != test.want {
			t.Errorf("ReadProducts(%s) = %q, %v; want %q", test.in, got, err, test.want)
		}
		if test.fault == "" && len(faults) > 0 || test.fault != "" && (len(faults) != 1 || !faults[0].LeftOut || !strings.HasPrefix(fmt.Sprint(faults[0].Code, " ", faults[0].Reason, " ", faults[0].Why), test.fault)) {
			t.Errorf("ReadProducts(%s) reports %+v, want %q", test.in, faults, test.fault)
		}
	}
}

// A file may be CSV with any of four separators, and compressed by gzip.
func TestReadCSV(t *testing.T) {
	tests := []struct {
		name, in string
		columns  map[string]string
		want     string
		fault    string
		err      string
	}{
		{"as the fields are called", "product_name,brand,gtin,key_features\nTea,B,8801234567893,a; b|c\n\"Cola, red\",,,\n", nil, "Tea/B/08801234567893/[a b c]/map[] Cola, red///[Cola, red]/map[]", "", ""},
		{"mapped", "\ufeffEAN;Artikel;Marke\n8801234567893;Tee;B\n", map[string]string{"gtin": "EAN", "product_name": "Artikel", "brand": "Marke"}, "Tee/B/08801234567893/[B Tee]/map[]", "", ""},
		{"columns of one name", "product_name,product_name,brand,facets.color,facets.color,facets.brand,brand\n,Tea,B,,red,b,C\n", nil, "Tea/B//[B Tea]/map[brand:b color:red]", "", ""},
		{"a facet", "product_name\tbrand\tColour\nTea\tB\tred\n", map[string]string{"facets.color": "Colour"}, "Tea/B//[B Tea]/map[brand:b color:red]", "", ""},
		{"Open Food Facts", "code\tproduct_name\tbrands\n8801234567893\tTea\tB,C\n", nil, "Tea/B/08801234567893/[B Tea C]/map[]", "", ""},
		{"a wrong code", "product_name,gtin\nTea,8801234567890\n", nil, "Tea///[Tea]/map[]", "line 2 wrong code", ""},
		{"no name", "product_name,brand\n\"two\nlines\",B\n,B\n", nil, "two lines/B//[B two lines]/map[]", "line 4 no name", ""},
		{"no such column", "a,b\n1,2\n", map[string]string{"product_name": "c"}, "", "", `no column "c" for product_name: its columns are a, b`},
		{"no such field", "a,b\n1,2\n", map[string]string{"name": "a"}, "", "", `"name" is no field of a product: want one of product_name, brand`},
		{"no name at all", "a,b\n1,2\n", map[string]string{"brand": "a"}, "", "", "--map COLUMN=product_name"},
		{"neither CSV nor JSON", "a,b\n1,2\n", nil, "", "", "--map COLUMN=product_name"},
	}
	for _, test := range tests {
		for _, packed := range []bool{false, true} {
			in := test.in
			if packed {
				in = zipped(in)
			}
			var got []string
			var faults []catalog.Fault
			var err error
			for p, wrong := range catalog.ReadProducts(strings.NewReader(in), catalog.Format{Columns: test.columns}, func(f catalog.Fault) { faults = append(faults, f) }) {
				if err = wrong; err == nil {
					got = append(got, fmt.Sprintf("%s/%s/%s/%v/%v", p.ProductName, p.Brand, p.GTIN, p.KeyFeatures, p.Facets))
				}
			}
			if strings.Join(got, " ") != test.want || (err != nil) != (test.err != "") || err != nil && (!strings.Contains(err.Error(), test.err) || !errors.Is(err, catalog.ErrFile)) {
				t.Errorf("%s, packed %v: ReadProducts = %q, %v; want %q, %q", test.name, packed, got, err, test.want, test.err)
			}
			if test.fault == "" && len(faults) > 0 || test.fault != "" && (len(faults) != 1 || !strings.HasPrefix(fmt.Sprint(faults[0].Record, " ", faults[0].Reason), test.fault)) {
				t.Errorf("%s: ReadProducts reports %+v, want %q", test.name, faults, test.fault)
			}
		}
	}
	if _, faults, err := read("\x1f\x8bno gzip"); !errors.Is(err, catalog.ErrFile) || len(faults) > 0 {
		t.Errorf("ReadProducts of a broken gzip = %v, %v; want ErrFile", faults, err)
	}
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// A real export of a thousand products is imported in less than ten seconds; the second
// time nothing changes and no model is called.
func TestImportOfARealExport(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	data := realdata.Read(t, "catalogue/*.jsonl.gz")
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	reasons := map[catalog.Reason]int{}
	im.Fault = func(f catalog.Fault) { reasons[f.Reason]++ }
	start := time.Now()
	first, err := im.Run(t.Context(), bytes.NewReader(data))
	took := time.Since(start)
	t.Logf("%v in %v: %v", first, took, reasons)
	if err != nil || first.New < 700 || first.Known+first.Changed > 0 || first.New+first.LeftOut != 1000 || reasons[catalog.WrongCode] == 0 || reasons[catalog.NoName] == 0 {
		t.Errorf("Run = %v, %v, left out %v; want more than 700 of 1000 new, and wrong codes and missing names told", first, err, reasons)
	}
	if took > 10*time.Second && os.Getenv("WHATIS_IMPORT") != "" {
		t.Errorf("the import took %v, want less than 10 s", took)
	}
	w.Gemini.ResetCalls()
	again, err := im.Run(t.Context(), bytes.NewReader(data))
	if want := (catalog.Imports{Known: first.New, LeftOut: first.LeftOut}); err != nil || again != want || len(w.Gemini.Calls()) > 0 {
		t.Errorf("Run again = %v, %v with %d calls of the model; want %v without one", again, err, len(w.Gemini.Calls()), want)
	}
}

// Stored records with the file's codes are updated, unless they are more trusted than the
// file.
func TestImportFollowsTheFile(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	const gtin = "08801234567893"
	off := func(name string) string {
		return fmt.Sprintf(`{"code":"8801234567893","product_name":%q,"lang":"ko"}`, name)
	}
	native := func(feature string) string {
		return fmt.Sprintf(`{"product_name":"Tea 0","brand":"Brand 0","key_features":[%q]}`, feature)
	}
	create(t, im.Catalog, tea("Tea 0", 0, func(p *catalog.Product) { p.Brand, p.Status = "Brand 0", catalog.Unconfirmed }))
	tests := []struct {
		name, file string
		status     catalog.Status
		want       catalog.Imports
		embedded   int
		record     string // name and status of the code's record
	}{
		{"imported", off("Tea"), "", catalog.Imports{New: 1}, 1, "Tea imported"},
		{"the same", off("Tea"), catalog.Imported, catalog.Imports{Known: 1}, 0, "Tea imported"},
		{"another name", off("Green tea"), "", catalog.Imports{Changed: 1}, 1, "Green tea imported"},
		{"confirmed", off("Green tea"), catalog.Confirmed, catalog.Imports{Changed: 1}, 0, "Green tea confirmed"},
		{"confirmed again", off("Green tea"), catalog.Confirmed, catalog.Imports{Known: 1}, 0, "Green tea confirmed"},
		{"imported over what is confirmed", off("Tea"), "", catalog.Imports{Known: 1}, 0, "Green tea confirmed"},
		{"confirmed otherwise", off("Tea"), catalog.Confirmed, catalog.Imports{Changed: 1}, 1, "Tea confirmed"},
		{"imported over what was learnt", native("tea"), "", catalog.Imports{Known: 1}, 0, "Tea confirmed"},
		{"confirmed over what was learnt", native("tea"), catalog.Confirmed, catalog.Imports{Changed: 1}, 1, "Tea confirmed"},
		{"another feature", native("cold tea"), catalog.Confirmed, catalog.Imports{Changed: 1}, 1, "Tea confirmed"},
	}
	for _, test := range tests {
		w.Gemini.ResetCalls()
		im.Status = test.status
		done, err := im.Run(t.Context(), strings.NewReader(test.file))
		known, lookErr := im.Catalog.Known(t.Context(), catalog.Keys{Shop: "test", GTIN: gtin})
		if err != nil || lookErr != nil || known.Record == nil {
			t.Fatalf("%s: Run = %v, %v; then Known = %+v, %v", test.name, done, err, known, lookErr)
		}
		if record := fmt.Sprint(known.Record.ProductName, " ", known.Record.Status); done != test.want || len(w.Gemini.Calls()) != test.embedded || record != test.record {
			t.Errorf("%s: Run = %v with %d embedded, then %q; want %v with %d, then %q", test.name, done, len(w.Gemini.Calls()), record, test.want, test.embedded, test.record)
		}
	}
	im.Status = "sure"
	if _, err := im.Run(t.Context(), strings.NewReader(off("Tea"))); err == nil {
		t.Error("Run with the status sure = nil error, want one")
	}
}

// A product is found by its name in another script, and keeps its provenance.
func TestAliases(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	im.From = "tea.jsonl"
	file := `{"code":"8801234567893","product_name":"Green tea","product_name_ko":"초록 녹차","brands":"Haetsal,햇살","lang":"en"}`
	if done, err := im.Run(t.Context(), strings.NewReader(file)); err != nil || done.New != 1 {
		t.Fatalf("Run = %v, %v; want one new", done, err)
	}
	v, err := im.Embed(t.Context(), []string{"햇살 초록녹차"})
	if err != nil {
		t.Fatal(err)
	}
	far := make([]float32, catalog.Dimensions)
	far[7] = 1
	for _, vector := range [][]float32{v[0], far} {
		q := catalog.Query{Shop: "test", Lang: "ko", Space: im.Space, Vector: vector, Names: []string{"초록녹차"}, Limit: 3}
		q.Space.Floor = -1
		found, err := im.Catalog.Search(t.Context(), q)
		if err != nil || len(found) != 1 || found[0].ProductName != "Green tea" || fmt.Sprint(found[0].BrandAliases) != "[햇살]" || len(found[0].Provenance) != 2 || found[0].Provenance[1] != "tea.jsonl" {
			t.Errorf("Search(초록녹차) = %+v, %v; want the green tea with the alias of its brand, from tea.jsonl", found, err)
		}
	}
}
