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

// Limits of the links that a deep dive may choose from: those of one page, and all.
const (
	offeredPerPage = 8
	maxOffered     = 60
)

// A DeepDiveAction is the answer of the deep diver.
type DeepDiveAction struct {
	Justification string `json:"justification"`
	ActionType    string `json:"action_type" enum:"read,terminate_deep_dive"`
	Target        string `json:"target"`
}

// sourceDive is the source of a page that the deep diver chose.
const sourceDive = "dive"

// offered returns the links to pages of which nothing is known, those of the most promising pages first.
func (s *AgentState) offered() (all []webdoc.Link) {
	pages := slices.Clone(s.Pages)
	slices.SortStableFunc(pages, func(a, b *Page) int { return b.Promise - a.Promise })
	for _, page := range pages {
		links := slices.DeleteFunc(slices.Clone(page.Further), func(l webdoc.Link) bool {
			return s.offeredBefore(l.URL) || slices.ContainsFunc(all, func(o webdoc.Link) bool { return o.URL == l.URL })
		})
		all = append(all, links[:min(len(links), offeredPerPage)]...)
	}
	return all[:min(len(all), maxOffered)]
}

// openSites returns the sites of these links.
func (s *AgentState) openSites() (hosts []string) {
	for _, l := range s.offered() {
		if host := hostOf(l.URL); !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
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
	s.add(Page{URL: a.Target, Source: sourceDive})
	return true, nil
}
