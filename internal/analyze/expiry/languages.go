package expiry

import (
	"cmp"
	"embed"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
)

// Each file of languages is what packs in one language print: names of months, the words
// beside dates, units of periods. Its lines are "key: words". A star stands for any ending,
// and a complete word takes precedence over it; a word with points also stands for itself
// without them. A prefix of three letters or more stands for the name of a month, unless two
// months share it; those under "whole months" have prefixes that are other words. Words of
// a joined script are found anywhere in a run of letters. Without "order" a word does not
// tell in which order the parts of a date are, because packs elsewhere have it, too.
//
//go:embed languages/*.txt countries.txt
var languageFiles embed.FS

// A language is one file of languages.
type language struct {
	code  string
	words map[string][]string // by key
}

// months returns the names of the twelve months under key.
func (l language) months(key string) (names [12][]string) {
	for i, month := range strings.Split(strings.Join(l.words[key], " "), ";") {
		names[i%12] = strings.Fields(month)
	}
	return names
}

// readWords returns the words of a file by key.
func readWords(path string) map[string][]string {
	data, err := languageFiles.ReadFile(path)
	if err != nil {
		panic(fmt.Sprintf("expiry: read %s: %v", path, err)) // it is embedded
	}
	words := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		if key, values, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			words[key] = strings.Fields(values)
		}
	}
	return words
}

// languages returns all languages, English first.
var languages = sync.OnceValue(func() (all []language) {
	files, err := languageFiles.ReadDir("languages")
	if err != nil {
		panic(fmt.Sprintf("expiry: read languages: %v", err)) // they are embedded
	}
	for _, f := range files {
		all = append(all, language{code: strings.TrimSuffix(f.Name(), ".txt"), words: readWords("languages/" + f.Name())})
	}
	slices.SortStableFunc(all, func(a, b language) int { return cmp.Compare(rank(a), rank(b)) })
	return all
})

// rank puts English first: its words are used everywhere.
func rank(l language) int {
	if l.code == "en" {
		return 0
	}
	return 1
}

// countries are the customs of countries, by key.
var countries = sync.OnceValue(func() map[string][]string { return readWords("countries.txt") })

// orders are the orders of a date's parts as files name them.
var orders = map[string]order{"day month year": dayFirst, "month day year": monthFirst, "year month day": yearFirst}

// labelKinds are the keys whose words are labels.
var labelKinds = []struct {
	key string
	Kind
}{
	{"best_before", BestBefore}, {"use_by", UseBy}, {"expiry", Expiry}, {"production", Production}, {"other", otherDate}, {"lot", lotNumber},
}

// A vocabulary is what all languages say. Words are as [plain] makes them.
type vocabulary struct {
	whole, begin map[string]label // labels by complete words, and by prefixes
	joined       []joinedLabel    // labels of joined scripts, longest first
	months       map[string]int
	units        map[string]string // words for units of time by letters of ISO 8601
	joinedUnits  []string          // units that follow a number directly, longest first
	// opened are words for opening a pack; from say when a period begins; beside have no
	// meaning of their own; after are labels that follow their date.
	opened, from, beside, after map[string]bool
	pointed                     *strings.Replacer // takes the points from words such as S.K.T
}

// A joinedLabel is a label that is searched for in runs of letters.
type joinedLabel struct {
	label
	word string
}

var words = sync.OnceValue(func() vocabulary {
	v := vocabulary{map[string]label{}, map[string]label{}, nil, map[string]int{}, map[string]string{}, nil,
		map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, nil}
	whole := map[string]int{}
	var pointed []string
	for _, l := range languages() {
		for _, values := range l.words {
			for _, w := range values {
				if folded := strings.Trim(fold(w), ";"); strings.Contains(strings.Trim(folded, "."), ".") {
					pointed = append(pointed, folded)
				}
			}
		}
		v.addLabels(l)
		v.addMonths(l, whole)
		for key, letter := range map[string]string{"day": "D", "week": "W", "month": "M", "year": "Y"} {
			for _, w := range l.words[key] {
				v.units[unpointed(w)] = letter
			}
		}
		for key, set := range map[string]map[string]bool{"opened": v.opened, "from": v.from, "beside": v.beside, "after the date": v.after} {
			for _, w := range l.words[key] {
				set[unpointed(w)] = true
			}
		}
		for _, w := range slices.Concat(l.words["units"], joinedUnitsOf(l)) {
			v.joinedUnits = append(v.joinedUnits, unpointed(w))
		}
	}
	for name, month := range whole {
		v.months[name] = month
	}
	longest := func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) }
	slices.SortFunc(v.joinedUnits, longest)
	slices.SortStableFunc(v.joined, func(a, b joinedLabel) int { return cmp.Compare(len(b.word), len(a.word)) })
	slices.SortFunc(pointed, longest)
	var pairs []string
	for _, w := range slices.Compact(pointed) {
		pairs = append(pairs, w, strings.ReplaceAll(w, ".", ""))
	}
	v.pointed = strings.NewReplacer(pairs...)
	return v
})

// joinedUnitsOf returns the units of a joined script that has no list of its own.
func joinedUnitsOf(l language) []string {
	if len(l.words["script"]) == 0 || len(l.words["units"]) > 0 {
		return nil
	}
	return slices.Concat(l.words["day"], l.words["week"], l.words["month"], l.words["year"])
}

// unpointed is a word of a file as it is in a plain text.
func unpointed(w string) string { return strings.ReplaceAll(fold(w), ".", "") }

// addLabels adds the labels of a language. A word that another language has with the same
// meaning and another order tells nothing about the order.
func (v *vocabulary) addLabels(l language) {
	joined := len(l.words["script"]) > 0
	for _, k := range labelKinds {
		for _, w := range l.words[k.key] {
			labelled := label{k.Kind, orders[strings.Join(l.words["order"], " ")]}
			word, prefix := strings.CutSuffix(unpointed(w), "*")
			if joined {
				v.joined = append(v.joined, joinedLabel{labelled, word})
				continue
			}
			table := v.whole
			if prefix {
				table = v.begin
			}
			if was, ok := table[word]; ok && was.order != labelled.order {
				labelled.order = anyOrder
			}
			table[word] = labelled
		}
	}
}

// addMonths adds the names of months and their prefixes; a prefix of two months stands for
// neither. Complete names are collected in whole.
func (v *vocabulary) addMonths(l language, whole map[string]int) {
	for i, names := range l.months("months") {
		for _, name := range names {
			name = unpointed(name)
			whole[name] = i + 1
			runes := []rune(name)
			for end := 3; end < len(runes); end++ {
				prefix, month := string(runes[:end]), i+1
				if was, ok := v.months[prefix]; ok && was != month {
					month = 0
				}
				v.months[prefix] = month
			}
		}
	}
	for i, names := range l.months("whole months") {
		for _, name := range names {
			whole[unpointed(name)] = i + 1
		}
	}
}

// labelOf returns the label that word is.
func (v vocabulary) labelOf(word string) (label, bool) {
	if l, ok := v.whole[word]; ok {
		return l, true
	}
	for end := len(word); end >= 3; end-- {
		if l, ok := v.begin[word[:end]]; ok {
			return l, true
		}
	}
	return label{}, false
}

// labelsIn returns the labels in an item, in order. A word is at most one; a run of a joined
// script may contain several.
func (v vocabulary) labelsIn(word string) []label {
	if !isJoined(firstOf(word)) {
		if l, ok := v.labelOf(word); ok {
			return []label{l}
		}
		return nil
	}
	var found []label
	for rest := range suffixes(word) {
		for _, l := range v.joined {
			if strings.HasPrefix(rest, l.word) {
				found = append(found, l.label)
				break
			}
		}
	}
	return found
}

func firstOf(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// suffixes yields the suffixes of word, the longest first.
func suffixes(word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range word {
			if !yield(word[i:]) {
				return
			}
		}
	}
}
