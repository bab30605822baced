package answers

import (
	"fmt"
	"testing"

	"example.com/whatis/emulators/gemini"
)

// What a query means is known of labelled ones alone, and what unknown words mean by a
// perfect model alone.
func TestIntent(t *testing.T) {
	nothing := "[] [] [] [] 0 0   search_product"
	for _, tt := range []struct {
		query, emulated, perfect string
	}{
		{"Kính râm tròn  màu đen", "[{category sunglasses} {color black} {frameShape round}] [] [] [] 0 0   search_product", ""},
		{"round black", nothing, ""},
		{"sunglasses for women", "[{category sunglasses} {gender women}] [] [] [] 0 0   search_product", ""},
		{"women's sunglasses, preferably Orvando", "[{category sunglasses} {gender women}] [] [orvando] [] 0 0   search_product", ""},
		{"compare EW-1001 and Gió 105", "[] [] [] [EW-1001 Gió 105] 0 0   compare_products", ""},
		{"Is Aria 100 in stock?", "[] [] [] [Aria 100] 0 0   availability_check", ""},
		{"compare and", nothing, ""},
		{"how many products by color?", "[] [] [] [] 0 0  color product_category_stats", ""},
		{"tell me a joke", "[] [] [] [] 0 0   unknown", ""},
		{"cho ông nội", nothing, "[{gender men}] [] [] [] 0 0   search_product"},
	} {
		for model, want := range map[bool]string{false: tt.emulated, true: tt.perfect} {
			if want == "" {
				want = tt.emulated
			}
			a, err := asking{model}.Answer(t.Context(), &gemini.Request{Texts: []string{"query:\n" + tt.query}})
			u, ok := a.JSON.(understood)
			if got := fmt.Sprintln(u.Wanted, u.Unwanted, u.PreferredBrands, u.Products, u.MinPrice, u.MaxPrice, u.Currency, u.Counted, u.Intent); !ok || got != want+"\n" {
				t.Errorf("perfect %v, %q: %q (%v), want %s", model, tt.query, got, err, want)
			}
		}
	}
}
