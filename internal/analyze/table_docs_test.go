package analyze_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/docs"
	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
)

// A setting is a way to ask about a photo.
type setting struct {
	look   analyze.SecondLook
	policy string
}

// settings returns all settings.
func settings() (all []setting) {
	for _, look := range []analyze.SecondLook{analyze.Doubt, analyze.Always, analyze.Never} {
		for _, policy := range []string{"seed", "strict"} {
			all = append(all, setting{look, policy})
		}
	}
	return all
}

// rowCounts sums up the results of the scripted photos with one setting.
type rowCounts struct {
	rows                   [7]int // by row
	calls, queries, learnt int
}

// The row of each scripted photo with each setting, summed up. A second look for which a
// photo has no script confirms what was read; a search without one finds nothing.
func TestDocsRowsBySetting(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	t.Parallel()
	counts := make([]rowCounts, len(settings()))
	for _, test := range scriptedTable() {
		b := test.bench(t)
		for i, s := range settings() {
			counts[i].add(b, test, s, fmt.Sprint("shop ", i))
		}
	}
	var table strings.Builder
	table.WriteString("| `second_look` | policy | row 1 | 2 | 3 | 4 | 5 | 6 | calls | queries | would be learnt |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for i, s := range settings() {
		c := counts[i]
		fmt.Fprintf(&table, "| %s | %s | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n", s.look, s.policy,
			c.rows[1], c.rows[2], c.rows[3], c.rows[4], c.rows[5], c.rows[6], c.calls, c.queries, c.learnt)
	}
	docs.Section(t, "evidence.md", "rows by setting", fmt.Sprintf("%d photos:\n\n%s", len(scriptedTable()), table.String()))
}

// add runs test with a setting in a shop of its own, and counts the result.
func (c *rowCounts) add(b *bench, test scripted, s setting, shop string) {
	b.t.Helper()
	b.config.Shop, b.config.Learn = shop, true
	b.build()
	test.fill(b)
	b.req.SecondLook, b.req.Policy = s.look, policyNamed(b.t, s.policy)
	b.Gemini.ResetScript()
	b.script(slices.Concat(then(test.read), test.then, then(looked(true, 0), looked(true, 0)))...)
	r, err := b.run(nil)
	if err != nil {
		b.t.Fatalf("%s, %+v: %v", test.name, s, err)
	}
	c.rows[r.Decision.Row]++
	c.calls += r.ModelCalls.Generate
	c.queries += r.ModelCalls.GroundedQueries
	c.learnt += b.learntIn(shop)
}

// learntIn returns how many products a shop has learnt of the web.
func (b *bench) learntIn(shop string) (n int) {
	b.t.Helper()
	near, err := b.catalog.Nearest(b.t.Context(), catalog.Query{Shop: shop, Space: b.space, Vector: axis(1), Limit: 10})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, m := range near {
		if m.Source == "google_search" {
			n++
		}
	}
	return n
}

// raised counts how often a suspicion was raised, and how often the reading was wrong
// then.
type raised struct{ times, right int }

// How often each suspicion was right, on photos with labels: the reading named another
// brand or product than the label.
func TestDocsSuspicions(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	t.Parallel()
	var brands []*samples.Sample
	for _, s := range slices.Concat(wholeBrands, subBrands) {
		part := strings.Split(s, "|")
		brands = append(brands, labelledPack(t, len(brands), part[0], part[len(part)-1], part[1:len(part)-1]...))
	}
	packs := slices.DeleteFunc(samples.All(), func(s *samples.Sample) bool { return s.Truth.Kind != samples.Product })
	sets := []struct {
		name    string
		model   answers.Options
		samples []*samples.Sample
		joins   bool
	}{
		{"drawn packs", answers.Options{}, packs, false},
		{"leaflets", answers.Options{Packs: samples.Leaflets()}, samples.Leaflets(), false},
		{"stickers, obeyed", answers.Options{Obedient: true, Marks: answers.MarksNothing}, samples.Attacks(), false},
		{"brands of several words, and sub-brands", answers.Options{Model: answers.Perfect, Packs: brands}, brands, false},
		{"sub-brands, joined to their makers", answers.Options{Model: answers.Perfect, Packs: brands}, brands[len(wholeBrands):], true},
	}
	head, rule, table := "| suspicion |", "| --- |", map[analyze.Suspicion]string{}
	for _, set := range sets {
		set.model.Tesseract = "off"
		found := suspicionsOf(t, set.model, set.samples, set.joins)
		head, rule = head+fmt.Sprintf(" %s (%d) |", set.name, len(set.samples)), rule+" --- |"
		for _, s := range analyze.Suspicions {
			table[s] += fmt.Sprintf(" %d of %d |", found[s].right, found[s].times)
		}
	}
	rows := ""
	for _, s := range analyze.Suspicions {
		rows += fmt.Sprintf("| `%s` |%s\n", s, table[s])
	}
	docs.Section(t, "evidence.md", "suspicions", head+"\n"+rule+"\n"+rows)
}

// suspicionsOf returns the suspicions that a model's readings of photos raise; joins
// makes the reader join sub-brands to their makers.
func suspicionsOf(t *testing.T, model answers.Options, photos []*samples.Sample, joins bool) map[analyze.Suspicion]raised {
	t.Helper()
	b := newBench(t, func(c *analyze.Config) { c.Learn = false })
	b.answeredBy(model)
	found := map[analyze.Suspicion]raised{}
	for _, s := range photos {
		if joins {
			b.Gemini.Script(joined(s.Truth))
		}
		b.req.Photo = prepared(t, s.Bytes())
		var read analyze.Analysis
		r, err := b.run(func(e *agent.Event) { readingIn(e, &read) })
		if err != nil {
			t.Fatalf("%s: %v", s.File, err)
		}
		wrong := !s.Truth.Is(read.Brand, read.ProductName)
		for _, suspicion := range r.Decision.Suspicions {
			n := found[suspicion]
			n.times++
			if wrong {
				n.right++
			}
			found[suspicion] = n
		}
	}
	return found
}

// readingIn sets a to the output of image_analyzer, if e reports that.
func readingIn(e *agent.Event, a *analyze.Analysis) {
	if e.Author != "image_analyzer" || e.Kind != agent.Finished {
		return
	}
	if data, err := json.Marshal(e.Data); err == nil {
		json.Unmarshal(data, a)
	}
}
