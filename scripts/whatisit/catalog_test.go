package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// shopify is an export of two products, one in two sizes.
const shopify = "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Weight\na,Shirt,Size,S,S-1,39.00,2\na,,,M,S-2,39.00,\nb,Mug,Title,Default Title,M,4.00,\n"

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
		{"a file", []string{"--fail-over=40", file}, "", 0, []string{`products["1"]`, "left out", `products["2"]`, "imported without it", "2 imported"}, 1},
		{"the same again, of which a third is left out", []string{file}, "", 1, []string{"2 known", "1 of 3 rows", "--fail-over"}, 0},
		{"standard input", []string{"-"}, `[{"product_name":"Corn Tea","brand":"Haetsal","key_features":["corn"]}]`, 0, []string{"1 imported"}, 1},
		{"no row is a product", []string{"-"}, "name,price\n,3\n,4\n", 1, []string{"nothing was imported: all 2 rows"}, 0},
		{"a shop's export, without a currency", []string{"-"}, shopify, 0, []string{"it is a Shopify export: Handle → group, Title → product_name", "not read: Weight", "currency of 3 prices", "3 imported"}, 2},
		{"with its currency", []string{"--currency=EUR", "-"}, shopify, 0, []string{"3 changed"}, 0},
		{"of which less than half is left", []string{"-"}, "Handle,Title,Variant SKU,Variant Price\nb,Mug,M,4\n", 0, []string{"has 1 products, and the shop 6 records of files: whatisit catalog prune"}, 0},
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

// A file is imported from its address, with the pictures that it names; what was downloaded is not left behind.
func TestCatalogImportOfAnAddress(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini, emulate.Storage)
	var asked []string
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.Path)
		switch r.URL.Path {
		case "/feed.csv":
			fmt.Fprint(rw, "sku,product_name,price,image_uri\nA,Frame,10 EUR,http://shop.example/a.png\nB,Case,3 EUR,http://shop.example/b.png\n")
		case "/a.png":
			_, _ = rw.Write(samples.Frames()[0].PNG())
		default:
			http.NotFound(rw, r)
		}
	}))
	t.Cleanup(server.Close)
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	env := append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "EMBEDDING_MODEL=emulated-embedding", "IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge",
		"FETCH_ALLOW=*="+server.Listener.Addr().String(), "EMULATED_WEB=here")
	for _, test := range []struct {
		args  string
		code  int
		says  string
		asked string
	}{
		{"import http://shop.example/feed.csv?key=secret", 0, "2 imported", "/robots.txt /feed.csv"},
		{"import --pictures --diff http://shop.example/feed.csv", 0, "2 changed", "/robots.txt /feed.csv"},
		{"import --pictures http://shop.example/feed.csv", 0, "404 Not Found: check the address; the product is imported without it", "/robots.txt /feed.csv /robots.txt /a.png /b.png"},
		{"prune http://shop.example/feed.csv", 0, "2 records of http://shop.example/feed.csv are in the file", "/robots.txt /feed.csv"},
		{"import http://shop.example/gone.csv", 2, "404 Not Found", "/robots.txt /gone.csv"},
		{"import http://169.254.169.254/feed.csv", 2, "no address of the public web", ""},
	} {
		asked = nil
		c := prepared(t, env, append([]string{"catalog"}, strings.Fields(test.args)...)...)
		code := c.here()
		if out := c.stdout.String() + c.stderr.String(); code != test.code || !strings.Contains(out, test.says) || strings.Join(asked, " ") != test.asked {
			t.Errorf("%s: exit %d, %q, and asks for %q; want exit %d, %q and %s", test.args, code, out, asked, test.code, test.says, test.asked)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
