package analyze

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/docs"
	"example.com/whatis/internal/gemini"
)

// The calls of the rows, with the default models and the tokens that Estimate
// assumes.
var (
	readCall      = gemini.Planned{Model: "gemini-3.5-flash-lite", Input: 2500, Output: 1000}
	judgeCall     = gemini.Planned{Model: "gemini-3.6-flash", Input: 3000, Output: 500}
	embedCall     = gemini.Planned{Model: "gemini-embedding-2", Embeds: true, Input: 150}
	searchCall    = gemini.Planned{Model: "gemini-3.6-flash", Input: 2500, Output: 800, Queries: 2}
	oneQueryCall  = gemini.Planned{Model: "gemini-3.6-flash", Input: 2500, Output: 800, Queries: 1}
	structureCall = gemini.Planned{Model: "gemini-3.6-flash", Input: 1500, Output: 500}
	oneSearchCall = gemini.Planned{Model: "gemini-3.6-flash", Input: 2500, Output: 1000, Queries: 2} // with SEARCH_WITH_SCHEMA
)

// rowCosts lists the ways through the decision table, and their calls.
var rowCosts = []struct {
	row, way string
	calls    []gemini.Planned
}{
	{"1", "a GTIN of the catalogue", []gemini.Planned{readCall}},
	{"1", "a GTIN of the catalogue, whose brand only the second look has read", []gemini.Planned{readCall, embedCall, judgeCall}},
	{"2", "no product", []gemini.Planned{readCall}},
	{"3", "a clear photo", []gemini.Planned{readCall}},
	{"3", "a doubt that the second look dispels", []gemini.Planned{readCall, judgeCall}},
	{"3", "the second look reads something else; goods without a brand", []gemini.Planned{readCall, judgeCall}},
	{"3", "a second look that is cut off twice", []gemini.Planned{readCall, judgeCall, judgeCall}},
	{"3", "a suspicion that the second look dispels", []gemini.Planned{readCall, embedCall, judgeCall}},
	{"4", "the catalogue has it", []gemini.Planned{readCall, embedCall, judgeCall}},
	{"4", "the catalogue has it, after a second look that did not confirm", []gemini.Planned{readCall, judgeCall, embedCall, judgeCall}},
	{"5", "the web, without candidates", []gemini.Planned{readCall, embedCall, searchCall, structureCall}},
	{"5", "the same, search and schema in one call", []gemini.Planned{readCall, embedCall, oneSearchCall}},
	{"5", "the web, after a second look that held the doubt, or picked none", []gemini.Planned{readCall, judgeCall, embedCall, searchCall, structureCall}},
	{"5", "the same, after a look at the candidates too, with a refined search", []gemini.Planned{readCall, judgeCall, embedCall, judgeCall, oneQueryCall, oneQueryCall, structureCall}},
	{"6", "nothing to search for", []gemini.Planned{readCall, embedCall}},
	{"6", "a search of two queries found nothing", []gemini.Planned{readCall, embedCall, searchCall}},
	{"6", "two searches found nothing, after two looks", []gemini.Planned{readCall, judgeCall, embedCall, judgeCall, oneQueryCall, oneQueryCall}},
}

// The days of the cost table: prices change at the end of 2026.
var (
	in2026 = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	in2027 = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
)

// costTable returns the cost of a photo by row, as docs/evidence.md shows it.
func costTable() string {
	var b strings.Builder
	b.WriteString("| row | way | generate | embed | queries | USD in 2026 | at flex | USD from 2027 on | at flex |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, c := range rowCosts {
		var generate, embed, queries int
		for _, call := range c.calls {
			queries += call.Queries
			if call.Embeds {
				embed++
			} else {
				generate++
			}
		}
		flex := slices.Clone(c.calls)
		for i := range flex {
			flex[i].Tier = gemini.Flex
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %.4f | %.4f | %.4f | %.4f |\n", c.row, c.way, generate, embed, queries,
			gemini.EstimateAt(in2026, c.calls...), gemini.EstimateAt(in2026, flex...), gemini.EstimateAt(in2027, c.calls...), gemini.EstimateAt(in2027, flex...))
	}
	return b.String()
}

func TestDocsCostOfEachRow(t *testing.T) {
	docs.Section(t, "evidence.md", "costs of rows", costTable())
}

// Estimate's high is the most expensive way of all rows, and low the cheapest.
func TestRowsAgreeWithTheEstimate(t *testing.T) {
	p := &Pipeline{Config: Config{Models: Models{Image: readCall.Model, Judge: judgeCall.Model}}}
	p.Space.Model = embedCall.Model
	low, high := p.Estimate(Doubt, gemini.Standard)
	var cheapest, dearest float64
	for i, c := range rowCosts {
		usd := gemini.Estimate(c.calls...)
		if i == 0 {
			cheapest = usd
		}
		cheapest, dearest = min(cheapest, usd), max(dearest, usd)
	}
	if fmt.Sprintf("%.6f %.6f", low, high) != fmt.Sprintf("%.6f %.6f", cheapest, dearest) {
		t.Errorf("Estimate = USD %.6f to %.6f, the rows cost %.6f to %.6f", low, high, cheapest, dearest)
	}
}
