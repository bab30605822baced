package main

import (
	"fmt"
	"slices"
	"strings"

	"example.com/whatis/internal/search"
	"example.com/whatis/scripts/whatisit/relevance"
)

// why explains a wrong answer: the facets that were misread, the filters that were
// dropped, and the first product with a wrong rank.
func (a asked) why() string {
	if a.err != nil {
		return a.err.Error()
	}
	r := a.result
	all := a.misread(r.ExtractedAttributes)
	for _, f := range r.IgnoredFilters {
		all = append(all, fmt.Sprintf("%s %q ignored", f.Facet, f.Value))
	}
	if len(r.Relaxed) > 0 && !slices.Equal(r.Relaxed, a.GiveUp) {
		all = append(all, "gave up "+strings.Join(r.Relaxed, ", "))
	}
	for _, code := range r.Warnings {
		if code != "emulated_model" {
			all = append(all, "warning "+code)
		}
	}
	if all = append(all, a.miscounted()); len(a.About)+len(a.Compared) == 0 && r.Result.Stats == nil {
		all = append(all, a.misplaced())
	}
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), "; ")
}

// misread lists the facets that were read differently from what the query wants. Shapes
// recommended for a face come from the face, not from the query.
func (a asked) misread(read search.Attributes) (all []string) {
	codes := map[string]string{
		"category": read.Category, "gender": read.Gender, "brand": read.Brand, "color": read.Color, "frameMaterial": read.FrameMaterial, "frameShape": read.FrameShape,
	}
	for _, facet := range relevance.Facets {
		wanted, got := a.Want[facet], codes[facet]
		if len(wanted) == 0 {
			wanted = a.Held[facet]
		}
		switch {
		case len(a.SKUs) > 0 || got == "" && (len(wanted) == 0 || a.Face != nil) || slices.Contains(wanted, got):
		case got == "":
			all = append(all, fmt.Sprintf("%s not read: want %s", facet, wanted))
		case len(wanted) == 0:
			all = append(all, fmt.Sprintf("%s read as %s: want any", facet, got))
		default:
			all = append(all, fmt.Sprintf("%s read as %s: want %s", facet, got, wanted))
		}
		for _, code := range a.Not[facet] {
			if !slices.Contains(read.Not, search.Exclusion{Facet: facet, Code: code}) {
				all = append(all, fmt.Sprintf("not %s not read", code))
			}
		}
	}
	if a.Price != nil && (read.Price == nil || read.Price.Min != a.Price.Min || read.Price.Max != a.Price.Max) {
		all = append(all, fmt.Sprintf("price read as %+v: want %v to %v", read.Price, a.Price.Min, a.Price.Max))
	}
	return all
}

// miscounted tells a wrong number.
func (a asked) miscounted() string {
	if a.Query.Intent != search.CategoryStats || a.NDCG == 1 {
		return ""
	}
	got := "no number"
	if a.result.Result.Stats != nil {
		got = fmt.Sprint(a.result.Result.Stats.Total)
	}
	return fmt.Sprintf("counted %s, which are %d", got, len(a.Grades()))
}

// misplaced describes the first product whose grade is lower than that of a later or
// missing one, and its wrong facets.
func (a asked) misplaced() string {
	grades := a.Grades()
	best := make([]int, 0, len(grades))
	for _, g := range grades {
		best = append(best, g)
	}
	slices.SortFunc(best, func(x, y int) int { return y - x })
	best = best[:min(relevance.Depth, len(best))]
	for i, want := range best {
		if i >= len(a.result.Products) {
			return fmt.Sprintf("%d products, of which %d would be right", i, len(best))
		}
		if p := a.result.Products[i]; grades[p.Name] < want {
			return fmt.Sprintf("%d. is %s%s", i+1, p.Name, a.faults(p.Name))
		}
	}
	return ""
}

// faults lists the facets in which a product differs from the query.
func (a asked) faults(name string) string {
	p, ok := a.Product(name)
	if !ok {
		return ", which is no product of the samples"
	}
	if len(a.SKUs) > 0 {
		return ", " + p.SKU
	}
	failed := a.Failed(p)
	if a.Picture != nil {
		failed = append(failed, a.Unlike(p.Frame)...)
	}
	var has []string
	for _, facet := range failed {
		switch facet {
		case "price":
			has = append(has, "price "+p.Price.Plain())
		case "in_stock":
			has = append(has, "sold out")
		default:
			has = append(has, strings.Join(p.Values[facet], " and "))
		}
	}
	return ": " + strings.Join(has, ", ")
}
