package discover

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/usererror"
)

//go:embed relevance.md
var relevanceText string

// Warnings of a result.
const (
	WarnNoPlan      = "no_plan"            // the planner gave no usable answer: only portals were read
	WarnNoSearch    = "no_search_key"      // only portals were read
	WarnQuota       = "search_quota"       // the search API has refused further queries
	WarnSearchAway  = "search_unavailable" // the search engine was away, or refused queries
	WarnNoRelevance = "relevance_unjudged" // some search results were opened unjudged
	WarnEmulatedWeb = "emulated_web"       // the pages are invented
	WarnNoLocode    = "no_locode"          // the city's UN/LOCODE is not known
	WarnLocode      = "locode_unverified"  // a model says the city's UN/LOCODE
	WarnSince       = "since_gone"         // the earlier run to compare with is not in the bucket any more
)

// Warnings lists them. A result may have those of package gemini besides.
var Warnings = []string{WarnNoPlan, WarnNoSearch, WarnQuota, WarnSearchAway, WarnNoRelevance, WarnEmulatedWeb, WarnNoLocode, WarnLocode, WarnSince}

// maxSearchFailures is how many searches in a row may fail before no more are tried.
const maxSearchFailures = 3

// relevances is the relevance checker's answer.
type relevances struct {
	Results []RelevanceCheckOutput `json:"results" maxItems:"20"`
}

// A RelevanceCheckOutput is the relevance checker's verdict on one search result.
type RelevanceCheckOutput struct {
	Number     int    `json:"number"`
	Reason     string `json:"reason,omitempty"` // why not
	IsRelevant bool   `json:"is_relevant"`
}

// research searches one query, reads pages, or judges the files that they link.
func (p *Pipeline) research(ctx context.Context, s *AgentState) error {
	switch s.Phase {
	case fetching:
		return p.fetchPages(ctx, s)
	case following:
		return p.follow(ctx, s)
	}
	if p.Search == nil { // from the beginning, or since this deployment
		s.warn(WarnNoSearch)
		s.giveUpQueries()
		s.settle()
		return nil
	}
	q := s.queries()[0]
	hits, err := jobs.Once(ctx, jobs.Key("search", q.Query, q.Language, s.Limits.Results), func(ctx context.Context) ([]webHit, error) {
		return p.Search.Find(ctx, q.Query, q.Language, s.Limits.Results)
	})
	s.QueriesInCycle++
	s.SearchesConductedCount++
	switch {
	case errors.Is(err, errQuota):
		s.warn(WarnQuota)
		s.giveUpQueries()
		s.decide(researching, "stop_searching", "%s", usererror.Text(err))
	case ctx.Err() != nil:
		return err
	case err != nil: // the pages of portals and of other queries are still worth their calls
		slog.WarnContext(ctx, "discover: a search failed", "run", s.ID, "error", err)
		q.Status = failed
		s.SearchFailures++
		s.warn(WarnSearchAway)
		if s.SearchFailures >= maxSearchFailures {
			s.giveUpQueries()
		}
		s.decide(researching, "search_failed", "%q: %s", q.Query, usererror.Cause(err, "the search engine is away or refuses; the log says why"))
	default:
		q.Status, s.SearchFailures = "searched", 0
		unknown := slices.DeleteFunc(slices.Clone(hits), func(h webHit) bool { return s.known(h.URL) != nil || s.irrelevant(h.URL) || !s.admits(h.URL) })
		verdicts, err := p.judgeHits(ctx, s, unknown)
		if err != nil {
			return err
		}
		taken := s.takeHits(*q, unknown, verdicts)
		s.decide(researching, "search", "%q (%s): %d results, %d new, %d to be read", q.Query, q.Language, len(hits), len(unknown), taken)
	}
	s.settle()
	return nil
}

// takeHits adds the relevant results to the pages, and returns how many were added.
func (s *AgentState) takeHits(q SearchQuery, hits []webHit, verdicts map[int]RelevanceCheckOutput) (taken int) {
	for i, h := range hits {
		page := Page{URL: h.URL, Title: h.Title, Snippet: h.Snippet, Source: "search", Via: q.Query}
		if v, judged := verdicts[i+1]; judged && !v.IsRelevant {
			s.drop(h.URL, "", gateRelevance, "%s", usererror.Short(v.Reason, 300))
			continue
		}
		if s.add(page) {
			taken++
		}
	}
	return taken
}

// judgeHits asks which results are relevant, and returns the verdicts by number from 1 on.
// Results that could not be judged have none.
func (p *Pipeline) judgeHits(ctx context.Context, s *AgentState, hits []webHit) (map[int]RelevanceCheckOutput, error) {
	verdicts := map[int]RelevanceCheckOutput{}
	if len(hits) == 0 {
		return verdicts, nil
	}
	var b strings.Builder
	for i, h := range hits {
		fmt.Fprintf(&b, "RESULT %d\nurl: %s\ntitle: %s\ntext: %s\n\n", i+1, h.URL, oneLine(h.Title), oneLine(h.Snippet))
	}
	answer, err := p.relevance.Ask(ctx, agent.Call{Key: "relevance", Values: s.values(), Parts: []gemini.Part{gemini.Text(b.String())}})
	if err != nil && !unanswerable(err) {
		return nil, err
	}
	if err != nil {
		slog.WarnContext(ctx, "discover: results are not judged", "run", s.ID, "error", err)
		s.warn(WarnNoRelevance)
	}
	for _, v := range answer.Value.Results {
		verdicts[v.Number] = v
	}
	return verdicts, nil
}

// oneLine puts text of the web on one line, so that it cannot look like several lines of
// the prompt.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
