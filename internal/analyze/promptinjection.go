package analyze

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"example.com/whatis/internal/textfold"
)

// detectInjection tells which of lines try to steer a model that reads the photo:
// those that image_analyzer marked as machine_directed, and those that hold a
// pattern of injectionPatterns. A phrase may break over lines; lines beside it
// are not marked with it.
func detectInjection(lines []Line) []bool {
	text, starts := runningText(lines)
	found := make([]bool, len(lines))
	for i, l := range lines {
		found[i] = l.MachineDirected
	}
	for _, p := range injectionPatterns {
		for _, m := range p.find(text) {
			for i := range lines {
				if starts[i] < m[1] && m[0] < starts[i+1]-1 {
					found[i] = true
				}
			}
		}
	}
	return found
}

// splitInjected is a without the lines that detectInjection finds in it, and
// those lines, marked. A line that says what one of known says is such a line too:
// what was found once and stands there still is not to be believed now.
func splitInjected(a Analysis, known []Line) (plain Analysis, injected []Line) {
	is := detectInjection(a.VisibleText)
	plain = a
	plain.VisibleText = nil
	for i, l := range a.VisibleText {
		if is[i] || slices.ContainsFunc(known, l.saysThatOf) {
			l.MachineDirected = true
			injected = append(injected, l)
		} else {
			plain.VisibleText = append(plain.VisibleText, l)
		}
	}
	return plain, injected
}

// saysThatOf reports that l and o are the same text, whatever photo they are on.
func (l Line) saysThatOf(o Line) bool {
	return l.Text == o.Text || textfold.String(l.Text) == textfold.String(o.Text) && textfold.Letters(l.Text) > 0
}

// withoutInjected is a, the answer of a model that has seen the injected lines,
// as far as it can do without them: a name, a feature or a text that stands in
// them and nowhere else on the photo is emptied. All else stays as it was
// concluded, for a second look to decide.
func withoutInjected(a Analysis, injected []Line) Analysis {
	only := onlyIn(injected, a.VisibleText)
	if only(a.NameAsPrinted) || only(a.ProductName) {
		a.NameAsPrinted, a.ProductName = "", ""
	}
	if only(a.BrandAsPrinted) || only(a.Brand) {
		a.BrandAsPrinted, a.Brand = "", ""
	}
	for _, s := range []*string{&a.Category, &a.ImageFeatures, &a.Description} {
		if only(*s) {
			*s = ""
		}
	}
	a.KeyFeatures = slices.DeleteFunc(slices.Clone(a.KeyFeatures), only)
	a.SubBrands = slices.DeleteFunc(slices.Clone(a.SubBrands), only)
	if a.NotProduct && !textless(a) {
		a.NotProduct, a.Description = false, "" // print of its own: there may be something to identify
	}
	a.tidy()
	return a
}

// onlyIn tells whether a text stands in the injected lines and not in the plain
// ones.
func onlyIn(injected, plain []Line) func(string) bool {
	theirs, rest := newReading(injected), newReading(plain)
	return func(s string) bool { return theirs.supports(nil, s) != nil && rest.supports(nil, s) == nil }
}

// dropInjectedAnswers takes back what later models, which have seen injected lines
// too, say of a product that only those lines name.
func (r *rag) dropInjectedAnswers() {
	if !r.reading.unplaced {
		return
	}
	only := onlyIn(r.reading.injected, r.reading.analysis.VisibleText)
	if j := r.facts.judgement; j != nil {
		if only(j.ProductName) || only(j.Brand) {
			j.ProductName, j.Brand = "", ""
		}
		if i := j.Pick - 1; i >= 0 && i < len(r.facts.candidates) && (only(r.facts.candidates[i].ProductName) || only(r.facts.candidates[i].Brand)) {
			j.Pick = 0
		}
	}
	if f := r.facts.finding; f != nil && (only(f.ProductName) || only(f.Brand)) {
		r.facts.finding = nil
	}
}

// runningText is the text of lines, one below the other, as the patterns are
// written: lower case, no marks, NFKC. Line i runs from starts[i] to the line feed
// before starts[i+1].
func runningText(lines []Line) (text string, starts []int) {
	var b strings.Builder
	for _, l := range lines {
		starts = append(starts, b.Len())
		b.WriteString(unmarked(l.Text))
		b.WriteByte('\n')
	}
	return b.String(), append(starts, b.Len())
}

// unmarked is s as the patterns are written. Most print needs no more than lower
// case: ASCII, Hangul, kana and Han have no marks of their own in NFC.
func unmarked(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool {
		return r >= 0x80 && !('\uac00' <= r && r <= '\ud7a3') && !('\u3040' <= r && r <= '\u30ff') && !('\u4e00' <= r && r <= '\u9fff')
	}) {
		return strings.ToLower(s)
	}
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) && r < 0x3000 { // not the voicing of kana
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
	return norm.NFKC.String(s)
}

// find is where p stands in text, but for places where what it asks for is
// forbidden or only considered: never ignore, n'oubliez pas, if you ignore.
func (p injectionPattern) find(text string) [][]int {
	if !slices.ContainsFunc(p.cues, func(cue string) bool { return strings.Contains(text, cue) }) {
		return nil
	}
	return slices.DeleteFunc(p.match().FindAllStringIndex(text, -1), func(m []int) bool {
		before := text[max(0, m[0]-40):m[0]]
		return notAsked().MatchString(before)
	})
}

var notAsked = lazily(`(?:\b(?:not|never|don't|don’t|dont|nicht|pas|no|non|nunca|nao|khong|đung|chua)|\bn['’]|` +
	`\b(?:if|when|who|si|se|quando|wenn|falls|neu)(?: +[\p{L}]+)?|` +
	`勿|不要|不可|不得|不能|别|別|如|若|如果|若是|因|由于)\s*$`)

// lazily compiles a pattern when it is first asked for: most never are.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
