package page_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/docs"
)

// An apiDocument is what the document of the API says of problems.
type apiDocument struct {
	Paths      map[string]map[string]struct{ Responses map[string]problemCodes }
	Components struct {
		Schemas struct {
			ProblemCode struct {
				Causes map[string]string `json:"x-enumDescriptions"`
			}
		}
	}
}

type problemCodes struct {
	Codes []string `json:"x-problem-codes"`
}

// statuses returns the statuses with which each code is answered.
func (d apiDocument) statuses() map[string]string {
	all := map[string]string{ // of no route
		"not_found": "404", "method_not_allowed": "405", "unidentified": "401", "identity_keys_unreachable": "503",
		"misdirected_request": "421", "request_header_fields_too_large": "431", "slow_body": "408",
	}
	for _, path := range d.Paths {
		for _, operation := range path {
			for status, response := range operation.Responses {
				for _, code := range response.Codes {
					all[code] = status
				}
			}
		}
	}
	return all
}

// The table of docs/problems.md has every code of the API, when it is the answer, and the
// remedy that the page shows; none is without.
func TestDocsProblems(t *testing.T) {
	var d apiDocument
	if err := json.Unmarshal([]byte(read(t, document)), &d); err != nil {
		t.Fatal(err)
	}
	translated := map[string]map[string]string{"ko": dictionary(t, "ko"), "vi": dictionary(t, "vi")}
	causes, remedies, statuses := d.Components.Schemas.ProblemCode.Causes, dictionary(t, "en"), d.statuses()
	var table strings.Builder
	table.WriteString("| code | status | when | what to do |\n| --- | --- | --- | --- |\n")
	for _, code := range slices.Sorted(maps.Keys(causes)) {
		remedy, status := remedies["remedies."+code], statuses[code]
		for _, lang := range []string{"ko", "vi"} {
			if len(translated[lang]["causes."+code]) < 10 {
				t.Errorf("%s.json does not say what %s is", lang, code)
			}
		}
		if len(causes[code]) < 10 || len(remedy) < 10 || status == "" {
			t.Errorf("%s has the status %q, the cause %q and the remedy %q: it needs all", code, status, causes[code], remedy)
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", code, status, causes[code], remedy)
	}
	docs.Section(t, "problems.md", "problems", table.String())
}
