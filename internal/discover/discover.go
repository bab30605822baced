// Package discover finds which data on greenhouse gas emissions a place publishes.
//
//	Request → planner → ( researcher → raw_review → extractor → reviewer → deep_diver )* → Result
//
// The agents work on an AgentState, which lies in the bucket: each task loads it, does
// one slice of one agent (a query, eight pages, one judgement), saves it and publishes
// the next, so that a run survives whoever dies. A slice is a job (package jobs): done by
// one at a time, and what it has paid for is kept as checkpoints.
//
// What models judge is held to rules in code. A record is of a page that this run has
// fetched and quotes it; an address comes from a search, the file of portals or a link
// of a fetched page, and from nothing that a page or a model says.
//
// Objects of a run, in the results bucket:
//
//	scraped_content/{country}/{sector}/{id}/…    each page as it came, and as it was read
//	discoveries/{id}/state/{slice}.json          the state behind each slice
//	discoveries/{id}/result.json, result.csv     whatever the end
//	discoveries/{id}/search_plan.json, search_log.json
//
// The document discoveries/{id} says how far a run is; its fields are those of document.
package discover

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/discover/fetch"
	"example.com/whatis/internal/gemini"

	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
)

// Config is what a Pipeline is made of.
type Config struct {
	Gemini  *gemini.Client
	Fetch   *fetch.Fetcher
	Search  *Search // nil: the portals alone are where addresses come from
	Objects *blob.Store
	Bucket  string // of pages and results
	DB      *firestore.Client
	Runs    *jobs.Store
	Tasks   *queue.Publisher

	Models  Models
	Limits  Limits      // that requests may lower
	Tier    gemini.Tier // at which models are asked where a request says nothing; "" is the standard one
	Portals []Portal    // nil is those of portals.json

	// EmulatedWeb are the places that there are on an emulated web; nil is the real one.
	EmulatedWeb []string

	Retain      time.Duration // how long the document of a run is kept; 0 is 400 days
	GiveUpAfter time.Duration // at which age a slice is given up; 0 is 24 h
}

// Models are which model does what, and how much each of the judging ones thinks.
type Models struct {
	Thinking   string // planner, reviewer, deep diver
	Structured string // extractor
	Relevance  string
	Effort     gemini.Thinking
}

// A Pipeline discovers. It is safe for concurrent use.
type Pipeline struct {
	Config
	agents map[Phase]*agent.Step[AgentState]
	runs   *jobs.LongRuns

	planner   *agent.Prompt[SearchPlan]
	relevance *agent.Prompt[relevances]
	screen    *agent.Prompt[screened]
	extractor *agent.Prompt[extraction]
	reviewer  *agent.Prompt[Review]
	diver     *agent.Prompt[DeepDiveAction]
}

// New returns the pipeline of c.
func New(c Config) (*Pipeline, error) {
	for field, missing := range map[string]bool{
		"Gemini": c.Gemini == nil, "Fetch": c.Fetch == nil, "Objects": c.Objects == nil, "Bucket": c.Bucket == "", "DB": c.DB == nil, "Runs": c.Runs == nil, "Tasks": c.Tasks == nil,
		"Models": c.Models.Thinking == "" || c.Models.Structured == "" || c.Models.Relevance == "",
	} {
		if missing {
			return nil, fmt.Errorf("discover: Config.%s is not set", field)
		}
	}
	if err := c.Limits.check(ceiling); err != nil {
		return nil, err
	}
	if err := c.checkTier(c.Tier); err != nil {
		return nil, fmt.Errorf("discover: Config.Tier: %w", err)
	}
	c.Limits = c.Limits.or(defaults)
	if c.Portals == nil {
		c.Portals = Portals()
	}
	p := &Pipeline{Config: c}
	if err := p.prompts(); err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	p.agents = p.newAgents()
	var err error
	p.runs, err = p.newRuns()
	return p, err
}

// checkTier refuses a tier that the models of c have not.
func (c Config) checkTier(t gemini.Tier) error {
	return c.Gemini.CheckTier(t, c.Models.Thinking, c.Models.Structured, c.Models.Relevance)
}

// prompts parses the instructions.
func (p *Pipeline) prompts() error {
	think, extract := agent.PromptOptions{Thinking: p.Models.Effort}, agent.PromptOptions{Thinking: gemini.ThinkLow}
	var errs [6]error
	p.planner, errs[0] = agent.NewPrompt(p.Gemini, p.Models.Thinking, plannerText, (*SearchPlan).check, think)
	p.relevance, errs[1] = agent.NewPrompt[relevances](p.Gemini, p.Models.Relevance, relevanceText, nil, agent.PromptOptions{})
	p.screen, errs[2] = agent.NewPrompt[screened](p.Gemini, p.Models.Thinking, screenText, nil, think)
	p.extractor, errs[3] = agent.NewPrompt[extraction](p.Gemini, p.Models.Structured, extractorText, nil, extract)
	p.reviewer, errs[4] = agent.NewPrompt[Review](p.Gemini, p.Models.Thinking, reviewerText, nil, think)
	p.diver, errs[5] = agent.NewPrompt[DeepDiveAction](p.Gemini, p.Models.Thinking, diverText, nil, think)
	return errors.Join(errs[:]...)
}

// Questions are those that a pipeline with these models asks for a structured answer.
func Questions(m Models) ([]agent.Question, error) {
	p := &Pipeline{Config: Config{Models: m}}
	if err := p.prompts(); err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	return []agent.Question{
		p.planner.Question("planner"), p.relevance.Question("relevance"), p.screen.Question("screen"),
		p.extractor.Question("extractor"), p.reviewer.Question("reviewer"), p.diver.Question("diver"),
	}, nil
}

// values fill the places that the instructions share.
func (s *AgentState) values() agent.Values {
	place := cmp.Or(s.City, s.Region, s.Country)
	if s.Mode != modeCountry {
		place += " (" + s.Mode + " of " + s.Country + ")"
	}
	return agent.Values{
		"place": place, "names": list(s.Names), "country": s.Country, "sectors": list(s.Sectors), "languages": list(s.Languages), "guide": s.guide(), "knowledge": sectorTerms,
	}
}

// start is the state of a run that has done nothing.
func (p *Pipeline) start(id string, r Request, begun time.Time) (*AgentState, error) {
	t, err := r.check(p.Limits)
	if err != nil {
		return nil, err
	}
	return &AgentState{ID: id, Request: r, Target: t, Limits: r.Limits.or(p.Limits), Phase: planning, StartTime: begun, Spent: gemini.Ledger{}}, nil
}
