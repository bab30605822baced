package samples

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// conversations.jsonl has users' messages to weather_agent, one JSON object a line, with the
// right reaction of the agent.
//
//go:embed conversations.jsonl
var conversationsFile []byte

// A ToolCall is a function call that a model should make.
type ToolCall struct {
	Name string         `json:"name"`
	Args map[string]any `json:"args"`
}

// An Utterance is a user's message in a conversation, and the right answer: calls of tools,
// or a text.
type Utterance struct {
	Group  string     `json:"group"` // UnknownWords, or none
	Say    string     `json:"say"`   // {city} stands for the name of any place
	Calls  []ToolCall `json:"calls"`
	Answer string     `json:"answer"`
	Lang   string     `json:"lang"`  // the language of the message
	Audio  bool       `json:"audio"` // whether the user wants to hear the forecast
}

const city = "{city}"

// UtteranceOf returns the label of a message, ignoring case, spaces and punctuation at its
// end. If several labels fit, it returns the one that leaves the fewest letters for the name
// of the place, which is put into the arguments of the calls.
func UtteranceOf(text string) (Utterance, bool) {
	words := strings.Fields(unmarked(text))
	var best Utterance
	var place string
	said := 0 // letters of best that are no name
	for _, u := range utterances() {
		names, ok := placesIn(unmarked(u.Say), city, words)
		if !ok || len(words) == 0 {
			continue
		}
		name := strings.Join(names, " ")
		if n := len(text) - len(name); n > said {
			best, place, said = u, name, n
		}
	}
	return best.in(place), said > 0
}

// Named reports that u speaks of the weather by more than the name of a place.
func (u Utterance) Named() bool {
	return len(u.Calls) > 0 && len(strings.Fields(u.Say)) > 2
}

// unmarked returns a text without punctuation at its end.
func unmarked(text string) string { return strings.TrimRight(text, ".?!… \n") }

// in returns u with the name of a place in its calls.
func (u Utterance) in(place string) Utterance {
	calls := u.Calls
	u.Calls = nil
	for _, c := range calls {
		args := map[string]any{}
		for name, value := range c.Args {
			if args[name] = value; value == city {
				args[name] = place
			}
		}
		u.Calls = append(u.Calls, ToolCall{c.Name, args})
	}
	return u
}

var utterances = sync.OnceValue(func() (all []Utterance) {
	for line := range bytes.Lines(conversationsFile) {
		var u Utterance
		if err := json.Unmarshal(line, &u); err != nil {
			panic(fmt.Sprintf("samples: conversations.jsonl: %v", err)) // it is a file of this package
		}
		all = append(all, u)
	}
	return all
})

// Answers are all labelled answers, one a line.
var Answers = sync.OnceValue(func() string {
	var b strings.Builder
	for _, u := range utterances() {
		fmt.Fprintln(&b, u.Answer)
	}
	return b.String()
})
