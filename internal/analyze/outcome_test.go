package analyze

import (
	"encoding/json"
	"strings"
	"testing"
)

// The outcome is written last, whatever the shape, and reading it back loses nothing.
func TestOutcome(t *testing.T) {
	tests := []struct {
		result Result
		want   string
	}{
		{Result{Identification: &Identification{ProductName: "A & B"}, SearchSuggestions: "<b>"}, `"outcome":"product"}`},
		{Result{Error: NotAProduct, Description: "a cat"}, `"outcome":"no_product"}`},
		{Result{}.Failed("too dark", true), `"outcome":"failed"}`},
	}
	for _, test := range tests {
		data, err := json.Marshal(test.result)
		if err != nil || !strings.HasSuffix(string(data), test.want) {
			t.Errorf("Marshal(%+v) = %s, %v; want %s at its end", test.result, data, err, test.want)
		}
		var again Result
		if err := json.Unmarshal(data, &again); err != nil || again.Outcome() != test.result.Outcome() || again.SearchSuggestions != test.result.SearchSuggestions {
			t.Errorf("Unmarshal(%s) = %+v, %v", data, again, err)
		}
	}
	if data, _ := json.Marshal(tests[0].result); !strings.Contains(string(data), `A \u0026 B`) {
		t.Errorf("Marshal = %s, want what HTML knows escaped", data)
	}
}
