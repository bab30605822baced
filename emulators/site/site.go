// Package site is a small web on a local address: the hosts of two countries, a region
// and a city that publish greenhouse gas inventories, everything that surrounds such
// pages on the real web, and a search engine for it.
//
//	Options.Seed → publishers, datasets, pages, traps → Server, by the Host header
//	                                └→ Truth: the datasets that exist
//	GET /res/v1/web/search ─→ ranked results, as Brave Search answers them
//
// A page has its own host, as on the web: with Server.Allow as FETCH_ALLOW, every public
// name resolves to this server. So http://www.stat.gov.xx/data/ keeps its domain, and rules
// about sites and publishers can be tested. IP addresses and local names do not, so that
// they stay forbidden.
//
// Hosts, names, numbers, wording, layout and the second language follow from the seed.
// All its content is invented. It is generated at the first request for more than its
// places, which takes a fifth of a second.
package site

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Options configure the web.
type Options struct {
	Addr       string   // host:port; empty means a free port of 127.0.0.1
	Seed       uint64   // another seed gives another web
	Languages  []string // "en" and one of es, de, fr, ko; empty lets the seed choose
	Drawn      bool     // the web is drawn from the templates in shapes, about one country and sector
	Publishers int      // of a drawn web: how many there are of each kind, with 14 datasets each; 0 means 1
	Scale      int      // 10 has ten times as many pages, with the same datasets; 0 means 1

	Token        string        // of the search API; empty means "emulated"
	PerSecond    int           // searches that it answers in a second; 0 means 50
	PerMonth     int           // and in all; 0 means 15,000
	NoJSON       bool          // SearXNG's settings do not list json
	Unresponsive bool          // none of SearXNG's engines answers
	Slow         time.Duration // what a slow page takes; 0 means two minutes
}

// A Place is what datasets are about.
type Place struct {
	Kind    string // country, region or city
	Country string // ISO 3166-1, such as AR
	Region  string // ISO 3166-2, such as AR-M, of a region or a city
	Name    string // in English
	Local   string // in the language of the place
}

// String returns the place as in a request: a city with its country.
func (p Place) String() string {
	if p.Kind == "city" {
		return p.Name + ", " + p.Country
	}
	return p.Name
}

// A Dataset is a dataset that exists on the web.
type Dataset struct {
	Title     string
	URL       string // of the page that describes it
	Publisher string
	Tier      string // government, statistics, unfccc, university, ngo or database
	Language  string // of the page
	Place     Place
	Sectors   []string // afolu, ippu, stationary_energy, transportation, waste
	Parts     []string // the subsectors, in the page's language
	FirstYear int
	LastYear  int
	Quote     string   // a sentence of the page that says all that
	Files     []string // what the page links for download, or its dashboard
	Also      []string // other addresses of the same: translations, mirrors, older editions and their files
}

// An Absence is a statement that a subsector has no data: "NE", not estimated, or "NO",
// not occurring.
type Absence struct {
	URL    string
	Place  Place
	Sector string
	Part   string // the subsector, in the page's language
	Key    string
	Quote  string
}

// A Request is a request for a page of the web.
type Request struct {
	Host, Path, Agent string
	At                time.Time
}

// Server is a running web. Its methods are safe for concurrent use.
type Server struct {
	options Options
	places  []Place
	made    func() (*web, *engine)
	labels  func() map[string]Label
	addr    string
	http    *http.Server
	done    chan struct{} // closed when http no longer accepts

	mu       sync.Mutex
	requests []Request
}

// Start serves the web of a seed until Close.
func Start(o Options) (*Server, error) {
	if o.Token == "" {
		o.Token = "emulated"
	}
	for _, d := range []struct {
		field *int
		value int
	}{{&o.Scale, 1}, {&o.PerSecond, 50}, {&o.PerMonth, 15_000}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if o.Slow == 0 {
		o.Slow = 2 * time.Minute
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	local, other, err := choose(o)
	if err != nil {
		return nil, err
	}
	places := slices.Concat(local.places, other.places)
	if o.Drawn {
		c, _ := drawnCountry(o.Seed)
		places = []Place{c.place()}
	}
	listener, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("site: %w", err)
	}
	s := &Server{options: o, places: places, addr: listener.Addr().String(), done: make(chan struct{})}
	s.made = sync.OnceValues(func() (*web, *engine) {
		if o.Drawn {
			w := newDrawn(o)
			return w, newEngine(w, o)
		}
		w := newWeb(o, local, other)
		return w, newEngine(w, o)
	})
	s.labels = sync.OnceValue(s.label)
	s.http = &http.Server{Handler: s}
	running.Store(s, nil)
	go func() {
		defer close(s.done)
		s.http.Serve(listener)
	}()
	return s, nil
}

// Addr returns the server's host:port.
func (s *Server) Addr() string { return s.addr }

// Allow returns the value of FETCH_ALLOW that leads every public name here.
func (s *Server) Allow() string { return "*=" + s.addr }

// SearchURL returns the base of the search API, as https://api.search.brave.com is.
func (s *Server) SearchURL() string { return "http://" + s.addr }

// Token returns the value that the search API requires in X-Subscription-Token.
func (s *Server) Token() string { return s.options.Token }

// Places returns the places with datasets.
func (s *Server) Places() []Place { return slices.Clone(s.places) }

// Truth returns all datasets of the web, each once, however many copies it has.
func (s *Server) Truth() (all []Dataset) {
	w, _ := s.made()
	for _, d := range w.truth {
		all = append(all, *d)
	}
	return all
}

// Absent returns the subsectors that a page states to have no data.
func (s *Server) Absent() []Absence {
	w, _ := s.made()
	return slices.Clone(w.absent)
}

// Pages returns the addresses of everything that is served, traps and files included.
func (s *Server) Pages() (all []string) {
	w, _ := s.made()
	for _, p := range w.order {
		all = append(all, p.url())
	}
	return all
}

// Requests returns the requests for pages so far, including robots.txt but not searches.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Close stops the server and cuts the requests in flight.
func (s *Server) Close() {
	running.Delete(s)
	s.http.Close()
	<-s.done
}
