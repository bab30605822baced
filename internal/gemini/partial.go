package gemini

import "strings"

// Partial returns the JSON object of which text is the beginning, with what is complete so far:
// members of the object, and items of lists that are members. What is begun is left out. It
// returns "" if there is nothing yet.
//
//	{"lines":["a","b"],"name":"c   →   {"lines":["a","b"]}
func Partial(text string) string {
	text = strings.TrimLeft(text, "\ufeff \t\r\n")
	if !strings.HasPrefix(text, "{") {
		return ""
	}
	var open []byte // closing brackets of what is open
	var whole, closing string
	quoted, escaped, key := false, false, false
	ended := func(at int) { // a value ends before at
		switch {
		case key: // it is a name, whose value is to come
		case len(open) == 1, len(open) == 2 && open[1] == ']':
			whole, closing = text[:at], string(open)
		}
	}
	for i := range len(text) {
		c := text[i]
		if quoted {
			switch {
			case escaped:
				escaped = false
			case c == '\\':
				escaped = true
			case c == '"':
				quoted = false
				ended(i + 1)
			}
			continue
		}
		switch c {
		case '"':
			quoted = true
		case ':':
			key = false
		case '{':
			open, key = append(open, '}'), true
		case '[':
			open, key = append(open, ']'), false
		case '}', ']':
			if text[i-1] != c-2 { // the last value may be a number
				ended(i)
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return text[:i+1]
			}
			key = false
			ended(i + 1)
		case ',':
			ended(i)
			key = open[len(open)-1] == '}'
		}
	}
	b := strings.Builder{}
	if whole == "" {
		return ""
	}
	b.WriteString(whole)
	for i := len(closing) - 1; i >= 0; i-- {
		b.WriteByte(closing[i])
	}
	return b.String()
}
