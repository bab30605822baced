package discover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/textfold"
)

// newAgents returns the agents of a run by phase: planner →
// (researcher → raw_reviewer → extractor → reviewer → deep_diver)*. The state decides
// the next phase.
func (p *Pipeline) newAgents() map[Phase]*agent.Step[AgentState] {
	type step = agent.Step[AgentState]
	researcher := &step{Name: "researcher", Description: "searches, and reads pages", Do: p.research}
	return map[Phase]*step{
		planning:    {Name: "planner", Description: "plans what to search for", Do: p.plan},
		researching: researcher,
		fetching:    researcher,
		screening:   {Name: "raw_reviewer", Description: "chooses the pages that are worth extracting", Do: p.screenPages},
		extracting:  {Name: "extractor", Description: "finds the datasets that pages publish", Do: p.extract},
		following:   researcher,
		reviewing:   {Name: "reviewer", Description: "judges what was found, and what to do next", Do: p.review},
		diving:      {Name: "deep_diver", Description: "looks further into sites", Do: p.dive},
	}
}

// Slice does the next slice, by the agent of the current phase, unless there is a reason
// to end the run. Its model calls are charged to the run.
func (r *run) Slice(ctx context.Context, cancelled bool) error {
	p, s := r.p, r.s
	s.Slice++
	if p.ended(s, cancelled) {
		return nil
	}
	next, ok := p.agents[s.Phase]
	if !ok {
		return fmt.Errorf("discover: the state of %s is in the phase %q, which no agent has", s.ID, s.Phase)
	}
	account := &gemini.Account{Attempts: gemini.EventAttempts}
	ctx = gemini.WithTier(gemini.WithAccount(ctx, account), p.tier(s))
	step, before, begun := s.Phase, s.done(), time.Now()
	working, stop := jobs.UntilCancelled(ctx)
	err := next.Run(working, s, nil)
	if stop(); isCancelled(working) {
		err = nil // the next slice ends the run
	}
	spent, sum := account.Ledger(), &gemini.Account{}
	for _, l := range []gemini.Ledger{s.Spent, spent} {
		gemini.Charge(gemini.WithAccount(ctx, sum), l)
	}
	s.Spent = sum.Ledger()
	units := s.done()[step] - before[step]
	if _, counted := before[step]; !counted && units == 0 {
		units = 1
	}
	if s.Tolls == nil {
		s.Tolls = map[Phase]Toll{}
	}
	t := s.Tolls[step]
	s.Tolls[step] = Toll{t.Units + units, t.Calls + spent.Calls.Generate, t.USD + spent.USD, t.Seconds + time.Since(begun).Seconds()}
	s.Estimate = p.estimate(s)
	return err
}

// isCancelled reports that a step's context has ended because its run was cancelled.
func isCancelled(ctx context.Context) bool { return errors.Is(context.Cause(ctx), jobs.ErrCancelled) }

// ended ends s if there is a reason to, and reports whether it did.
func (p *Pipeline) ended(s *AgentState, cancelled bool) bool {
	emulated := slices.ContainsFunc(p.EmulatedWeb, func(place string) bool {
		return slices.ContainsFunc(s.Names, func(name string) bool { return strings.Contains(textfold.String(place), textfold.String(name)) })
	})
	switch {
	case cancelled:
		s.end(canceled, "somebody has cancelled it")
	case p.EmulatedWeb != nil && s.Phase == planning && !emulated:
		s.end(elsewhere, "the emulated web has only %s", strings.Join(p.EmulatedWeb, "; "))
	case s.Spent.Calls.Generate+s.Spent.Calls.Failed >= s.Limits.Calls:
		s.end(stopped, "the limit of model calls is reached: %d", s.Limits.Calls)
	case p.callsLeft(s, s.Phase) < 1:
		s.end(stopped, "the models have cost %.4f USD, and the next call may cost %.4f: the limit is %g", s.Spent.USD, p.callUSD(s, s.Phase), s.Limits.USD)
	default:
		return false
	}
	return true
}

// callsLeft returns how many calls of a step the limits of calls and of dollars allow.
func (p *Pipeline) callsLeft(s *AgentState, step Phase) int {
	n := s.Limits.Calls - s.Spent.Calls.Generate - s.Spent.Calls.Failed
	if each := p.callUSD(s, step); each > 0 {
		n = min(n, int((s.Limits.USD-s.Spent.USD)/each))
	}
	return n
}
