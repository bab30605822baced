package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/gemini"
)

// Discover configures the agent that finds data on emissions.
type Discover struct {
	// The key of [Brave Search](https://brave.com/search/api/). Without it a discovery
	// reads the portals of official publishers only.
	SearchKey string `env:"BRAVE_SEARCH_API_KEY"`
	// Another address than Brave's, such as its emulator's; not on Cloud Run.
	SearchURL string `env:"BRAVE_SEARCH_BASE_URL, default=https://api.search.brave.com"`
	// The address of a [SearXNG](https://docs.searxng.org) instance, which is searched instead
	// of Brave. Its `search.formats` must list `json`.
	SearXNG string `env:"SEARXNG_URL"`

	// Where all discoveries look, beside what their requests name, separated by commas:
	// addresses that are read first, CKAN catalogues that are asked, the only domains that are
	// read, domains that are extracted from first, and domains that are left out.
	StartURLs     []string `env:"DISCOVER_START_URLS"`
	Catalogues    []string `env:"DISCOVER_CATALOGUES"`
	OnlyDomains   []string `env:"DISCOVER_ONLY_DOMAINS"`
	PreferDomains []string `env:"DISCOVER_PREFER_DOMAINS"`
	LeaveOut      []string `env:"DISCOVER_LEAVE_OUT"`
	// The portals that are read: a file like [portals.json](../internal/discover/portals.json),
	// or `gs://bucket/object`, in place of that; with a `+` before it, besides.
	Portals string `env:"DISCOVER_PORTALS"`

	// Allow admits servers of tests, which play the web (package fetch).
	Allow string `env:"FETCH_ALLOW"`
	// Emulated are the places that there are on the web that such a server plays.
	Emulated []string `env:"EMULATED_WEB, delimiter=;"`

	// Plans discoveries, reviews them and dives, and thinks that much.
	Thinking string          `env:"THINKING_MODEL, default=gemini-3.6-flash"`
	Effort   gemini.Thinking `env:"DISCOVER_THINKING, default=low"`
	// Extracts datasets from pages; judges search results.
	Structured string `env:"STRUCTURED_MODEL, default=gemini-3.5-flash-lite"`
	Relevance  string `env:"RELEVANCE_CHECK_MODEL, default=gemini-3.5-flash-lite"`

	// How many calls review and extract pages side by side.
	AtOnce int `env:"EXTRACT_AT_ONCE, default=4"`

	// What a discovery may take; a request may lower it.
	MaxIterations int     `env:"MAX_ITERATIONS, default=6"`
	MaxCalls      int     `env:"MAX_MODEL_CALLS, default=250"`
	MaxUSD        float64 `env:"MAX_USD_PER_RUN, default=2"`

	// The pace of a discovery, which a request may lower as well: queries that are searched
	// before their pages are read, results of a query that are used, actions of a deep dive,
	// and deep dives in a row.
	CycleQueries int `env:"QUERIES_PER_CYCLE, default=5"`
	Results      int `env:"RESULTS_PER_QUERY, default=10"`
	DiveActions  int `env:"ACTIONS_PER_DIVE, default=3"`
	Dives        int `env:"DIVES_IN_A_ROW, default=2"`
}

// UserAgent is the User-Agent header of page requests.
const UserAgent = "whatis/1 (+https://example.com/whatis)"

// fetcher returns f as the configuration of a fetcher of the public web.
func (c Discover) fetcher(p Platform, f fetch.Config) fetch.Config {
	f.Agent, f.Allow, f.Service = UserAgent, c.Allow, p.Service
	if len(c.Emulated) > 0 { // emulated servers need no delay, and some never answer
		f.Delay, f.MaxDelay, f.Timeout = time.Millisecond, time.Millisecond, 2*time.Second
	}
	return f
}

// check refuses invalid settings, naming the variable.
func (c Discover) check(p Platform) error {
	if err := c.Effort.Check(); err != nil {
		return fmt.Errorf("app: DISCOVER_THINKING is %w", err)
	}
	switch {
	case c.Thinking == "" || c.Structured == "" || c.Relevance == "":
		return errors.New("app: THINKING_MODEL, STRUCTURED_MODEL and RELEVANCE_CHECK_MODEL must name models")
	case c.AtOnce < 1 || c.AtOnce > 16:
		return fmt.Errorf("app: EXTRACT_AT_ONCE is %d: use 1 to 16", c.AtOnce)
	case c.MaxIterations < 1 || c.MaxCalls < 1 || !(c.MaxUSD > 0):
		return fmt.Errorf("app: MAX_ITERATIONS is %d, MAX_MODEL_CALLS %d, MAX_USD_PER_RUN %v: each must be above 0", c.MaxIterations, c.MaxCalls, c.MaxUSD)
	case min(c.CycleQueries, c.Results, c.DiveActions, c.Dives) < 1 || c.Results > 20:
		return fmt.Errorf("app: QUERIES_PER_CYCLE is %d, RESULTS_PER_QUERY %d, ACTIONS_PER_DIVE %d, DIVES_IN_A_ROW %d: each must be above 0, the results 20 at most", c.CycleQueries, c.Results, c.DiveActions, c.Dives)
	case p.Service != "" && (len(c.Emulated) > 0 || c.SearchURL != discover.BraveURL):
		return fmt.Errorf("app: EMULATED_WEB may not be set, and BRAVE_SEARCH_BASE_URL may only be %s, on Cloud Run (K_SERVICE is set)", discover.BraveURL)
	}
	if c.SearXNG != "" {
		if u, err := url.Parse(c.SearXNG); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("app: SEARXNG_URL is %q: use an address, such as https://searx.example.org", c.SearXNG)
		}
	}
	if err := c.pointing().Check(); err != nil {
		return fmt.Errorf("app: DISCOVER_START_URLS and those beside it: %w", err)
	}
	return c.fetcher(p, fetch.Config{}).Check()
}

// pointing returns where all discoveries look.
func (c Discover) pointing() discover.Pointing {
	return discover.Pointing{StartURLs: c.StartURLs, Catalogues: c.Catalogues, OnlyDomains: c.OnlyDomains, PreferDomains: c.PreferDomains, LeaveOut: c.LeaveOut}
}

// search returns the search engine, nil if there is none.
func (c Discover) search() discover.WebSearch {
	switch {
	case c.SearXNG != "":
		return &discover.SearXNG{BaseURL: c.SearXNG}
	case c.SearchKey != "":
		return &discover.Brave{BaseURL: c.SearchURL, Token: c.SearchKey}
	}
	return nil
}

// portals returns the portals to read; nil means those of discover.
func (a *App) portals(ctx context.Context) ([]discover.Portal, error) {
	c := a.Config.Discover
	name, besides := strings.CutPrefix(c.Portals, "+")
	own := []discover.Portal{}
	if name != "" {
		data, err := a.readFile(ctx, name)
		if err == nil {
			own, err = discover.ReadPortals(data)
		}
		if err != nil {
			return nil, fmt.Errorf("DISCOVER_PORTALS %s: %w", name, err)
		}
	}
	switch {
	case len(c.Emulated) > 0, name != "" && !besides: // the emulated web has none of those of the real one
		return own, nil
	case name == "":
		return nil, nil
	}
	return append(own, discover.Portals()...), nil
}

// memoryPerReader is the memory of an instance, in MB, for each page that is read at once:
// half of it for the process that reads.
const memoryPerReader = 512

// pageLimits returns the limits of reading pages on an instance with that much memory, at least
// one page at once.
func pageLimits(memoryMB int64) webdoc.Limits {
	return webdoc.Limits{AtOnce: int(max(1, memoryMB/memoryPerReader)), Memory: min(memoryMB, memoryPerReader) << 20 / 2}
}

// models returns the models and how much they think.
func (c Discover) models() discover.Models {
	return discover.Models{Thinking: c.Thinking, Structured: c.Structured, Relevance: c.Relevance, Effort: c.Effort}
}

// discovers reports that the agent is enabled, with a topic of tasks and a bucket.
func (a *App) discovers() bool {
	return a.Platform.offers("discover") && a.Platform.TasksTopic != "" && a.Platform.ResultsBucket != ""
}

// discoverEntry returns the agent's skills. Its runs need tasks, so it is not run by
// messages.
func (a *App) discoverEntry() entry {
	if !a.discovers() {
		return entry{}
	}
	return only(discover.Skill(a.discover.Get))
}

func (a *App) openDiscover(ctx context.Context, with clients) (*discover.Pipeline, error) {
	c := a.Config.Discover
	pages, err := fetch.New(c.fetcher(a.Platform, fetch.Config{}))
	if err != nil {
		return nil, err
	}
	portals, err := a.portals(ctx)
	if err != nil {
		return nil, err
	}
	return discover.New(discover.Config{
		Gemini: with.gemini, Fetch: pages, Reader: webdoc.NewReader(pageLimits(a.Platform.MemoryMB)), Objects: with.objects, Bucket: a.Platform.ResultsBucket, DB: with.firestore, Runs: with.runs, Tasks: with.tasks,
		Models: c.models(), AtOnce: c.AtOnce,
		Limits: discover.Limits{Iterations: c.MaxIterations, Calls: c.MaxCalls, USD: c.MaxUSD, CycleQueries: c.CycleQueries, Results: c.Results, DiveActions: c.DiveActions, Dives: c.Dives},
		Tier:   a.Models.EventTier,
		Search: c.search(), Portals: portals, Pointing: c.pointing(),
		EmulatedWeb: c.Emulated, Retain: days(a.Platform.RecordDays), GiveUpAfter: a.Platform.GiveUpAfter,
	})
}
