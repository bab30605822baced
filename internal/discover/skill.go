package discover

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
)

// An Outcome is the status of a run with, once it is over, its result.
type Outcome struct {
	Status
	Found *Result `json:"found,omitempty" jsonschema:"what it came to, once it is over; where that is larger than 850 KiB, result says where it lies, and GET /discover/{id}/result has it"`
}

// maxFound bounds the result of an outcome, in bytes of JSON: the outcome must fit into a
// document of Firestore.
const maxFound = 850 << 10

// Message says in a line how far the run is.
func (o Outcome) Message() string {
	if o.State.Over() {
		return fmt.Sprintf("%s: %s %d records of %d pages", cmp.Or(o.Action, string(o.State)), o.Reason, o.Items, o.Pages)
	}
	return fmt.Sprintf("%s, iteration %d: %d searches, %d pages, %d records", cmp.Or(o.Phase, planning), o.Iteration, o.Searches, o.Pages, o.Items)
}

// outcome returns the status of a run, with its result once it is over.
func (p *Pipeline) outcome(ctx context.Context, id string) (o Outcome, err error) {
	if o.Status, err = p.Get(ctx, id); err != nil || !o.State.Over() {
		return o, err
	}
	data, err := p.File(ctx, id, "result.json")
	if errors.Is(err, blob.ErrNotFound) { // the result could not be written, or was deleted
		return o, nil
	}
	if err != nil {
		return o, err
	}
	if err = json.Unmarshal(data, &o.Found); err != nil {
		return o, fmt.Errorf("discover: the result of %s: %w", id, err)
	}
	for _, page := range o.Found.Sources {
		page.Further = nil // of use to deep dives only
	}
	if data, err = json.Marshal(o.Found); len(data) > maxFound {
		o.Found = nil
	}
	return o, err
}

// Skill returns the skill of the pipeline that open returns.
func Skill(open func(context.Context) (*Pipeline, error)) agent.Skill {
	card := agent.Card{
		ID: "discover", Noun: "discovery", Name: "Discover which emissions data a place publishes",
		Description: "Searches the web for data on greenhouse gas emissions of a country, region or city and a sector. Each dataset comes with a quote of the page that publishes it.",
		Tags:        []string{"emissions", "inventory", "open data"},
		Examples:    []string{`{"country":"Uruguay","sector":"waste"}`, `{"city":"Linz, AT"}`},
		Effects:     agent.Effects{Additive: true},
	}
	return agent.NewLongSkill(card, func(ctx context.Context) (agent.Runs[Request, Outcome], error) {
		p, err := open(ctx)
		return runs{p}, err
	})
}

// runs are the runs of a pipeline as its skill offers them.
type runs struct{ *Pipeline }

// Start implements agent.Runs.
func (r runs) Start(ctx context.Context, of Request) (string, error) {
	s, err := r.Pipeline.Start(ctx, of)
	return s.ID, err
}

// Status implements agent.Runs.
func (r runs) Status(ctx context.Context, id string) (jobs.State, Outcome, error) {
	o, err := r.outcome(ctx, id)
	return o.State, o, err
}

// Cancel implements agent.Runs.
func (r runs) Cancel(ctx context.Context, id string) error {
	_, err := r.Pipeline.Cancel(ctx, id)
	return err
}
