package samples

import (
	_ "embed"
	"strings"
	"sync"
)

// messages.tsv has words that people send with a picture, and the skill that they are for.
//
//go:embed messages.tsv
var messagesFile string

// A Message is what somebody writes beside a picture.
type Message struct {
	Skill string // that the words are for
	Words string
}

// Messages are the labelled messages.
var Messages = sync.OnceValue(func() (all []Message) {
	for line := range strings.Lines(messagesFile) {
		if skill, words, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			all = append(all, Message{skill, words})
		}
	}
	return all
})

// MessageOf returns the label of words beside a picture, ignoring case and spaces.
func MessageOf(words string) (Message, bool) {
	for _, m := range Messages() {
		if key(strings.Fields(m.Words)) == key(strings.Fields(words)) {
			return m, true
		}
	}
	return Message{}, false
}
