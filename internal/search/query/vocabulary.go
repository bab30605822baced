// Package query reads product attributes and prices from queries, with the vocabulary of a
// shop's domain.
//
//	"kinh ram nu, khong phai mau den, duoi 2 trieu" → sunglasses, women, not black, ≤ 2,000,000 VND
//
// A Vocabulary, which is a data file, defines the meaning of words: codes by facet with
// their names. Names match with or without diacritics, and long ones with one wrong letter.
// No model is called.
package query

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"example.com/whatis/internal/textfold"
)

// Brand is the facet of brands. Its codes come from a shop, not from a vocabulary.
const Brand = "brand"

// Face and Skin are what an Advice can be of. They are no property of products.
const (
	Face = "face"
	Skin = "skin"
)

func personal(facet string) bool { return facet == Face || facet == Skin }

// A Code is one value of a facet.
type Code struct {
	Facet string `json:"facet"`
	Code  string `json:"code"`
}

// A Vocabulary defines the facets of a shop: canonical codes, and the words that people use
// for them. Parse reads one from a data file of a domain; Of lays that over what a shop has.
type Vocabulary struct {
	Domain string `json:"domain"`
	// Goods are the words for the products in general, by language. The first is what
	// answers call them. They are part of queries and say nothing.
	Goods  map[string][]string `json:"goods"`
	Facets []Facet             `json:"facets"`
	// Unsure are words that without diacritics are also other words, such as tim: tím is
	// purple, tìm is to search. They count only after a word of the domain.
	Unsure []string `json:"unsure"`
	// Advice says what suits people, by what is known of them: the shape of their face, the
	// tone of their skin.
	Advice []Advice `json:"advice"`
	// Pictures describes the pictures that may be searched by, and other pictures. A shop has them
	// if all that it sells is of the domain: a file of glasses says that food is something else.
	Pictures struct {
		Of    []string `json:"of"`
		Other []string `json:"other"`
	} `json:"pictures"`

	codes  map[string]map[string]string // facet → folded word → code
	phrase Phrases                      // of all facets and faces
	goods  map[string]bool              // folded
}

// An Advice is what suits people of a kind: codes of products' facets.
type Advice struct {
	Of    string              `json:"of"` // Face or Skin
	Value                     // round, with its names
	Suits map[string][]string `json:"suits"`
	Why   map[string]string   `json:"why"` // by language
}

// A Facet is a property by which products differ, such as color.
type Facet struct {
	Name string   `json:"name"`
	En   string   `json:"en"`
	Vi   string   `json:"vi"`
	Ko   string   `json:"ko"`
	Also []string `json:"also"` // other names of the facet
	// Sentence is the word before its value in a normalised query. If empty, the value
	// comes alone, before all others.
	Sentence string  `json:"sentence"`
	Values   []Value `json:"values"`
	// Unit is what numbers are followed by, and Number whether the values are numbers, which
	// are compared as such. Of sets all three.
	Unit   string   `json:"-"`
	Number bool     `json:"-"`
	Odd    []string `json:"-"` // values that are none, if the others are numbers
}

// A Value is a value of a facet: its code, its names, and other words for it.
type Value struct {
	Code string   `json:"code"`
	En   string   `json:"en"`
	Vi   string   `json:"vi"`
	Ko   string   `json:"ko"`
	Also []string `json:"also"`

	// Keys are the folded values of the shop's products that are this one, and Count is how
	// many products for sale have it. Of sets both.
	Keys  []string `json:"-"`
	Count int64    `json:"-"`
}

// Parse decodes a vocabulary. It is an error if a word of a facet has two codes.
func Parse(data []byte) (*Vocabulary, error) {
	var v Vocabulary
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, fmt.Errorf("query: vocabulary: %w", err)
	}
	for _, f := range v.Facets {
		if _, err := f.words(); err != nil {
			return nil, fmt.Errorf("query: vocabulary: facet %q: %w", f.Name, err)
		}
	}
	return v.indexed(), nil
}

// indexed returns v with its words by their keys.
func (v *Vocabulary) indexed() *Vocabulary {
	v.codes, v.phrase, v.goods = map[string]map[string]string{}, Phrases{}, map[string]bool{}
	for _, f := range v.Facets {
		v.codes[f.Name] = map[string]string{}
		for _, value := range f.Values {
			for _, word := range value.words() {
				if key := folded(word); v.codes[f.Name][key] == "" { // what a shop has may repeat a word
					v.codes[f.Name][key] = value.Code
				}
			}
		}
		for _, value := range f.Values {
			for _, word := range value.words() {
				if _, _, number := numberOf(word); !number { // a number alone may be anything
					v.phrase.Add(word, Code{f.Name, value.Code})
				}
			}
		}
	}
	for _, a := range v.Advice {
		for _, word := range a.spoken() {
			v.phrase.Add(word, Code{a.Of, a.Code})
		}
	}
	for _, names := range v.Goods {
		for _, name := range names {
			for _, w := range wordsOf(name) {
				v.goods[w.key] = true
			}
		}
	}
	return v
}

func (v Value) words() []string {
	all := append([]string{v.Code, v.En, v.Vi, v.Ko}, v.Also...)
	if v.Ko == "" {
		all = slices.Delete(all, 3, 4)
	}
	return all
}

// spoken are the words of an advice in a query. Its code alone is none: round is mostly
// said of frames.
func (a Advice) spoken() []string { return a.words()[1:] }

// words returns the codes of a facet by folded word.
func (f Facet) words() (map[string]string, error) {
	if f.Name == "" || len(f.Values) == 0 {
		return nil, errors.New("it needs a name and values")
	}
	words := map[string]string{}
	for _, value := range f.Values {
		for _, word := range value.words() {
			key := folded(word)
			if key == "" {
				return nil, fmt.Errorf("%q has an empty word", value.Code)
			}
			if other, ok := words[key]; ok && other != value.Code {
				return nil, fmt.Errorf("%q stands for %s and for %s", word, other, value.Code)
			}
			words[key] = value.Code
		}
	}
	return words, nil
}

// Advised returns the advice for a face or skin, given by any of its words.
func (v *Vocabulary) Advised(of, value string) (Advice, bool) {
	key := folded(value)
	i := slices.IndexFunc(v.Advice, func(a Advice) bool {
		return a.Of == of && slices.ContainsFunc(a.words(), func(word string) bool { return folded(word) == key })
	})
	if key == "" || i < 0 {
		return Advice{}, false
	}
	return v.Advice[i], true
}

// folded returns a word without case, diacritics, spaces and punctuation: "Kính Râm", "kinh
// ram" and "kinhram" give the same.
func folded(s string) string { return textfold.Name(s) }

// forgiving is the smallest length, in letters, of words in which one wrong letter is
// accepted.
const forgiving = 6

// Code returns the code for a value of a facet, given by any of its words, with or without
// diacritics. Long words may have one letter too many, missing or wrong, or two neighbours
// swapped, if only one code is that close.
func (v *Vocabulary) Code(facet, value string) (code string, ok bool) {
	words, key := v.codes[facet], folded(value)
	if code, ok := words[key]; ok {
		return code, true
	}
	if _, _, number := numberOf(value); number || utf8.RuneCountInString(key) < forgiving { // another number is another value
		return "", false
	}
	for word, c := range words {
		if utf8.RuneCountInString(word) < forgiving || !OneEdit(key, word) {
			continue
		}
		if ok && c != code {
			return "", false
		}
		code, ok = c, true
	}
	return code, ok
}

// Exact is Code for words that are written as the vocabulary or a product writes them.
func (v *Vocabulary) Exact(facet, value string) (code string, ok bool) {
	code, ok = v.codes[facet][folded(value)]
	return code, ok
}

// Label returns the name of a value in a language, English if it has none there; the code
// itself if the facet has no such value.
func (v *Vocabulary) Label(facet, code, lang string) string {
	value, ok := v.Value(facet, code)
	if !ok {
		return code
	}
	return value.Name(lang)
}

// Value returns the value of a facet with that code.
func (v *Vocabulary) Value(facet, code string) (Value, bool) {
	f := v.Facet(facet)
	i := slices.IndexFunc(f.Values, func(value Value) bool { return value.Code == code })
	if i < 0 {
		return Value{}, false
	}
	return f.Values[i], true
}

// Name returns the name of a value in a language, English if it has none there.
func (v Value) Name(lang string) string { return named(lang, v.En, v.Vi, v.Ko) }

// Title returns the name of a facet in a language, its own if it has no other.
func (f Facet) Title(lang string) string { return cmp.Or(named(lang, f.En, f.Vi, f.Ko), f.Name) }

func named(lang, en, vi, ko string) string {
	switch lang {
	case "vi":
		return cmp.Or(vi, en)
	case "ko":
		return cmp.Or(ko, en)
	}
	return en
}

// Facet returns the facet with that name; the zero value if there is none.
func (v *Vocabulary) Facet(name string) Facet {
	if i := slices.IndexFunc(v.Facets, func(f Facet) bool { return f.Name == name }); i >= 0 {
		return v.Facets[i]
	}
	return Facet{}
}

// OneEdit reports whether a becomes b by inserting, deleting or replacing one letter, or by
// swapping two neighbours.
func OneEdit(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	switch len(y) - len(x) {
	case 0:
		return i < len(x) && (slices.Equal(x[i+1:], y[i+1:]) ||
			i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:]))
	case 1:
		return slices.Equal(x[i:], y[i+1:])
	}
	return false
}
