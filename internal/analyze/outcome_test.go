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
		doubt  bool
		want   string
	}{
		{Result{Identification: &Identification{ProductName: "A & B"}, SearchSuggestions: "<b>"}, true, `"outcome":"product"}`},
		{Result{Error: NotAProduct, Description: "a cat"}, false, `"outcome":"no_product"}`},
		{Result{}.Failed("too dark", true), true, `"outcome":"failed"}`},
	}
	for _, test := range tests {
		data, err := json.Marshal(test.result)
		if err != nil || !strings.HasSuffix(string(data), test.want) || strings.Contains(string(data), `"doubt":true`) != test.doubt {
			t.Errorf("Marshal(%+v) = %s, %v; want doubt %t, and %s at its end", test.result, data, err, test.doubt, test.want)
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
