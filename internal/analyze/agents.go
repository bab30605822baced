package analyze

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/workflowagents/sequentialagent"
	"google.golang.org/adk/v2/session"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
)

// A run is one request on its way through the agents. It travels in their context:
// what photos hold never enters a session, and what the agents leave for each other
// keeps its types.
type run struct {
	req     Request
	reading *imageReading // what image_analyzer leaves for rag_agent
	result  Result
	began   time.Time
	account *gemini.Account
}

type runKey struct{}

// newRun returns the run of req, and the context that it travels in.
func newRun(ctx context.Context, req Request) (*run, context.Context) {
	r := &run{req: req, began: time.Now(), account: &gemini.Account{Attempts: req.Attempts}}
	ctx = gemini.WithTier(gemini.WithAccount(ctx, r.account), req.Tier)
	return r, context.WithValue(ctx, runKey{}, r)
}

// finished is the result of r so far, with what it was about and what it took.
func (r *run) finished() Result {
	r.result.noteRequest(r.req)
	r.result.charge(r.account.Ledger(), time.Since(r.began))
	return r.result
}

// productAnalyzer returns the agents of p: image_analyzer, then rag_agent. They work
// on the run that their context has.
func (p *Pipeline) productAnalyzer() (adk.Agent, error) {
	imageAnalyzer, err := agent.New(adk.Config{Name: "image_analyzer", Description: "reads the photos of a product", Run: p.imageAnalyzer})
	if err != nil {
		return nil, err
	}
	ragAgent, err := agent.New(adk.Config{Name: "rag_agent", Description: "decides what the product is, by the photos, the catalogue or the web", Run: p.ragAgent})
	if err != nil {
		return nil, err
	}
	a, err := sequentialagent.New(sequentialagent.Config{AgentConfig: adk.Config{
		Name: "product_analyzer", Description: "identifies the product in photos", SubAgents: []adk.Agent{imageAnalyzer, ragAgent},
	}})
	if err != nil {
		return nil, fmt.Errorf("product_analyzer: %w", err)
	}
	return agent.Guard(a), nil
}

var errNoRun = errors.New("there is no photo: a request has to be in the context")

// imageAnalyzer is the run of image_analyzer.
func (p *Pipeline) imageAnalyzer(ctx adk.InvocationContext) iter.Seq2[*session.Event, error] {
	return func(yield func(*session.Event, error) bool) {
		run, ok := ctx.Value(runKey{}).(*run)
		if !ok {
			yield(nil, errNoRun)
			return
		}
		reading, err := p.readPhotos(ctx, run.req)
		if err != nil {
			yield(nil, err)
			return
		}
		run.reading = &reading
		agent.Output(ctx, "image_analysis", reading.analysis)
	}
}

// ragAgent is the run of rag_agent.
func (p *Pipeline) ragAgent(ctx adk.InvocationContext) iter.Seq2[*session.Event, error] {
	return func(yield func(*session.Event, error) bool) {
		run, ok := ctx.Value(runKey{}).(*run)
		if !ok || run.reading == nil {
			yield(nil, errors.New("there is no image_analysis: image_analyzer has not run"))
			return
		}
		r := rag{Pipeline: p, reading: *run.reading, req: run.reading.req}
		if err := r.decide(ctx); err != nil {
			yield(nil, err)
			return
		}
		run.result = r.result()
		agent.Output(ctx, "", run.result)
	}
}
