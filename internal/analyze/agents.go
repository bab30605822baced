package analyze

import (
	"context"
	"errors"
	"fmt"
	"time"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/genai"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
)

// A run is the state of one request that the agents share: photos never enter a
// session, and values passed between agents keep their Go types.
type run struct {
	req     Request
	reading imageReading // written by image_analyzer, read by rag_agent
	result  Result
	began   time.Time
	account *gemini.Account
}

// newRun returns the run of req and the context for its model calls.
func newRun(ctx context.Context, req Request) (context.Context, *run) {
	r := &run{req: req, began: time.Now(), account: &gemini.Account{Attempts: req.Attempts}}
	return gemini.WithTier(gemini.WithAccount(ctx, r.account), req.Tier), r
}

// finished returns the result of r so far, with its request, cost and duration.
func (r *run) finished() Result {
	r.result.noteRequest(r.req)
	r.result.Charge(r.account.Ledger(), time.Since(r.began))
	return r.result
}

// productAnalyzer returns the agent product_analyzer: image_analyzer, then rag_agent.
func (p *Pipeline) productAnalyzer() agent.Step[run] {
	return agent.Step[run]{Name: "product_analyzer", Description: "identifies the product in photos", Steps: []agent.Step[run]{
		{
			Name: "image_analyzer", Description: "reads the photos of a product", Do: p.imageAnalyzer,
			Key: "image_analysis", Output: func(r *run) any { return r.reading.analysis.shown() },
		},
		{
			Name: "rag_agent", Description: "decides what the product is, by the photos, the catalogue or the web", Do: p.ragAgent,
			Output: func(r *run) any { return r.result.WithoutOthers().withoutNames() }, // callers with equal photos see the same events
		},
	}}
}

// Agent returns product_analyzer for programs that run agents by messages, such as
// ADK's web page: read turns the photos of a message into a request, and the last
// event is the result. It is safe for concurrent use.
func (p *Pipeline) Agent(read func(photos [][]byte) (Request, error)) (adk.Agent, error) {
	return p.agent.Agent(func(ctx context.Context, message *genai.Content) (context.Context, *run, error) {
		req, err := requestOf(message, read)
		if err != nil {
			return ctx, nil, fmt.Errorf("analyze: %w", err)
		}
		ctx, run := newRun(ctx, req)
		return ctx, run, nil
	}, func(r *run) any { return r.finished() })
}

// requestOf returns the request for the photos of a message.
func requestOf(message *genai.Content, read func(photos [][]byte) (Request, error)) (Request, error) {
	var photos [][]byte
	if message != nil {
		for _, p := range message.Parts {
			if p.InlineData != nil {
				photos = append(photos, p.InlineData.Data)
			}
		}
	}
	if len(photos) == 0 {
		return Request{}, errors.New("the message has no photo: attach one, or several of one product")
	}
	req, err := read(photos)
	if err != nil {
		return Request{}, err
	}
	return req, req.check()
}
