package search

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/whatis/internal/search/query"
	"example.com/whatis/internal/textfold"
)

//go:embed facts.markdown
var eyewearFacts []byte

// A Fact is what a shop says of one thing, such as a material or returns.
type Fact struct {
	Code  string            // its first name, folded to letters, digits and underscores
	Names []string          // that people call it by
	Texts map[string]string // by language; "" is that of the file
}

// EyewearFacts returns the notes that come with the program: on materials of frames and
// lenses.
func EyewearFacts() ([]Fact, error) { return ParseFacts(eyewearFacts) }

// mostFacts is how many facts a file may have: the model is told all of their names.
const mostFacts = 60

// inLanguage matches the language that a paragraph begins with: [vi] Titan là …
var inLanguage = regexp.MustCompile(`^\[([a-z]{2})\]\s+`)

// ParseFacts reads the facts in a file of Markdown. A heading of the second level has the
// names of a fact, between commas, and the paragraphs behind it are quoted as they are. One
// that begins with a language in brackets is for questions in that language. Headings of the
// first level are for the reader of the file.
func ParseFacts(data []byte) (facts []Fact, err error) {
	of := -1
	for block := range strings.SplitSeq(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n\n") {
		for block = strings.TrimSpace(block); strings.HasPrefix(block, "#"); block = strings.TrimSpace(block) {
			var heading string
			heading, block, _ = strings.Cut(block, "\n")
			if of = -1; !strings.HasPrefix(heading, "## ") {
				continue
			}
			fact, err := newFact(strings.TrimPrefix(heading, "## "))
			if err != nil {
				return nil, err
			}
			facts, of = append(facts, fact), len(facts)
		}
		if block != "" && of >= 0 {
			facts[of].add(strings.Join(strings.Fields(block), " "))
		}
	}
	return facts, checkFacts(facts)
}

func newFact(heading string) (Fact, error) {
	f := Fact{Texts: map[string]string{}}
	for name := range strings.SplitSeq(heading, ",") {
		if name = strings.TrimSpace(name); textfold.String(name) != "" {
			f.Names = append(f.Names, name)
		}
	}
	if len(f.Names) == 0 {
		return f, fmt.Errorf("search: facts: the heading %.40q has no name: write one, as ## Returns, refunds", heading)
	}
	f.Code = strings.Join(textfold.Words(f.Names[0]), "_")
	return f, nil
}

func (f Fact) add(paragraph string) {
	lang := ""
	if m := inLanguage.FindStringSubmatch(paragraph); m != nil {
		lang, paragraph = m[1], strings.TrimPrefix(paragraph, m[0])
	}
	f.Texts[lang] = strings.TrimSpace(f.Texts[lang] + " " + paragraph)
}

func checkFacts(facts []Fact) error {
	if len(facts) == 0 {
		return errors.New("search: facts: the file has none: write a heading such as ## Returns, and below it what the shop says of them")
	}
	if len(facts) > mostFacts {
		return fmt.Errorf("search: facts: the file has %d headings, at most %d fit: join some", len(facts), mostFacts)
	}
	seen := map[string]bool{}
	for _, f := range facts {
		switch {
		case seen[f.Code]:
			return fmt.Errorf("search: facts: the heading %q is there twice: join its texts", f.Names[0])
		case len(f.Texts) == 0:
			return fmt.Errorf("search: facts: nothing stands below the heading %q: write what the shop says of it", f.Names[0])
		}
		seen[f.Code] = true
	}
	return nil
}

// text returns the text of a fact in a language, else in that of the answer, else in that of the
// file.
func (f Fact) text(asked, answer string) string {
	for _, of := range append([]string{asked, answer, "", "en"}, sortedKeys(f.Texts)...) {
		if text := f.Texts[of]; text != "" {
			return text
		}
	}
	return ""
}

// factLines describes facts to the model.
func factLines(facts []Fact) string {
	var lines []string
	for _, f := range facts {
		lines = append(lines, fmt.Sprintf("- %s: %s", f.Code, strings.Join(f.Names, ", ")))
	}
	return strings.Join(lines, "\n")
}

// factsAsked returns the facts that a question is about: those that the model named, else
// those whose names are in the question, in that order.
func (s *state) factsAsked() (asked []Fact) {
	for _, code := range s.understanding.About {
		if i := slices.IndexFunc(s.shop.known, func(f Fact) bool { return f.Code == code }); i >= 0 {
			asked = append(asked, s.shop.known[i])
		}
	}
	if len(asked) > 0 {
		return asked
	}
	names := query.Phrases{}
	for _, f := range s.shop.known {
		for _, name := range f.Names {
			names.Add(name, query.Code{Code: f.Code})
		}
	}
	for _, code := range names.All(s.query) {
		i := slices.IndexFunc(s.shop.known, func(f Fact) bool { return f.Code == code.Code })
		asked = append(asked, s.shop.known[i])
	}
	return asked
}

// showFacts adds the products that have what the facts are about, if nothing else is wanted:
// a fact may be of a value of a facet.
func (s *state) showFacts() {
	if s.want.says() {
		return
	}
	for _, f := range s.facts {
		for _, facet := range s.shop.vocabulary.Facets {
			if code, ok := s.shop.vocabulary.Exact(facet.Name, f.Names[0]); ok {
				s.want.is[facet.Name] = append(s.want.is[facet.Name], code)
			}
		}
	}
}

// quoted returns the answer of facts.
func (s *state) quoted() []FAQ {
	var all []FAQ
	asked, _, _ := strings.Cut(strings.ToLower(s.understanding.Lang), "-") // also one that answers are not written in
	for _, f := range s.facts {
		all = append(all, FAQ{Question: s.query, About: f.Names[0], Quote: f.text(cmp.Or(s.Lang, asked), s.lang), Source: "facts#" + f.Code})
	}
	return all
}
