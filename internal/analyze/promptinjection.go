package analyze

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"example.com/whatis/internal/textfold"
)

// detectInjection returns, for each line, whether it tries to steer a model that
// reads the photo: image_analyzer marked it as machine_directed, or it matches one
// of injectionPatterns. A match may cross line breaks; only its lines are marked.
func detectInjection(lines []Line) []bool {
	var text strings.Builder
	starts := []int{0} // line i runs from starts[i] to the line feed before starts[i+1]
	found := make([]bool, len(lines))
	for i, l := range lines {
		found[i] = l.MachineDirected
		text.WriteString(unmarked(l.Text) + "\n")
		starts = append(starts, text.Len())
	}
	for _, p := range injectionPatterns {
		for _, m := range p.find(text.String()) {
			for i := range lines {
				if starts[i] < m[1] && m[0] < starts[i+1]-1 {
					found[i] = true
				}
			}
		}
	}
	return found
}

// splitInjected returns a without the lines that detectInjection finds, and those
// lines, marked. A line with the text of one in known is injected too: it was found
// before and is still there.
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

// saysThatOf reports whether l and o have the same text, on whichever photo.
func (l Line) saysThatOf(o Line) bool {
	return l.Text == o.Text || textfold.String(l.Text) == textfold.String(o.Text) && textfold.Letters(l.Text) > 0
}

// withoutInjected returns a, the answer of a model that has seen the injected
// lines, without names, features and texts that are found in these lines and
// nowhere else on the photo. The rest stays unchanged, for a second look to decide.
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
		a.NotProduct, a.Description = false, "" // the photo has other text: there may be a product
	}
	_ = a.check()
	return a
}

// onlyIn returns a function that reports whether a text is in the injected lines
// and not in the plain ones.
func onlyIn(injected, plain []Line) func(string) bool {
	theirs, rest := newReading(injected), newReading(plain)
	return func(s string) bool { return theirs.cover(s).most() && !rest.cover(s).most() }
}

// dropInjected removes from j the names that only injected lines hold, which its
// model has seen too, and a candidate that only they name.
func (r *rag) dropInjected(j *Judgement) {
	if onlyNames(r.reading.injected, []string{j.NameAsPrinted, j.ProductName, j.BrandAsPrinted, j.Brand}) {
		return
	}
	if r.onlyInjected(j.ProductName) || r.onlyInjected(j.NameAsPrinted) {
		j.ProductName, j.NameAsPrinted = "", ""
	}
	if r.onlyInjected(j.Brand) || r.onlyInjected(j.BrandAsPrinted) {
		j.Brand, j.BrandAsPrinted = "", ""
	}
	if i := j.Pick - 1; i >= 0 && i < len(r.facts.candidates) && (r.onlyInjected(r.facts.candidates[i].ProductName) || r.onlyInjected(r.facts.candidates[i].Brand)) {
		j.Pick = 0
	}
}

// onlyNames reports whether lines hold no words but those of names. Such lines ask for
// nothing: they are the name on a package, wrongly marked.
func onlyNames(lines []Line, names []string) bool {
	known := textfold.Words(strings.Join(names, " "))
	return !slices.ContainsFunc(lines, func(l Line) bool {
		return slices.ContainsFunc(textfold.Words(l.Text), func(w string) bool { return !slices.Contains(known, w) })
	})
}

// onlyInjected reports whether a text stands in injected lines that later models have seen,
// and nowhere else on the photos.
func (r *rag) onlyInjected(s string) bool {
	return r.reading.unplaced && onlyIn(r.reading.injected, r.reading.analysis.VisibleText)(s)
}

// unmarked returns s normalized for the patterns: lower case, no marks and joiners, NFKC.
// Most text needs only lower case: ASCII, Hangul, kana and Han have no separate marks in NFC.
func unmarked(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool {
		return r >= 0x80 && !('\uac00' <= r && r <= '\ud7a3') && !('\u3040' <= r && r <= '\u30ff') && !('\u4e00' <= r && r <= '\u9fff')
	}) {
		return strings.ToLower(s)
	}
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) && r < 0x3000 || unicode.Is(unicode.Cf, r) { // keeps the voicing marks of kana
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
	return norm.NFKC.String(s)
}

// find returns the matches of p in text, except where the order is negated or
// conditional (never ignore, n'oubliez pas, if you ignore) or, for a pattern of an
// order, is only part of a sentence.
func (p injectionPattern) find(text string) [][]int {
	if !slices.ContainsFunc(p.cues, func(cue string) bool { return strings.Contains(text, cue) }) {
		return nil
	}
	return slices.DeleteFunc(p.match().FindAllStringIndex(text, -1), func(m []int) bool {
		before := text[max(0, m[0]-40):m[0]]
		return notAsked().MatchString(before) ||
			p.order && (!startsSentence(before) || conditional().MatchString(text[m[1]:]) || onPaper().MatchString(around(text, m)))
	})
}

// around returns the lines of a match, the one before and the one after.
func around(text string, m []int) string {
	start := strings.LastIndexByte(text[:max(strings.LastIndexByte(text[:m[0]], '\n'), 0)], '\n') + 1
	return text[start:nextLine(text, nextLine(text, m[1]))]
}

// nextLine returns where the line after position i of text starts.
func nextLine(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}

// startsSentence reports whether a sentence starts after the text before: at the start of
// a line, unless the line before ends in a comma, or after the end of a sentence. Words
// of courtesy may stand between.
func startsSentence(before string) bool {
	before = courtesy().ReplaceAllString(before, "")
	end := strings.TrimRight(before, " \n\t\"'“”‘’«»([{<>*#–—-•")
	last, _ := utf8.DecodeLastRuneInString(end)
	return end == "" || strings.ContainsRune(".!?。！？", last) || strings.Contains(before[len(end):], "\n") && !strings.ContainsRune(",;、，；", last)
}

var (
	notAsked = lazily(`(?:\b(?:not|never|don't|don’t|dont|nicht|pas|no|non|nunca|nao|khong|đung|chua)|\bn['’]|` +
		`\b(?:if|when|who|si|se|quando|wenn|falls|neu)(?: +[\p{L}]+)?|` +
		`勿|不要|不可|不得|不能|别|別|如|若|如果|若是|因|由于)\s*$`)
	courtesy = lazily(`(?:please|now|just|bitte|por favor|per favore|hay|xin|vui long|请|請)[ ,]*$`)
	// onPaper is in text about printed instructions, or in a game's: those it replaces are
	// printed, too.
	onPaper = lazily(`\b(?:manual|leaflet|booklet|handbook|user guide|edition|revision|erratum|cards?|players?|` +
		`\p{L}*anleitung|packungsbeilage|auflage|karten?|notice|mode d'emploi|cartes?|folleto|prospecto|edicion|cartas?|foglio illustrativo|manuale|edizione|folheto|edicao|to huong dan|sach huong dan)\b|` +
		`설명서|안내서|개정|카드|説明書|改訂|カード|说明书|說明書|手册|修订|卡`)
	conditional = lazily(`^[\s,，]*(?:(?:if|when|where|unless|wenn|falls|sofern|si|lorsque|quand|sauf|cuando|salvo|se|quando|neu|khi)\b|如|若|除非)`)
)

// lazily compiles a pattern at its first use: most are never used.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
