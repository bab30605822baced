package catalog_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.com/whatis/internal/catalog"
)

func TestReadProducts(t *testing.T) {
	const one = `{"product_name":"Tea","brand":"B","category":"Beverage","key_features":["tea"],"gtin":"8801234567893"}`
	tests := []struct{ in, want string }{
		{`[` + one + `]`, "Tea/08801234567893"},
		{`{"products":[` + one + `]}`, "Tea/08801234567893"},
		{`{"next_key":2,"products":{"0":` + one + `}}`, "Tea/08801234567893"},
		{`[{"product_name":"Tea","key_features":["tea"],"gtin":"8801234567890"}]`, "Tea/"},
		{`[]`, ""},
		{`[{"product_name":"Tea"}]`, "error: product 1 needs"},
		{`{"products":3}`, "error: products"},
		{`{"pro`, "error: "},
		{``, "error: "},
	}
	for _, test := range tests {
		products, err := catalog.ReadProducts([]byte(test.in))
		got := ""
		for _, p := range products {
			got += p.ProductName + "/" + p.GTIN
		}
		want, isError := strings.CutPrefix(test.want, "error: ")
		if isError != (err != nil) || isError && !strings.Contains(err.Error(), want) || !isError && got != want {
			t.Errorf("ReadProducts(%s) = %q, %v; want %s", test.in, got, err, test.want)
		}
	}
}

// Records become products that are imported, in the order of their keys, with
// at most twenty features.
func TestReadProductsWhole(t *testing.T) {
	many := make([]string, 25)
	for i := range many {
		many[i] = fmt.Sprint("feature ", i)
	}
	in := fmt.Sprintf(`{"products":{"b":{"product_name":"Cola","key_features":["%s"]},`+
		`"a":{"product_name":"Tea","brand":"Haetsal","category":"Beverage","key_features":["tea"],"gtin":"8801234567893","country":"KR","lang":"ko"}}}`,
		strings.Join(many, `","`))
	want := []catalog.Product{
		{ProductName: "Tea", Brand: "Haetsal", Category: "Beverage", KeyFeatures: []string{"tea"}, GTIN: "08801234567893",
			Country: "KR", Lang: "ko", Status: catalog.Imported, Source: "import"},
		{ProductName: "Cola", KeyFeatures: many[:20], Status: catalog.Imported, Source: "import"},
	}
	for range 10 { // the order is no chance
		got, err := catalog.ReadProducts([]byte(in))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("ReadProducts = %+v, %v; want %+v", got, err, want)
		}
	}
}

func TestStampOf(t *testing.T) {
	const task = "task: sentence similarity | query: "
	tests := []catalog.Stamp{
		{Model: "gemini-embedding-001", Floor: 0.3, Accept: 0.5},
		{Model: "gemini-embedding-2", Prefix: task, Floor: 0.6, Accept: 0.75},
		{Model: "emulated-embedding", Prefix: task, Floor: 0.3, Accept: 0.5},
	}
	ids := map[string]bool{}
	for _, want := range tests {
		got, err := catalog.StampOf(want.Model)
		if err != nil || got != want || ids[got.ID()] {
			t.Errorf("StampOf(%q) = %+v of ID %q, %v; want %+v of an ID of its own", want.Model, got, got.ID(), err, want)
		}
		ids[got.ID()] = true
	}
	if _, err := catalog.StampOf("word2vec"); err == nil {
		t.Error("StampOf(word2vec) = nil error, want one")
	}
}
