package catalog_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"example.com/whatis/internal/catalog"
)

// A faulty record is reported and left out; a wrong gtin only leaves its product without
// one. Only a malformed file is an error.
func TestReadProducts(t *testing.T) {
	const (
		tea  = `{"product_name":"Tea","brand":"B","category":"Beverage","key_features":["tea"],"gtin":"8801234567893"}`
		cola = `{"product_name":"Cola","key_features":["cola"]}`
	)
	long := strings.Repeat("가", catalog.MaxText+1)
	tests := []struct{ in, want, faults string }{
		{`[` + tea + `]`, "Tea/08801234567893", ""},
		{`{"products":[` + tea + `]}`, "Tea/08801234567893", ""},
		{`{"next_key":2,"products":{"0":` + tea + `}}`, "Tea/08801234567893", ""},
		{"\ufeff[" + cola + `]`, "Cola/", ""},
		{`[]`, "", "the file kept: it has no products"},
		{`{"products":{}}`, "", "the file kept: it has no products"},
		{"product_name,brand\n", "", "the file kept: it has no products"},
		{`[{"product_name":"Tea","key_features":["tea"],"gtin":8801234567893}]`, "Tea/08801234567893", ""},
		{`[{"product_name":"Tea","key_features":["tea"],"gtin":null}]`, "Tea/", ""},
		{`[{"product_name":"Tea","key_features":["tea"],"gtin":"8801234567890"}]`, "Tea/", "products[0] kept: gtin"},
		{`[{"product_name":"Tea","key_features":["tea"],"gtin":[]}]`, "Tea/", "products[0] kept: gtin"},
		{`[{"product_name":"Tea","key_features":[" ","tea",null],"price":NaN,"stock":-Infinity,"note":"\"NaN"}]`, "Tea/", `products kept: fields that are not read: "note" (in 1)`},

		{`[` + cola + `,{"product_name":"Tea"},` + tea + `]`, "Cola/ Tea/ Tea/08801234567893", ""},
		{`{"products":{"b":` + cola + `,"a":{"key_features":["x"]}}}`, "Cola/", `products["a"] out: product_name is missing`},
		{`[null,3,"x",[],` + cola + `]`, "Cola/", "products[0] out: it is null, products[1] out: it is 3, products[2] out: it is \"x\", products[3] out: it is []"},
		{`[{"product_name":3,"key_features":["x"]},` + cola + `]`, "Cola/", "products[0] out: product_name is of type number, want string"},
		{`[{"product_name":"Tea","key_features":["x",3]},` + cola + `]`, "Cola/", "products[0] out: key_features is of type number, want string"},
		{`[{"product_name":"Tea","key_features":"x"},` + cola + `]`, "Cola/", "products[0] out: key_features is of type string, want a list"},
		{`[{"product_name":"Tea","key_features":["",null]},` + cola + `]`, "Tea/ Cola/", ""},
		{`[{"product_name":NaN,"key_features":["x"]},` + cola + `]`, "Cola/", "products[0] out: product_name is missing"},
		{`[{"product_name":1e999,"key_features":["x"]},` + cola + `]`, "Cola/", "products[0] out: product_name is of type number"},
		{"[{\"product_name\":\"T\xff\",\"key_features\":[\"x\"]}," + cola + `]`, "Tÿ/ Cola/", "products[0] kept: it is not UTF-8, and was read as Windows-1252: Tÿ"},
		{`[{"product_name":"` + long + `","key_features":["x"]},` + cola + `]`, "Cola/", "products[0] out: product_name has 1001 characters"},
		{`[{"product_name":"Tea","key_features":["x","` + long + `"]},` + cola + `]`, "Cola/", "products[0] out: key_features has a text that has 1001 characters"},
		{`[{"product_name":"Tea","key_features":["x"],"aliases":["y"` + strings.Repeat(`,"y"`, 100) + `]},` + cola + `]`, "Cola/", "products[0] out: it has 101 aliases or brand_aliases, at most 100 fit"},
		{`[{"product_name":"Tea","key_features":["x"],"brand_aliases":["` + long[3:] + `"` + strings.Repeat(`,"`+long[3:]+`"`, 99) + `]},` + cola + `]`, "Cola/", "products[0] out: its texts have more than 262144 bytes"},
		{`[` + cola + `,` + tea + `,{"product_name":" cola","key_features":["other"]}]`, "Cola/ Tea/08801234567893", "products[2] out: it is the same product as line 1"},

		{tea + "\n" + cola + "\n", "Tea/08801234567893 Cola/", ""},
		{tea, "Tea/08801234567893", ""},
		{tea + "\n{\"product_name\":\"x\"}\n" + cola, "Tea/08801234567893 x/ Cola/", ""},
		{tea + "\n" + cola + "\n{oops", "Tea/08801234567893 Cola/", "line 3 out: it is no JSON: invalid character 'o'"},

		{`{"products":3}`, "error: products is 3", ""},
		{`{"products":null}`, "error: want the export", ""},
		{`{"items":[]}`, "", "the file kept: it has no products"},
		{`{"list":[]}`, "error: it has no products", ""},
		{`"products"`, "error: it has no products", ""},
		{"sku,name\nA1,cola\n", "cola/", ""},
		{"sku,unit\nA1,cola\n", "error: --map COLUMN=product_name", ""},
		{"[\n" + cola + ",\n  {oops}]", "error: no JSON from line 3, byte 4", ""},
		{"[" + cola + ",\n\n" + tea + "\n, ]", "error: no JSON from line 4", ""},
		{"[" + cola + "] {", "error: something follows", ""},
		{`{"pro`, "error: line 1", ""},
		{`[NaN`, "error: line 1", "products[0] out: it is null"},
		{"\xff\xfe{\x00", "error: line 1", ""},
		{``, "error: line 1", ""},
	}
	for _, test := range tests {
		products, faults, err := read(test.in)
		var got []string
		for _, p := range products {
			got = append(got, p.ProductName+"/"+p.GTIN)
		}
		want, isError := strings.CutPrefix(test.want, "error: ")
		if isError != (err != nil) || isError && !strings.Contains(err.Error(), want) || !isError && strings.Join(got, " ") != want || isError && !errors.Is(err, catalog.ErrFile) {
			t.Errorf("ReadProducts(%.200s) = %q, %v; want %s", test.in, got, err, test.want)
		}
		if !alike(faults, test.faults) {
			t.Errorf("ReadProducts(%.200s) reports %+v, want %s", test.in, faults, test.faults)
		}
	}
}

// read is ReadProducts of a file whose bytes arrive one by one.
func read(file string) (products []catalog.Product, faults []catalog.Fault, err error) {
	keep := func(f catalog.Fault) { faults = append(faults, f) }
	for p, err := range catalog.ReadProducts(iotest.OneByteReader(strings.NewReader(file)), catalog.Format{}, keep) {
		if err != nil {
			return products, faults, err
		}
		products = append(products, p)
	}
	return products, faults, nil
}

// A read error is not ErrFile: the file can be read again.
func TestReadProductsCutOff(t *testing.T) {
	broken := errors.New("the connection broke")
	r := io.MultiReader(strings.NewReader(`[{"product_name":"Cola","key_features":["cola"]},{"prod`), iotest.ErrReader(broken))
	n := 0
	for _, err := range catalog.ReadProducts(r, catalog.Format{}, func(catalog.Fault) {}) {
		if n++; n == 2 && (!errors.Is(err, broken) || errors.Is(err, catalog.ErrFile)) {
			t.Errorf("ReadProducts of what breaks off = %v, want %v and no ErrFile", err, broken)
		}
	}
	if n != 2 {
		t.Errorf("ReadProducts of what breaks off yields %d times, want a product and an error", n)
	}
}

// alike reports whether the texts of faults begin with those in want.
func alike(faults []catalog.Fault, want string) bool {
	wants := strings.Split(want, ", products")
	if want == "" {
		return len(faults) == 0
	}
	for i, f := range faults {
		kept := map[bool]string{true: "out", false: "kept"}[f.LeftOut]
		begins := wants[min(i, len(wants)-1)]
		if i > 0 {
			begins = "products" + begins
		}
		if !strings.HasPrefix(fmt.Sprintf("%s %s: %s", f.Record, kept, f.Why), begins) {
			return false
		}
	}
	return len(faults) == len(wants)
}

// Records become imported products, in the order of the file, with at most twenty features.
func TestReadProductsWhole(t *testing.T) {
	many := make([]string, 25)
	for i := range many {
		many[i] = fmt.Sprint("feature ", i)
	}
	in := fmt.Sprintf(`{"products":{"b":{"product_name":"Cola","key_features":["%s"]},`+
		`"a":{"product_name":"Tea","brand":"Haetsal","category":"Beverage","key_features":["tea"],"gtin":"8801234567893","country":"KR","lang":"ko"}}}`,
		strings.Join(many, `","`))
	want := []catalog.Product{
		{ProductName: "Cola", KeyFeatures: many[:20], Status: catalog.Imported, Source: "import"},
		{ProductName: "Tea", Brand: "Haetsal", Category: "Beverage", KeyFeatures: []string{"tea"}, GTIN: "08801234567893",
			Country: "KR", Lang: "ko", Status: catalog.Imported, Source: "import"},
	}
	got, faults, err := read(in)
	if err != nil || len(faults) != 1 || faults[0].Reason != catalog.Cut || !reflect.DeepEqual(got, want) {
		t.Fatalf("ReadProducts = %+v, %v; want %+v", got, err, want)
	}
}

func TestVectorSpaceOf(t *testing.T) {
	const task = "task: sentence similarity | query: "
	tests := []catalog.VectorSpace{
		{Model: "gemini-embedding-001", Floor: 0.3, Accept: 0.5, SearchFloor: 0.3},
		{Model: "gemini-embedding-2", Prefix: task, Floor: 0.6, Accept: 0.75, SearchFloor: 0.3},
		{Model: "emulated-embedding", Prefix: task, Floor: 0.3, Accept: 0.5, SearchFloor: 0.17},
	}
	ids := map[string]bool{}
	for _, want := range tests {
		got, err := catalog.VectorSpaceOf(want.Model)
		if err != nil || got != want || ids[got.ID()] {
			t.Errorf("VectorSpaceOf(%q) = %+v of ID %q, %v; want %+v of an ID of its own", want.Model, got, got.ID(), err, want)
		}
		ids[got.ID()] = true
	}
	if _, err := catalog.VectorSpaceOf("word2vec"); err == nil {
		t.Error("VectorSpaceOf(word2vec) = nil error, want one")
	}
}

// Fields for sale are read; invalid ones are reported and left out.
func TestReadSale(t *testing.T) {
	tests := []struct{ in, want, fault string }{
		{`"sku":" A-1 ","price":12.5,"currency":"usd","stock":0,"image_uri":"a/b.png"`, "A-1 12.5 USD 0 a/b.png map[]", ""},
		{`"sku":12,"price":"1290000","currency":"VND","stock":"7"`, "12 1.29e+06 VND 7  map[]", ""},
		{`"facets":{"color":" black ","gender":""}`, " 0  -  map[brand:lune color:black]", ""},
		{`"facets":{"brand":"luna","color":"black"}`, " 0  -  map[brand:luna color:black]", ""},
		{`"facets":null,"price":null,"stock":NaN`, " 0  -  map[]", ""},
		{`"price":12`, " 0  -  map[]", "currency is missing"},
		{`"price":-1,"currency":"USD"`, " 0  -  map[]", "price -1 is no number above 0"},
		{`"price":"1,299.00","currency":"USD"`, " 1299 USD -  map[]", ""},
		{`"price":"1.299,50","currency":"EUR"`, " 1299.5 EUR -  map[]", ""},
		{`"price":"100 SEK"`, " 100 SEK -  map[]", ""},
		{`"price":"EUR24.99"`, " 24.99 EUR -  map[]", ""},
		{`"price":"12.05.26","currency":"USD"`, " 0  -  map[]", `price "12.05.26" is no number`},
		{`"price":"cheap","currency":"USD"`, " 0  -  map[]", `price "cheap" is no number`},
		{`"price":1e999,"currency":"USD"`, " 0  -  map[]", "price 1e999"},
		{`"price":1,"currency":"dong"`, " 0  -  map[]", "currency"},
		{`"stock":1.5`, " 0  -  map[]", "stock 1.5 is no number of pieces"},
		{`"stock":-1`, " 0  -  map[]", "stock -1"},
		{`"sku":["a"]`, " 0  -  map[]", "sku"},
		{`"facets":["black"]`, " 0  -  map[]", "facets"},
		{`"facets":{"color":3,"size":["M","L"],"vegan":true}`, " 0  -  map[brand:lune color:3 size:M|L vegan:true]", ""},
		{`"facets":{"color":{"red":1},"size":"M"}`, " 0  -  map[brand:lune size:M]", "facets.color"},
	}
	for _, test := range tests {
		products, faults, err := read(`[{"product_name":"A","brand":"Lune","key_features":["x"],` + test.in + `}]`)
		if err != nil || len(products) != 1 {
			t.Fatalf("ReadProducts(%s) = %v, %v; want one", test.in, products, err)
		}
		p, stock := products[0], "-"
		if p.Stock != nil {
			stock = fmt.Sprint(*p.Stock)
		}
		if got := fmt.Sprint(p.SKU, " ", p.Amount, " ", p.Currency, " ", stock, " ", p.ImageURI, " ", p.Facets); got != test.want {
			t.Errorf("ReadProducts(%s) = %q, want %q", test.in, got, test.want)
		}
		if test.fault == "" && len(faults) > 0 || test.fault != "" && (len(faults) == 0 || faults[0].LeftOut || !strings.Contains(faults[0].Why, test.fault)) {
			t.Errorf("ReadProducts(%s) reports %+v, want %q", test.in, faults, test.fault)
		}
	}
}
