package discover_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/fetch"
)

// catalogueOf returns the host of a drawn web's catalogue.
func catalogueOf(web *site.Server) string {
	for _, address := range web.Pages() {
		if rest, ok := strings.CutPrefix(address, "http://datos."); ok {
			host, _, _ := strings.Cut(rest, "/")
			return "datos." + host
		}
	}
	return ""
}

// Without a search engine, a catalogue that the request names is asked, and nothing else read:
// the records are its datasets, those of its metadata or, where it asks programs to leave its
// interface alone, of its pages.
func TestPointing(t *testing.T) {
	for _, seed := range []uint64{0, 2} { // 2 has a robots.txt as CKAN's own
		l := openLab(t, emulate.PerfectModel, site.Options{Drawn: true, Seed: seed}, func(l *lab, c *discover.Config) { c.Search = nil })
		host, place := catalogueOf(l.web), l.web.Places()[0]
		r := l.run(discover.Request{Country: place.Country, Sector: site.DrawnSector(seed), Pointing: discover.Pointing{Catalogues: []string{"http://" + host + "/"}, OnlyDomains: []string{host}, LeaveOut: []string{"elsewhere." + host}}})
		if len(r.Items) != 3 {
			t.Errorf("seed %d: %d records of %d sources, want the catalogue's three; %v", seed, len(r.Items), len(r.Sources), r.Log)
		}
		for _, q := range l.web.Requests() {
			if q.Host != host || strings.HasPrefix(q.Path, "/api/") && seed == 2 {
				t.Errorf("seed %d: %s%s was asked for", seed, q.Host, q.Path)
			}
		}
		for _, i := range r.Items {
			if !strings.Contains(i.URL, "/dataset/") || len(i.Files) == 0 {
				t.Errorf("seed %d: record %+v, want the dataset's page and its files", seed, i)
			}
		}
	}
}

// A file's record names the page that links it, and where the quote stands; a file of a kind
// that is not read is said to be seen.
func TestFilesFollowed(t *testing.T) {
	l := newLabWith(t, emulate.PerfectModel, site.Options{Drawn: true, Seed: 1}, nil)
	r := l.run(discover.Request{Country: "Kenya", Sector: site.DrawnSector(1), Pointing: discover.Pointing{LeaveOut: []string{"climate.example"}}})
	wheres := map[string]bool{}
	for _, i := range r.Items {
		if i.LandingPage == "" {
			continue
		}
		canonical, err := fetch.Canonical(i.LandingPage)
		if err != nil || !slices.ContainsFunc(r.Sources, func(p *discover.Page) bool { return p.URL == canonical && p.Object != "" }) || i.Where == "" || len(i.Files) == 0 || i.Files[0].URL != i.URL {
			t.Errorf("record %+v: without its landing page, place in the file, or itself among its files", i)
		}
		wheres[i.Where] = true
	}
	for _, want := range []string{"page 1", "Info!A2", "crt/part1.xlsx: Info!A2"} {
		if !wheres[want] {
			t.Errorf("no record is quoted from %q: %v", want, wheres)
		}
	}
	for _, format := range []string{"XLS", "DOC"} {
		if !slices.ContainsFunc(r.NotRead, func(n discover.NotRead) bool { return n.Format == format && n.Reason != "" }) {
			t.Errorf("no %s is said to be seen and not read: %+v", format, r.NotRead)
		}
	}
}

func TestBadPointing(t *testing.T) {
	l := newLab(t, site.Options{}, nil)
	for want, r := range map[string]discover.Request{
		"start_urls":     {Pointing: discover.Pointing{StartURLs: []string{"file:///etc/passwd"}}},
		"catalogues":     {Pointing: discover.Pointing{Catalogues: []string{"datos.gob.cl"}}},
		"only_domains":   {Pointing: discover.Pointing{OnlyDomains: []string{"https://gob.cl/"}}},
		"prefer_domains": {Pointing: discover.Pointing{PreferDomains: slices.Repeat([]string{"a.cl"}, 21)}},
		"leave_out":      {Pointing: discover.Pointing{LeaveOut: []string{""}}},
	} {
		r.Country, r.Sector = "CL", "waste"
		if _, err := l.Start(t.Context(), r); !errors.Is(err, discover.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("Start(%+v) = %v, want an error about %s", r, err, want)
		}
	}
}

// The settings of a deployment and those of a request both hold: one may not be read around
// the other, and what either names is read.
func TestDeploymentPoints(t *testing.T) {
	var named, other string
	l := newLab(t, site.Options{}, func(l *lab, c *discover.Config) {
		for _, d := range l.web.Truth() {
			if d.Place.Country == "KE" && d.Place.Kind == "country" && d.Sectors[0] == "waste" && len(d.Sectors) == 1 {
				if named == "" {
					named = d.URL
				} else if host(d.URL) != host(named) && other == "" {
					other = d.URL
				}
			}
		}
		c.Search, c.Pointing = nil, discover.Pointing{StartURLs: []string{named}, OnlyDomains: []string{host(named), "unfccc.int"}}
	})
	if named == "" || other == "" {
		t.Fatal("the web has not two datasets of two hosts")
	}
	r := l.run(discover.Request{Country: "Kenya", Sector: "waste", Pointing: discover.Pointing{StartURLs: []string{other}}, Limits: discover.Limits{Iterations: 1}})
	if len(r.Items) == 0 || r.Items[0].URL != named {
		t.Errorf("found %q, want %s, which the deployment names", addresses(r), named)
	}
	for _, p := range r.Sources {
		if h := host(p.URL); h != host(named) && h != "unfccc.int" {
			t.Errorf("%s is known, which the deployment keeps from being read", p.URL)
		}
	}
	r = l.run(discover.Request{Country: "Kenya", Sector: "waste", Pointing: discover.Pointing{OnlyDomains: []string{host(other)}}, Limits: discover.Limits{Iterations: 1}})
	if len(r.Sources) > 0 {
		t.Errorf("%d pages are known, want none: the domains of the request and of the deployment have none in common", len(r.Sources))
	}
}

func host(address string) string {
	u, _ := url.Parse(address)
	return u.Host
}

// A search engine that is away ends the searches and not the run: portals and what is pointed
// at are still read, and the result says so.
func TestSearchEngineAway(t *testing.T) {
	t.Parallel() // three searches are tried three times, a second after one another
	for name, engine := range map[string]discover.WebSearch{
		"away": &discover.Brave{BaseURL: "http://127.0.0.1:1"}, "refuses": nil, "no engine of SearXNG's": nil,
	} {
		t.Run(name, func(t *testing.T) {
			var portal string
			l := newLab(t, site.Options{NoJSON: true}, func(l *lab, c *discover.Config) {
				switch name {
				case "refuses":
					engine = &discover.Brave{BaseURL: l.web.SearchURL(), Token: "revoked"}
				case "no engine of SearXNG's":
					engine = &discover.SearXNG{BaseURL: l.web.SearXNGURL()}
				}
				portal = "http://unfccc.int/"
				c.Search, c.Portals = engine, []discover.Portal{{Name: "UNFCCC", URL: portal}}
			})
			r := l.run(discover.Request{Country: "Kenya", Sector: "waste"})
			if len(r.Items) == 0 || r.Action == "failed" || r.Searches != 3 || !slices.Contains(r.Warnings, discover.WarnSearchAway) {
				t.Errorf("%s (%s) with %d records after %d searches, warnings %q; want those of the portal after 3, and %s", r.Action, r.Reason, len(r.Items), r.Searches, r.Warnings, discover.WarnSearchAway)
			}
		})
	}
}
