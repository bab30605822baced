package answers

import (
	"cmp"
	"strings"

	"example.com/whatis/emulators/samples"
)

// mergeObservations merges what the photos of one request show, at least one: the text of
// all of them, and the first known pack.
func mergeObservations(photos []*observation) *observation {
	if len(photos) == 1 {
		return photos[0]
	}
	all := &observation{photos: map[*samples.Sample]int{}}
	var known []*samples.Sample
	for i, s := range photos {
		for _, l := range s.lines {
			l.photo = i + 1
			if s.names(l) {
				all.lines = append(all.lines, l)
			} else {
				all.addLine(l)
			}
		}
		for _, c := range s.codes {
			all.codes = append(all.codes, seenCode{c.Box, i + 1})
		}
		all.wants = all.wants.and(s.wants)
		all.looks = append(all.looks, s.looks...)
		if s.sample != nil {
			known = append(known, s.sample)
			if _, ok := all.photos[s.sample]; !ok {
				all.photos[s.sample] = i + 1
			}
		}
	}
	all.looks = distinct(all.looks, len(all.looks))
	all.words = wordsOf(all.texts()...)
	all.name(known, len(known) == len(photos))
	return all
}

// names reports whether a line is the name or the brand of the pack in sight: it is
// reported for each photo that has it.
func (s *observation) names(l seenLine) bool {
	return s.sample != nil && l.text != "" && (l.text == s.sample.Truth.Name || l.text == s.sample.Truth.Brand)
}

// addLine adds a line that no earlier photo has, ignoring spaces. A line that was read
// already becomes clear or larger if it is so here.
func (s *observation) addLine(l seenLine) {
	letters := strings.Join(splitWords(l.text), "")
	for i := range s.lines {
		had := &s.lines[i]
		if strings.Join(splitWords(had.text), "") == letters {
			had.clear = had.clear || l.clear
			had.height = max(had.height, l.height)
			return
		}
	}
	s.lines = append(s.lines, l)
}

// name chooses the sample that names s: the first legible pack, else the first illegible
// one. It is a sample without a product only if all photos are samples: an unknown photo
// might show a product.
func (s *observation) name(known []*samples.Sample, all bool) {
	of := map[samples.Kind][]*samples.Sample{}
	for _, one := range known {
		of[one.Truth.Kind] = append(of[one.Truth.Kind], one)
	}
	switch readable := of[samples.Product]; {
	case len(readable) > 0:
		s.sample, s.more = readable[0], readable[1:]
	case len(of[samples.Unreadable]) > 0:
		s.sample = of[samples.Unreadable][0]
	case all:
		s.sample = known[0]
	}
}

// products counts the packs in observation. Packs of one product count once.
func (s *observation) products() int {
	n := s.sample.Truth.Count
	counted := []*samples.Sample{s.sample}
	for _, one := range s.more {
		if !anyLike(counted, one) {
			n += one.Truth.Count
			counted = append(counted, one)
		}
	}
	return n
}

func anyLike(list []*samples.Sample, one *samples.Sample) bool {
	for _, other := range list {
		if other.Truth.Is(one.Truth.Brand, cmp.Or(one.Truth.FullName, one.Truth.Name)) {
			return true
		}
	}
	return false
}
