package query

import (
	"slices"
	"strings"
)

// A Reading is what the words of a query say.
type Reading struct {
	Is        map[string][]string // facet → codes, any of which is accepted
	Not       []Code
	Preferred []Code
	Person    map[string]string // what is said of who will wear it: Face and Skin → the code of an Advice
	Price     PriceRange
	Rest      []string // the remaining words
	Lang      string   // the code of a language; "" of one that is unknown
	// Plain reports that nothing of the query can be meant in another way: all its words
	// are of the vocabulary or fillers, each facet has one value, and the price has a bound
	// and a unit.
	Plain bool
}

// A mention is a code that a query mentions.
type mention struct {
	of       Code
	from, to int // indexes of its words
	letters  int
	unsure   bool // misspelt, or also another word
	not      bool
	prefer   bool
	either   bool // "or" is between it and the mention before
}

// Read reads a query. The first of languages is assumed if no words show one.
func (v *Vocabulary) Read(query string, languages []Language) Reading {
	price, text, exact := ParsePrice(query)
	r := Reading{Is: map[string][]string{}, Person: map[string]string{}, Price: price}
	s := scan{Vocabulary: v, words: wordsOf(text)}
	r.Lang = langOf(languages, wordsOf(query))
	plain := exact && !strings.Contains(query, "?")
	for i := 0; i < len(s.words); {
		m, ok := s.at(i, r.Lang)
		if !ok {
			w := s.words[i]
			r.Rest = append(r.Rest, w.written)
			plain = plain && (v.goods[w.key] || filler(languages, w))
			i++
			continue
		}
		s.found = append(s.found, m)
		i = m.to
	}
	r.take(s.found)
	r.Plain = plain && s.plain()
	return r
}

// plain reports whether each mention can mean one thing only.
func (s *scan) plain() bool {
	seen := map[string]bool{}
	for _, m := range s.found {
		if m.unsure || m.not || m.prefer || m.either || personal(m.of.Facet) || seen[m.of.Facet] {
			return false
		}
		seen[m.of.Facet] = true
	}
	return len(s.found) > 0
}

// take sorts mentions into r. Of two codes of a facet, the one with more words counts,
// unless they are joined by "or".
func (r *Reading) take(found []mention) {
	length := map[string]int{}
	for _, m := range found {
		codes := r.Is[m.of.Facet]
		switch {
		case personal(m.of.Facet):
			r.Person[m.of.Facet] = m.of.Code
		case m.not:
			r.Not = append(r.Not, m.of)
		case m.prefer:
			r.Preferred = append(r.Preferred, m.of)
		case len(codes) == 0 || !m.either && m.letters > length[m.of.Facet]:
			r.Is[m.of.Facet], length[m.of.Facet] = []string{m.of.Code}, m.letters
		case m.either && !slices.Contains(codes, m.of.Code):
			r.Is[m.of.Facet] = append(codes, m.of.Code)
		}
	}
	for _, not := range r.Not {
		r.Drop(not)
	}
}

// Drop removes a code from those accepted.
func (r *Reading) Drop(not Code) {
	codes := slices.DeleteFunc(r.Is[not.Facet], func(code string) bool { return code == not.Code })
	if r.Is[not.Facet] = codes; len(codes) == 0 {
		delete(r.Is, not.Facet)
	}
}

// A scan goes through the words of a query.
type scan struct {
	*Vocabulary
	words []word
	found []mention
}

// at returns the mention that begins at word i: the longest one, together with its
// negation.
func (s *scan) at(i int, lang string) (mention, bool) {
	plain, ok := s.code(i, lang)
	if j := s.behindNegation(i); j > i {
		if m, is := s.code(j, lang); is && m.to > plain.to {
			m.from, m.not = i, true
			return m, true
		}
	}
	if !ok {
		return mention{}, false
	}
	s.relate(&plain)
	return plain, true
}

// code returns the code that begins at word i, with as many words as possible. A misspelt
// one counts only if no words match exactly.
func (s *scan) code(i int, lang string) (mention, bool) {
	for misspelt, find := range []func(Phrases, []word) (Code, bool, bool){Phrases.exact, Phrases.near} {
		for n := min(longestPhrase, len(s.words)-i); n > 0; n-- {
			of, other, ok := find(s.phrase, s.words[i:i+n])
			if !ok || n == 1 && !s.sure(i, lang) {
				continue
			}
			unsure := misspelt > 0 || other || n == 1 && !s.words[i].marked && slices.Contains(s.Unsure, s.words[i].key)
			return mention{of: of, from: i, to: i + n, letters: len(keyOf(s.words[i : i+n])), unsure: unsure}, true
		}
	}
	return mention{}, false
}

// cues are words after which an ambiguous word has the meaning in the vocabulary.
var cues = strings.Fields("mau gong kinh khung")

// sure reports whether word i has the meaning in the vocabulary. An ambiguous word has it
// only in Vietnamese, after a cue or another mention.
func (s *scan) sure(i int, lang string) bool {
	w := s.words[i]
	if w.marked || !slices.Contains(s.Unsure, w.key) {
		return true
	}
	behind := len(s.found) > 0 && s.found[len(s.found)-1].to == i
	return lang == "vi" && i > 0 && (behind || slices.Contains(cues, s.words[i-1].key))
}

// Words that negate what follows, and words that may be between, longer phrases first.
var (
	negations = parsed("không phải là", "không phải", "không muốn", "không thích", "không lấy", "không cần", "không", "đừng", "chẳng",
		"ngoại trừ", "loại trừ", "trừ", "khác", "dont want", "do not want", "dont like", "anything but", "other than", "except for", "except",
		"excluding", "avoid", "without", "isnt", "neither", "nor", "not", "no", "non")
	fillers = parsed("màu", "là", "loại", "gọng", "kính", "khung", "kiểu", "dáng", "hãng", "có", "any", "a", "an", "the", "in", "by", "from", "made", "of", "brand", "colour", "color", "too")
	ors     = parsed("hoặc là", "hoặc", "hay", "or", "and", "và", "nor")
	prefers = parsed("ưu tiên", "prefer", "preferably", "preferred", "ideally")
)

func parsed(texts ...string) (all [][]word) {
	for _, text := range texts {
		all = append(all, wordsOf(text))
	}
	return all
}

// behindNegation returns the index after a negation at i and its fillers; i if there is
// none.
func (s *scan) behindNegation(i int) int {
	j := s.behind(i, negations)
	if j == i {
		return i
	}
	return s.behindFillers(j)
}

func (s *scan) behindFillers(j int) int {
	for next := s.behind(j, fillers); next > j; next = s.behind(j, fillers) {
		j = next
	}
	return j
}

// behind returns the index after the first of texts that is at i; i if none is.
func (s *scan) behind(i int, texts [][]word) int {
	for _, text := range texts {
		if i+len(text) > len(s.words) {
			continue
		}
		words := s.words[i : i+len(text)]
		if keyOf(words) == keyOf(text) && said(words, writtenOf(text)) {
			return i + len(text)
		}
	}
	return i
}

func writtenOf(words []word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.written)
	}
	return b.String()
}

// relate sets how m relates to the mention before it ("not black or brown", "black or
// brown"), and whether it is only preferred.
func (s *scan) relate(m *mention) {
	for back := max(0, m.from-4); back < m.from; back++ {
		if j := s.behind(back, prefers); j > back && j <= m.from && s.behindFillers(j) >= m.from && m.of.Facet == Brand {
			m.prefer = true
		}
	}
	if len(s.found) == 0 {
		return
	}
	last := s.found[len(s.found)-1]
	if last.of.Facet != m.of.Facet {
		return
	}
	or := s.behind(last.to, ors)
	joined := or > last.to && or <= m.from && s.behindFillers(or) >= m.from
	m.either = joined || s.words[m.from].joined && last.to == m.from
	m.not = joined && last.not
	m.prefer = m.prefer || m.either && last.prefer
}
