package page_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/whatis/docs"
	emulated "example.com/whatis/emulators/gemini"
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

// A busy service says when to retry, and the page counts down.
func TestBusy(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	b.allow("503")
	leave, err := w.memory.Acquire(t.Context(), photoMemory)
	if err != nil {
		t.Fatal(err)
	}
	crackers := sample(t, "01-")
	b.choose(file(t, crackers.File, crackers.Bytes()))
	b.shows(".problem code", "busy")
	leave()
	b.until(`document.querySelector(".problem button:enabled")?.textContent === "Try again"`)
	b.click(".problem button")
	b.shows("article h3", "Sea Salt Oat Crackers")

	// Also in a stream, which can send no further header.
	w.Gemini.SetFaults(emulated.Fault{Type: emulated.RateLimited, Delay: 90 * time.Second})
	b.choose(file(t, "tall.png", grey(t, tall)))
	b.shows(".problem code", "model_quota")
	b.shows(".problem button:disabled", "Try again in 8")
}

// While a backend is away every view says so, the page goes on, and another try succeeds
// once it is back.
func TestServiceAway(t *testing.T) {
	t.Parallel()
	w := serve(t, true)
	b := open(t, w.url)
	b.allow("503")
	w.line.setAway(true)
	crackers := sample(t, "01-")
	b.choose(file(t, crackers.File, crackers.Bytes()))
	b.shows("#view-photo .problem", "the database does not answer", "away", "usually back within a minute")
	views := []string{"results", "review", "catalogue", "batches"}
	for _, view := range views {
		b.click(`nav a[href="#` + view + `"]`)
		b.shows("#view-"+view+" .problem", "the database does not answer", "away")
		b.fits(view + " while the database is away")
	}
	const again = "#view-batches .problem button:enabled"
	b.until(`document.querySelector("` + again + `")`)
	w.line.setAway(false)
	before, _ := w.line.heard("GET /batches")
	b.do(chromedp.Evaluate[chromedp.Void](`{ const again = document.querySelector("` + again + `"); again.click(); again.click(); }`))
	b.until(`!document.querySelector("#view-batches .problem")`)
	if now, _ := w.line.heard("GET /batches"); now != before+1 {
		t.Errorf("the batches were asked for %d times, want once until the answer came", now-before)
	}
	for _, view := range append(views, "photo") {
		b.click(`nav a[href="#` + view + `"]`)
		b.until(`document.querySelector("#view-` + view + ` .problem button:enabled")?.click() || !document.querySelector("#view-` + view + ` .problem")`) // the results try by themselves
	}
	b.shows("article h3", "Sea Salt Oat Crackers")
}
