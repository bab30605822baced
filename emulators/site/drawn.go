package site

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// shapes has the templates of a drawn web's pages, its countries, and its phrases by language.
//
//go:embed shapes
var shapes embed.FS

var shapeTemplates = template.Must(template.ParseFS(shapes, "shapes/pages.gohtml"))

// A country of a drawn web.
type country struct{ Code, Name, Local, Form, Language, Gov, Own, Other string }

// phrases are what a drawn web says in a language. Braces are filled in: {part}, {place}.
type phrases struct {
	Waste, Transportation         []string // the subsectors
	Title, Said, Publisher, Notes []string
	List, Abstract, Tables        string
	Download, Next, Year          string
	Submission                    string
	Decoys                        map[string][2]string // by kind: a title and a text
}

// parts returns the subsectors of a sector.
func (p phrases) parts(sector string) []string {
	if sector == "waste" {
		return p.Waste
	}
	return p.Transportation
}

// shaped reads a file of shapes.
func shaped[T any](name string) (v T) {
	data, err := shapes.ReadFile("shapes/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		panic(fmt.Sprintf("site: shapes/%s.json: %v", name, err)) // a mistake in the program
	}
	return v
}

// drawnCountry returns the country and the sector of a drawn web.
func drawnCountry(seed uint64) (c country, sector string) {
	all := shaped[[]country]("countries")
	return all[seed%uint64(len(all))], []string{"waste", "transportation"}[seed/uint64(len(all))%2]
}

// DrawnSector returns the sector that the datasets of a drawn web of a seed are about.
func DrawnSector(seed uint64) string {
	_, sector := drawnCountry(seed)
	return sector
}

func (c country) place() Place {
	return Place{Kind: "country", Country: c.Code, Name: c.Name, Local: c.Local}
}

// A drawing makes a web about one country and sector, from the templates in shapes: a
// statistics portal, a CKAN catalogue, DCAT in JSON-LD, documents of which only the PDF says
// what it has, workbooks behind a page of tables, an archive of workbooks, a list of three
// pages, a page that needs scripts, editions, mirrors, translations, moved pages, and decoys of
// ten kinds.
type drawing struct {
	*web
	country
	phrases
	sector string
	words  *words
	serial int
}

// newDrawn returns the web of a seed.
func newDrawn(o Options) *web {
	c, sector := drawnCountry(o.Seed)
	d := &drawing{
		web:     &web{random: rand.New(rand.NewPCG(o.Seed, 0xd7a3)), scale: o.Scale, hosts: map[string]*publisher{}, pages: map[string]*page{}, coined: map[string]bool{}, places: []Place{c.place()}},
		country: c, phrases: shaped[phrases](c.Language), sector: sector,
		words: map[string]*words{"en": &english, "es": &spanish, "de": &german, "fr": &french, "ko": &korean}[c.Language],
	}
	for n := range max(1, o.Publishers) {
		d.publishers(n == 0)
	}
	for range max(1, o.Scale) {
		d.decoys()
	}
	d.doors()
	return d.web
}

// publishers opens a publisher of each kind with its datasets; the first time also that of the
// archive, whose host is one for all countries.
func (d *drawing) publishers(first bool) {
	c := d.country
	office := d.office(0, "www."+d.coin()+"."+c.Gov, "government")
	bureau := d.office(1, "www."+d.coin()+"."+c.Own, "statistics") // of a domain that anybody may have
	d.portal(office, bureau)
	d.catalogue(d.office(4, "datos."+d.coin()+"."+c.Gov, "government"))
	d.metadata(d.office(5, d.coin()+".org", "ngo"))
	d.documents(d.office(2, "repo."+d.coin()+"."+c.Own, "university"))
	d.workbooks(office)
	if first {
		d.archived(d.host("unfccc.int", "United Nations Climate Change", "unfccc"))
	}
	d.listed(bureau)
	d.scripted(d.office(3, d.coin()+".org", "ngo"))
}

// office opens the host of one of the kinds of publishers.
func (d *drawing) office(kind int, host, tier string) *publisher {
	return d.host(host, d.fill(d.Publisher[kind], map[string]string{"coin": capital(d.coin())}), tier)
}

func (d *drawing) host(name, called, tier string) *publisher {
	by := &publisher{host: name, name: called, tier: tier, words: d.words, place: d.place(), robots: "User-agent: *\nAllow: /\n", serial: 100}
	d.hosts[name] = by
	return by
}

// fill fills in a phrase.
func (d *drawing) fill(phrase string, with map[string]string) string {
	pairs := []string{"{place}", d.Local, "{form}", d.Form, "{other}", d.Other}
	for key, value := range with {
		pairs = append(pairs, "{"+key+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(phrase)
}

// A leaf is what a template shows of a page.
type leaf struct {
	Lang, Title, Publisher, Generator, Root string
	Metadata                                any
	Text                                    []string
	Rows                                    [][]string
	Links                                   []row
	Pager                                   []link
}

// A row is a link with what stands beside it.
type row struct{ URL, Text, Near string }

// put adds a page of a shape.
func (d *drawing) put(by *publisher, shape, path string, l leaf) *page {
	p := d.page(by, by.words, path, l.Title)
	l.Lang, l.Publisher = by.words.code, by.name
	var b bytes.Buffer
	if err := shapeTemplates.ExecuteTemplate(&b, shape, l); err != nil {
		panic(err) // a mistake in the program
	}
	p.body = b.Bytes()
	p.content.text.WriteString(strings.Join(append([]string{l.Title}, l.Text...), "\n"))
	for _, r := range l.Links {
		p.links = append(p.links, link{r.URL, r.Text})
	}
	p.links = append(p.links, l.Pager...)
	return p
}

// path returns a path of a host, in no order.
func (d *drawing) path(format string) string {
	d.serial += 3 + d.random.IntN(40)
	return fmt.Sprintf(format, d.serial)
}

// next is the next dataset; its title and sentence name the place, or give its adjective, or
// leave it to the publisher.
func (d *drawing) next(by *publisher) *Dataset {
	n := len(d.truth)
	parts := d.parts(d.sector)
	one := &Dataset{Publisher: by.name, Tier: by.tier, Language: by.words.code, Place: d.place(), Sectors: []string{d.sector}, Parts: []string{parts[n%len(parts)]}, FirstYear: 1988 + n%25, LastYear: 2015 + d.random.IntN(9)}
	with := d.with(one)
	one.Title, one.Quote = d.fill(d.Title[d.random.IntN(len(d.Title))], with), d.fill(d.Said[d.random.IntN(len(d.Said))], with)
	d.truth = append(d.truth, one)
	return one
}

func (d *drawing) with(one *Dataset) map[string]string {
	return map[string]string{"part": one.Parts[0], "from": fmt.Sprint(one.FirstYear), "to": fmt.Sprint(one.LastYear), "n": fmt.Sprint(d.random.IntN(90))}
}

// figures are the rows of a dataset.
func (d *drawing) figures(one *Dataset) [][]string {
	rows := [][]string{{d.Year, one.Parts[0]}}
	for y := one.FirstYear; y <= one.LastYear; y++ {
		rows = append(rows, []string{fmt.Sprint(y), decimal(900 * d.random.Float64())})
	}
	return rows
}

// store adds a file of a form that holds a dataset; said is the sentence in it, "" for none.
func (d *drawing) store(by *publisher, one *Dataset, form, said string) *page {
	kinds := map[string]string{".csv": "text/csv", ".pdf": "application/pdf", ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".zip": "application/zip", ".xls": "application/vnd.ms-excel"}
	body := []byte("\xd0\xcf\x11\xe0")
	switch form {
	case ".csv":
		body = csvFile(d.figures(one), "utf-8")
	case ".pdf":
		body = pdfFile(one.Title, said, d.figures(one))
	case ".xlsx":
		body = xlsxFile(one.Title, said, d.figures(one))
	case ".zip":
		body = zipFile(map[string][]byte{"crt/part1.xlsx": xlsxFile(one.Title, said, d.figures(one)), "readme.doc": body})
	}
	f := d.page(by, by.words, d.path("/files/%d"+form), one.Title)
	f.kind, f.body, f.indexed, f.mapped = kinds[form], body, false, false
	return f
}

// show puts a page of a dataset, which describes it, with files.
func (d *drawing) show(by *publisher, shape, path string, one *Dataset, l leaf) *page {
	l.Title, l.Text = one.Title, []string{one.Quote, d.pick(d.Notes)}
	l.Rows = d.figures(one)[:6]
	for _, form := range []string{".csv", ".xlsx"}[:1+d.random.IntN(2)] {
		f := d.store(by, one, form, one.Quote)
		one.Files = append(one.Files, f.url())
		l.Links = append(l.Links, row{URL: f.url(), Text: d.Download + " " + strings.ToUpper(form[1:])})
	}
	p := d.put(by, shape, path, l)
	one.URL = p.url()
	d.tells(p.url(), one)
	return p
}

// portal puts two datasets on pages of their own: one with an edition before, a mirror, a
// translation and an address that has moved.
func (d *drawing) portal(office, bureau *publisher) {
	first := d.next(office)
	d.show(office, "portal", d.path("/n/%d"), first, leaf{})
	moved := d.page(office, d.words, d.path("/old/%d"), first.Title)
	moved.behaves, moved.to, moved.mapped = redirects, strings.TrimPrefix(first.URL, "http://"+office.host), false
	moved.content.text.WriteString(first.Title)
	d.told = append(d.told, told{moved.url(), first, true})
	d.copy(office, first, func(c *Dataset) { c.LastYear -= 3; c.Quote = d.fill(d.Said[0], d.with(c)) })
	d.copy(d.office(3, d.coin()+".org", "ngo"), first, func(*Dataset) {})
	d.show(bureau, "portal", d.path("/s/%d"), d.next(bureau), leaf{})
}

// copy puts another page of a dataset, changed.
func (d *drawing) copy(by *publisher, of *Dataset, change func(*Dataset)) {
	c := *of
	c.Files = nil
	change(&c)
	p := d.put(by, "document", d.path("/c/%d"), leaf{Title: c.Title, Text: []string{c.Quote}, Links: []row{{URL: of.URL, Text: of.Title}}})
	d.tells(p.url(), &c)
	of.Also = append(of.Also, p.url())
}

// documents put two datasets into files of which their pages say no more than a title.
func (d *drawing) documents(by *publisher) {
	form := ".pdf"
	if d.words.code == "ko" {
		form = ".xlsx" // the PDFs here have no Hangul
	}
	for range 2 {
		one := d.next(by)
		f := d.store(by, one, form, one.Quote)
		one.URL = f.url()
		p := d.put(by, "document", d.path("/handle/%d"), leaf{Title: one.Title, Text: []string{d.fill(d.Abstract, d.with(one))}, Links: []row{{URL: f.url(), Text: d.Download}}})
		d.held(one, p)
	}
}

// held notes that a dataset stands in a file alone, which a page links.
func (d *drawing) held(one *Dataset, by *page) {
	d.tells(one.URL, one)
	d.told = append(d.told, told{by.url(), one, true})
	one.Also = append(one.Also, by.url())
}

// workbooks puts two datasets into workbooks behind a page of tables, beside one of a kind that
// is not read.
func (d *drawing) workbooks(by *publisher) {
	l := leaf{Title: d.Tables, Text: []string{d.pick(d.Notes)}}
	var all []*Dataset
	for range 2 {
		one := d.next(by)
		f := d.store(by, one, ".xlsx", one.Quote)
		one.URL = f.url()
		all, l.Links = append(all, one), append(l.Links, row{URL: f.url(), Text: d.Download, Near: one.Title})
	}
	old := *all[0]
	l.Links = append(l.Links, row{URL: d.store(by, &old, ".xls", "").url(), Text: d.Download + " XLS", Near: old.Title})
	p := d.put(by, "list", d.path("/t/%d"), l)
	p.content.text.WriteString("\n" + all[0].Title + "\n" + all[1].Title)
	for _, one := range all {
		d.held(one, p)
	}
}

// archived puts a dataset into an archive of workbooks, as the UNFCCC has reporting tables.
func (d *drawing) archived(by *publisher) {
	one := d.next(by)
	f := d.store(by, one, ".zip", one.Quote)
	one.URL = f.url()
	p := d.put(by, "document", d.path("/documents/%d"), leaf{Title: d.Local + ". " + d.fill(d.Submission, d.with(one)), Text: []string{one.Title}, Links: []row{{URL: f.url(), Text: "CRT (ZIP)"}}})
	d.held(one, p)
}

// listed puts a list of three pages that search engines know the first of; two datasets are on
// the later ones.
func (d *drawing) listed(by *publisher) {
	var pages [3][]row
	for i := 1; i < 3; i++ {
		one := d.next(by)
		p := d.show(by, "portal", d.path("/x/%d"), one, leaf{})
		p.indexed, p.mapped = false, false
		pages[i] = append(pages[i], row{p.url(), one.Title, ""})
	}
	for i := range pages {
		for range 4 {
			p := d.decoy("glossary", by)
			p.indexed, p.mapped = false, false
			pages[i] = append(pages[i], row{p.url(), p.title, ""})
		}
		d.random.Shuffle(len(pages[i]), func(a, b int) { pages[i][a], pages[i][b] = pages[i][b], pages[i][a] })
	}
	at := func(n int) string { return "http://" + by.host + fmt.Sprintf("/list?page=%d", n) }
	for i, rows := range pages {
		var pager []link
		if i < 2 {
			pager = []link{{at(i + 2), d.Next}}
		}
		p := d.put(by, "list", fmt.Sprintf("/list?page=%d", i+1), leaf{Title: fmt.Sprintf("%s (%d)", d.List, i+1), Text: []string{d.pick(d.Notes) + " " + d.Local + ", " + strings.Join(d.parts(d.sector), ", ")}, Links: rows, Pager: pager})
		p.indexed = i == 0
	}
}

// scripted puts a dataset on a page that has nothing without scripts.
func (d *drawing) scripted(by *publisher) {
	one := d.next(by)
	p := d.put(by, "script", d.path("/app/%d"), leaf{Title: one.Title})
	p.content.text.WriteString("\n" + one.Quote)
	one.URL = p.url()
	d.tells(p.url(), one)
}

// decoys puts a page of each of ten kinds.
func (d *drawing) decoys() {
	by := d.host("www."+d.coin()+".com", capital(d.coin()), "news")
	for _, kind := range slices.Sorted(maps.Keys(d.Decoys)) {
		d.decoy(kind, by)
	}
}

func (d *drawing) decoy(kind string, by *publisher) *page {
	other := map[string]string{"waste": "transportation", "transportation": "waste"}[d.sector]
	with := map[string]string{"sector": d.pick(d.parts(d.sector)), "part": d.pick(d.parts(d.sector)), "otherpart": d.pick(d.parts(other))}
	return d.put(by, "decoy", d.path("/a/%d"), leaf{Title: d.fill(d.Decoys[kind][0], with), Text: []string{d.fill(d.Decoys[kind][1], with), d.pick(d.Notes)}})
}

// doors puts the front page of each host, which links what stands there.
func (d *drawing) doors() {
	for _, host := range slices.Sorted(maps.Keys(d.hosts)) {
		by := d.hosts[host]
		if d.pages[host+"/"] != nil {
			continue
		}
		var links []row
		for _, p := range by.listed {
			if p.mapped && len(links) < 10 {
				links = append(links, row{p.url(), p.title, ""})
			}
		}
		by.front = d.put(by, "list", "/", leaf{Title: by.name, Text: []string{d.pick(d.Notes)}, Links: links})
	}
}
