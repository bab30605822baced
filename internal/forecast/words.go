package forecast

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// words are our own words of a language: what a text in it may not say without proof, the
// plain sentences that are told where the model's are refused, and what the conversation
// says by itself. Other languages have none: the model writes and checks them.
type words struct {
	vocabulary

	// The sentences of a plain text about now, and about a day. Of each list the first whose
	// slots all have values is told. DAY is the day's name, HOURS its hours if it is not whole.
	current, ahead, winds [][]string
	expect                string            // when LIST, made of kinds, is expected
	kinds                 map[string]string // of spells
	detail, inDetail      string            // LIST, made of parts: behind other sentences on the day, and instead of them
	part                  []string          // forms of what is told of a PART
	parts                 map[string]string
	days                  map[string]string // the names of days, as a sentence begins with them
	hours                 string
	missing               string            // the sentence on a {day} out of reach
	weekdays              map[string]string // the names of days within a sentence
	sayings

	whichCity  string // the question for a place
	whichPlace string // the question for one of several places: their name, the places
}

// wordsByLanguage has our own words, which are made at their first use.
var wordsByLanguage = map[string]func() words{"en": english, "ko": korean, "vi": vietnamese}

// wordsOf returns our words of a language by its tag, if there are any.
func wordsOf(tag string) (words, bool) {
	own, ok := wordsByLanguage[baseOf(tag)]
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

// sayings are how values are put together in a language.
type sayings struct {
	between string // two times
	and     string // several of them
	place   string // coordinates of a place without a name
}

// sayingsOf returns those of a language, or those that any language reads.
func sayingsOf(tag string) sayings {
	if w, ok := wordsOf(tag); ok {
		return w.sayings
	}
	return sayings{"%s–%s", ", ", "%s"}
}

// from formats the time between two.
func (s sayings) from(a, b time.Time) string { return fmt.Sprintf(s.between, clock(a), end(b)) }

var slot = regexp.MustCompile(`\{([a-z_]+)\}`)

// template returns the plain sentences of o, with slots.
func (o *outlook) template(w words) (all []string) {
	for _, forms := range o.plainForms(w) {
		all = append(all, forms[0])
	}
	return append(all, o.saysMissing(w)...)
}

// plainForms returns the forms of each plain sentence on the weather whose slots all have
// values, that which tells most first. Of several days it tells less of each: of 48 hours no more
// than six sentences.
func (o *outlook) plainForms(w words) (all [][]string) {
	if o.kind == Current {
		return o.sayable(w.current, func(s string) string { return s })
	}
	for _, d := range o.days {
		in := d.in(w)
		told := o.sayable(w.ahead, in)
		parts := o.plainParts(w, d)
		if len(o.days) > 1 && parts != "" {
			told = [][]string{append([]string{in(strings.ReplaceAll(w.inDetail, "LIST", parts))}, slices.Concat(told...)...)}
		}
		all = append(all, told...)
		var spells []string
		for _, kind := range kinds {
			spells = append(spells, o.first([]string{w.kinds[kind]}, in)...)
		}
		if len(spells) > 0 {
			all = append(all, []string{in(strings.ReplaceAll(w.expect, "LIST", strings.Join(spells, "; ")))})
		}
		if len(o.days) <= 2 {
			all = append(all, o.sayable(w.winds, in)...)
		}
		if len(o.days) == 1 && parts != "" {
			all = append(all, []string{in(strings.ReplaceAll(w.detail, "LIST", parts))})
		}
	}
	return all
}

// plainParts returns what is told of the parts of a day, "" for nothing.
func (o *outlook) plainParts(w words, d Day) string {
	var all []string
	for _, part := range d.Parts {
		forms := slices.Clone(w.part)
		for i := range forms {
			if part.Low != nil && o.degrees(*part.Low) == o.degrees(*part.High) {
				forms[i] = lowToHigh.ReplaceAllString(forms[i], "{low}")
			}
			forms[i] = strings.ReplaceAll(strings.ReplaceAll(forms[i], "{", "{"+part.Name+"_"), "PART", w.parts[part.Name])
		}
		all = append(all, o.first(forms, d.in(w))...)
	}
	return strings.Join(all, "; ")
}

// lowToHigh matches a range of temperatures in a form.
var lowToHigh = regexp.MustCompile(`\{low\}.*\{high\}`)

// first returns the first of several forms whose slots all have values, if there is one.
func (o *outlook) first(forms []string, as func(string) string) []string {
	for _, all := range o.sayable([][]string{forms}, as) {
		return all[:1]
	}
	return nil
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

// in returns what makes a sentence about a day of one that is about any. It changes no slot that
// has its day already.
func (d Day) in(w words) func(string) string {
	hours := ""
	if !d.Whole {
		hours = w.hours
	}
	return func(s string) string {
		s = strings.NewReplacer("DAY", w.days[d.Name], "HOURS", hours).Replace(s)
		return slot.ReplaceAllStringFunc(s, func(one string) string {
			if one == "{city}" || d.prefix != "" && strings.HasPrefix(one[1:], d.prefix) {
				return one
			}
			return "{" + d.prefix + one[1:]
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
