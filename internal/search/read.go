package search

import (
	"slices"
	"strings"
)

// A reading is what code reads in the words of a query, whatever a model says of it.
type reading struct {
	is        map[string][]string // facet → codes, any of which may hold
	guessed   map[string]bool     // facets whose code is misspelt in the query
	not       []Exclusion
	preferred []string // codes of brands
	price     PriceRange
	rest      []string // the words that say none of that
	lang      string
}

// A mention is a code that stands in a query.
type mention struct {
	Exclusion
	from, to int // its words
	letters  int
	misspelt bool
	not      bool
	prefer   bool
	either   bool // "or" stands between it and the mention before it
}

// brandFacet is the facet that brands are of; they are those of the shop.
const brandFacet = "brand"

// read reads a query, by the vocabulary and the brands of a shop.
func (v *Vocabulary) read(query string, brands phrases) reading {
	price, text := ParsePrice(query)
	r := reading{is: map[string][]string{}, guessed: map[string]bool{}, price: price}
	s := scan{Vocabulary: v, brands: brands, words: wordsOf(text)}
	r.lang = langOf(wordsOf(query))
	for i := 0; i < len(s.words); {
		m, ok := s.at(i, r.lang)
		if !ok {
			r.rest = append(r.rest, s.words[i].written)
			i++
			continue
		}
		s.found = append(s.found, m)
		i = m.to
	}
	r.take(s.found)
	return r
}

// take sorts mentions. Of two codes of one facet the one that is said at greater
// length counts, unless "or" stands between them.
func (r *reading) take(found []mention) {
	length := map[string]int{}
	for _, m := range found {
		codes := r.is[m.Facet]
		switch {
		case m.Facet == "":
		case m.not:
			r.not = append(r.not, m.Exclusion)
		case m.prefer:
			r.preferred = append(r.preferred, m.Code)
		case len(codes) == 0 || !m.either && m.letters > length[m.Facet]:
			r.is[m.Facet], length[m.Facet], r.guessed[m.Facet] = []string{m.Code}, m.letters, m.misspelt
		case m.either && !slices.Contains(codes, m.Code):
			r.is[m.Facet] = append(codes, m.Code)
		}
	}
	for _, not := range r.not {
		r.drop(not)
	}
}

// drop takes a code out of those that may hold.
func (r *reading) drop(not Exclusion) {
	codes := slices.DeleteFunc(r.is[not.Facet], func(code string) bool { return code == not.Code })
	if r.is[not.Facet] = codes; len(codes) == 0 {
		delete(r.is, not.Facet)
	}
}

// A scan goes through the words of a query.
type scan struct {
	*Vocabulary
	brands phrases
	words  []word
	found  []mention
}

// at is the mention that begins at word i: the longest, a negated one with what
// negates it.
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

// code is the code that begins at word i, of as many words as possible; one that is
// misspelt only if no words say one as they are.
func (s *scan) code(i int, lang string) (mention, bool) {
	for misspelt, find := range []func(phrases, []word) (Exclusion, bool){phrases.exact, phrases.near} {
		for n := min(longestPhrase, len(s.words)-i); n > 0; n-- {
			words := s.words[i : i+n]
			for _, p := range []phrases{s.phrase, s.brands} {
				of, ok := find(p, words)
				if ok && (n > 1 || s.sure(i, lang)) {
					return mention{Exclusion: of, from: i, to: i + n, letters: len(keyOf(words)), misspelt: misspelt > 0}, true
				}
			}
		}
	}
	return mention{}, false
}

// cues are words behind which an unsure one is what it seems.
var cues = strings.Fields("mau gong kinh khung")

// sure reports that word i means what the vocabulary says: an unsure one only in
// Vietnamese, behind a cue or behind another mention.
func (s *scan) sure(i int, lang string) bool {
	w := s.words[i]
	if w.marked || !slices.Contains(s.Unsure, w.key) {
		return true
	}
	behind := len(s.found) > 0 && s.found[len(s.found)-1].to == i
	return lang == "vi" && i > 0 && (behind || slices.Contains(cues, s.words[i-1].key))
}

// What says that what follows is not wanted, and what may stand between: fewer words
// behind more.
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

// behindNegation is the place behind a negation at i and the fillers after it; i if
// there is none.
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

// behind is the place behind the first of texts that stands at i; i if none does.
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

// relate says what m has to do with the mention before it: "not black or brown", "black
// or brown", and whether it is only preferred.
func (s *scan) relate(m *mention) {
	for back := max(0, m.from-4); back < m.from; back++ {
		if j := s.behind(back, prefers); j > back && j <= m.from && s.behindFillers(j) >= m.from && m.Facet == brandFacet {
			m.prefer = true
		}
	}
	if len(s.found) == 0 {
		return
	}
	last := s.found[len(s.found)-1]
	if last.Facet != m.Facet {
		return
	}
	or := s.behind(last.to, ors)
	joined := or > last.to && or <= m.from && s.behindFillers(or) >= m.from
	m.either = joined || s.words[m.from].joined && last.to == m.from
	m.not = joined && last.not
	m.prefer = m.prefer || m.either && last.prefer
}
