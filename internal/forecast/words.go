package forecast

import (
	"regexp"
	"slices"
	"strings"
)

// words are our own words of a language: what a text in it may not say without proof, the
// plain sentences that are told where the model's are refused, and what the conversation
// says by itself. Other languages have none: the model writes and checks them.
type words struct {
	vocabulary

	// The sentences of a plain text about now, and about a span. Of each list the first whose
	// slots all have values is told. DAY is the span's name, HOURS its hours.
	current, ahead [][]string
	days           map[string]string // the names of spans, as a sentence begins with them
	hours          string
	missing        string            // the sentence on a {day} out of reach
	weekdays       map[string]string // the names of days within a sentence

	whichCity  string // the question for a place
	whichPlace string // the question for one of several places: their name, the places
}

// wordsByLanguage has our own words, which are made at their first use.
var wordsByLanguage = map[string]func() words{"en": english, "ko": korean, "vi": vietnamese}

// wordsOf returns our words of a language by its tag, if there are any.
func wordsOf(tag string) (words, bool) {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	own, ok := wordsByLanguage[base]
	if !ok {
		return words{}, false
	}
	return own(), true
}

// ownWords returns our words of a language, or else those of English.
func ownWords(tag string) words {
	if w, ok := wordsOf(tag); ok {
		return w
	}
	return english()
}

var slot = regexp.MustCompile(`\{([a-z_]+)\}`)

// template returns the plain sentences of o, with slots.
func (o *outlook) template(w words) (all []string) {
	for _, forms := range o.plainForms(w) {
		all = append(all, forms[0])
	}
	return append(all, o.saysMissing(w)...)
}

// plainForms returns the forms of each plain sentence on the weather whose slots all have
// values, that which tells most first.
func (o *outlook) plainForms(w words) (all [][]string) {
	if o.kind == Current {
		return o.sayable(w.current, func(s string) string { return s })
	}
	for _, sp := range o.spans {
		all = append(all, o.sayable(w.ahead, sp.in(w))...)
	}
	return all
}

// saysMissing returns the plain sentences on the days out of reach.
func (o *outlook) saysMissing(w words) (all []string) {
	for _, day := range o.missing {
		all = append(all, strings.ReplaceAll(w.missing, "{day}", w.weekdays[day]))
	}
	return all
}

// sayable returns the forms of each list whose slots all have values, without lists that
// have none.
func (o *outlook) sayable(lists [][]string, as func(string) string) (all [][]string) {
	for _, list := range lists {
		var forms []string
		for _, s := range list {
			if s = as(s); o.unknownSlot(s) == "" {
				forms = append(forms, s)
			}
		}
		if len(forms) > 0 {
			all = append(all, forms)
		}
	}
	return all
}

// in returns what makes a sentence about a span of one that is about any.
func (sp span) in(w words) func(string) string {
	hours := ""
	if sp.names() {
		hours = w.hours
	}
	return func(s string) string {
		s = strings.NewReplacer("DAY", w.days[sp.name], "HOURS", hours).Replace(s)
		return slot.ReplaceAllStringFunc(s, func(one string) string {
			if one == "{city}" {
				return one
			}
			return "{" + sp.prefix + one[1:]
		})
	}
}

// unknownSlot returns the first slot in text that has no value.
func (o *outlook) unknownSlot(text string) string {
	for _, m := range slot.FindAllStringSubmatch(text, -1) {
		if o.value(m[1]) == "" {
			return m[1]
		}
	}
	return ""
}

// value returns the value of a slot, "" if it has none.
func (o *outlook) value(slot string) string {
	if i := slices.IndexFunc(o.facts, func(f Fact) bool { return f.Slot == slot }); i >= 0 {
		return o.facts[i].Value
	}
	return ""
}
