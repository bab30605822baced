package app_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search"
)

// A stranger's file of tents, with nothing configured: they are found, filtered, ordered,
// counted and compared by what the file says of them. What is sold out comes last.
func TestAnyShop(t *testing.T) {
	w := emulate.Start(t)
	point(t, w)
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("testdata/tents.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	a := app.New(c)
	_, err = a.ImportFile(t.Context(), app.CatalogFile{Reader: file, Shop: "outdoor", Fault: func(f catalog.Fault) { t.Errorf("import: %+v", f) }})
	if err != nil {
		t.Fatal(err)
	}
	got := httptest.NewRecorder()
	a.API().ServeHTTP(got, httptest.NewRequest("GET", "/search/filters?shop=outdoor", nil))
	for _, want := range []string{`{"facet":"persons",`, `"unit":"kg"`, `{"code":"blue","en":"blue","vi":"xanhdương","ko":"파랑","count":3}`,
		`{"code":"Tents","en":"Tents","vi":"Tents","ko":"Tents","count":5}`, `{"min":39,"max":649,"currency":"USD"}`} {
		if body := dense(got); got.Code != 200 || !strings.Contains(body, want) {
			t.Errorf("filters = %d, %s; want %s", got.Code, body, want)
		}
	}
	if strings.Contains(got.Body.String(), "frameShape") {
		t.Error("a shop for tents offers the shapes of frames")
	}
	tests := []struct{ request, names string }{
		{`{"query":"tents","sort":"price_up"}`, "Lite 1, Fjell 2, Dome 6, Palace 8, Fjell 4"},
		{`{"query":"North Ridge tents under $400"}`, "Fjell 2, Lite 1"},
		{`{"query":"blue sleeping bags"}`, "Down 0"},
		{`{"filters":{"category":"Tents","color":"blue|Moss"},"sort":"price_down"}`, "Dome 6, Fjell 2, Fjell 4"},
		{`{"filters":{"category":"Tents"},"in_stock":true,"sort":"price_up","limit":2}`, "Lite 1, Fjell 2"},
		{`{"filters":{"category":"Tents"},"in_stock":true,"sort":"price_up","limit":2,"after":"{next}"}`, "Dome 6, Palace 8"},
		{`{"price":{"max":100,"currency":"USD"},"sort":"newest"}`, "Pegs"},
		{`{"query":"fjell 4"}`, "Fjell 4"},
	}
	next := ""
	for _, test := range tests {
		r := searchIn(t, a, strings.Replace(test.request, "{next}", next, 1))
		next = r.Next
		var names []string
		for _, h := range r.Products {
			names = append(names, h.Name)
		}
		if got := strings.Join(names, ", "); got != test.names && !(strings.Contains(test.request, "fjell") && strings.HasPrefix(got, test.names)) || r.ModelCalls.Generate > 1 {
			t.Errorf("%s: %s with %+v and %d calls; want %s", test.request, got, r.ExtractedAttributes, r.ModelCalls.Generate, test.names)
		}
	}
	r := searchIn(t, a, `{"query":"tents","counts":["color","persons"]}`)
	if len(r.Counts) != 2 || r.Counts[0].Total != 5 || r.Counts[0].Counts[0] != (search.FacetCount{Code: "blue", Label: "blue", Count: 2}) {
		t.Errorf("counts of tents = %+v, want 5, of which 2 blue", r.Counts)
	}
	if r := searchIn(t, a, `{"query":"tell me a joke"}`); !strings.Contains(r.Summary, "tents") {
		t.Errorf("a question of something else: %s; want what is sold here", r.Summary)
	}
}

// searchIn searches the shop for tents.
func searchIn(t *testing.T, a *app.App, request string) (r search.Result) {
	t.Helper()
	got := httptest.NewRecorder()
	body := strings.Replace(request, "{", `{"shop":"outdoor",`, 1)
	a.API().ServeHTTP(got, httptest.NewRequest("POST", "/skills/search", strings.NewReader(body)))
	if got.Code != 200 || json.Unmarshal(got.Body.Bytes(), &r) != nil {
		t.Fatalf("%s = %d, %s", request, got.Code, got.Body)
	}
	return r
}
