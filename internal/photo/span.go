package photo

// A span is data[from:to].
type span struct{ from, to int }

// extend appends next to spans, merged with the last if they touch.
func extend(spans []span, next span) []span {
	if n := len(spans); n > 0 && spans[n-1].to == next.from {
		spans[n-1].to = next.to
		return spans
	}
	return append(spans, next)
}

// join returns the concatenated spans of data. A single span shares data's memory.
func join(data []byte, spans []span) []byte {
	if len(spans) == 1 {
		return data[spans[0].from:spans[0].to:spans[0].to]
	}
	size := 0
	for _, s := range spans {
		size += s.to - s.from
	}
	out := make([]byte, 0, size)
	for _, s := range spans {
		out = append(out, data[s.from:s.to]...)
	}
	return out
}
