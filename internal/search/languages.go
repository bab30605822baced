package search

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	tags "golang.org/x/text/language"
	"golang.org/x/text/message"

	"example.com/whatis/internal/search/query"
)

//go:embed languages/*.json
var languageFiles embed.FS

// Languages are the languages of answers. A query in another is answered in the first, with
// its own words kept.
var Languages = []string{"en", "vi", "ko"}

// A language is the words that answers are written with.
type language struct {
	query.Language `json:"-"`
	Name           string            `json:"name"` // in English
	Or             string            `json:"or"`
	Texts          map[string]string `json:"texts"`
}

// answerLanguages returns the languages of answers, read once: New says if that fails.
var answerLanguages = sync.OnceValues(readLanguages)

// readLanguages returns the languages of answers, in the order of Languages. Each has all
// texts of the first.
func readLanguages() (all []*language, err error) {
	for _, code := range Languages {
		data, err := languageFiles.ReadFile("languages/" + code + ".json")
		if err != nil {
			return nil, fmt.Errorf("search: language %s: %w", code, err)
		}
		l := &language{}
		if err := json.Unmarshal(data, l); err != nil {
			return nil, fmt.Errorf("search: language %s: %w", code, err)
		}
		if l.Language, err = query.ParseLanguage(code, data); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		all = append(all, l)
	}
	return all, nil
}

// languageOf returns the language of answers to a query in the language with that code.
func languageOf(code string) *language {
	all, _ := answerLanguages()
	return all[max(0, slices.Index(Languages, code))]
}

// queryLanguages are the languages as queries are read in them.
func queryLanguages() (all []query.Language) {
	known, _ := answerLanguages()
	for _, l := range known {
		all = append(all, l.Language)
	}
	return all
}

// text returns a text in the language of the answer.
func (s *state) text(key string, args ...any) string {
	text := s.language.Texts[key]
	if len(args) == 0 {
		return text
	}
	return printer(s.lang).Sprintf(text, args...)
}

// printer returns what writes numbers as a language does, English if answers are not written in it.
func printer(lang string) *message.Printer {
	return message.NewPrinter(tags.Make(Languages[max(0, slices.Index(Languages, lang))]))
}
