package analyze_test

import (
	"testing"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/gemini"
)

// The text of a result has the product with how sure that is and what it rests on, or why there
// is none.
func TestRender(t *testing.T) {
	product := analyze.Identification{ProductName: "Green Tea", ProductNameConfidence: 0.9, Category: "Beverages", Brand: "Haetsal", BrandConfidence: 0.8, ExpirationDate: "2026.05.01", KeyFeatures: []string{"green", "bottle"}, Source: analyze.FromGoogleSearch, RAGConfidence: &analyze.RAGConfidence{Probability: 0.7, Method: "google_search_estimate", Evidence: "two shops sell it"}}
	for want, r := range map[string]analyze.Result{
		"Green Tea, Haetsal (Beverages)\nConfidence: name 0.90, brand 0.80\nKnown from: the web\nRead on the photo: name \"GREEN TEA\"\nEvidence: two shops sell it (google_search_estimate 0.70)\nExpires: 2026.05.01\nGTIN: 4006381333931\nFeatures: green; bottle\nSource: A shop https://shop.example/tea\nWarnings: emulated_model": {
			Identification: &product, GTIN: "4006381333931", Evidence: &analyze.Evidence{ProductName: &analyze.Quote{Text: "GREEN TEA"}},
			Citations: []gemini.Citation{{Title: "A shop", URI: "https://shop.example/tea"}}, Warnings: []string{"emulated_model"},
		},
		"The product could not be named\nConfidence: name 0.00, brand 0.00": {
			Identification: &analyze.Identification{Source: analyze.FromGoogleSearch}, Decision: &analyze.Decision{Row: 6},
		},
		"The photo shows no product that can be identified. A street.": {Error: analyze.NotAProduct, Description: "A street."},
		"The photo could not be analysed: no model answers":            {Error: analyze.AnalysisFailed, Message: "no model answers"},
	} {
		if got := r.Render().Text; got != want {
			t.Errorf("Render() = %q, want %q", got, want)
		}
	}
}
