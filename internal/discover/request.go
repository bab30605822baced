package discover

import (
	"cmp"
	"fmt"
	"slices"

	"example.com/whatis/internal/usererror"
)

// A Request asks for the data of a country, a region or a city. A country or region needs
// a sector; a city without one means all sectors.
type Request struct {
	Country     string `json:"country,omitempty" jsonschema:"name or ISO 3166-1 code"`
	Region      string `json:"region,omitempty" jsonschema:"name or ISO 3166-2 code"`
	City        string `json:"city,omitempty" jsonschema:"name, with its country where that is not clear: Linz, AT"`
	Sector      string `json:"sector,omitempty" jsonschema:"afolu, ippu, stationary_energy, transportation or waste"`
	EnglishOnly bool   `json:"english_only,omitempty" jsonschema:"search in English only"`
	Tier        string `json:"tier,omitempty" jsonschema:"standard or flex: flex costs half, and each answer may take minutes"`
	Since       string `json:"since,omitempty" jsonschema:"the ID of an earlier run on this place and sector: the result says what has changed"`
	Pointing
	Limits Limits `json:"limits,omitzero" jsonschema:"lower limits than the configured ones"`
}

// Limits bound a run. 0 means the configured value, or the default.
type Limits struct {
	Iterations int     `json:"max_iterations,omitempty"` // rounds of research, extraction and review: 6
	Calls      int     `json:"max_calls,omitempty"`      // of models: 250
	USD        float64 `json:"max_usd,omitempty"`        // for models: 2
	Searches   int     `json:"max_searches,omitempty"`   // of the search API: 40
	Pages      int     `json:"max_pages,omitempty"`      // requested pages: 250

	CycleQueries int `json:"queries_per_cycle,omitempty"` // queries that are searched before their pages are read: 5
	Results      int `json:"results_per_query,omitempty"` // results of a query that are used: 10
	DiveActions  int `json:"actions_per_dive,omitempty"`  // of a deep dive: 3
	Dives        int `json:"dives_in_a_row,omitempty"`    // deep dives before a review must do something else: 2
}

// defaults are the limits unless a request or the configuration sets others.
var defaults = Limits{Iterations: 6, Calls: 250, USD: 2, Searches: 40, Pages: 250, CycleQueries: 5, Results: 10, DiveActions: 3, Dives: 2}

// ceiling bounds the configured limits.
var ceiling = Limits{Iterations: 20, Calls: 1000, USD: 50, Searches: 200, Pages: 2000, CycleQueries: 40, Results: 20, DiveActions: 20, Dives: 20}

// or returns l with its zero values replaced by those of d.
func (l Limits) or(d Limits) Limits {
	return Limits{
		cmp.Or(l.Iterations, d.Iterations), cmp.Or(l.Calls, d.Calls), cmp.Or(l.USD, d.USD), cmp.Or(l.Searches, d.Searches), cmp.Or(l.Pages, d.Pages),
		cmp.Or(l.CycleQueries, d.CycleQueries), cmp.Or(l.Results, d.Results), cmp.Or(l.DiveActions, d.DiveActions), cmp.Or(l.Dives, d.Dives),
	}
}

// check refuses limits that are negative, or higher than most.
func (l Limits) check(most Limits) error {
	for _, f := range []struct {
		name          string
		is, mostValue float64
	}{
		{"max_iterations", float64(l.Iterations), float64(most.Iterations)}, {"max_calls", float64(l.Calls), float64(most.Calls)}, {"max_usd", l.USD, most.USD},
		{"max_searches", float64(l.Searches), float64(most.Searches)}, {"max_pages", float64(l.Pages), float64(most.Pages)},
		{"queries_per_cycle", float64(l.CycleQueries), float64(most.CycleQueries)}, {"results_per_query", float64(l.Results), float64(most.Results)},
		{"actions_per_dive", float64(l.DiveActions), float64(most.DiveActions)}, {"dives_in_a_row", float64(l.Dives), float64(most.Dives)},
	} {
		if !(f.is >= 0 && f.is <= f.mostValue) {
			return fmt.Errorf("%w: %s is %v: send 1 to %v, or leave it out", ErrRequest, f.name, f.is, f.mostValue)
		}
	}
	return nil
}

// check refuses a request that cannot be carried out, and finds its place.
func (r Request) check(most Limits) (Target, error) {
	switch {
	case r.Country == "" && r.Region == "" && r.City == "":
		return Target{}, fmt.Errorf("%w: no place: send country, region or city", ErrRequest)
	case r.Region != "" && r.City != "":
		return Target{}, fmt.Errorf("%w: a region and a city: send one of them, with its country if you like", ErrRequest)
	case max(len(r.Country), len(r.Region), len(r.City)) > 200:
		return Target{}, fmt.Errorf("%w: a name of more than 200 bytes: send that of a place", ErrRequest)
	case r.Sector == "" && r.City == "":
		return Target{}, fmt.Errorf("%w: no sector: send one of %s; only a city does without", ErrRequest, list(Sectors))
	case r.Sector != "" && !slices.Contains(Sectors, r.Sector):
		return Target{}, fmt.Errorf("%w: sector %q: send one of %s", ErrRequest, usererror.Short(r.Sector, usererror.Quoted), list(Sectors))
	}
	if err := r.Limits.check(most); err != nil {
		return Target{}, err
	}
	if err := r.Pointing.Check(); err != nil {
		return Target{}, err
	}
	return r.target()
}
