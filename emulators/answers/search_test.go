package answers

import (
	"fmt"
	"testing"

	"example.com/whatis/emulators/gemini"
)

// What a query means is known of labelled ones alone, and what unknown words mean by a
// perfect model alone.
func TestIntent(t *testing.T) {
	nothing := "[] [] [] [] [] none search_product"
	for _, tt := range []struct {
		query, emulated, perfect string
	}{
		{"Kính râm tròn  màu đen", "[{category sunglasses} {color black} {frameShape round}] [] [] [] [] none search_product", ""},
		{"round black", nothing, ""},
		{"sunglasses for women", "[{category sunglasses} {gender women}] [] [] [] [] none search_product", ""},
		{"women's sunglasses, preferably Orvando", "[{category sunglasses} {gender women}] [] [{brand orvando}] [] [] none search_product", ""},
		{"compare EW-1001 and Gió 105", "[] [] [] [] [EW-1001 Gió 105] none compare_products", ""},
		{"Is Aria 100 in stock?", "[] [] [] [] [Aria 100] none availability_check", ""},
		{"compare and", nothing, ""},
		{"how many products by color?", "[] [] [] [] [] color product_category_stats", ""},
		{"tell me a joke", "[] [] [] [] [] none unknown", ""},
		{"cho ông nội", nothing, "[{gender men}] [] [] [] [] none search_product"},
	} {
		for model, want := range map[bool]string{false: tt.emulated, true: tt.perfect} {
			if want == "" {
				want = tt.emulated
			}
			a, err := asking{model}.Answer(t.Context(), &gemini.Request{Texts: []string{"query:\n" + tt.query}})
			u, ok := a.JSON.(understood)
			if got := fmt.Sprintln(u.Wanted, u.Unwanted, u.Preferred, u.Ranges, u.Products, u.Counted, u.Intent); !ok || got != want+"\n" {
				t.Errorf("perfect %v, %q: %q (%v), want %s", model, tt.query, got, err, want)
			}
		}
	}
}

// Of a query without a label, the emulated model knows what the hint beside it says.
func TestIntentOfTheHint(t *testing.T) {
	r := &gemini.Request{Texts: []string{"query:\nround black", `hint:
{"wanted":[{"facet":"frameShape","value":"round"}],"intent":"search_product","sort":"relevance"}`}}
	a, err := asking{}.Answer(t.Context(), r)
	if u, ok := a.JSON.(understood); err != nil || !ok || len(u.Wanted) != 1 || u.Wanted[0] != (statement{"frameShape", "round"}) {
		t.Errorf("Answer = %+v, %v; want the hint's reading", a.JSON, err)
	}
}
