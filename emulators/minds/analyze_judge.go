package minds

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/whatis/emulators/samples"
)

// judgement is the answer of KindJudge.
type judgement struct {
	Seen      string `json:"seen"`
	Name      string `json:"product_name"`
	Brand     string `json:"brand"`
	Confirmed bool   `json:"confirmed"`
	Pick      int    `json:"pick"`
	Reason    string `json:"reason"`
}

func (a *analyze) judge(seen *observation, g given) judgement {
	j := judgement{Seen: "no text read"}
	if len(seen.lines) > 0 {
		j.Seen = "text: " + strings.Join(seen.texts(), "; ")
	}
	if seen.sample != nil && seen.sample.Truth.Kind == samples.Product {
		j.againstTruth(seen.sample.Truth, g)
	} else {
		j.againstText(seen, g)
	}
	j.Reason = j.reason()
	if a.Obedient {
		j.applyInjection(seen.injected())
	}
	return j
}

// againstTruth compares with what the judge reads on a sample pack itself.
func (j *judgement) againstTruth(t samples.Truth, g given) {
	j.Name, j.Brand = t.Name, t.Brand
	j.Confirmed = likeness(t.Brand, t.Name, g.analysis.Brand, g.analysis.Name) == 1
	best := 0.0
	for _, c := range g.candidates {
		if like := likeness(t.Brand, t.Name, c.Brand, c.Name); like > best {
			best, j.Pick = like, c.Number
		}
	}
}

// againstText compares with the words read on any other photo: a name counts
// when all its words, and those of its brand, were read.
func (j *judgement) againstText(seen *observation, g given) {
	covered := func(brand, name string) bool {
		return letters(name) >= 3 && wordsOf(name).within(seen.words) && wordsOf(name, brand).within(seen.words)
	}
	j.Confirmed = covered(g.analysis.Brand, g.analysis.Name)
	if j.Confirmed {
		j.Name, j.Brand = g.analysis.Name, g.analysis.Brand
	}
	longest := 0
	for _, c := range g.candidates {
		if n := len(wordsOf(c.Name)); n > longest && covered(c.Brand, c.Name) {
			longest, j.Pick = n, c.Number
		}
	}
}

// sameName is the share of letters two names must have in common when one of
// them was read only in part.
const sameName = 0.6

// likeness says how far a product is the one that was read: 0 not at all, 1
// for the same brand and the same words of the name. Between them lie names of
// which one holds the other, as when a leaf hides a word or the end of one.
func likeness(brand, name, otherBrand, otherName string) float64 {
	brands := wordsOf(brand, otherBrand)
	if !wordsOf(brand).equal(wordsOf(otherBrand)) {
		return 0
	}
	a, b := wordsOf(name).without(brands), wordsOf(otherName).without(brands)
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	if a.equal(b) {
		return 1
	}
	long, short := joined(name, brands), joined(otherName, brands)
	if len(long) < len(short) {
		long, short = short, long
	}
	share := float64(utf8.RuneCountInString(short)) / float64(utf8.RuneCountInString(long))
	holds := a.within(b) || b.within(a) || strings.HasPrefix(long, short)
	if !holds || share < sameName {
		return 0
	}
	return share
}

// joined runs the words of a name together, those of the brand left out.
func joined(name string, brand wordSet) string {
	words := slices.DeleteFunc(splitWords(name), func(w string) bool { return brand[w] })
	return strings.Join(words, "")
}

func (j *judgement) reason() string {
	switch {
	case j.Pick > 0:
		return fmt.Sprintf("brand and name of candidate %d are those of the photo", j.Pick)
	case j.Confirmed:
		return "brand and name agree with the photo"
	}
	return "nothing in the photo shows that brand and name"
}
