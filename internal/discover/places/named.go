package places

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"example.com/whatis/internal/textfold"
)

// Countries returns the codes of the countries that a text names, by the names of CLDR in
// English and in languages, as whole words. Where the script has capitals, a name begins with
// one: "turkey" is no country. The longest name counts: Papua New Guinea is not Guinea.
func Countries(text string, languages []string) (codes []string) {
	words := spelled(text)
	for _, lang := range append([]string{"en"}, languages...) {
		tag, err := language.Parse(lang)
		if err != nil {
			continue
		}
		base, _ := tag.Base()
		names := namesIn(base.String())
		for i := 0; i < len(words); {
			code, n := names.longest(words[i:])
			if code != "" && !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
			i += max(n, 1)
		}
	}
	return codes
}

// NamesPart reports that a text names a country, in any language of CLDR, or one of its regions.
func NamesPart(text, country string) bool {
	words := spelled(text)
	own := ownNames(country)
	for i := range words {
		if code, _ := own.longest(words[i:]); code != "" {
			return true
		}
	}
	return false
}

// A word of a text, folded; capital says that it may begin a name.
type word struct {
	folded  string
	capital bool
}

// spelled returns the words of a text.
func spelled(text string) (all []word) {
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }) {
		first := []rune(field)[0]
		all = append(all, word{textfold.String(field), !unicode.IsLower(first)})
	}
	return all
}

// nameTable maps the folded words of names, joined by spaces, to codes.
type nameTable struct {
	codes map[string]string
	most  int // words of the longest name
}

func (t *nameTable) add(name, code string) {
	words := spelled(name)
	if len(words) == 0 || len([]rune(textfold.String(name))) < 3 && words[0].folded[0] < 0x80 {
		return
	}
	t.codes[joined(words)] = code
	t.most = max(t.most, len(words))
}

func joined(words []word) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = w.folded
	}
	return strings.Join(parts, " ")
}

// longest returns the code of the longest name at the beginning of words, and its length in
// words. In Hangul one syllable may follow: a particle.
func (t *nameTable) longest(words []word) (code string, n int) {
	if len(words) == 0 || !words[0].capital {
		return "", 0
	}
	for n = min(t.most, len(words)); n > 0; n-- {
		name := joined(words[:n])
		if code = t.codes[name]; code != "" {
			return code, n
		}
		runes := []rune(name)
		if last := len(runes) - 1; last > 1 && unicode.Is(unicode.Hangul, runes[last]) {
			if code = t.codes[string(runes[:last])]; code != "" {
				return code, n
			}
		}
	}
	return "", 0
}

var (
	tablesLock sync.Mutex
	tables     = map[string]*nameTable{}
)

// table returns a table that is made once.
func table(key string, fill func(*nameTable)) *nameTable {
	tablesLock.Lock()
	defer tablesLock.Unlock()
	if t := tables[key]; t != nil {
		return t
	}
	t := &nameTable{codes: map[string]string{}}
	fill(t)
	tables[key] = t
	return t
}

// namesIn are the names of all countries in a language.
func namesIn(lang string) *nameTable {
	return table(lang, func(t *nameTable) {
		namer := display.Regions(language.Make(lang))
		if namer == nil {
			return
		}
		for _, code := range countryCodes() {
			t.add(namer.Name(language.MustParseRegion(code)), code)
		}
	})
}

// ownNames are the names of a country in all languages, and those of its regions.
func ownNames(country string) *nameTable {
	return table("of "+country, func(t *nameTable) {
		region, err := language.ParseRegion(country)
		if err != nil {
			return
		}
		for _, tag := range display.Supported.Tags() {
			if namer := display.Regions(tag); namer != nil {
				t.add(namer.Name(region), country)
			}
		}
		for _, s := range allSubdivisions() {
			if strings.HasPrefix(s.code, country+"-") {
				t.add(s.name, country)
			}
		}
	})
}
