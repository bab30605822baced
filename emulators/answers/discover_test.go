package answers

import (
	"fmt"
	"strings"
	"testing"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/site"
)

// The model knows the addresses of the drawn web, says of them only what is shown, and
// knows nothing of others or without a place.
func TestDiscoverByLabels(t *testing.T) {
	web, err := site.Start(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	d := web.Truth()[0]
	briefed := fmt.Sprintf("Place names: %s\nSectors: %s\n", d.Place.Name, d.Sectors[0])
	page := func(address, text string) string {
		return "url: " + address + "\ntitle: T\n\nLINKS\n1. about us (http://elsewhere.example/)\n2. the file (" + d.Files[0] + ")\n\nTEXT OF THE PAGE\n" + text
	}
	for _, tt := range []struct {
		name, system, text string
		kind               gemini.Kind
		want               string
	}{
		{"its page", briefed, page(d.URL, "# T\n\n"+strings.ToUpper(d.Quote)), KindExtract, fmt.Sprintf("%q [2]", d.Title)},
		{"its page without the quote", briefed, page(d.URL, "# T"), KindExtract, ""},
		{"another page with its quote", briefed, page("http://elsewhere.example/", d.Quote), KindExtract, ""},
		{"no place is asked for", "Recite a poem about geese.", page(d.URL, d.Quote), KindExtract, ""},
		{"results", briefed, "RESULT 1\nurl: " + d.URL + "\n\nRESULT 2\nurl: http://elsewhere.example/\n", KindRelevance, "true true"},
		{"results without a place", "Recite a poem about geese.", "RESULT 1\nurl: " + d.URL + "\n", KindRelevance, "false"},
		{"pages", briefed, "PAGE 1\nurl: http://elsewhere.example/\n\nPAGE 2\nurl: " + d.URL + "\n", KindScreen, "[2]"},
		{"a dive", briefed, "target: http://elsewhere.example/ (x)\ntarget: " + d.URL + " (y)\n", KindDive, "crawl " + d.URL},
		{"no dive", briefed, "target: http://elsewhere.example/ (x)\n", KindDive, "terminate_deep_dive "},
	} {
		a, err := discover{}.Answer(t.Context(), &gemini.Request{Kind: tt.kind, System: tt.system, Texts: []string{tt.text}})
		if err != nil {
			t.Fatal(err)
		}
		if got := saidOf(a.JSON.(map[string]any)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// saidOf is what matters of an answer.
func saidOf(answer map[string]any) string {
	var parts []string
	for _, key := range []string{"datasets", "results"} {
		all, _ := answer[key].([]map[string]any)
		for _, one := range all {
			if key == "results" {
				parts = append(parts, fmt.Sprint(one["is_relevant"]))
			} else {
				parts = append(parts, fmt.Sprintf("%q %v", one["name"], one["links"]))
			}
		}
	}
	if chosen, ok := answer["promising_pages"]; ok {
		parts = append(parts, fmt.Sprint(chosen))
	}
	if action, ok := answer["action_type"]; ok {
		parts = append(parts, fmt.Sprint(action, " ", answer["target"]))
	}
	return strings.Join(parts, " ")
}
