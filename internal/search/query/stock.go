package query

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/whatis/internal/textfold"
)

// A Held is a value that products of a shop have.
type Held struct {
	Name  string // as a product has it
	Count int64  // of products for sale
}

// firstWord is the smallest length, in letters, of a brand's first word that identifies it
// alone.
const firstWord = 5

// Of returns the vocabulary of a shop: v laid over the values that its products have, by
// facet. A facet of v whose words the shop hardly uses has the shop's values alone, and one
// that no product has is left out. Of a shop whose values are unknown, v counts as it is.
func (v *Vocabulary) Of(stock map[string][]Held) *Vocabulary {
	of := &Vocabulary{Domain: v.Domain, Goods: v.Goods, Unsure: v.Unsure, Advice: v.Advice}
	known := len(stock) > 0
	for _, f := range v.Facets {
		held, has := stock[f.Name]
		switch {
		case has && v.uses(f.Name, held):
			of.Facets = append(of.Facets, f.with(v, held))
		case has:
			of.Facets = append(of.Facets, Facet{Name: f.Name, Sentence: f.Sentence}.with(v, held))
		case !known:
			of.Facets = append(of.Facets, f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(stock)) {
		if v.Facet(name).Name == "" && len(stock[name]) > 0 {
			of.Facets = append(of.Facets, Facet{Name: name}.with(v, stock[name]))
		}
	}
	categories := stock["category"]
	if known && !v.uses("category", categories) {
		of.sells(categories)
	}
	if !known || len(categories) > 0 && !slices.ContainsFunc(categories, func(h Held) bool { return !v.uses("category", []Held{h}) }) {
		of.Pictures = v.Pictures // what is not sold in the domain may be sold beside it
	}
	return of.indexed()
}

// uses reports whether of most of a shop's products the value of a facet is a word of v: one word in
// common, as frames of glasses and of bicycles, is chance.
func (v *Vocabulary) uses(facet string, held []Held) bool {
	common, all := int64(0), int64(0)
	for _, h := range held {
		all += max(h.Count, 1)
		if _, ok := v.Exact(facet, h.Name); ok {
			common += max(h.Count, 1)
		}
	}
	return 2*common > all
}

// sells describes a shop of another domain by its categories.
func (v *Vocabulary) sells(categories []Held) {
	names := []string{}
	for _, h := range byCount(categories)[:min(len(categories), mostGoods)] {
		names = append(names, h.Name)
	}
	v.Domain, v.Goods, v.Advice = cmp.Or(strings.Join(names, ", "), "products"), map[string][]string{}, nil
}

// mostGoods is how many categories describe what a shop sells.
const mostGoods = 8

func byCount(held []Held) []Held {
	return slices.SortedFunc(slices.Values(held), func(a, b Held) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
	})
}

// with returns f with the values that products have, each counted.
func (f Facet) with(v *Vocabulary, held []Held) Facet {
	f.Values = slices.Clone(f.Values)
	at := map[string]int{}
	for i, value := range f.Values {
		at[value.Code] = i
	}
	f.Unit, f.Number, f.Odd = "", false, nil
	measured, others := int64(0), int64(0)
	for _, h := range byCount(held) {
		if folded(h.Name) == "" {
			continue
		}
		code, ok := "", false
		if len(at) > 0 {
			code, ok = v.Exact(f.Name, h.Name)
		}
		if i, known := at[code]; !ok || !known {
			f.Values = append(f.Values, f.value(h, held))
		} else {
			f.Values[i].Keys, f.Values[i].Count = append(f.Values[i].Keys, folded(h.Name)), f.Values[i].Count+h.Count
		}
		_, unit, number := numberOf(h.Name)
		if number && measured == 0 { // the most frequent
			f.Unit = unit
		}
		if number && measureOf(unit).of == measureOf(f.Unit).of {
			measured += max(h.Count, 1)
		} else {
			others += max(h.Count, 1)
			f.Odd = append(f.Odd, h.Name)
		}
	}
	if f.Number = measured > others*mostOdd; !f.Number {
		f.Unit, f.Odd = "", nil
	}
	return f
}

// mostOdd is how many times as many products must have numbers as others for a facet to be one of
// numbers: a few values, as N/A, are no number and within no bounds.
const mostOdd = 9

// value returns a value that is in no file. The code of a brand is its folded name, as in
// the catalogue; of others it is the value itself.
func (f Facet) value(h Held, held []Held) Value {
	value := Value{Code: h.Name, En: h.Name, Vi: h.Name, Keys: []string{folded(h.Name)}, Count: h.Count}
	if f.Name == Brand {
		value.Code = folded(h.Name)
		if first := textfold.Words(h.Name); len(first) > 1 && len(first[0]) >= firstWord && !shared(first[0], held) {
			value.Also = append(value.Also, first[0])
		}
	}
	return value
}

// shared reports whether more than one brand begins with a word.
func shared(word string, brands []Held) bool {
	n := 0
	for _, h := range brands {
		if words := textfold.Words(h.Name); len(words) > 0 && words[0] == word {
			n++
		}
	}
	return n > 1
}

// numberOf returns a number and the unit behind it: 1.8 kg, or 1,8 kg.
func numberOf(text string) (n float64, unit string, ok bool) {
	text = strings.TrimSpace(text)
	unsigned := strings.TrimLeft(text, "+-−")
	i := strings.LastIndexAny(unsigned, "0123456789") + 1
	plain, sure := textfold.Number(unsigned[:i])
	n, err := strconv.ParseFloat(plain, 64)
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "−") {
		n = -n
	}
	return n, strings.TrimSpace(unsigned[i:]), err == nil && (sure || strings.Contains(plain, "."))
}

// A measure is a unit as a multiple of another.
type measure struct {
	of    string
	times float64
}

// measures are the units that shops mix in one facet.
var measures = map[string]measure{
	"kg": {"g", 1000}, "g": {"g", 1}, "l": {"ml", 1000}, "cl": {"ml", 10}, "ml": {"ml", 1}, "m": {"mm", 1000}, "cm": {"mm", 10}, "mm": {"mm", 1},
}

func measureOf(unit string) measure {
	if m, known := measures[strings.ToLower(unit)]; known {
		return m
	}
	return measure{unit, 1}
}

// Times returns by what a number of a unit is multiplied to be in f's, 1 if they are not of one kind.
func (f Facet) Times(unit string) float64 {
	from, to := measureOf(unit), measureOf(f.Unit)
	if from.of != to.of {
		return 1
	}
	return from.times / to.times
}

// Between reports whether a value of a number facet is from low to high, in f's unit; 0 means no
// bound.
func (f Facet) Between(value string, low, high float64) bool {
	n, unit, ok := numberOf(value)
	n *= f.Times(unit)
	return ok && (low == 0 || n >= low) && (high == 0 || n <= high)
}
