package discover

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/usererror"
)

//go:embed screen.md
var screenText string

//go:embed reviewer.md
var reviewerText string

// The number of pages in one raw review, and the length of their excerpts.
const (
	pagesPerReview = 15
	excerptRunes   = 1500
)

// screened is the raw review's answer.
type screened struct {
	Reasoning string `json:"reasoning"`
	Promising []int  `json:"promising_pages" maxItems:"15" jsonschema:"the numbers of the pages that are worth extracting"`
	Lists     []int  `json:"lists" maxItems:"15" jsonschema:"the numbers of the pages whose links are worth following"`
}

// A Review is the reviewer's answer about the records.
type Review struct {
	ActionReasoning   string        `json:"action_reasoning"`
	RelevanceScore    string        `json:"relevance_score" enum:"High,Medium,Low"`
	CredibilityScore  string        `json:"credibility_score" enum:"High,Medium,Low"`
	CompletenessScore string        `json:"completeness_score" enum:"High,Medium,Low"`
	OverallConfidence string        `json:"overall_confidence" enum:"High,Medium,Low"`
	Rejected          []int         `json:"rejected" maxItems:"100"`
	SameDataset       [][]int       `json:"same_dataset" maxItems:"50"`
	SuggestedAction   string        `json:"suggested_action" enum:"accept,reject,refine,deep_dive"`
	RefinementDetails string        `json:"refinement_details,omitempty"`
	Queries           []SearchQuery `json:"queries,omitempty" maxItems:"10"`
}

// screenPages asks the model which of the fetched pages to extract, the most promising first,
// within the limits of calls and dollars.
func (p *Pipeline) screenPages(ctx context.Context, s *AgentState) error {
	next := s.promising(fetched)
	batches := slices.Collect(slices.Chunk(next, pagesPerReview))
	batches = batches[:min(len(batches), p.AtOnce, p.callsLeft(s, screening))]
	all := make([]verdicts, len(batches))
	read, err := sideBySide(ctx, batches, p.AtOnce, func(ctx context.Context, i int, pages []*Page) (err error) {
		all[i], err = p.screenBatch(ctx, s, i, pages)
		return err
	})
	if !read {
		return err
	}
	for i, pages := range batches {
		s.takeScreening(pages, all[i])
	}
	s.settle()
	return nil
}

// A verdicts is what the raw review answers about some pages.
type verdicts struct {
	docs    []webdoc.Document
	answer  screened
	unusual error // there is no usable answer
}

// screenBatch asks the model which of some pages to extract. It changes nothing.
func (p *Pipeline) screenBatch(ctx context.Context, s *AgentState, batch int, pages []*Page) (r verdicts, err error) {
	var b strings.Builder
	for i, page := range pages {
		kept, err := p.archive().Kept(ctx, page.Object)
		if errors.Is(err, blob.ErrNotFound) {
			kept, err = new(archivedPage), nil
		}
		if err != nil {
			return r, err
		}
		r.docs = append(r.docs, kept.Document)
		fmt.Fprintf(&b, "PAGE %d\nurl: %s\ntitle: %s\ntext:\n%s\n\n", i+1, page.URL, oneLine(page.Title), excerptOf(kept.Document.Markdown, s.Target))
	}
	answer, err := p.screen.Ask(ctx, agent.Call{Key: fmt.Sprintf("raw_review %d", batch+1), Values: s.values(), Parts: []gemini.Part{gemini.Text(b.String())}})
	if unanswerable(err) {
		r.unusual, err = err, nil
	}
	r.answer = answer.Value
	return r, err
}

// takeScreening selects what the raw review chose of some pages, and offers the links of lists.
// Without a usable answer, all are selected.
func (s *AgentState) takeScreening(pages []*Page, r verdicts) {
	chosen := 0
	for i, page := range pages {
		if slices.Contains(r.answer.Lists, i+1) {
			s.offerLinks(page, r.docs[i].Links)
		}
		if r.unusual != nil || page.Source == marked || slices.Contains(r.answer.Promising, i+1) {
			page.Status = selected
			page.Promise = s.promise(page, r.docs[i].Title)
			chosen++
			continue
		}
		if page.skip(notChosen); slices.Contains(r.answer.Lists, i+1) {
			page.Reason = "a list, whose links are followed"
		} else {
			s.drop(page.URL, "", gateRawReview, "%s", page.Reason)
		}
	}
	s.decide(screening, "screen", "%d of %d pages: %s", chosen, len(pages), usererror.Short(r.answer.Reasoning, 300))
}

// promise returns how promising a page is, by its title, its publisher and the request.
func (s *AgentState) promise(page *Page, title string) int {
	n := relevance(page.Title+" "+title+" "+page.Snippet, s.Sectors)
	if s.publishes(page, "") {
		n += 20
	}
	if page.Source == marked {
		n += 2 * preferred
	}
	if page.Source == sourceStart || within(page.URL, s.Request.PreferDomains) || within(page.URL, s.Deployment.PreferDomains) {
		n += preferred
	}
	return n
}

// promising returns the pages with a status, the most promising first.
func (s *AgentState) promising(status string) []*Page {
	all := s.pages(status)
	slices.SortStableFunc(all, func(a, b *Page) int { return b.Promise - a.Promise })
	return all
}

// notChosen is why a page is not extracted from.
const notChosen = "the raw review did not choose it"

// excerptOf returns the windows of the pieces to be extracted from that most likely describe
// data, in their order: the beginning of a long page is often about its publisher.
func excerptOf(text string, t Target) string {
	all, _ := pieces(text, t)
	var windows []webdoc.Piece
	for _, one := range all {
		for _, w := range webdoc.Cut(one.Text, excerptRunes/3, 0) {
			windows = append(windows, webdoc.Piece{Number: one.Number*1000 + w.Number, Text: w.Text})
		}
	}
	weight := map[int]int{}
	for _, w := range windows {
		weight[w.Number] = relevance(w.Text, t.Sectors)
	}
	slices.SortStableFunc(windows, func(a, b webdoc.Piece) int { return weight[b.Number] - weight[a.Number] })
	windows = windows[:min(len(windows), 3)]
	slices.SortFunc(windows, func(a, b webdoc.Piece) int { return a.Number - b.Number })
	var excerpt strings.Builder
	for i, w := range windows {
		if i > 0 && w.Number > windows[i-1].Number+1 {
			excerpt.WriteString(" … ")
		}
		excerpt.WriteString(w.Text)
	}
	return excerpt.String()
}

// review asks the model to judge the records, and follows its suggestion within the rules.
func (p *Pipeline) review(ctx context.Context, s *AgentState) error {
	records := s.consolidated()
	answer, err := p.reviewer.Ask(ctx, agent.Call{Key: "reviewer", Values: s.values(), Parts: []gemini.Part{gemini.Text(s.reviewText(records))}})
	if unanswerable(err) {
		s.end(exhausted, "the review has no answer that can be used: %s", usererror.Text(err))
		return nil
	}
	if err != nil {
		return err
	}
	r := answer.Value
	s.takeReview(records, r)
	level := map[string]float64{"High": 1, "Medium": 0.5}
	s.ConfidenceScores = map[string]float64{
		"relevance": level[r.RelevanceScore], "credibility": level[r.CredibilityScore], "completeness": level[r.CompletenessScore], "overall": level[r.OverallConfidence],
	}
	s.Assessment = &r
	s.decide(reviewing, r.SuggestedAction, "%s", usererror.Short(r.ActionReasoning, 500))
	s.act(r)
	return nil
}

// act follows a review's suggestion, as far as the limits allow and something is left to do.
func (s *AgentState) act(r Review) {
	if r.SuggestedAction == "accept" && len(s.Pages) == 0 {
		s.end(exhausted, "no query and no portal led to a page: nothing was looked at")
		return
	}
	if r.SuggestedAction == "accept" {
		s.end(accepted, "%s", usererror.Short(r.ActionReasoning, 500))
		return
	}
	if s.CurrentIteration >= s.Limits.Iterations {
		s.end(stopped, "the limit of iterations is reached: %d", s.Limits.Iterations)
		return
	}
	if r.SuggestedAction == "deep_dive" && s.ConsecutiveDeepDiveCount < s.Limits.Dives {
		s.CurrentIteration++
		s.ConsecutiveDeepDiveCount++
		s.Phase, s.CurrentDeepDiveActionsCount, s.RefinementDetails = diving, 0, r.RefinementDetails
		return
	}
	s.ConsecutiveDeepDiveCount = 0
	if r.SuggestedAction == "refine" {
		s.addQueries(r.Queries)
	}
	if len(s.queries()) == 0 || s.SearchesConductedCount >= s.Limits.Searches {
		s.end(map[bool]string{true: rejected, false: exhausted}[r.SuggestedAction == "reject"], "nothing is left to search for: %s", usererror.Short(r.ActionReasoning, 500))
		return
	}
	s.CurrentIteration++
	s.Phase = researching
	s.settle()
}

// address matches hosts, addresses and search operators for them in a query.
var address = regexp.MustCompile(`(?i)\b(?:site|inurl|url):|://|\b[a-z0-9-]+\.[a-z]{2,}\b`)

// addQueries adds queries that the plan does not have, one before each of those that it has left. As a review
// has read quotes of pages, it drops queries with an address, which quotes may have injected.
func (s *AgentState) addQueries(more []SearchQuery) {
	if slices.Contains(s.Warnings, WarnNoSearch) || slices.Contains(s.Warnings, WarnQuota) || s.SearchFailures >= maxSearchFailures {
		return
	}
	more = usable(more)
	for i, q := range s.queries() {
		q.Rank = 2*i + 2
	}
	rank := 1
	for _, q := range more {
		if address.MatchString(q.Query) {
			s.drop(usererror.Short(q.Query, 200), "", gateQuery, "a query of a review has no address: else it may be what a page wants")
			continue
		}
		known := slices.ContainsFunc(s.Plan.Queries, func(o SearchQuery) bool { return strings.EqualFold(o.Query, q.Query) })
		if !known && len(s.Plan.Queries) < maxPlanned && (!s.Request.EnglishOnly || isEnglish(q.Language)) {
			q.Rank, rank = rank, rank+2
			s.Plan.Queries = append(s.Plan.Queries, q)
		}
	}
}

// takeReview keeps of the records, as the reviewer was shown them, those that it does not refuse, and of
// those that are one dataset the first that it names, with what the others know.
func (s *AgentState) takeReview(records []StructuredDataItem, r Review) {
	s.StructuredData = nil
	taken := map[int]bool{}
	for i := range records {
		r.SameDataset = append(r.SameDataset, []int{i + 1})
	}
	for _, numbers := range r.SameDataset {
		var group []StructuredDataItem
		for _, n := range numbers {
			if n < 1 || n > len(records) || taken[n] {
				continue
			}
			taken[n] = true
			if one := records[n-1]; one.Mark == nil && slices.Contains(r.Rejected, n) {
				s.drop(one.URL, one.Name, gateReviewer, "%s", usererror.Short(r.ActionReasoning, 300))
			} else {
				group = append(group, one)
			}
		}
		if len(group) > 0 {
			s.StructuredData = append(s.StructuredData, s.joined(group[0], group))
		}
	}
}

// standing says what the publisher of a record is.
func (r StructuredDataItem) standing() string {
	if slices.Contains(r.Proofs, "publisher") {
		return r.PublisherKind + ", as its domain proves"
	}
	return r.PublisherKind + ", which its domain does not prove"
}

// reviewText returns the records and the progress as the reviewer's prompt shows them.
func (s *AgentState) reviewText(records []StructuredDataItem) string {
	var b strings.Builder
	var searched, left []string
	for _, q := range s.Plan.Queries {
		if q.Status == pending {
			left = append(left, q.Query)
		} else {
			searched = append(searched, q.Query)
		}
	}
	fmt.Fprintf(&b, "iteration: %d of %d\nsearched: %s\npending: %s\ndeep dives in a row: %d of %d\npages read: %d\nsites with pages unread: %s\n\n",
		s.CurrentIteration, s.Limits.Iterations, strings.Join(searched, "; "), strings.Join(left, "; "), s.ConsecutiveDeepDiveCount, s.Limits.Dives, len(s.pages(extracted)), list(s.openSites()))
	for i, r := range records {
		fmt.Fprintf(&b, "RECORD %d\nname: %s\nurl: %s\npublisher: %s (%s)\nsectors: %s\npart of the place alone: %t\nyears: %d-%d\nfiles: %d\nquote: %s\n\n", i+1, r.Name, r.URL, oneLine(r.Publisher), r.standing(), list(r.Sectors), r.PartOf, r.FirstYear, r.LastYear, len(r.Files), r.Quote)
	}
	return b.String()
}
