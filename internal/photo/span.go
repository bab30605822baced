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

// cut returns the concatenated spans of data. If data may change, they are moved together in
// it, towards the last, which in photos is nearly all; else they are copied by join.
func cut(data []byte, spans []span, mayChange bool) []byte {
	if !mayChange {
		return join(data, spans)
	}
	last := spans[len(spans)-1]
	at := last.from
	for i := len(spans) - 2; i >= 0; i-- {
		s := spans[i]
		at -= s.to - s.from
		copy(data[at:], data[s.from:s.to])
	}
	return data[at:last.to:last.to]
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
