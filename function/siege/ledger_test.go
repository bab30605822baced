package siege

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	emulated "example.com/whatis/emulators/gemini"
)

// A ledger is the model's log of calls by photo and step, in the order of their
// arrival.
type ledger map[string]map[string][]call

// A call is one call of a step.
type call struct {
	fault    emulated.FaultType
	answered bool // with a usable answer
	left     bool // its process died
}

// repairing begins the prompt that asks to repair an unusable answer.
const repairing = "Your last answer cannot be used"

// ledger reads the log.
func (s *siege) ledger() ledger {
	l := ledger{}
	for _, c := range s.Gemini.Calls() {
		mark, step := markOf(strings.Join(c.Texts, "\n")), string(c.Kind)
		if isRefined(&c.Request) {
			step = stepRefined
		}
		if l[mark] == nil {
			l[mark] = map[string][]call{}
		}
		l[mark][step] = append(l[mark][step], call{
			fault: c.Fault, answered: c.Status == http.StatusOK && (c.Fault == "" || step == stepEmbed && blocks(c.Fault)), left: c.Status == 0,
		})
	}
	return l
}

// blocks reports a fault that refuses text, and so does not concern embeddings.
func blocks(f emulated.FaultType) bool {
	return f == emulated.BlockedPrompt || f == emulated.BlockedAnswer
}

// answered returns how often a step of a photo was answered, and so paid for.
func (l ledger) answered(mark, step string) int {
	n := 0
	for _, c := range l[mark][step] {
		if c.answered {
			n++
		}
	}
	return n
}

// all calls do for every call.
func (l ledger) all(do func(mark, step string, c call)) {
	for mark, steps := range l {
		for step, calls := range steps {
			for _, c := range calls {
				do(mark, step, c)
			}
		}
	}
}

func (l ledger) faulted() int {
	n := 0
	l.all(func(_, _ string, c call) {
		if c.fault != "" {
			n++
		}
	})
	return n
}

// twice returns the steps that were answered more than once.
func (l ledger) twice() []string {
	var found []string
	for mark, steps := range l {
		for step := range steps {
			if n := l.answered(mark, step); n > 1 {
				found = append(found, fmt.Sprintf("%s of %s was answered %d times", step, mark, n))
			}
		}
	}
	slices.Sort(found)
	return found
}

// String counts the answered calls by step.
func (l ledger) String() string {
	n := map[string]int{}
	l.all(func(_, step string, c call) {
		if c.answered {
			n[step]++
		}
	})
	var words []string
	for _, step := range slices.Sorted(maps.Keys(n)) {
		words = append(words, fmt.Sprintf("%s %d", step, n[step]))
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// A fate is the expected outcome of a photo after its faults.
type fate struct {
	attempts int  // failed attempts that count
	refused  bool // the model refused to read the photo, a permanent error
	degraded bool // the model refused a later step, or its prose was unusable: the result lacks that step
}

// malformed reports an unusable answer. A search's answer, which is prose, is always
// usable. An embedding that is no JSON is not malformed: it counts as an outage, and its
// attempt is refunded.
func (c call) malformed(step string) bool {
	switch c.fault {
	case emulated.Malformed, emulated.WrongTypes:
		return step != stepSearch && step != stepRefined && step != stepEmbed
	case emulated.Truncated:
		return step == stepEmbed
	}
	return false
}

// cut reports an answer that hit its limit and is asked for once more, with twice the
// limit. Prose is not.
func (c call) cut(step string) bool {
	return c.fault == emulated.Truncated && step != stepSearch && step != stepRefined && step != stepEmbed
}

// fate computes the fate of a photo: a fault counts as an attempt, except a quota or an
// outage, which are refunded, and a malformed or a cut answer, each of which is asked for
// once more in a delivery.
func (l ledger) fate(mark string) fate {
	var f fate
	for step, calls := range l[mark] {
		askedAgain, askedLonger := false, false
		for _, c := range calls {
			if askedAgain = c.malformed(step) && !askedAgain; askedAgain {
				continue
			}
			if askedLonger = c.cut(step) && !askedLonger; askedLonger {
				continue
			}
			f.count(step, c)
		}
	}
	return f
}

// count adds a call of a step that was not asked again.
func (f *fate) count(step string, c call) {
	switch c.fault {
	case emulated.Gone:
		f.attempts++
	case emulated.Malformed, emulated.WrongTypes:
		if c.malformed(step) {
			f.attempts++
		} else {
			f.degraded = f.degraded || step != stepEmbed
		}
	case emulated.Truncated, emulated.BlockedPrompt, emulated.BlockedAnswer:
		switch {
		case step == stepEmbed && c.fault == emulated.Truncated:
			f.attempts++
		case step == stepImage:
			f.refused = true
		default:
			f.degraded = f.degraded || step != stepEmbed
		}
	}
}
