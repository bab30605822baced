package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/search"
	"example.com/whatis/scripts/whatisit/accuracy"
	"example.com/whatis/scripts/whatisit/relevance"
)

// A measured has the figures of all queries.
type measured struct {
	Model   string         `json:"model,omitempty"` // none, perfect, emulated, local or real
	Groups  []groupFigures `json:"groups"`
	All     groupFigures   `json:"all"`     // except the unknown words and pictures
	Unknown *groupFigures  `json:"unknown"` // null without any
	// Pictures are the groups of queries by a picture. They stand apart: the pictures are drawn
	// by the program whose emulated embedder measures them.
	Pictures []groupFigures `json:"pictures"`
	Worst    []wrong        `json:"worst"` // of all but the unknown words, worst first
	// MemoryBytes is how much memory each local model took when the queries ended, by name.
	MemoryBytes map[string]int64 `json:"memory_bytes,omitempty"`
}

// groupFigures are the means of a group.
type groupFigures struct {
	Group   string `json:"group"`
	Queries int    `json:"queries"`
	relevance.Score
	Intents  float64 `json:"intents"` // the share whose intent was understood
	P50      float64 `json:"p50_ms"`  // of the latency
	P95      float64 `json:"p95_ms"`
	Generate float64 `json:"generate"` // calls of a query
	Embed    float64 `json:"embed"`
	Failed   int     `json:"failed,omitempty"` // without an answer; they score 0
}

// A wrong is a query whose answer is not the best possible one.
type wrong struct {
	Group string  `json:"group"`
	Query string  `json:"query"`
	NDCG  float64 `json:"ndcg"`
	Why   string  `json:"why"`
}

const worst = 10 // queries are printed

func measuredOf(all []asked) measured {
	m := measured{Pictures: []groupFigures{}, Worst: []wrong{}}
	var known, words, unknown []asked
	var order []string
	groups := map[string][]asked{}
	for _, a := range all {
		if a.Group == relevance.UnknownWords {
			unknown = append(unknown, a)
			continue
		}
		known = append(known, a)
		if a.Picture == nil {
			words = append(words, a)
		}
		if groups[a.Group] == nil {
			order = append(order, a.Group)
		}
		groups[a.Group] = append(groups[a.Group], a)
	}
	for _, name := range order {
		if g := figuresOf(name, groups[name]); groups[name][0].Picture != nil {
			m.Pictures = append(m.Pictures, g)
		} else {
			m.Groups = append(m.Groups, g)
		}
	}
	m.All = figuresOf("all", words)
	if len(unknown) > 0 {
		figures := figuresOf(relevance.UnknownWords, unknown)
		m.Unknown = &figures
	}
	slices.SortStableFunc(known, func(a, b asked) int { return cmp.Compare(a.NDCG, b.NDCG) })
	for _, a := range known[:min(worst, len(known))] {
		if a.NDCG < 1 {
			m.Worst = append(m.Worst, wrong{a.Group, a.String(), a.NDCG, a.why()})
		}
	}
	return m
}

func figuresOf(name string, all []asked) groupFigures {
	g := groupFigures{Group: name, Queries: len(all)}
	times := make([]time.Duration, len(all))
	for i, a := range all {
		g.NDCG += a.NDCG
		g.Recall += a.Recall
		if a.err == nil && a.result.Intent == cmp.Or(a.Intent, search.SearchProduct) {
			g.Intents++
		}
		g.Generate += float64(a.result.ModelCalls.Generate)
		g.Embed += float64(a.result.ModelCalls.Embed)
		if times[i] = a.took; a.err != nil {
			g.Failed++
		}
	}
	for _, sum := range []*float64{&g.NDCG, &g.Recall, &g.Intents, &g.Generate, &g.Embed} {
		*sum /= float64(max(1, len(all)))
	}
	g.P50, g.P95 = milliseconds(relevance.Percentile(times, 50)), milliseconds(relevance.Percentile(times, 95))
	return g
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// hold returns an error if nDCG@10 is below least, or an answer is missing.
func (m measured) hold(least float64) error {
	failed := m.All.Failed
	for _, g := range m.Pictures {
		failed += g.Failed
	}
	if m.Unknown != nil {
		failed += m.Unknown.Failed
	}
	switch {
	case failed > 0:
		return fmt.Errorf("%d queries were not answered", failed)
	case m.All.Queries > 0 && m.All.NDCG < least:
		return fmt.Errorf("nDCG@10 is %.3f, want %v at least", m.All.NDCG, least)
	}
	return nil
}

// print writes the table.
func (m measured) print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s %7s   %-16s %9s %7s %7s %7s %9s %6s\n", m.Model, "queries", "nDCG@10", "recall@10", "intents", "p50 ms", "p95 ms", "generate", "embed")
	for _, g := range m.Groups {
		g.line(&b)
	}
	if len(m.Groups) > 1 {
		fmt.Fprintln(&b, strings.Repeat("─", 90))
		m.All.line(&b)
	}
	if m.Unknown != nil {
		m.Unknown.line(&b)
	}
	for _, g := range m.Pictures {
		g.line(&b)
	}
	if len(m.Pictures) > 0 && m.Model != modelReal && m.Model != "" {
		fmt.Fprintln(&b, drawnPictures)
	}
	if memory := accuracy.Memory(m.MemoryBytes); memory != "" {
		fmt.Fprintln(&b, "memory at the end: "+memory)
	}
	if len(m.Worst) > 0 {
		fmt.Fprintf(&b, "\nThe worst:\n")
	}
	for _, w := range m.Worst {
		fmt.Fprintf(&b, "%5.2f  %-14s %s\n%22s%s\n", w.NDCG, w.Group, printable(w.Query), "", printable(w.Why))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// searchColumns returns nDCG@10 by group, with a column for each model.
func searchColumns(all []measured) columns {
	t := columns{head: "nDCG@10"}
	for _, m := range all {
		t.models = append(t.models, m.Model)
	}
	line := func(name string, figure func(measured) float64) {
		l := columnsLine{name: name}
		for _, m := range all {
			l.cells = append(l.cells, fmt.Sprintf("%.2f", figure(m)))
		}
		t.lines = append(t.lines, l)
	}
	for i, g := range all[0].Groups {
		line(fmt.Sprintf("%s (%d)", g.Group, g.Queries), func(m measured) float64 { return m.Groups[i].NDCG })
	}
	line(fmt.Sprintf("**all of these** (%d)", all[0].All.Queries), func(m measured) float64 { return m.All.NDCG })
	line("recall@10 of all", func(m measured) float64 { return m.All.Recall })
	line("the share of all whose intent was understood", func(m measured) float64 { return m.All.Intents })
	if u := all[0].Unknown; u != nil {
		line(fmt.Sprintf("%s (%d)", u.Group, u.Queries), func(m measured) float64 { return m.Unknown.NDCG })
	}
	for i, g := range all[0].Pictures {
		line(fmt.Sprintf("by a drawn picture: %s (%d)", g.Group, g.Queries), func(m measured) float64 { return m.Pictures[i].NDCG })
	}
	return t
}

// drawnPictures says what the figures of pictures are worth.
const drawnPictures = "The pictures are drawn here, and measured by the emulated embedder that knows how they are drawn: these lines say nothing of photos."

// line writes a group's line.
func (g groupFigures) line(out io.Writer) {
	fmt.Fprintf(out, "%-14s %7d   %.2f %s %9.2f %7.2f %7.1f %7.1f %9.2f %6.2f", g.Group, g.Queries, g.NDCG, bar(g.NDCG), g.Recall, g.Intents, g.P50, g.P95, g.Generate, g.Embed)
	if g.Failed > 0 {
		fmt.Fprintf(out, "  %d not answered", g.Failed)
	}
	fmt.Fprintln(out)
}

// bar draws 0 to 1 as at most ten blocks, eighths of them included.
func bar(share float64) string {
	eighths := int(share*80 + 0.5)
	drawn := strings.Repeat("█", eighths/8)
	if eighths%8 > 0 {
		drawn += string([]rune("▏▎▍▌▋▊▉")[eighths%8-1])
	}
	return fmt.Sprintf("%-11s", drawn)
}
