package site

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A web is the content that a seed generates.
type web struct {
	random *rand.Rand
	scale  int
	hosts  map[string]*publisher
	pages  map[string]*page // by host and path with its query
	order  []*page
	places []Place
	truth  []*Dataset
	absent []Absence
	told   []told

	local, other land
	coined       map[string]bool
}

// A publisher has a host, and a page layout of its own.
type publisher struct {
	host, name, tier string
	words            *words
	place            Place
	layout, style    int
	robots           string // robots.txt; "503" answers that
	serial           int
	listed           []*page // for the lists of its pages
	front, data      *page
	ckan             *ckan // of a catalogue
}

// How a page answers, if not at once with its text.
type behaviour int

const (
	normal behaviour = iota
	answersStatus
	redirects
	slow
	huge
	bomb
	endless // every page links the next
)

// A page is one address of a host.
type page struct {
	by      *publisher
	words   *words
	path    string // with its query
	title   string
	content content
	links   []link // of lists at its end

	behaves behaviour
	status  int
	to      string // where it redirects

	body            []byte // of a file, or of a page that is not made from content
	kind            string // content type
	indexed, mapped bool   // in the search engine; in the sitemap
	age             int    // days
}

func (p *page) url() string { return "http://" + p.by.host + p.path }

// newWeb makes the publishers and what they publish.
func newWeb(o Options, local, other land) *web {
	w := &web{random: rand.New(rand.NewPCG(o.Seed, 0x5eed)), scale: o.Scale, hosts: map[string]*publisher{}, pages: map[string]*page{}, coined: map[string]bool{}, local: local, other: other}
	for _, l := range []land{w.local, w.other} {
		w.places = append(w.places, l.places...)
		w.country(l)
	}
	for _, p := range w.local.places[1:] {
		w.authority(w.local, p)
	}
	w.international()
	w.traps()
	w.fronts()
	return w
}

// publisher opens a host.
func (w *web) publisher(host, name, tier string, words *words, place Place) *publisher {
	p := &publisher{host: host, name: name, tier: tier, words: words, place: place, layout: w.random.IntN(len(layouts)), style: w.random.IntN(3), serial: 100 + w.random.IntN(900)}
	p.robots = "User-agent: *\nDisallow: /" + words.paths.internal + "/\nCrawl-delay: 1\nSitemap: http://" + host + "/sitemap.xml\n"
	w.hosts[host] = p
	p.front = w.page(p, words, "/", name)
	p.data = w.page(p, words, "/"+words.paths.data+"/", words.page.data+" · "+name)
	p.front.links = append(p.front.links, link{p.data.url(), words.page.data})
	return p
}

// page adds an address to a host.
func (w *web) page(by *publisher, words *words, path, title string) *page {
	p := &page{by: by, words: words, path: path, title: title, kind: "text/html; charset=utf-8", indexed: true, mapped: true, age: 20 + w.random.IntN(2000)}
	w.pages[by.host+path] = p
	w.order = append(w.order, p)
	by.listed = append(by.listed, p)
	return p
}

// path returns the path of a publisher's next page, in its style.
func (p *publisher) path(section, title string) string {
	p.serial += 7
	switch p.style {
	case 0:
		return fmt.Sprintf("/%s/%s-%d.html", section, slug(title), p.serial)
	case 1:
		return fmt.Sprintf("/index.php?id=%d&view=%s", p.serial, section)
	}
	return fmt.Sprintf("/node/%d", p.serial)
}

// slug returns the Latin letters of a title, short; other scripts have none.
func slug(title string) string {
	var parts []string
	for _, word := range tokens(title) {
		if word[0] < 0x80 && len(parts) < 6 {
			parts = append(parts, word)
		}
	}
	return strings.Join(append(parts, "p"), "-")
}

// coin returns a name that this web has not used yet.
func (w *web) coin() string {
	syllables := strings.Fields("ta ve lo ri mu san kor bel dra no pi lum gar te vo ska mi ro hel zu")
	for {
		name := ""
		for range 2 + w.random.IntN(2) {
			name += syllables[w.random.IntN(len(syllables))]
		}
		if !w.coined[name] {
			w.coined[name] = true
			return name
		}
	}
}

func (w *web) pick(of []string) string { return of[w.random.IntN(len(of))] }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// named returns the place's name in a language.
func (p Place) named(in *words) string {
	if in.code == "en" {
		return p.Name
	}
	return p.Local
}
