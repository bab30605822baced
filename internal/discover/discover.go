// Package discover finds which data on greenhouse gas emissions a place publishes.
//
//	Request → planner → ( researcher → raw_review → extractor → reviewer → deep_diver )* → Result
//
// The agents work on an AgentState, which is saved in the bucket: each task loads it, does
// one slice of one agent (a query, eight pages, one judgement), saves it and publishes
// the next task, so that a run survives crashes of instances. A slice is a job (package
// jobs): done by one instance at a time, with its paid results kept as checkpoints.
//
// Code checks what models answer. A record belongs to a page that this run has fetched,
// and quotes it; an address comes from a search, the file of portals or a link of a
// fetched page, never from the text of a page or a model.
//
// Objects of a run, in the results bucket:
//
//	scraped_content/{country}/{sector}/{id}/…    each page as fetched, and as parsed
//	discoveries/{id}/state/{slice}.json          the state after each slice
//	discoveries/{id}/result.json, result.csv     however the run ended
//	discoveries/{id}/search_plan.json, search_log.json
//
// The Firestore document discoveries/{id} has the progress of a run (package jobs).
package discover

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/gemini"

	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
)

// Config configures a Pipeline.
type Config struct {
	Gemini  *gemini.Client
	Fetch   *fetch.Fetcher
	Reader  *webdoc.Reader // of pages; nil reads one at a time, within webdoc's default limits
	Search  WebSearch      // nil: only the portals and what is pointed at are read
	Objects *blob.Store
	Bucket  string // of pages and results
	DB      *firestore.Client
	Runs    *jobs.Store
	Tasks   *queue.Publisher

	Models   Models
	AtOnce   int         // calls that review and extract pages side by side: 4
	Limits   Limits      // that requests may lower
	Tier     gemini.Tier // of model calls, unless a request names one; "" is standard
	Portals  []Portal    // nil means portals.json
	Pointing Pointing    // of all runs, beside what their requests name

	// EmulatedWeb lists the places that an emulated web has pages of; nil is the real web.
	EmulatedWeb []string

	Retain      time.Duration // how long the document of a run is kept; 0 is 400 days
	GiveUpAfter time.Duration // at which age a slice is given up; 0 is 24 h
	TaskTime    time.Duration // for how long a task begins slices: 0 is a minute, and -1 lets it do one
}

// Models names the model of each task, and how much those that judge think.
type Models struct {
	Thinking   string // planner, reviewer, deep diver
	Structured string // extractor
	Relevance  string
	Effort     gemini.Thinking
}

// A Pipeline does discoveries. It is safe for concurrent use.
type Pipeline struct {
	Config
	agents map[Phase]*agent.Step[AgentState]
	runs   *jobs.LongRuns

	planner   agent.Asker[SearchPlan]
	relevance agent.Asker[relevances]
	screen    agent.Asker[screened]
	extractor agent.Asker[extraction]
	reviewer  agent.Asker[Review]
	diver     agent.Asker[DeepDiveAction]
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
	if err := c.Pointing.Check(); err != nil {
		return nil, err
	}
	if err := c.checkTier(c.Tier); err != nil {
		return nil, fmt.Errorf("discover: Config.Tier: %w", err)
	}
	c.Limits = c.Limits.or(defaults)
	c.AtOnce = cmp.Or(max(c.AtOnce, 0), 4)
	if c.Reader == nil {
		c.Reader = webdoc.NewReader(webdoc.Limits{})
	}
	c.Portals = canonical(c.Portals)
	if c.Portals == nil {
		c.Portals = Portals()
	}
	p := &Pipeline{Config: c}
	if err := p.prompts(); err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	p.agents = p.newAgents()
	var err error
	p.runs, err = jobs.NewLongRuns(runKind{p}, jobs.LongConfig{
		Agent: "discover", Collection: collection, Objects: p.Objects, Bucket: p.Bucket, DB: p.DB, Work: c.Runs, Tasks: p.Tasks, Retain: p.Retain, GiveUpAfter: p.GiveUpAfter, TaskTime: p.TaskTime,
	})
	return p, err
}

// checkTier refuses a tier that the models of c do not have.
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

// Questions returns the questions with a structured answer that a pipeline asks these
// models.
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

// values returns the values of the placeholders that all instructions have.
func (s *AgentState) values() agent.Values {
	place := cmp.Or(s.City, s.Region, s.Country)
	if s.Mode != modeCountry {
		within := s.Country
		if s.City != "" && s.Region != "" {
			within = s.Region + ", " + within
		}
		place += " (" + s.Mode + " of " + within + ")"
	}
	return agent.Values{
		"place": place, "names": list(s.Names), "country": s.Country, "sectors": list(s.Sectors), "languages": list(s.Languages), "guide": s.guide(), "knowledge": sectorTerms, "subsectors": s.subsectorNames(),
	}
}

// start returns the state of a new run.
func (p *Pipeline) start(id string, r Request, begun time.Time) (*AgentState, error) {
	t, err := r.check(p.Limits)
	if err != nil {
		return nil, err
	}
	return &AgentState{ID: id, Request: r, Target: t, Limits: r.Limits.or(p.Limits), Deployment: p.Pointing, Phase: planning, StartTime: begun, Spent: gemini.Ledger{}}, nil
}
