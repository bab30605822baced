package discover

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/usererror"
)

//go:embed diver.md
var diverText string

// Limits of deep dives.
const (
	maxCrawl   = 50
	maxOffered = 60
)

// A DeepDiveAction is the answer of the deep diver.
type DeepDiveAction struct {
	Justification   string   `json:"justification"`
	ActionType      string   `json:"action_type" enum:"scrape,crawl,terminate_deep_dive"`
	Target          string   `json:"target"`
	MaxPages        int      `json:"max_pages"`
	ExcludePatterns []string `json:"exclude_patterns" maxItems:"20" jsonschema:"at most 20"`
}

// A Crawl reads the pages that one page links on its own site.
type Crawl struct {
	Target  string   `json:"target"`
	Left    int      `json:"left"` // pages that it may still add
	Exclude []string `json:"exclude,omitempty"`
}

// crawlOf returns the crawl that a page belongs to, or nil.
func (s *AgentState) crawlOf(page *Page) *Crawl {
	for _, c := range s.Crawls {
		if page.Source == "crawl" && sameSite(c.Target, page.URL) {
			return c
		}
	}
	return nil
}

// openSites returns the sites of publishers that have unread linked pages and were not
// crawled, those of proven publishers first.
func (s *AgentState) openSites() []string {
	var proven, others []string
	for _, page := range s.Pages {
		host := hostOf(page.URL)
		crawled := slices.ContainsFunc(s.Crawls, func(c *Crawl) bool { return sameSite(c.Target, page.URL) })
		switch {
		case crawled || slices.Contains(proven, host) || slices.Contains(others, host) || len(s.unread(page)) == 0:
		case s.provesPublisher(page.URL, ""):
			proven = append(proven, host)
		default:
			others = append(others, host)
		}
	}
	return append(proven, others...)
}

// unread returns the links of a page to pages that are not in the state.
func (s *AgentState) unread(page *Page) []webdoc.Link {
	return slices.DeleteFunc(slices.Clone(page.Further), func(l webdoc.Link) bool { return s.known(l.URL) != nil })
}

// offered returns the addresses that a dive may choose from, with their link texts.
func (s *AgentState) offered() (all []webdoc.Link) {
	for _, host := range s.openSites() {
		n := 0
		for _, page := range s.Pages {
			if hostOf(page.URL) != host {
				continue
			}
			for _, l := range s.unread(page) {
				if n < 8 && len(all) < maxOffered && !slices.ContainsFunc(all, func(o webdoc.Link) bool { return o.URL == l.URL }) {
					n++
					all = append(all, l)
				}
			}
		}
	}
	return all
}

// dive asks for one action and does it. After the dive, the pages that it added are read.
func (p *Pipeline) dive(ctx context.Context, s *AgentState) error {
	offered := s.offered()
	if len(offered) > 0 && s.CurrentDeepDiveActionsCount < s.Limits.DiveActions {
		goOn, err := p.diveOnce(ctx, s, offered)
		if err != nil {
			return err
		}
		if goOn && s.CurrentDeepDiveActionsCount < s.Limits.DiveActions {
			return nil
		}
	}
	s.Phase = fetching
	s.settle()
	return nil
}

// diveOnce reports whether the dive goes on.
func (p *Pipeline) diveOnce(ctx context.Context, s *AgentState, offered []webdoc.Link) (bool, error) {
	s.CurrentDeepDiveActionsCount++
	var b strings.Builder
	fmt.Fprintf(&b, "the review wants: %s\naction: %d of %d\n\n", oneLine(s.RefinementDetails), s.CurrentDeepDiveActionsCount, s.Limits.DiveActions)
	for _, l := range offered {
		fmt.Fprintf(&b, "target: %s (%s)\n", l.URL, oneLine(l.Text))
	}
	answer, err := p.diver.Ask(ctx, agent.Call{Key: "deep_diver", Values: s.values(), Parts: []gemini.Part{gemini.Text(b.String())}})
	if unanswerable(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	a := answer.Value
	why := usererror.Short(a.Justification, 300)
	if a.ActionType == "terminate_deep_dive" {
		s.decide(diving, a.ActionType, "%s", why)
		return false, nil
	}
	s.decide(diving, a.ActionType, "%s: %s", usererror.Short(a.Target, 200), why)
	if !slices.ContainsFunc(offered, func(l webdoc.Link) bool { return l.URL == a.Target }) {
		s.drop(usererror.Short(a.Target, 200), "", gateAddress, "the deep diver may only go where it was shown a link")
		return true, nil
	}
	if a.ActionType == "crawl" {
		s.Crawls = append(s.Crawls, &Crawl{a.Target, min(max(a.MaxPages, 1), maxCrawl) - 1, a.ExcludePatterns})
	}
	s.add(Page{URL: a.Target, Source: a.ActionType})
	return true, nil
}
