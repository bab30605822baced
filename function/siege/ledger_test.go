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
	answered bool // with what was asked for
	left     bool // its process went away
}

// repairing begins what the model is told of an answer that cannot be used.
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

// blocks reports a fault that refuses text, and so means nothing to a vector.
func blocks(f emulated.FaultType) bool {
	return f == emulated.BlockedPrompt || f == emulated.BlockedAnswer
}

// answered is how often a step of a photo was answered, and so paid for.
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

// twice are the steps that were answered more than once.
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

// A fate is what the faults that a photo met must have made of it.
type fate struct {
	attempts int  // that failed by the photo's own account
	refused  bool // the model would not read the photo: that is the end of it
	degraded bool // the model would not do a later step, or its prose is of no use: the result does without
}

// malformed reports an answer that cannot be used: one of a search, which is
// prose, always can. An embedding that is no JSON is none: such a body is as good as
// no answer, an outage, and its attempt is refunded.
func (c call) malformed(step string) bool {
	switch c.fault {
	case emulated.Malformed, emulated.WrongTypes:
		return step != stepSearch && step != stepRefined && step != stepEmbed
	case emulated.Truncated:
		return step == stepEmbed
	}
	return false
}

// fate works out the fate of a photo by the rules of the design: a fault costs
// the attempt, but for a quota and an outage, which are refunded, and for a
// malformed answer, which is asked for once more.
func (l ledger) fate(mark string) fate {
	var f fate
	for step, calls := range l[mark] {
		askedAgain := false
		for _, c := range calls {
			if askedAgain = c.malformed(step) && !askedAgain; askedAgain {
				continue
			}
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
	}
	return f
}
