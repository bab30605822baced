package site

import (
	"fmt"
	"slices"
	"strings"
)

// country makes the publishers of a country: a ministry with an inventory of each
// sector, a statistics office and a university with sibling datasets, an organisation
// with mirrors and a dataset of its own, and news, blogs and forums.
func (w *web) country(l land) {
	place, t := l.places[0], l.words
	name := place.named(t)
	ministry := w.publisher("www."+w.coin()+"."+l.gov, fmt.Sprintf(w.pick(t.org.ministry), name), "government", t, place)
	statistics := w.publisher("www."+w.coin()+"."+l.gov, fmt.Sprintf(w.pick(t.org.statistics), name), "statistics", t, place)
	university := w.publisher("repo."+w.coin()+"."+l.ac, fmt.Sprintf(w.pick(t.org.university), capital(w.coin())), "university", t, place)
	ngo := w.publisher("www."+w.coin()+"."+l.org, fmt.Sprintf(w.pick(t.org.ngo), capital(w.coin())), "ngo", t, place)
	for sector := range sectorIDs {
		d := w.dataset(ministry, place, []int{sector}, []int{0, 1})
		w.english(ministry, d)
		if sector%2 == 0 {
			w.mirror(ngo, d)
		}
		if sector != 2 {
			w.older(ministry, d)
		}
	}
	for _, sector := range w.random.Perm(5)[:2] {
		w.dataset(statistics, place, []int{sector}, []int{2})
	}
	w.dataset(university, place, []int{w.random.IntN(5)}, []int{2})
	w.dataset(ngo, place, []int{4}, []int{2})
	w.talk(l, ministry)
}

// authority makes the publisher of a region or a city. A city's figures on energy are
// in a dashboard, and what it has on industry is a statement that there is nothing.
func (w *web) authority(l land, place Place) {
	t, names, host := l.words, l.words.org.region, "www."
	if place.Kind == "city" {
		names, host = t.org.city, "datos."
	}
	by := w.publisher(host+w.coin()+"."+l.gov, fmt.Sprintf(w.pick(names), place.Local), "government", t, place)
	for sector := range sectorIDs {
		switch {
		case place.Kind == "city" && sector == 1:
			w.nothing(by, place, sector)
		case place.Kind == "city" && sector == 2:
			w.dashboard(by, w.dataset(by, place, []int{sector}, []int{0, 1}))
		default:
			d := w.dataset(by, place, []int{sector}, []int{0, 1})
			if sector > 2 {
				w.english(by, d)
			}
		}
	}
}

// international makes the publishers for many countries and all sectors.
func (w *web) international() {
	convention := w.publisher("unfccc.int", "United Nations Climate Change", "unfccc", &english, w.places[0])
	tracker := w.publisher("climatetrace.org", "Emissions from Space", "database", &english, w.places[0])
	for _, l := range []land{w.local, w.other} {
		for _, by := range []*publisher{convention, tracker} {
			w.dataset(by, l.places[0], []int{0, 1, 2, 3, 4}, nil)
		}
	}
}

// dataset adds a dataset with its page and files. It says for some subsector of the
// sector that there is nothing.
func (w *web) dataset(by *publisher, place Place, sectors, parts []int) *Dataset {
	t := by.words
	d := &Dataset{Publisher: by.name, Tier: by.tier, Language: t.code, Place: place, FirstYear: 1990 + w.random.IntN(16), LastYear: 2018 + w.random.IntN(6)}
	for _, s := range sectors {
		d.Sectors = append(d.Sectors, sectorIDs[s])
	}
	about := t.sectors[sectors[0]]
	if len(sectors) > 1 {
		d.Title, d.Parts = fmt.Sprintf(t.all, place.named(t)), t.sectors[:]
		if by.tier == "database" {
			d.Title = "Facility-level emissions database: " + place.named(t)
		}
		about = strings.Join(t.sectors[:], ", ")
	} else {
		for _, i := range parts {
			d.Parts = append(d.Parts, t.parts[sectors[0]][i])
		}
		if len(parts) == 1 { // a sibling is about one subsector, and says so
			about = d.Parts[0]
		}
		d.Title = fmt.Sprintf(w.pick(t.title), about, place.named(t), d.FirstYear, d.LastYear)
	}
	d.Quote = fmt.Sprintf(w.pick(t.coverage), t.sectors[sectors[0]], list(d.Parts, t.page.and), place.named(t), d.FirstYear, d.LastYear)
	if len(sectors) > 1 {
		d.Quote = fmt.Sprintf(w.pick(t.coverage), about, "all categories", place.named(t), d.FirstYear, d.LastYear)
	}
	p := w.page(by, t, by.path(t.paths.data, d.Title), d.Title)
	d.URL = p.url()
	w.describe(p, d, about, d.Quote)
	w.tells(p.url(), d)
	if len(parts) == 2 && sectors[0]%2 == 1 {
		w.lacks(p, place, sectors[0], 2)
	}
	by.data.links = append(by.data.links, link{p.url(), d.Title})
	w.truth = append(w.truth, d)
	return d
}

// list returns "a, b and c".
func list(parts []string, and string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " " + and + " " + parts[len(parts)-1]
}

// describe writes the page of a dataset: prose around its quote, a table, its files.
func (w *web) describe(p *page, d *Dataset, about, quote string) {
	t := p.words
	series := w.series(d.Parts, d.FirstYear, d.LastYear)
	p.content.paragraph(fmt.Sprintf(w.pick(t.intro), p.by.name, d.Place.named(t), about))
	order := w.random.Perm(2)
	for _, i := range order {
		switch i {
		case 0:
			p.content.paragraph(quote + " " + w.pick(t.filler))
		case 1:
			p.content.paragraph(w.pick(t.method) + " " + w.pick(t.filler))
		}
	}
	p.content.heading(t.sectors[slices.Index(sectorIDs[:], d.Sectors[0])] + " (" + t.page.unit + ")")
	p.content.table(series.recent(t, 8))
	for _, f := range w.files(p, d.Title, quote, series) {
		d.Files = append(d.Files, f.URL)
		p.links = append(p.links, f)
	}
	p.content.paragraph(w.pick(t.filler))
	p.content.paragraph(fmt.Sprintf("%s. %s: %d-0%d-1%d.", t.page.licence, t.page.updated, d.LastYear+2, 1+w.random.IntN(9), w.random.IntN(9)))
}

// lacks writes that a subsector of a place was not estimated or does not occur.
func (w *web) lacks(p *page, place Place, sector, part int) {
	t, i := p.words, w.random.IntN(2)
	a := Absence{p.url(), place, sectorIDs[sector], t.parts[sector][part], []string{"NE", "NO"}[i], ""}
	a.Quote = fmt.Sprintf(t.absent[i], place.named(t), a.Part)
	p.content.paragraph(a.Quote)
	w.absent = append(w.absent, a)
}

// nothing is a page that has no dataset, and says so of every subsector.
func (w *web) nothing(by *publisher, place Place, sector int) {
	t := by.words
	title := t.sectors[sector] + " · " + place.named(t)
	p := w.page(by, t, by.path(t.paths.data, title), title)
	p.content.paragraph(fmt.Sprintf(w.pick(t.intro), by.name, place.named(t), t.sectors[sector]))
	for part := range t.parts[sector] {
		w.lacks(p, place, sector, part)
	}
	by.data.links = append(by.data.links, link{p.url(), title})
}

// english adds a translation of a dataset's page.
func (w *web) english(by *publisher, d *Dataset) {
	if by.words.code == "en" {
		return
	}
	sector := slices.Index(sectorIDs[:], d.Sectors[0])
	title := fmt.Sprintf(english.title[0], english.sectors[sector], d.Place.Name, d.FirstYear, d.LastYear)
	p := w.page(by, &english, "/en"+by.path("data", title), title)
	told := *d
	told.Title, told.Language, told.Parts = title, english.code, english.parts[sector][:2]
	told.Quote = fmt.Sprintf(w.pick(english.coverage), english.sectors[sector], list(told.Parts, "and"), d.Place.Name, d.FirstYear, d.LastYear)
	w.tells(p.url(), &told)
	p.content.paragraph(told.Quote)
	p.content.paragraph(w.pick(english.method))
	p.links = append(p.links, link{d.URL, d.Title})
	for _, f := range d.Files {
		p.links = append(p.links, link{f + "?utm_source=en&utm_medium=link", "Download"})
	}
	w.pages[strings.TrimPrefix(d.URL, "http://")].links = append(w.pages[strings.TrimPrefix(d.URL, "http://")].links, link{p.url() + "#content", "English"})
	d.Also = append(d.Also, p.url())
}

// older adds the edition before, which ends earlier and says that it was superseded.
func (w *web) older(by *publisher, d *Dataset) {
	t, sector := by.words, slices.Index(sectorIDs[:], d.Sectors[0])
	was := *d
	was.LastYear, was.Files = d.LastYear-3, nil
	was.Title = fmt.Sprintf(t.title[1], t.sectors[sector], d.Place.named(t), was.FirstYear, was.LastYear)
	p := w.page(by, t, by.path(t.paths.archive, was.Title), was.Title)
	p.content.paragraph(fmt.Sprintf(t.old, was.LastYear, d.Title))
	was.Quote = fmt.Sprintf(t.coverage[0], t.sectors[sector], list(d.Parts, t.page.and), d.Place.named(t), was.FirstYear, was.LastYear)
	w.describe(p, &was, t.sectors[sector], was.Quote)
	w.tells(p.url(), &was)
	p.links = append(p.links, link{d.URL, d.Title})
	d.Also = append(append(d.Also, p.url()), was.Files...)
}

// mirror adds a copy of a dataset's file at another publisher.
func (w *web) mirror(by *publisher, d *Dataset) {
	t := by.words
	p := w.page(by, t, by.path(t.paths.archive, d.Title), d.Title)
	p.content.paragraph(fmt.Sprintf(t.mirror, d.Publisher))
	p.content.paragraph(d.Quote)
	source := w.pages[strings.TrimPrefix(d.Files[0], "http://")]
	copied := w.file(p, "copy-"+slug(d.Title), source.path[strings.LastIndex(source.path, "."):], source.kind, source.body)
	p.links = append(p.links, link{copied.url(), t.page.download}, link{d.URL, d.Publisher})
	told := *d
	told.Files = []string{copied.url()}
	w.tells(p.url(), &told)
	d.Also = append(d.Also, p.url(), copied.url())
	by.data.links = append(by.data.links, link{p.url(), d.Title})
}

// dashboard puts a dataset's figures into a page that has nothing without scripts.
func (w *web) dashboard(by *publisher, d *Dataset) {
	p := w.page(by, by.words, "/dashboard/"+w.coin()+"/", by.words.page.map_)
	p.indexed = false
	p.content.html.WriteString(`<div id="app" data-endpoint="/arcgis/rest/services/emissions/FeatureServer/0"></div><script>window.__load("app")</script>`)
	described := w.pages[strings.TrimPrefix(d.URL, "http://")]
	described.links = []link{{p.url(), by.words.page.map_ + ": " + d.Title}}
	inFiles := *d
	w.tells(p.url(), &inFiles)
	d.Also, d.Files = append(d.Also, d.Files...), []string{p.url()}
}

// talk makes sites that write about the data and do not publish it: news, blogs, forums.
func (w *web) talk(l land, about *publisher) {
	t, place := l.words, l.places[0]
	for kind, names := range [][]string{t.org.news, t.org.blog, t.org.forum} {
		host := []string{"www.", "blog.", "foro."}[kind] + w.coin() + "." + l.com
		by := w.publisher(host, fmt.Sprintf(w.pick(names), capital(w.coin())), []string{"news", "blog", "forum"}[kind], t, place)
		for i := range 4*w.scale + 12*(w.scale-1) {
			sector := t.sectors[i%5]
			title := fmt.Sprintf("%s: %s, %s %d", capital(w.coin()), sector, place.named(t), 2010+w.random.IntN(14))
			p := w.page(by, t, by.path([]string{t.paths.news, "blog", "forum/thread"}[kind], title), title)
			if kind == 0 {
				p.content.paragraph(fmt.Sprintf(w.pick(t.news), place.named(t), about.name, sector, 2005+w.random.IntN(15)))
			}
			for range 1 + w.random.IntN(3) {
				if kind > 0 {
					p.content.paragraph(fmt.Sprintf(w.pick(t.chat), place.named(t), sector))
				}
				p.content.paragraph(w.pick(t.filler))
			}
			if i%3 == 0 {
				p.links = append(p.links, link{about.data.url() + "?utm_source=" + by.host, about.name})
			}
		}
	}
	w.archive(about)
}

// archive adds pages of a ministry that are about other things, or very little.
func (w *web) archive(by *publisher) {
	t := by.words
	for i := range 3 + 40*(w.scale-1) {
		title := fmt.Sprintf("%s %d/%d", t.page.news, i+1, 2000+w.random.IntN(24))
		p := w.page(by, t, by.path(t.paths.news, title), title)
		for range 3 + w.random.IntN(4) {
			p.content.paragraph(w.pick(t.filler) + " " + w.pick(t.method))
		}
	}
}

// fronts fills the pages that every publisher has.
func (w *web) fronts() {
	for _, by := range w.order {
		if by.path != "/" {
			continue
		}
		p, t := by.by, by.words
		about := w.page(p, t, "/"+t.paths.about+"/", t.page.about+" · "+p.name)
		for _, one := range []*page{p.front, about, p.data} {
			one.content.paragraph(fmt.Sprintf(w.pick(t.intro), p.name, p.place.named(t), t.sectors[w.random.IntN(5)]))
			one.content.paragraph(w.pick(t.filler) + " " + w.pick(t.filler))
		}
		p.front.links = append(p.front.links, link{about.url(), t.page.about})
		for _, other := range p.listed {
			if len(p.front.links) < 12 && other.path != "/" && other.mapped && other.content.text.Len() > 0 {
				p.front.links = append(p.front.links, link{other.url(), other.title})
			}
		}
	}
}
