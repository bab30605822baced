// Package query reads what people say of products, in the words of a shop's domain.
//
//	"kinh ram nu, khong phai mau den, duoi 2 trieu" → sunglasses, women, not black, ≤ 2,000,000 VND
//
// What words mean stands in a Vocabulary, which is a data file: codes by facet, and what
// people call them, with their marks or without, and in long words with a letter wrong.
// Nothing here asks a model.
package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/whatis/internal/textfold"
)

// Brand is the facet that brands are of; they are those of a shop, and in no vocabulary.
const Brand = "brand"

// A Code is one of a facet's.
type Code struct {
	Facet string `json:"facet"`
	Code  string `json:"code"`
}

// A Vocabulary is what the shops of one domain call their facets: canonical codes,
// and the words that people use for them. It is a data file.
type Vocabulary struct {
	Domain string  `json:"domain"`
	Facets []Facet `json:"facets"`
	// Unsure are words that without their marks are others too, such as tim: tím is
	// purple, tìm is to seek. They count behind a word of the domain alone.
	Unsure []string `json:"unsure"`
	// Ignore are phrases that say nothing of a product though a word of them might: a
	// round face.
	Ignore []string `json:"ignore"`
	// Pictures say what a picture shows that is searched by, and what others do.
	Pictures struct {
		Of    []string `json:"of"`
		Other []string `json:"other"`
	} `json:"pictures"`

	codes  map[string]map[string]string // facet → folded word → code
	phrase Phrases                      // of all facets
}

// A Facet is a property that products are told apart by, such as color.
type Facet struct {
	Name string   `json:"name"`
	En   string   `json:"en"`
	Vi   string   `json:"vi"`
	Also []string `json:"also"` // what else the facet itself is called
	// Sentence is the word before its value in a normalised query; "" puts the value
	// alone, before all others.
	Sentence string  `json:"sentence"`
	Values   []Value `json:"values"`
}

// A Value is one of a facet's: its code, its names in two languages, and what else
// it is called.
type Value struct {
	Code string   `json:"code"`
	En   string   `json:"en"`
	Vi   string   `json:"vi"`
	Also []string `json:"also"`
}

// Parse reads a vocabulary. It refuses one in which a word of a facet
// stands for two codes.
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

// words are the codes of a facet by each folded word for them.
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

// vietnameseD is the one Vietnamese letter that is no letter with a mark.
var vietnameseD = strings.NewReplacer("đ", "d", "Đ", "d")

// folded is a word without case, marks, spaces and signs: "Kính Râm", "kinh ram"
// and "kinhram" are one.
func folded(s string) string { return textfold.String(vietnameseD.Replace(s)) }

// forgiving is the length in letters from which one wrong letter is forgiven.
const forgiving = 6

// Code returns the code of a value of a facet, whatever of its words says it, with
// or without diacritics. One letter too many, too few, wrong, or two changed about
// are forgiven in long words, where only one code is as near.
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

// Label is the name of a value in that language, English unless it is vi; the
// code itself if the facet has no such value.
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

// Codes are the codes of a facet, in the order of the file.
func (v *Vocabulary) Codes(facet string) []string {
	var codes []string
	for _, value := range v.Facet(facet).Values {
		codes = append(codes, value.Code)
	}
	return codes
}

// Facet is the facet of that name; the zero value if there is none.
func (v *Vocabulary) Facet(name string) Facet {
	if i := slices.IndexFunc(v.Facets, func(f Facet) bool { return f.Name == name }); i >= 0 {
		return v.Facets[i]
	}
	return Facet{}
}

// oneEdit reports that a becomes b by one letter more, one less, another, or by two
// neighbours that change places.
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
