package answers

import (
	"cmp"
	"html"
	"net/url"
	"slices"
	"strings"
	"sync"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// page is a page of the emulated web with the words that a search compares: those
// of its brand and name, which distinguish products, and all its words.
type page struct {
	samples.Page
	title wordSet
	words wordSet
}

var pages = sync.OnceValue(func() []page {
	var list []page
	for _, p := range samples.Pages {
		words := wordsOf(append([]string{p.Title, p.Brand, p.Name, p.Category, p.Text}, p.Features...)...)
		list = append(list, page{Page: p, title: wordsOf(p.Brand, p.Name), words: words})
	}
	return list
})

// clues returns the words of a search: from image_analysis, from the judge's and the
// model's own reading of the photo, and from a refined retry.
func clues(seen *observation, g given) wordSet {
	a := g.analysis
	j := g.secondLook
	all := append([]string{a.Name, a.Brand, a.Category, a.NamePrinted, j.Name, j.Brand, g.refined}, a.KeyFeatures...)
	for _, l := range a.VisibleText {
		all = append(all, l.Text)
	}
	return wordsOf(append(all, seen.texts()...)...)
}

// A page is found when all the words of its brand and name are among the
// clues, or foundTitle of them and foundWords of all its words.
const (
	foundTitle = 0.5
	foundWords = 4
)

// pagesAbout returns the pages about the product that fits the clues best, the best page
// first; nil if none fits.
func pagesAbout(words wordSet) []page {
	type hit struct {
		page
		score int
	}
	var hits []hit
	for _, p := range pages() {
		titled, common := p.title.common(words), p.words.common(words)
		partly := float64(titled) >= foundTitle*float64(len(p.title)) && common >= foundWords
		if partly || titled == len(p.title) {
			hits = append(hits, hit{p, 3*titled + common})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var found []page
	for _, h := range hits {
		if h.title.equal(hits[0].title) {
			found = append(found, h.page)
		}
	}
	return found
}

// search answers a call with google_search: lines that start with a label,
// then a sentence or two of the page, and where they stand.
func search(seen *observation, g given) (string, *gemini.Grounding) {
	queries := queriesOf(g)
	found := pagesAbout(clues(seen, g))
	grounding := &gemini.Grounding{Queries: queries, Entry: &gemini.SearchEntryPoint{HTML: suggestions(queries)}}
	if len(found) == 0 {
		return "No page about this product was found.", grounding
	}
	best := found[0]
	lines := []string{
		"Product: " + best.Name,
		"Brand: " + best.Brand,
		"Category: " + best.Category,
		"Features: " + strings.Join(featuresOf(found), "; "),
		best.Text,
	}
	for _, p := range found {
		grounding.Chunks = append(grounding.Chunks, gemini.GroundingChunk{Web: gemini.WebSource{URI: p.URI, Title: p.Title}})
	}
	grounding.Supports = supports(lines, found)
	return strings.Join(lines, "\n"), grounding
}

// featuresOf joins the features of pages about one product.
func featuresOf(found []page) []string {
	var all []string
	for _, p := range found {
		all = append(all, p.Features...)
	}
	return distinct(all, maxFeatures)
}

// supports links every line to the pages that contain its words, without the line's
// label.
func supports(lines []string, found []page) []gemini.GroundingSupport {
	var list []gemini.GroundingSupport
	start := 0
	for _, line := range lines {
		_, said, labelled := strings.Cut(line, ": ")
		if !labelled {
			said = line
		}
		if chunks := carriers(wordsOf(said), found); len(chunks) > 0 {
			list = append(list, gemini.GroundingSupport{Chunks: chunks, Segment: gemini.Segment{Start: start, End: start + len(line), Text: line}})
		}
		start += len(line) + len("\n")
	}
	return list
}

// carriers returns the indices of the pages that contain at least half of the words.
func carriers(words wordSet, found []page) []int {
	var chunks []int
	for i, p := range found {
		if 2*words.common(p.words) >= len(words) {
			chunks = append(chunks, i)
		}
	}
	return chunks
}

// queriesOf returns the query that the model reports: the code, the refined words, or else
// the brand and the name.
func queriesOf(g given) []string {
	a := g.analysis
	return distinct([]string{cmp.Or(g.refined, g.code, strings.TrimSpace(a.Brand+" "+cmp.Or(a.Name, a.NamePrinted)))}, 1)
}

// suggestions returns the HTML of search suggestions, like Google's.
func suggestions(queries []string) string {
	var b strings.Builder
	b.WriteString(`<div class="container"><div class="carousel">`)
	for _, q := range queries {
		b.WriteString(`<a class="chip" href="https://www.google.com/search?q=` + url.QueryEscape(q) + `">` + html.EscapeString(q) + `</a>`)
	}
	b.WriteString(`</div></div>`)
	return b.String()
}
