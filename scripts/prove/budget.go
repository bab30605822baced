package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"example.com/whatis/emulators/replay"
	"example.com/whatis/internal/gemini"
)

// A budget refuses a call whose worst case would exceed the limit, together with the money
// spent and the calls in flight. A call without an answer counts as its worst case.
type budget struct {
	limit float64

	mu       sync.Mutex
	spent    float64
	underway map[int64]float64 // by the call: its worst case
	calls    int
	refused  int
}

func newBudget(limit float64) *budget {
	return &budget{limit: limit, underway: map[int64]float64{}}
}

var errLimit = errors.New("the limit was reached: name a higher one to see the rest")

// before reserves the worst case of a call, or refuses it.
func (b *budget) before(s replay.Sent) error {
	worst := worstCase(s.Request)
	b.mu.Lock()
	defer b.mu.Unlock()
	sum := b.spent + worst
	for _, reserved := range b.underway {
		sum += reserved
	}
	if sum > b.limit {
		b.refused++
		return fmt.Errorf("prove: this call may cost $%.4f, and of the limit of $%.2f there is $%.4f left", worst, b.limit, b.limit-(sum-worst))
	}
	b.underway[s.ID] = worst
	b.calls++
	return nil
}

// after records the cost of a call.
func (b *budget) after(s replay.Sent, a replay.Answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent += cost(s.Request, a, b.underway[s.ID])
	delete(b.underway, s.ID)
}

// refusals returns how many calls were refused so far.
func (b *budget) refusals() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refused
}

// reached returns an error if calls were refused.
func (b *budget) reached() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refused == 0 {
		return nil
	}
	return fmt.Errorf("%d calls were not made: %w", b.refused, errLimit)
}

func (b *budget) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return fmt.Sprintf("%d calls, about $%.4f of the limit of $%.2f, by list prices.", b.calls, b.spent, b.limit)
}

// The largest output of a call whose request sets no limit.
const (
	mostOutput  = 65_536
	mostImage   = 2_240 // tokens, at the highest resolution
	mostQueries = 10    // of a grounded answer; the service decides
)

var called = regexp.MustCompile(`/models/([^/:]+):(\w+)$`)

// worstCase returns the highest possible cost of a call.
func worstCase(r replay.Request) float64 {
	m := called.FindStringSubmatch(r.Path)
	if m == nil {
		return 0 // lists and descriptions are free
	}
	var asked struct {
		GenerationConfig struct{ MaxOutputTokens int } `json:"generationConfig"`
		Tools            []map[string]json.RawMessage  `json:"tools"`
	}
	_ = json.Unmarshal(r.Bytes(), &asked) // what is no JSON is refused by the service
	p := gemini.Planned{Model: m[1], Input: inputTokens(r.Bytes()), Embeds: strings.Contains(strings.ToLower(m[2]), "embed") || m[2] == "predict"}
	if !p.Embeds {
		if p.Output = asked.GenerationConfig.MaxOutputTokens; p.Output == 0 {
			p.Output = mostOutput
		}
	}
	for _, tool := range asked.Tools {
		if _, searches := tool["googleSearch"]; searches {
			p.Queries = mostQueries
		}
	}
	return gemini.Estimate(p)
}

var inline = regexp.MustCompile(`"data"\s*:\s*"[A-Za-z0-9+/=_-]*"`)

// inputTokens returns an upper bound of a body's tokens: one for each byte of text, which
// no script reaches, and those of its images.
func inputTokens(body []byte) int {
	images := len(inline.FindAllIndex(body, -1))
	return len(inline.ReplaceAll(body, nil)) + images*mostImage
}

// cost returns the cost of an answer by its usage metadata, worst if it has none.
func cost(r replay.Request, a replay.Answer, worst float64) float64 {
	if a.Status != 200 {
		return 0 // refusals and failures are free
	}
	var said struct {
		Usage *struct {
			Prompt   int `json:"promptTokenCount"`
			Answer   int `json:"candidatesTokenCount"`
			Thoughts int `json:"thoughtsTokenCount"`
		} `json:"usageMetadata"`
		Candidates []struct {
			Grounding struct {
				Queries []string `json:"webSearchQueries"`
			} `json:"groundingMetadata"`
		} `json:"candidates"`
	}
	m := called.FindStringSubmatch(r.Path)
	if m == nil || json.Unmarshal(a.Bytes(), &said) != nil || said.Usage == nil || len(said.Candidates) == 0 {
		return worst
	}
	return gemini.Estimate(gemini.Planned{
		Model: m[1], Input: said.Usage.Prompt, Output: said.Usage.Answer + said.Usage.Thoughts, Queries: len(said.Candidates[0].Grounding.Queries),
	})
}
