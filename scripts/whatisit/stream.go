package main

import (
	"bufio"
	"io"
	"iter"
	"strings"
)

// A message is one event of a stream (html.spec.whatwg.org, server-sent events).
type message struct{ id, event, data string }

// longestLine limits a line of a stream: a result with all its text.
const longestLine = 16 << 20

// messages reads the events of a stream until it ends, and drops an incomplete last one.
// alive is called at each line, including comments.
func messages(r io.Reader, alive func()) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, longestLine)
		var m message
		var data []string
		for lines.Scan() {
			alive()
			name, value, _ := strings.Cut(lines.Text(), ":")
			value = strings.TrimPrefix(value, " ")
			switch {
			case lines.Text() == "":
				m.data = strings.Join(data, "\n")
				if (m.event != "" || data != nil) && !yield(m, nil) {
					return
				}
				m, data = message{}, nil
			case name == "id":
				m.id = value
			case name == "event":
				m.event = value
			case name == "data":
				data = append(data, value)
			}
		}
		if err := lines.Err(); err != nil {
			yield(message{}, err)
		}
	}
}
