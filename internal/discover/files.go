package discover

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/usererror"
)

// A Candidate is a file that a page links, a dataset of a catalogue, or a link of a list. The relevance checker judges it by its text, its
// address and what stands near it; a relevant one is read as a page is.
type Candidate struct {
	URL    string `json:"url"`
	Text   string `json:"text"`
	Near   string `json:"near,omitempty"`
	Format string `json:"format"`          // datasetFormat of a dataset of a catalogue, "" of a page
	Via    string `json:"via"`             // the page that links it
	Fetch  string `json:"fetch,omitempty"` // the address that has its metadata, where it is another
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"` // why it is not read
}

// sourceLink is the source of a page that a list links.
const sourceLink = "link"

// The states of a candidate.
const (
	offered    = "offered"
	taken      = "taken"      // it is one of the pages
	irrelevant = "irrelevant" // by the relevance checker
	unread     = "unread"     // there is a Reason
)

// Limits of the files that are judged: those of one page, of a run, and in one call.
const (
	filesPerPage  = 30
	linksPerList  = 40
	maxDepth      = 4 // lists that are followed one after the other
	maxCandidates = 400
	filesPerCall  = 20
)

// sourceFile is the source of a page that is a file which another page links.
const sourceFile = "file"

// offerFiles adds the files that a page links, the most promising first.
func (s *AgentState) offerFiles(page *Page, links []webdoc.Link) {
	for i, c := range s.offer(page, links, maxCandidates, func(l webdoc.Link) bool { return l.Format != "" }) {
		switch {
		case !webdoc.Readable(c.Format):
			c.leave("files of this kind are not read: " + c.Format)
		case i >= filesPerPage:
			c.leave("its page links more files than are judged")
		}
	}
}

// offerLinks adds the links of a list, or of a sitemap, to pages of any site, as ministries list what
// data hosts have.
func (s *AgentState) offerLinks(page *Page, links []webdoc.Link) {
	if page.Depth < maxDepth {
		s.offer(page, links, linksPerList, func(l webdoc.Link) bool { return l.Format == "" })
	}
}

// offer adds the links of a page that are wanted and not known, at most that many: first those to other
// pages of the same list, whose addresses differ from its own in a number only, then the most promising.
func (s *AgentState) offer(page *Page, links []webdoc.Link, most int, wanted func(webdoc.Link) bool) (added []*Candidate) {
	links = slices.DeleteFunc(slices.Clone(links), func(l webdoc.Link) bool { return !wanted(l) || s.offeredBefore(l.URL) })
	weigh := func(l webdoc.Link) int {
		if digits.ReplaceAllString(l.URL, "") == digits.ReplaceAllString(page.URL, "") && digits.MatchString(l.URL) {
			return 1000
		}
		return relevance(l.Text+" "+l.Near+" "+l.URL, s.Sectors)
	}
	slices.SortStableFunc(links, func(a, b webdoc.Link) int { return weigh(b) - weigh(a) })
	for _, l := range links[:min(len(links), most, max(0, maxCandidates-len(s.Candidates)))] {
		added = append(added, linkedBy(page, l))
	}
	s.Candidates = append(s.Candidates, added...)
	return added
}

// linkedBy returns the candidate of a page's link.
func linkedBy(page *Page, l webdoc.Link) *Candidate {
	return &Candidate{URL: l.URL, Text: usererror.Short(oneLine(l.Text), 150), Near: usererror.Short(oneLine(l.Near), 300), Format: l.Format, Via: page.URL, Status: offered}
}

// offeredBefore reports that an address is one of the pages or candidates, or was refused as one.
func (s *AgentState) offeredBefore(address string) bool {
	return s.known(address) != nil || s.irrelevant(address) || slices.ContainsFunc(s.Candidates, func(c *Candidate) bool { return c.URL == address })
}

var digits = regexp.MustCompile(`[0-9]+`)

func (c *Candidate) leave(reason string) { c.Status, c.Reason = unread, reason }

// candidates returns the files and links that are still to be judged.
func (s *AgentState) candidates() []*Candidate {
	return slices.DeleteFunc(slices.Clone(s.Candidates), func(c *Candidate) bool { return c.Status != offered })
}

// described reports that a record names a file with its first and last year: its page has said what it
// holds. A page may describe other datasets, too.
func (s *AgentState) described(c *Candidate) bool {
	return c.Format != "" && slices.ContainsFunc(s.StructuredData, func(r StructuredDataItem) bool {
		return r.FirstYear > 0 && r.LastYear > 0 && slices.ContainsFunc(r.Files, func(f File) bool { return f.URL == c.URL })
	})
}

// irrelevant reports that the relevance checker has judged an address in this run, and
// refused it.
func (s *AgentState) irrelevant(address string) bool {
	return slices.ContainsFunc(s.Dropped, func(d Dropped) bool { return d.Gate == gateRelevance && d.URL == address })
}

// follow asks the next catalogue, or which of the next files and datasets are relevant, and
// adds those to the pages.
func (p *Pipeline) follow(ctx context.Context, s *AgentState) error {
	if c := s.unasked(); c != nil {
		return p.askCatalogue(ctx, s, c)
	}
	var next []*Candidate
	for _, c := range s.candidates() {
		switch {
		case s.known(c.URL) != nil:
			c.Status = taken
		case s.described(c):
			c.leave("a record of its page names it, with its years")
		case len(s.Pages) >= s.Limits.Pages:
			c.leave("the limit of pages is reached")
		case !s.admits(c.URL):
			c.leave("its domain is left out")
		case len(next) < filesPerCall:
			next = append(next, c)
		}
	}
	hits := make([]webHit, len(next))
	for i, c := range next {
		hits[i] = webHit{c.URL, c.Text, c.about(s)}
	}
	verdicts, err := p.judgeHits(ctx, s, hits)
	if err != nil {
		return err
	}
	read := 0
	for i, c := range next {
		v, judged := verdicts[i+1]
		switch {
		case judged && !v.IsRelevant:
			c.Status = irrelevant
			s.drop(c.URL, "", gateRelevance, "%s", usererror.Short(v.Reason, 300))
		case s.add(c.page(s)):
			c.Status = taken
			read++
		default:
			c.leave("the limit of pages is reached")
		}
	}
	if len(next) > 0 {
		s.decide(following, "follow", "%d links of pages, lists and catalogues, %d to be read", len(next), read)
	}
	s.settle()
	return nil
}

// about says of a file what the relevance checker may judge by.
func (c *Candidate) about(s *AgentState) string {
	switch c.Format {
	case datasetFormat:
		return "a dataset of a catalogue; " + c.Near
	case "":
		return "a page that a list links; near the link: " + c.Near + "; the list: " + s.titleOf(c.Via)
	}
	return "a file (" + c.Format + ") that a page links; near the link: " + c.Near + "; the page: " + s.titleOf(c.Via)
}

// title returns what a file is called: its link may say no more than "Download".
func (c *Candidate) title(s *AgentState) string {
	var parts []string
	for _, part := range []string{c.Text, c.Near, s.titleOf(c.Via)} {
		if part != "" && !slices.ContainsFunc(parts, func(known string) bool { return strings.Contains(known, part) }) {
			parts = append(parts, part)
		}
	}
	return usererror.Short(strings.Join(parts, " · "), 300)
}

// page returns the page of a candidate.
func (c *Candidate) page(s *AgentState) Page {
	switch c.Format {
	case "":
		return Page{URL: c.URL, Title: c.Text, Source: sourceLink, Via: c.Via, Depth: s.known(c.Via).Depth + 1}
	case datasetFormat:
		return Page{URL: c.URL, Title: c.Text, Source: sourceCatalogue, Via: c.Via, Fetch: c.Fetch}
	}
	return Page{URL: c.URL, Title: c.title(s), Source: sourceFile, Via: c.Via}
}

// titleOf returns the title of a page.
func (s *AgentState) titleOf(address string) string {
	if page := s.known(address); page != nil {
		return oneLine(page.Title)
	}
	return ""
}

// landing returns the page that links a file, "" for a page. A file whose record is marked
// keeps that of the run in which it was found.
func (p *Page) landing() string {
	if p.Source == sourceFile || p.Source == marked {
		return p.Via
	}
	return ""
}

// A NotRead is an address that was seen and not read.
type NotRead struct {
	URL    string `json:"url"`
	Text   string `json:"text"`
	Format string `json:"format,omitempty"`
	Via    string `json:"via,omitempty"`
	Reason string `json:"reason"`
}

// notRead returns what was seen and not read: files, and pages that could not be fetched or
// were still to be read when the run ended.
func (s *AgentState) notRead() []NotRead {
	all := []NotRead{}
	refused := map[string]bool{} // hosts that ask programs to keep away: each is said once
	for _, c := range s.Candidates {
		switch c.Status {
		case unread:
			all = append(all, NotRead{c.URL, c.Text, c.Format, c.Via, c.Reason})
		case offered:
			all = append(all, NotRead{c.URL, c.Text, c.Format, c.Via, "the run had ended"})
		}
	}
	for _, page := range s.Pages {
		reason := page.Reason
		switch {
		case page.Status == pending || page.Status == fetched || page.Status == selected:
			reason = "the run had ended"
		case page.Status == extracted: // what is said of it is its end
		case page.Status != skipped || !slices.ContainsFunc(s.Dropped, func(d Dropped) bool { return d.Gate == gateFetch && d.URL == page.URL }):
			reason = ""
		}
		host := hostOf(page.URL)
		if closed := strings.HasPrefix(reason, usererror.Text(fetch.ErrRobots)); closed && refused[host] {
			reason = ""
		} else if closed {
			refused[host] = true
		}
		if reason != "" {
			all = append(all, NotRead{page.URL, oneLine(page.Title), webdoc.FormatOf(page.URL), page.Via, reason})
		}
		for _, name := range page.Members {
			all = append(all, NotRead{page.URL, name, webdoc.FormatOf(name), page.Via, "a member of the archive of a kind that is not read, or too large"})
		}
	}
	return all
}
