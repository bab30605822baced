package catalog_test

import (
	"fmt"
	"strings"
	"testing"
)

// A fault names the line on which its record begins, as an editor counts, its field, and what was
// read, cut.
func TestFaultsNameLineAndField(t *testing.T) {
	long := strings.Repeat("9", 300)
	tests := []struct{ name, file, want string }{
		{"an indented list with a byte order mark and CRLF",
			"\ufeff{\r\n \"products\": [\r\n  {\r\n   \"product_name\": \"Tea\", \"key_features\": [\"x\"]\r\n  },\r\n\r\n  {\r\n   \"product_name\": 7,\r\n   \"key_features\": [\"x\"]}\r\n ]\r\n}",
			`line 7, products[1] product_name: product_name is of type number, want string: 7`},
		{"CSV with lines inside quotes and an empty row, duplicates",
			"product_name,sku,description\n\"Tea\",A1,\"two\nlines\"\n\n\"Tea\n2\",A2,\nCola,A1,\n",
			`line 7 sku: sku "A1" is also that of line 2: each product has its own`},
		{"JSON Lines after empty lines, with a long wrong value",
			"\n\n{\"product_name\":\"Tea\",\"key_features\":[\"x\"],\"stock\":\"" + long + "\"}\n\n{\"product_name\":\"Tea\",\"key_features\":[\"y\"]}\n",
			`line 3, products[0] stock: stock "` + long[:39] + ` is no number of pieces, as 0 or 12; the product is imported without it` + "\n" +
				`line 5, products[1] : it is the same product as line 3, products[0]: name, brand, country and language are equal; give both a sku if they are two products`},
		{"UTF-16 with a facet that is an object",
			utf16("[\n{\"product_name\":\"Tea\",\"key_features\":[\"x\"],\n\"facets\":{\"color\":{\"a\":1}}}]"),
			`line 2, products[0] facets.color: facets.color {"a":1} is no text, number or list of them; the product is imported without it`},
		{"an object of products",
			"{\"products\":{\n\"a\":{\"product_name\":\"\",\"key_features\":[]}}}",
			`line 2, products["a"] product_name: product_name is missing or empty`},
	}
	for _, test := range tests {
		_, faults, err := read(test.file)
		var got []string
		for _, f := range faults {
			got = append(got, fmt.Sprintf("%s %s: %s", f.Place(), f.Field, f.Why))
		}
		if err != nil || strings.Join(got, "\n") != test.want {
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.want)
		}
	}
}

// utf16 returns ASCII as little-endian UTF-16 with a byte order mark.
func utf16(ascii string) string {
	var b strings.Builder
	b.WriteString("\xff\xfe")
	for i := range len(ascii) {
		b.WriteByte(ascii[i])
		b.WriteByte(0)
	}
	return b.String()
}
