package discover

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"example.com/whatis/internal/gemini"
)

// An Estimate is what a run will have taken when it ends, as far as can be told by what it has
// taken and what it has seen so far.
//
//	work that is left of each step × (what one took in this run, and at first what one usually takes)
type Estimate struct {
	Calls   int     `json:"model_calls"`
	USD     float64 `json:"cost_usd"` // of models, thinking included
	Minutes float64 `json:"minutes"`
}

// A Toll is what a step of a run has taken.
type Toll struct {
	Units   int     `json:"units"` // queries, pages, links, reviews
	Calls   int     `json:"calls"`
	USD     float64 `json:"usd"`
	Seconds float64 `json:"seconds"`
}

// A usual is what a unit of a step takes before the run has shown it: model calls, their tokens
// without thoughts, and seconds, of which those of calls are for one at a time.
type usual struct {
	calls         float64
	input, output int
	thinks        thinker
	seconds       float64
}

// A thinker is the model of a step, and how much it thinks.
type thinker int

const (
	unthinking thinker = iota // Models.Relevance
	thinksLow                 // Models.Structured
	thinksMost                // Models.Thinking, by Models.Effort
)

// usuals are measured on drawn webs, with an answer in 4 s.
var usuals = map[Phase]usual{
	planning:    {1, 2500, 600, thinksMost, 4},
	researching: {0.7, 2500, 250, unthinking, 4},
	fetching:    {0, 0, 0, unthinking, 0.8},
	screening:   {0.12, 3000, 120, thinksMost, 0.5},
	extracting:  {1.1, 2400, 120, thinksLow, 4.4},
	following:   {0.1, 3000, 350, unthinking, 0.5},
	reviewing:   {1, 3500, 300, thinksMost, 4},
	diving:      {1, 3500, 100, thinksMost, 4},
}

// thoughtTokens is what a model is taken to think before an answer. The service charges it as
// output; what it comes to in a run is charged, and counts as soon as it is known.
var thoughtTokens = map[gemini.Thinking]int{"": 300, gemini.ThinkMinimal: 100, gemini.ThinkLow: 540, gemini.ThinkMedium: 2500, gemini.ThinkHigh: 8000}

// How many units of a step weigh as much as what is usual.
const usualWeight = 4

// shares are what usually becomes of results and pages, learnt anew in each run.
const (
	freshPerQuery = 3.0 // pages to be read, of the results of a query
	freshLater    = 0.3 // of those, what queries of later cycles still have
	chosenPerPage = 0.6 // pages to be extracted from, of those that were reviewed
	linkedPerPage = 0.3 // files and links to be read, of a page that was reviewed
)

// done counts the units of each step that are done.
func (s *AgentState) done() map[Phase]int {
	n := map[Phase]int{researching: s.SearchesConductedCount, fetching: 0, screening: 0, extracting: 0, following: 0}
	for _, p := range s.Pages {
		if p.Status != pending {
			n[fetching]++
		}
		if p.Status == selected || p.Status == extracted || p.Reason == notChosen {
			n[screening]++
		}
		if p.Status == extracted {
			n[extracting]++
		}
	}
	for _, c := range s.Candidates {
		if c.Status != offered {
			n[following]++
		}
	}
	return n
}

// mean returns (usually × usualWeight + sum) ÷ (usualWeight + n).
func mean(usually, sum float64, n int) float64 {
	return (usually*usualWeight + sum) / (usualWeight + float64(n))
}

// left returns how many units of each step a run will still do.
func (s *AgentState) left() map[Phase]float64 {
	done, found, linked, chosen := s.done(), 0, 0, 0
	for _, p := range s.Pages {
		switch p.Source {
		case "search":
			found++
		case sourceFile, sourceLink, sourceCatalogue:
			linked++
		}
		if p.Status == selected || p.Status == extracted {
			chosen++
		}
	}
	queries := float64(max(0, min(len(s.queries()), s.Limits.Searches-s.SearchesConductedCount)))
	now := 0.0 // of these, in this cycle
	if s.Phase == researching {
		now = min(queries, float64(s.Limits.CycleQueries-s.QueriesInCycle))
	}
	fresh := mean(freshPerQuery, float64(found), s.SearchesConductedCount) * (now + freshLater*(queries-now))
	choose := mean(chosenPerPage, float64(chosen), done[screening])
	link := mean(linkedPerPage, float64(linked), done[screening])

	read := float64(len(s.pages(pending))) + fresh
	review := read + float64(len(s.pages(fetched)))
	extract := review*choose + float64(len(s.pages(selected)))
	extra := min(review*link/(1-min(0.7, link)), float64(max(0, s.Limits.Pages-len(s.Pages)))) // linked pages link further ones
	read, review, extract = read+extra, review+extra, extract+extra*choose

	cycles := math.Ceil(queries / float64(s.Limits.CycleQueries))
	links := float64(len(s.candidates())) + review*mean(1, float64(done[following]), done[screening])
	return map[Phase]float64{
		researching: queries, fetching: read, screening: review, extracting: extract, following: links, reviewing: cycles + 1, diving: 2,
	}
}

// estimate returns what the run will have taken, within its limits.
func (p *Pipeline) estimate(s *AgentState) Estimate {
	calls, usd, seconds := float64(s.Spent.Calls.Generate), s.Spent.USD, 0.0
	for _, t := range s.Tolls {
		seconds += t.Seconds
	}
	moreCalls, moreUSD, more := 0.0, 0.0, 0.0 // seconds
	left := s.left()
	for _, step := range slices.Sorted(maps.Keys(usuals)) {
		u, t, units := usuals[step], s.Tolls[step], left[step]
		n := units * mean(u.calls, float64(t.Calls), t.Units)
		moreCalls += n
		moreUSD += n * mean(p.usualUSD(s, u), t.USD, t.Calls)
		aside := 1.0
		if step == extracting || step == screening {
			aside = float64(p.AtOnce)
		}
		more += units * mean(u.seconds/aside, t.Seconds, t.Units)
	}
	// The limit that comes first ends the rest.
	part := min(1, ratio(float64(s.Limits.Calls)-calls, moreCalls), ratio(s.Limits.USD-usd, moreUSD))
	return Estimate{int(math.Round(calls + part*moreCalls)), usd + part*moreUSD, (seconds + part*more) / 60}
}

// ratio returns a ÷ b, within 0 and 1.
func ratio(a, b float64) float64 {
	if b <= 0 {
		return 1
	}
	return min(1, max(0, a/b))
}

// callUSD returns what the next call of a step may cost: what is usual, or the mean of this run
// if that is more.
func (p *Pipeline) callUSD(s *AgentState, step Phase) float64 {
	t := s.Tolls[step]
	return max(p.usualUSD(s, usuals[step]), t.USD/float64(max(1, t.Calls)))
}

// tier returns the service tier of a run's calls.
func (p *Pipeline) tier(s *AgentState) gemini.Tier {
	return cmp.Or(gemini.Tier(s.Request.Tier), p.Tier)
}

// usualUSD returns what a call of a step usually costs, with what the model thinks.
func (p *Pipeline) usualUSD(s *AgentState, u usual) float64 {
	c := gemini.Planned{Model: p.Models.Relevance, Input: u.input, Output: u.output + thoughtTokens[""], Tier: p.tier(s)}
	switch u.thinks {
	case thinksLow:
		c.Model, c.Output = p.Models.Structured, u.output+thoughtTokens[gemini.ThinkLow]
	case thinksMost:
		c.Model, c.Output = p.Models.Thinking, u.output+thoughtTokens[p.Models.Effort]
	}
	return gemini.EstimateAt(time.Now(), c)
}
