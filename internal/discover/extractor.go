package discover

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/usererror"

	"example.com/whatis/internal/discover/webdoc"
)

//go:embed extractor.md
var extractorText string

// extraction is the extractor's answer about a piece of a page.
type extraction struct {
	Datasets []dataset `json:"datasets" maxItems:"30"`
	Absent   []absent  `json:"absent,omitempty" maxItems:"60"`
}

// A dataset is a dataset as the model describes it.
type dataset struct {
	Quote          string   `json:"quote"`
	Name           string   `json:"name"`
	Place          string   `json:"place"`
	OfPlace        bool     `json:"of_place"`
	PartOf         bool     `json:"part_of,omitempty"`
	Sectors        []string `json:"sectors" enum:"afolu,ippu,stationary_energy,transportation,waste" maxItems:"5"`
	Subsectors     []string `json:"subsectors,omitempty" maxItems:"30"`
	Labels         []string `json:"subsector_labels,omitempty" maxItems:"30" jsonschema:"such as waste: wastewater"`
	FirstYear      int      `json:"first_year,omitempty"`
	LastYear       int      `json:"last_year,omitempty"`
	Links          []int    `json:"links,omitempty" maxItems:"20"`
	MethodOfAccess string   `json:"method_of_access"`
	DataFormat     string   `json:"data_format"`
	Description    string   `json:"description"`
	Granularity    string   `json:"granularity"`
	Gas            string   `json:"gas,omitempty"`
	Unit           string   `json:"unit,omitempty"`
	Scope          string   `json:"scope,omitempty"`
	Licence        string   `json:"licence,omitempty"`
	Publisher      string   `json:"publisher,omitempty"`
	PublisherKind  string   `json:"publisher_kind" enum:"authority,statistics_office,international,university,organisation,company,news,blog,forum,shop,other"`
}

type absent struct {
	Quote     string `json:"quote"`
	Sector    string `json:"sector" enum:"afolu,ippu,stationary_energy,transportation,waste"`
	Subsector string `json:"subsector"`
	Label     string `json:"label"`
	Key       string `json:"key" enum:"NE,NO"`
}

// How a page is read: in pieces that overlap, the most promising first.
const (
	pieceRunes    = 7000
	pieceOverlap  = 500
	piecesPerPage = 3
	linksPerPage  = 60
)

// extract extracts datasets from the most promising of the selected pages, within the limits of
// calls and dollars. Each answer is kept as it comes; they are taken in the order of the pages.
func (p *Pipeline) extract(ctx context.Context, s *AgentState) error {
	next := s.promising(selected)
	next = next[:min(len(next), pagesPerSlice, p.callsLeft(s, extracting)/piecesPerPage)]
	if len(next) == 0 {
		s.end(stopped, "too few calls of models are left to read the next page: the limits are %d and %g USD, of which %.4f are spent", s.Limits.Calls, s.Limits.USD, s.Spent.USD)
		return nil
	}
	all := make([]pageReading, len(next))
	read, err := sideBySide(ctx, next, p.AtOnce, func(ctx context.Context, i int, page *Page) (err error) {
		all[i], err = p.readPage(ctx, s, page)
		return err
	})
	if !read {
		return err
	}
	for i, page := range next {
		s.takeReading(page, all[i])
	}
	s.settle()
	return nil
}

// A pageReading is what the extractor answers about a page. Without a document, its copy is
// gone.
type pageReading struct {
	doc     *webdoc.Document
	links   []webdoc.Link
	answers []extraction
	unusual []error // of pieces without a usable answer
	unread  string
}

// readPage asks the extractor about the pieces of a page. It changes nothing.
func (p *Pipeline) readPage(ctx context.Context, s *AgentState, page *Page) (r pageReading, err error) {
	kept, err := p.archive().Kept(ctx, page.Object)
	if errors.Is(err, blob.ErrNotFound) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.doc, r.links = &kept.Document, linksOf(kept.Document, s.Sectors)
	all, rest := pieces(kept.Document.Markdown, s.Target)
	for _, one := range all {
		answer, err := p.extractor.Ask(ctx, agent.Call{
			Key: fmt.Sprintf("extract %s %d", page.Object[strings.LastIndexByte(page.Object, '/')+1:], one.Number), Values: s.values(),
			Parts: []gemini.Part{gemini.Text(pageText(page, r.links, one.Text))},
		})
		switch {
		case err != nil && !unanswerable(err):
			return r, err
		case err != nil:
			r.unusual = append(r.unusual, err)
		default:
			r.answers = append(r.answers, answer.Value)
		}
	}
	if len(rest) > 0 {
		var read []string
		for _, one := range all {
			read = append(read, strconv.Itoa(one.Number))
		}
		r.unread = fmt.Sprintf("all but %s of %d", strings.Join(read, ", "), len(all)+len(rest))
	}
	return r, nil
}

// takeReading adds the datasets of a page that pass the gates.
func (s *AgentState) takeReading(page *Page, r pageReading) {
	page.Status, page.Unread = extracted, r.unread
	if r.doc == nil {
		page.skip("its copy was deleted from the bucket")
		return
	}
	if r.doc.Truncated {
		page.Reason = "its end: it has more text, cells, pages or links than are read"
	}
	for _, err := range r.unusual {
		s.drop(page.URL, "", gateExtractor, "no answer that can be used: %s", usererror.Text(err))
	}
	text := proofOf(page, *r.doc)
	for _, found := range r.answers {
		s.take(page, text, *r.doc, r.links, found)
	}
}

// pageText returns a page as the extractor's prompt shows it.
func pageText(page *Page, links []webdoc.Link, text string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "url: %s\ntitle: %s\n", page.URL, oneLine(page.Title))
	if landing := page.landing(); landing != "" {
		fmt.Fprintf(&b, "a file that this page links: %s\n", landing)
	}
	b.WriteString("\nLINKS\n")
	for i, l := range links {
		fmt.Fprintf(&b, "%d. %s (%s)\n", i+1, oneLine(l.Text), l.URL)
	}
	return b.String() + "\nTEXT OF THE PAGE\n" + text
}

// linksOf returns the links to show the extractor: files first, then links whose text
// sounds like data, linksPerPage at most.
func linksOf(d webdoc.Document, of []string) []webdoc.Link {
	links := slices.Clone(d.Links)
	weight := func(l webdoc.Link) int {
		n := relevance(l.Text, of)
		if l.Format != "" {
			n += 100
		}
		return n
	}
	slices.SortStableFunc(links, func(a, b webdoc.Link) int { return weight(b) - weight(a) })
	return links[:min(len(links), linksPerPage)]
}

// pieces cuts a text, and puts the pieces first that most likely describe data: of long tables the
// rows that name the place or have its code in a cell, and of these the ones about a sector. What a table
// says of itself stands in its first piece: rest are the others.
func pieces(text string, t Target) (all, rest []webdoc.Piece) {
	codes, of := t.codes(), t.Sectors
	for _, one := range webdoc.Pieces(text, pieceRunes, pieceOverlap, func(row string) int {
		switch {
		case !namesAny(row, t.Names) && !slices.ContainsFunc(strings.Split(row, "|"), func(cell string) bool { return slices.Contains(codes, strings.TrimSpace(cell)) }):
			return 0
		case relevance(row, of) == 0:
			return 1
		}
		return 2
	}) {
		if one.Further {
			rest = append(rest, one)
		} else {
			all = append(all, one)
		}
	}
	if len(all) > piecesPerPage {
		weight := map[int]int{}
		for _, one := range all {
			weight[one.Number] = 1000*one.Rank + relevance(one.Text, of)
		}
		slices.SortStableFunc(all, func(a, b webdoc.Piece) int { return weight[b.Number] - weight[a.Number] })
		all, rest = all[:piecesPerPage], append(all[piecesPerPage:], rest...)
	}
	return all, rest
}

// take adds the extracted datasets of a page that pass the gates, and drops the others.
func (s *AgentState) take(page *Page, text proof, doc webdoc.Document, links []webdoc.Link, found extraction) {
	for _, d := range found.Datasets {
		if gate, reason := s.refuses(page, text, d); gate != "" {
			s.drop(page.URL, usererror.Short(oneLine(d.Name), 200), gate, "%s", reason)
			continue
		}
		r := s.record(page, text, doc, links, text.proven(d))
		if m := markOf(s.Marks, r); m != nil && m.IsWrong() {
			s.drop(page.URL, r.Name, gateMarked, "%s has marked it wrong on %s", cmp.Or(m.By, "somebody"), m.At.Format(time.DateOnly))
			s.Dropped[len(s.Dropped)-1].Key = m.DuplicateKey
			continue
		}
		s.StructuredData = append(s.StructuredData, r)
	}
	for _, a := range found.Absent {
		named := printed([]Subsector{{a.Subsector, a.Sector, a.Label}}, quotable(a.Quote).contains, s.Sectors)
		if len(named) == 1 && text.Holds(a.Quote) {
			s.Absent = append(s.Absent, Absence{page.URL, a.Sector, named[0].Label, a.Key, a.Quote})
		}
	}
}

// fileOf returns the target of a dataset's link: a file by its extension, else a dashboard or page.
func fileOf(l webdoc.Link) File { return File{l.URL, cmp.Or(webdoc.FormatOf(l.URL), l.Format, "web")} }

// record returns the record of a dataset that has passed the gates. Its address, its files and
// what its domain proves are set by code, not by the model.
func (s *AgentState) record(page *Page, text proof, doc webdoc.Document, links []webdoc.Link, d dataset) StructuredDataItem {
	r := StructuredDataItem{
		Name: usererror.Short(oneLine(cmp.Or(d.Name, page.Title, d.Quote)), 300), URL: page.URL, MethodOfAccess: d.MethodOfAccess, Sector: d.Sectors[0], Subsectors: printed(d.subsectors(), text.prints, s.Sectors),
		DataFormat: d.DataFormat, Description: usererror.Short(d.Description, 500), Granularity: d.Granularity, Gas: usererror.Short(d.Gas, 100), Unit: usererror.Short(d.Unit, 100), Scope: usererror.Short(d.Scope, 100), Licence: usererror.Short(d.Licence, 200), Place: d.Place, PartOf: d.PartOf, Country: s.Country, CountryLocode: s.CountryLocode,
		Sectors: d.Sectors, Publisher: usererror.Short(d.Publisher, 200), PublisherKind: d.PublisherKind, LandingPage: page.landing(), FirstYear: d.FirstYear, LastYear: d.LastYear, Quote: oneLine(d.Quote),
	}
	if s.publishes(page, d.Publisher) {
		r.Proofs = []string{"publisher"}
	}
	r.Subsector = labels(r.Subsectors)
	r.Sector = cmp.Or(s.Sector, r.Sector)
	for _, n := range d.Links {
		if n > 0 && n <= len(links) {
			r.Files = append(r.Files, fileOf(links[n-1]))
		}
	}
	if r.LandingPage != "" {
		r.Files = append(r.Files, fileOf(webdoc.Link{URL: page.URL, Format: formatOfType(page.ContentType)}))
	}
	r.Where = whereOf(doc.Parts, d.Quote)
	return r
}
