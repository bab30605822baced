package search_test

import (
	"testing"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search"
)

// The text of a result has what matters of it: what answers the query, the products with
// prices, stock and reasons, and how to go on.
func TestRender(t *testing.T) {
	two := 2
	for want, r := range map[string]search.Result{
		"Found 2.\n1. Aria, Orvando · 1,250,000 VND · in stock: 2 · round; gold [product_id p1]\n2. Gió [product_id p2]\nThere are more: after 2\nConversation: session s\nWarnings: not_exact": {
			Summary: "Found 2.", Next: "2", Session: "s", Warnings: []string{"not_exact"},
			Products: []search.Hit{{ProductID: "p1", Name: "Aria", Brand: "Orvando", Price: catalog.Price{Amount: 1_250_000, Currency: "VND"}, Availability: "in_stock", Stock: &two, Why: []string{"round", "gold"}, ImageURL: "/products/p1/image"}, {ProductID: "p2", Name: "Gió"}},
		},
		"Quoted.\ntitanium: \"It is light.\" (notes)\nacetate: \"It is warm.\" (notes)": {
			Summary: "Quoted.", Result: search.Answer{FAQ: &search.FAQ{About: "titanium", Quote: "It is light.", Source: "notes"}, Facts: []search.FAQ{{About: "acetate", Quote: "It is warm.", Source: "notes"}}},
		},
		"Two.\nprice: 1 VND | 2 VND\nAria: sold out\nBlack: 3": {
			Summary: "Two.", Result: search.Answer{
				Comparison: &search.Comparison{Rows: []search.ComparisonRow{{Attribute: "price", Values: []string{"1 VND", "2 VND"}}}}, Availability: []search.Stock{{Name: "Aria", Availability: "out_of_stock"}},
				Stats: &search.Stats{Counts: []search.FacetCount{{Label: "Black", Count: 3}, {Label: "Red"}}},
			},
		},
	} {
		got := r.Render()
		if got.Text != want {
			t.Errorf("Render() = %q, want %q", got.Text, want)
		}
		if len(r.Products) > 0 && (len(got.Links) != 1 || got.Links[0] != agent.Link{URL: "/products/p1/image", Name: "Aria, Orvando", MediaType: "image/jpeg"}) {
			t.Errorf("the links are %+v, want the one picture", got.Links)
		}
	}
	said := search.Result{
		Lang: "en", AnswerLang: "vi", Result: search.Answer{Availability: []search.Stock{{Name: "Aria", Availability: "backorder"}, {Name: "Gió", Availability: "unknown"}}},
		Products: []search.Hit{{ProductID: "p1", Name: "Aria", Price: catalog.Price{Amount: 1_250_000, Currency: "VND"}, Availability: "in_stock", Stock: &two}, {ProductID: "p2", Name: "Gió", Availability: "out_of_stock"}},
	}
	if got, want := said.Render().Text, "Aria: chờ hàng về\nGió: unknown\n1. Aria · 1.250.000 VND · còn hàng: 2 [product_id p1]\n2. Gió · hết hàng [product_id p2]"; got != want {
		t.Errorf("a query in English that is answered in Vietnamese: %q, want %q", got, want)
	}
	elsewhere := search.Result{Products: []search.Hit{{Name: "Aria", ImageURL: "https://cdn.example/aria.webp"}}}
	if links := elsewhere.Render().Links; len(links) != 1 || links[0].MediaType != "" {
		t.Errorf("the links are %+v, want the picture of another host without a type", links)
	}
}
