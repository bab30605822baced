package analyze

import (
	"slices"
	"testing"
	"time"

	"example.com/whatis/internal/gemini"
)

func TestRename(t *testing.T) {
	tests := []struct{ name, brand, category, want string }{
		{"Cola", "Fizz", "Soda", "Cola by Fizz, Soda"},
		{"Cola", "Fizz", "", "Cola by Fizz, Beverage"},
		{"Cola", "", "Soda", "Cola by , Soda"},
	}
	for _, test := range tests {
		i := Identification{ProductName: "Tea", Brand: "Haetsal", Category: "Beverage"}
		i.rename(test.name, test.brand, test.category)
		if got := i.ProductName + " by " + i.Brand + ", " + i.Category; got != test.want {
			t.Errorf("rename(%q, %q, %q) = %q, want %q", test.name, test.brand, test.category, got, test.want)
		}
	}
}

func TestCharge(t *testing.T) {
	r := Result{Warnings: []string{"unidentified"}}
	r.Charge(gemini.Ledger{
		Calls: gemini.Calls{Generate: 3, Embed: 2, GroundedQueries: 1, Failed: 9}, Usage: gemini.Usage{Input: 10, Output: 20, Total: 35},
		USD: 0.0125, Models: map[string]string{"asked": "answered"}, Warnings: []string{"model_fallback", "unidentified"},
	}, 1234*time.Millisecond)
	if r.InferenceTime != "1.23s" || r.CostUSD != 0.0125 || r.Models["asked"] != "answered" {
		t.Errorf("charge = %q, %v USD, models %v; want 1.23s, 0.0125, the model", r.InferenceTime, r.CostUSD, r.Models)
	}
	if (r.TokenUsage != TokenUsage{Input: 10, Output: 20, Total: 35}) || (r.ModelCalls != ModelCalls{Generate: 3, Embed: 2, GroundedQueries: 1}) {
		t.Errorf("charge = %+v, %+v; want those of the ledger", r.TokenUsage, r.ModelCalls)
	}
	if want := []string{"unidentified", "model_fallback"}; !slices.Equal(r.Warnings, want) {
		t.Errorf("warnings = %q, want %q", r.Warnings, want)
	}
}
