package gemini

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"unicode/utf8"
)

// generate writes a reply as generateContent or streamGenerateContent does.
func (x *exchange) generate(p *reply, f *Fault) {
	if p.usage == nil {
		p.usage = x.q.usage(p.text)
		if p.audio != nil {
			p.usage.said(p.audio)
		}
	}
	x.nameTier(p)
	x.call.Usage = p.usage
	cut := f != nil && f.Type == Cut
	id := "emulated-" + strconv.FormatInt(x.s.answers.Add(1), 10)
	pace := x.s.pace.Load()
	x.wait(pace.FirstToken)
	if x.q.Method == "streamGenerateContent" {
		x.stream(p.chunks(id), cut)
		return
	}
	x.wait(pace.after(p.text))
	body, err := json.Marshal(p.answer(id, p.text, true))
	if err != nil {
		panic(err) // only types of this package, and no floats
	}
	x.sendBody(http.StatusOK, body, cut)
}

// answer returns the wire form of text, a piece of the reply; the last piece
// carries everything else.
func (p *reply) answer(id, text string, last bool) generateAnswer {
	a := generateAnswer{ModelVersion: p.modelVersion, ResponseID: id, Usage: p.usage}
	if p.blockReason != "" {
		a.PromptFeedback = &promptFeedback{BlockReason: p.blockReason}
		return a
	}
	c := candidate{}
	if parts := p.parts(text, last); parts != nil {
		c.Content = &answerContent{Role: "model", Parts: parts}
	}
	if last {
		c.FinishReason, c.Grounding = p.finishReason, p.grounding
	}
	if p.finishReason == "SAFETY" {
		c.SafetyRatings = []safetyRating{{Category: "HARM_CATEGORY_DANGEROUS_CONTENT", Probability: "HIGH", Blocked: true}}
	}
	a.Candidates = []candidate{c}
	return a
}

// parts returns the text and, in the last piece, the calls and the signature.
func (p *reply) parts(text string, last bool) []answerPart {
	var parts []answerPart
	if text != "" {
		parts = append(parts, answerPart{Text: &text})
	}
	if !last {
		return parts
	}
	if p.audio != nil {
		parts = append(parts, answerPart{InlineData: p.audio})
	}
	signature := p.signature
	for i := range p.calls {
		parts = append(parts, answerPart{FunctionCall: &p.calls[i], Signature: signature})
		signature = nil
	}
	if signature != nil {
		parts = append(parts, answerPart{Text: new(string), Signature: signature})
	}
	return parts
}

// chunkBytes is about how much text one piece of a stream carries.
const chunkBytes = 120

// text returns the text of a piece.
func (a generateAnswer) text() (all string) {
	for _, c := range a.Candidates {
		for i := 0; c.Content != nil && i < len(c.Content.Parts); i++ {
			if t := c.Content.Parts[i].Text; t != nil {
				all += *t
			}
		}
	}
	return all
}

// chunks cuts the reply into the pieces of a stream, never inside a character.
func (p *reply) chunks(id string) []generateAnswer {
	var pieces []generateAnswer
	text := p.text
	for len(text) > chunkBytes {
		end := wholeRunes(text, chunkBytes)
		pieces = append(pieces, p.answer(id, text[:end], false))
		text = text[end:]
	}
	return append(pieces, p.answer(id, text, true))
}

// wholeRunes returns the largest length of at most n bytes that cuts no character.
func wholeRunes(s string, n int) int {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// stream writes pieces as server-sent events, or without alt=sse as one array.
// A cut stream ends inside its last piece.
func (x *exchange) stream(pieces []generateAnswer, cut bool) {
	before, between, after := "data: ", "\r\n\r\ndata: ", "\r\n\r\n"
	x.w.Header().Set("Content-Type", "text/event-stream")
	if x.r.URL.Query().Get("alt") != "sse" {
		before, between, after = "[", ",\r\n", "]"
		x.w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	}
	x.logCall(http.StatusOK)
	flusher := http.NewResponseController(x.w)
	for i, piece := range pieces {
		body, err := json.Marshal(piece)
		if err != nil {
			panic(err) // only types of this package, and no floats
		}
		x.wait(x.s.pace.Load().after(piece.text()))
		x.w.Write([]byte(before))
		if cut && i == len(pieces)-1 {
			x.w.Write(body[:len(body)/2])
			x.abort()
		}
		x.w.Write(body)
		flusher.Flush()
		before = between
	}
	x.w.Write([]byte(after))
}

// applyFault changes the reply as the fault says.
func (p *reply) applyFault(f *Fault) {
	if f == nil {
		return
	}
	switch f.Type {
	case Truncated:
		p.text = p.text[:wholeRunes(p.text, len(p.text)/2)]
		p.finishReason = "MAX_TOKENS"
		if p.audio != nil {
			p.audio.Data = p.audio.Data[:len(p.audio.Data)/2]
		}
	case Malformed:
		p.audio = nil
		p.text = "Here is what I found:\n```\n{product_name: unclear, \"brand\": }"
	case WrongTypes:
		p.audio = nil
		p.text = wrongTypes(p.text)
	case BlockedPrompt:
		p.blockReason = cmp.Or(f.Reason, "SAFETY")
	case BlockedAnswer:
		p.text, p.audio, p.calls, p.signature, p.grounding, p.finishReason = "", nil, nil, nil, nil, cmp.Or(f.Reason, "SAFETY")
	case Ended:
		p.finishReason = cmp.Or(f.Reason, "STOP")
	}
}

// wrongTypes gives every member of a JSON object another type: strings become
// numbers, numbers and booleans strings, everything else true. Text that is no
// object becomes an array.
func wrongTypes(text string) string {
	var members map[string]any
	if json.Unmarshal([]byte(text), &members) != nil {
		return `["` + "unexpected" + `"]`
	}
	for name, v := range members {
		switch v.(type) {
		case string:
			members[name] = 7
		case float64, bool:
			members[name] = "high"
		default:
			members[name] = true
		}
	}
	spoiled, err := encode(members)
	if err != nil {
		panic(err) // it was JSON a moment ago
	}
	return spoiled
}
