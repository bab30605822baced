package site

import (
	"net/url"
	"slices"
	"strings"
	"sync"
)

// A Label describes the true content of an address, for an emulated model's answers.
type Label struct {
	// Datasets are the datasets that the page describes, or that the file belongs to, in
	// the page's words: a translation has its own title and quote, an older edition its
	// own years. Their URL is that of the dataset's page in every label.
	Datasets []Dataset
	File     bool // it is a file of its datasets, or their dashboard
	Absent   []Absence
	// Leads are the datasets that the page announces or links, also by way of a list.
	Leads []Dataset
}

// running are the webs of this process.
var running sync.Map

// Labels returns the labels of an address, one for each running web that has it. known
// reports whether a web has the address, with a label or without.
func Labels(address string) (all []Label, known bool) {
	if catalogue, _, ok := strings.Cut(address, "/dataset/?q="); ok {
		address = catalogue + "/" // its own search lists some of what the catalogue has
	}
	at := key(address)
	running.Range(func(s, _ any) bool {
		if l, ok := s.(*Server).labels()[at]; ok {
			all, known = append(all, l), true
		}
		return true
	})
	return all, known
}

// Published returns the datasets of all running webs about a place of one of these names.
func Published(names []string) (all []Dataset) {
	running.Range(func(s, _ any) bool {
		for _, d := range s.(*Server).Truth() {
			if d.Place.Called(names) {
				all = append(all, d)
			}
		}
		return true
	})
	return all
}

// Called reports whether one of names is a name of p.
func (p Place) Called(names []string) bool {
	return slices.Contains(names, p.Name) || slices.Contains(names, p.Local)
}

// key returns an address without the parts that do not identify the page.
func key(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	q := u.Query()
	for name := range q {
		if strings.HasPrefix(name, "utm_") {
			q.Del(name)
		}
	}
	return strings.ToLower(u.Host) + strings.TrimSuffix(u.Path, "/") + "?" + q.Encode()
}

// told is a dataset that a page describes, or only announces.
type told struct {
	at      string
	of      *Dataset
	promise bool
}

// tells records that a page describes d.
func (w *web) tells(at string, d *Dataset) { w.told = append(w.told, told{at, d, false}) }

// label makes the labels of all addresses of s.
func (s *Server) label() map[string]Label {
	w, _ := s.made()
	all := map[string]Label{}
	for _, p := range w.order {
		all[key(p.url())] = Label{}
	}
	change := func(address string, do func(*Label)) {
		l := all[key(address)]
		do(&l)
		all[key(address)] = l
	}
	for _, t := range w.told {
		if t.promise {
			change(t.at, func(l *Label) { l.Leads = append(l.Leads, *t.of) })
			continue
		}
		change(t.at, func(l *Label) { l.Datasets = append(l.Datasets, *t.of) })
		for _, f := range t.of.Files {
			change(f, func(l *Label) { l.Datasets, l.File = append(l.Datasets, *t.of), true })
		}
	}
	for _, a := range w.absent {
		change(a.URL, func(l *Label) { l.Absent = append(l.Absent, a) })
	}
	for range 4 { // a front page links a list, a list its next page, that one datasets
		w.lead(all, change)
	}
	return all
}

// lead records the datasets to which the links of publishers' pages lead. News, blogs and
// forums lead to none.
func (w *web) lead(all map[string]Label, change func(string, func(*Label))) {
	for _, p := range w.order {
		if slices.Contains([]string{"news", "blog", "forum", "fake"}, p.by.tier) {
			continue
		}
		for _, to := range p.links {
			l := all[key(to.URL)]
			change(p.url(), func(from *Label) {
				for _, d := range slices.Concat(l.Datasets, l.Leads) {
					if !slices.ContainsFunc(from.Leads, func(known Dataset) bool { return known.URL == d.URL && known.Title == d.Title }) {
						from.Leads = append(from.Leads, d)
					}
				}
			})
		}
	}
}

// A Score counts the right records, and the datasets that they cover.
type Score struct{ Right, Records, Found, Truth int }

// Precision returns the share of records that are right, Recall that of datasets that were
// found. Of nothing they are 0.
func (s Score) Precision() float64 { return float64(s.Right) / float64(max(1, s.Records)) }
func (s Score) Recall() float64    { return float64(s.Found) / float64(max(1, s.Truth)) }

// Add returns the sum of s and o.
func (s Score) Add(o Score) Score {
	return Score{s.Right + o.Right, s.Records + o.Records, s.Found + o.Found, s.Truth + o.Truth}
}

// Score compares the addresses of records with the datasets about a place in these sectors.
// Only the first record of a dataset is right. missed are the datasets without a record.
func (s *Server) Score(place Place, sectors, records []string) (score Score, missed []Dataset) {
	found := map[string]bool{}
	at := map[string]string{}
	var truth []Dataset
	for _, d := range s.Truth() {
		if d.Place != place || !slices.ContainsFunc(d.Sectors, func(sector string) bool { return slices.Contains(sectors, sector) }) {
			continue
		}
		truth = append(truth, d)
		for _, address := range slices.Concat([]string{d.URL}, d.Files, d.Also) {
			at[key(address)] = d.URL
		}
	}
	for _, r := range records {
		if hit := at[key(r)]; hit != "" && !found[hit] {
			found[hit] = true
			score.Right++
		}
	}
	for _, d := range truth {
		if !found[d.URL] {
			missed = append(missed, d)
		}
	}
	score.Records, score.Found, score.Truth = len(records), len(found), len(truth)
	return score, missed
}
