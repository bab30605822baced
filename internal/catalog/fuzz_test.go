package catalog

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/whatis/internal/gs1"
)

// fuzzedProducts reads the products of a file, and checks that each may be stored: its code by
// its check digit, its texts by their lengths. What is left out has its reason.
func fuzzedProducts(t *testing.T, file []byte, columns map[string]string) (all []Product, faults int, failed error) {
	t.Helper()
	begin := time.Now()
	for p, err := range ReadProducts(bytes.NewReader(file), Format{Columns: columns, Restore: true}, func(f Fault) {
		if faults++; f.Why == "" || f.Record == "" {
			t.Errorf("a fault without a reason: %+v", f)
		}
	}) {
		if failed = err; err == nil {
			checkImported(t, p)
			all = append(all, p)
		}
	}
	if failed != nil && !errors.Is(failed, ErrFile) {
		t.Errorf("ReadProducts = %v, want ErrFile", failed)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("%d bytes take %v", len(file), took)
	}
	return all, faults, failed
}

func checkImported(t *testing.T, p Product) {
	t.Helper()
	if p.Base != nil {
		checkImported(t, *p.Base)
	}
	if p.Status == Rejected && p.restored != nil { // a tombstone
		return
	}
	if gtin, ok := gs1.GTIN(p.GTIN); p.GTIN != "" && (!ok || gtin != p.GTIN) || p.Identity == ByGTIN && p.GTIN == "" {
		t.Errorf("the code %q, identity %q", p.GTIN, p.Identity)
	}
	if p.Amount < 0 || (p.Amount == 0) != (p.Currency == "") || p.Stock != nil && *p.Stock < 0 || len(p.Facets) > maxFacets+1 {
		t.Errorf("for sale: %+v", p)
	}
	p.Vectors.Embedder, p.KeyFeatures = "space", slices.Clone(p.KeyFeatures)
	if p.ProductName == "" || len(p.KeyFeatures) == 0 || len(p.KeyFeatures) > MaxFeatures {
		t.Errorf("%q has %d features", p.ProductName, len(p.KeyFeatures))
	}
	texts := slices.Concat([]string{p.ProductName, p.Brand, p.Category, p.Country, p.Lang, p.SKU, p.Description, p.ImageURI}, p.KeyFeatures, p.Aliases, p.BrandAliases)
	for _, text := range texts {
		if !utf8.ValidString(text) || utf8.RuneCountInString(text) > MaxText {
			t.Errorf("a text of %d bytes", len(text))
		}
	}
}

// A file reads the same once more, and compressed.
func checkRepeated(t *testing.T, file []byte, columns map[string]string) {
	t.Helper()
	if len(file) > 64<<10 {
		t.Skip()
	}
	all, faults, failed := fuzzedProducts(t, file, columns)
	again, faultsAgain, failedAgain := fuzzedProducts(t, zipped(t, file), columns)
	if bytes.HasPrefix(file, []byte("\x1f\x8b")) { // what is compressed twice is unpacked once
		return
	}
	if !reflect.DeepEqual(all, again) || faults != faultsAgain || (failed == nil) != (failedAgain == nil) {
		t.Errorf("%d products, %d faults, %v; compressed %d, %d, %v", len(all), faults, failed, len(again), faultsAgain, failedAgain)
	}
}

func zipped(t testing.TB, file []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(file)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func FuzzJSONLines(f *testing.F) {
	for _, seed := range []string{
		`{"product_name":"Barley Tea","brand":"Haetsal","category":"Beverage","key_features":["tea","500 ml"],"gtin":8801234567893,"aliases":["보리차"]}` + "\n" + `{"product_name":"x","key_features":["y"]}`,
		`{"products":[{"product_name":"Tea","key_features":["green"],"price":NaN,"currency":"krw","stock":3,"facets":{"color":"red"},"image_uri":"gs://a/b"}]}`,
		`{"products":{"0":{"product_name":"Tea","key_features":["green"],"gtin":"0000"},"1":{}}}`,
		`[{"product_name":"Tea","key_features":[" ",null]}, 7, "x", -Infinity]`,
		`{"code":"3017620422003","product_name":"Nutella","brands":"Ferrero,Nutella","categories_tags":["en:spreads"],"lang":"fr","countries_tags":["en:france"],"product_name_de":"Nutella","quantity":"400 g"}` + "\n{}\n",
		"\ufeff{\"product_name\":\"\xff\",\"key_features\":[\"a\"]}", `{"about":{},"products":null}`, `{"products":[}`, `{"a":` + strings.Repeat("[", 300),
		`{"id":"0123456789abcdef0123456789abcdef","shop":"s","status":"confirmed","embedder":"e","product_name":"Tea","key_features":["green"],"photos":["a1"],"reviewed":true,"before":{"product_name":"Te","key_features":["g"],"status":"unconfirmed"}}`,
		`{"id":"0123456789abcdef0123456789abcdef","shop":"s","status":"rejected","product_name":"","before":{"product_name":"Te","key_features":["g"]}}` + "\n{oops\n{}",
		`{"product_name":"Tea","identity":"gtin","key_features":["green"],"gtin":"8801234567893"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) { checkRepeated(t, file, nil) })
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"product_name,brand,key_features,gtin\nTea,Haetsal,green;500 ml,8801234567893\n", "product_name;price;currency;facets.color\r\n\"Tea; green\";1,5;EUR;red\r\n",
		"product_name\tcode\tcategories_tags\tcountries_tags\nNutella\t3017620422003\ten:spreads,en:sweet\ten:france\n", "product_name|stock\n\"a\nb\"|-1\n|\n", "product_name\n\"", "product_name,product_name\na,b\n",
	} {
		f.Add([]byte(seed), "name")
	}
	f.Add([]byte("name,Marke\nTee \xfc,M\xfcller\n"), "name")
	f.Add([]byte("\xff\xfep\x00r\x00o\x00d\x00u\x00c\x00t\x00_\x00n\x00a\x00m\x00e\x00\n\x00T\x00"), "name")
	f.Add([]byte("name,Marke\nTee,x\n"), "name")
	f.Fuzz(func(t *testing.T, file []byte, column string) {
		checkRepeated(t, file, nil)
		checkRepeated(t, file, map[string]string{"product_name": column})
	})
}

// Damaged archives are errors, and no archive gives more than maxRatio times its size.
func FuzzGzip(f *testing.F) {
	good := zipped(f, []byte(`{"product_name":"Tea","key_features":["green"]}`))
	f.Add(good)
	f.Add(good[:len(good)-3])
	f.Add(append(slices.Clone(good), good...))
	f.Add(zipped(f, bytes.Repeat([]byte(" "), 2<<20)))
	f.Add([]byte("\x1f\x8b\x08\x1c\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if plain, err := uncompressed(bytes.NewReader(file)); err == nil {
			n, err := io.Copy(io.Discard, plain)
			if most := max(maxRecord, maxRatio*int64(len(file))) + 2*readBuffer; n > most {
				t.Errorf("%d bytes unpack to %d, %v", len(file), n, err)
			}
		}
		fuzzedProducts(t, file, nil)
	})
}
