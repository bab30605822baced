package main

import (
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
)

// An import tells what it brings in, what it leaves out and why, and does nothing
// twice.
func TestCatalogImport(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini, emulate.Storage)
	env := append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "EMBEDDING_MODEL=emulated-embedding", "IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge")
	file := t.TempDir() + "/products_db.json"
	write(t, file, `{"products":{
		"0":{"product_name":"Barley Tea","brand":"Haetsal","category":"Beverage","key_features":["tea","500 ml"],"gtin":"8801234567893"},
		"1":{"product_name":"","brand":"Nobody"},
		"2":{"product_name":"Oat Bar","brand":"Haetsal","category":"Snack","key_features":["oats"],"gtin":"8801234567890"}}}`)
	tests := []struct {
		name   string
		args   []string
		stdin  string
		code   int
		says   []string
		embeds int
	}{
		{"a file", []string{file}, "", 0, []string{`products["1"]`, "left out", `products["2"]`, "imported without it", "2 imported"}, 1},
		{"the same again", []string{file}, "", 0, []string{"2 known"}, 0},
		{"standard input", []string{"-"}, `[{"product_name":"Corn Tea","brand":"Haetsal","key_features":["corn"]}]`, 0, []string{"1 imported"}, 1},
		{"no product", []string{"-"}, "product_name,brand\n", 0, []string{"the file: it has no products", "0 imported"}, 0},
		{"no JSON", []string{"-"}, "products", 2, []string{"whatisit: "}, 0},
		{"no file", []string{file + ".gone"}, "", 2, []string{"no such file"}, 0},
	}
	for _, test := range tests {
		w.Gemini.ResetCalls()
		c := prepared(t, env, append([]string{"catalog", "import"}, test.args...)...)
		c.Stdin = strings.NewReader(test.stdin)
		code := c.here()
		for _, want := range test.says {
			if !strings.Contains(c.stderr.String(), want) {
				t.Errorf("%s: it says %q, want %q in it", test.name, &c.stderr, want)
			}
		}
		embeds := 0
		for _, call := range w.Gemini.Calls() {
			if call.Kind == emulated.KindEmbed {
				embeds++
			}
		}
		if code != test.code || embeds != test.embeds {
			t.Errorf("%s: exit %d after %d embedding calls, %q; want exit %d, %d calls", test.name, code, embeds, &c.stderr, test.code, test.embeds)
		}
	}
}
