package site

import (
	"slices"
	"strings"
	"testing"
)

// Every address of a web has a label: those of a dataset name it with the quote that
// stands there, lists lead to what they list, and those who only talk lead nowhere.
func TestLabels(t *testing.T) {
	s, err := Start(Options{Seed: 11})
	if err != nil {
		t.Fatal(err)
	}
	w, _ := s.made()
	for _, p := range w.order {
		labels, known := Labels(p.url() + "#top")
		if !known || len(labels) == 0 {
			t.Fatalf("%s has no label", p.url())
		}
		for _, l := range labels {
			for _, d := range l.Datasets {
				if p.body == nil && !l.File && !strings.Contains(p.content.text.String(), d.Quote) {
					t.Errorf("%s is labelled with %q, which does not stand there", p.url(), d.Quote)
				}
			}
			talks := slices.Contains([]string{"news", "blog", "forum", "fake"}, p.by.tier)
			if talks && len(l.Datasets)+len(l.Leads) > 0 {
				t.Errorf("%s of a %s is labelled with data", p.url(), p.by.tier)
			}
		}
	}
	for _, d := range s.Truth() {
		for _, address := range slices.Concat([]string{d.URL, d.Files[0] + "?utm_source=x"}, d.Files, d.Also) {
			labels, _ := Labels(address)
			if !slices.ContainsFunc(labels, func(l Label) bool {
				return slices.ContainsFunc(l.Datasets, func(of Dataset) bool { return of.URL == d.URL })
			}) {
				t.Errorf("%s is not labelled with %s", address, d.URL)
			}
		}
	}
	for _, a := range s.Absent() {
		labels, _ := Labels(a.URL)
		if !slices.ContainsFunc(labels, func(l Label) bool { return slices.Contains(l.Absent, a) }) {
			t.Errorf("%s is not labelled with %q", a.URL, a.Quote)
		}
	}
	if fronts, _ := Labels("http://" + w.order[0].by.host); len(fronts) != 1 || len(fronts[0].Leads) == 0 {
		t.Errorf("the front page of %s leads nowhere: %+v", w.order[0].by.host, fronts)
	}
	if n := len(Published([]string{w.places[0].Local})); n < 10 {
		t.Errorf("%d datasets are published about %s, want ten at least", n, w.places[0].Local)
	}
	first := w.order[0].url()
	s.Close()
	if _, known := Labels(first); known {
		t.Errorf("%s is known when its web has ended", first)
	}
}

// Only the first record of a dataset is right, and what is about another sector is not.
func TestScore(t *testing.T) {
	s, err := Start(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	place := s.Places()[0]
	var of, other *Dataset
	for _, d := range s.Truth() {
		switch {
		case d.Place != place || len(d.Sectors) > 1 || len(d.Also) == 0:
		case d.Sectors[0] == "waste":
			of = &d
		default:
			other = &d
		}
	}
	score, missed := s.Score(place, []string{"waste"}, []string{of.URL, of.Also[0], other.URL, "http://example.com/"})
	if score.Right != 1 || score.Records != 4 || score.Found != 1 || score.Truth != len(missed)+1 || score.Precision() != 0.25 {
		t.Errorf("Score = %+v, %d missed; want one right of four", score, len(missed))
	}
	if sum := score.Add(Score{}); sum != score || (Score{}).Recall() != 0 {
		t.Errorf("Add of nothing = %+v, want %+v", sum, score)
	}
}
