package batch

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/jobs"
)

// Skill returns the agent's skill for the photos of a folder, using the batches that
// open returns. Each run is a batch, which has its own tasks.
func Skill(open func(context.Context) (*Batches, error)) agent.Skill {
	card := agent.Card{
		ID: "analyze_batch", Name: "Identify the products in many photos",
		Description: "Analyses every photo under a prefix of a bucket, or a sample of them, and writes a summary as JSON and CSV.",
		Tags:        []string{"photo", "product", "batch"},
		Examples:    []string{`{"prefix":"gs://uploads/shelf/"}`, `{"prefix":"gs://uploads/","sample":20,"random":true}`},
		Effects:     agent.Effects{Additive: true},
	}
	return agent.NewLongSkill(card, func(ctx context.Context) (agent.Runs[Request, Status], error) {
		b, err := open(ctx)
		return runs{b}, err
	}, agent.WithInput(withoutDryRun), agent.WithOutput(StatusSchema()))
}

// runs are batches as the skill offers them.
type runs struct{ *Batches }

// Start implements agent.Runs.
func (r runs) Start(ctx context.Context, of Request) (string, error) {
	s, err := r.Create(ctx, of)
	return s.ID, err
}

// Status implements agent.Runs.
func (r runs) Status(ctx context.Context, id string) (jobs.State, Status, error) {
	s, err := r.Get(ctx, id)
	return s.State, s, err
}

// Cancel implements agent.Runs.
func (r runs) Cancel(ctx context.Context, id string) error {
	_, err := r.Batches.Cancel(ctx, id)
	return err
}

// withoutDryRun removes dry_run, with which no batch begins.
func withoutDryRun(s *jsonschema.Schema) {
	const name = "dry_run"
	delete(s.Properties, name)
	s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(p string) bool { return p == name })
}

// StatusSchema returns the JSON schema of a status: that of its Go type.
func StatusSchema() *jsonschema.Schema {
	var states []any
	for _, s := range []jobs.State{jobs.Scanning, jobs.Expanding, jobs.Running, jobs.Cancelling, jobs.Done, jobs.Cancelled, jobs.Failed} {
		states = append(states, string(s))
	}
	s, err := jsonschema.For[Status](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time]():  {Type: "string", Format: "date-time"},
		reflect.TypeFor[jobs.State](): {Type: "string", Enum: states},
	}})
	if err != nil {
		panic(fmt.Sprintf("batch: the schema of a status: %v", err))
	}
	return s
}
