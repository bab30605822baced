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
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"example.com/whatis/internal/textfold"
)

// Brand is the facet of brands. Its codes come from a shop, not from a vocabulary.
const Brand = "brand"

// A Code is one value of a facet.
type Code struct {
	Facet string `json:"facet"`
	Code  string `json:"code"`
}

// A Vocabulary defines the facets of shops in one domain: canonical codes, and the words
// that people use for them. It is a data file.
type Vocabulary struct {
	Domain string  `json:"domain"`
	Facets []Facet `json:"facets"`
	// Unsure are words that without diacritics are also other words, such as tim: tím is
	// purple, tìm is to search. They count only after a word of the domain.
	Unsure []string `json:"unsure"`
	// Ignore are phrases that do not describe a product although one of their words might,
	// such as "round face".
	Ignore []string `json:"ignore"`
	// Pictures describes the pictures that may be searched by, and other pictures.
	Pictures struct {
		Of    []string `json:"of"`
		Other []string `json:"other"`
	} `json:"pictures"`

	codes  map[string]map[string]string // facet → folded word → code
	phrase Phrases                      // of all facets
}

// A Facet is a property by which products differ, such as color.
type Facet struct {
	Name string   `json:"name"`
	En   string   `json:"en"`
	Vi   string   `json:"vi"`
	Also []string `json:"also"` // other names of the facet
	// Sentence is the word before its value in a normalised query. If empty, the value
	// comes alone, before all others.
	Sentence string  `json:"sentence"`
	Values   []Value `json:"values"`
}

// A Value is a value of a facet: its code, its names in two languages, and other words for
// it.
type Value struct {
	Code string   `json:"code"`
	En   string   `json:"en"`
	Vi   string   `json:"vi"`
	Also []string `json:"also"`
}

// Parse decodes a vocabulary. It is an error if a word of a facet has two codes.
func Parse(data []byte) (*Vocabulary, error) {
	var v Vocabulary
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, fmt.Errorf("query: vocabulary: %w", err)
	}
	v.codes, v.phrase = map[string]map[string]string{}, Phrases{}
	for _, f := range v.Facets {
		words, err := f.words()
		if err != nil {
			return nil, fmt.Errorf("query: vocabulary: facet %q: %w", f.Name, err)
		}
		v.codes[f.Name] = words
		for _, value := range f.Values {
			for _, word := range value.words() {
				v.phrase.Add(word, Code{f.Name, value.Code})
			}
		}
	}
	for _, text := range v.Ignore {
		v.phrase.Add(text, Code{})
	}
	return &v, nil
}

func (v Value) words() []string { return append([]string{v.Code, v.En, v.Vi}, v.Also...) }

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

// folded returns a word without case, diacritics, spaces and punctuation: "Kính Râm", "kinh
// ram" and "kinhram" give the same.
func folded(s string) string { return textfold.String(s) }

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
	if utf8.RuneCountInString(key) < forgiving {
		return "", false
	}
	for word, c := range words {
		if utf8.RuneCountInString(word) < forgiving || !oneEdit(key, word) {
			continue
		}
		if ok && c != code {
			return "", false
		}
		code, ok = c, true
	}
	return code, ok
}

// Label returns the name of a value: Vietnamese for vi, otherwise English; the code itself
// if the facet has no such value.
func (v *Vocabulary) Label(facet, code, lang string) string {
	f := v.Facet(facet)
	i := slices.IndexFunc(f.Values, func(value Value) bool { return value.Code == code })
	switch {
	case i < 0:
		return code
	case lang == "vi":
		return f.Values[i].Vi
	}
	return f.Values[i].En
}

// Codes returns the codes of a facet, in the order of the file.
func (v *Vocabulary) Codes(facet string) []string {
	var codes []string
	for _, value := range v.Facet(facet).Values {
		codes = append(codes, value.Code)
	}
	return codes
}

// Facet returns the facet with that name; the zero value if there is none.
func (v *Vocabulary) Facet(name string) Facet {
	if i := slices.IndexFunc(v.Facets, func(f Facet) bool { return f.Name == name }); i >= 0 {
		return v.Facets[i]
	}
	return Facet{}
}

// oneEdit reports whether a becomes b by inserting, deleting or replacing one letter, or by
// swapping two neighbours.
func oneEdit(a, b string) bool {
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
