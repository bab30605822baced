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
	}
	return agent.NewLongSkill(card, agent.Job[Request, Status]{
		Start: func(ctx context.Context, r Request) (string, error) {
			b, err := open(ctx)
			if err != nil {
				return "", err
			}
			s, err := b.Create(ctx, r)
			return s.ID, err
		},
		Status: func(ctx context.Context, id string) (jobs.State, Status, error) {
			b, err := open(ctx)
			if err != nil {
				return "", Status{}, err
			}
			s, err := b.Get(ctx, id)
			return s.State, s, err
		},
		Cancel: func(ctx context.Context, id string) error {
			b, err := open(ctx)
			if err == nil {
				_, err = b.Cancel(ctx, id)
			}
			return err
		},
	}, agent.WithInput(withoutDryRun), agent.WithOutput(StatusSchema()))
}

// withoutDryRun removes dry_run, with which no batch begins.
func withoutDryRun(s *jsonschema.Schema) {
	const name = "dry_run"
	delete(s.Properties, name)
	s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(p string) bool { return p == name })
}

// StatusSchema returns the JSON schema of a status: that of its Go type, with seed as
// a string.
func StatusSchema() *jsonschema.Schema {
	var states []any
	for _, s := range []jobs.State{jobs.Expanding, jobs.Running, jobs.Cancelling, jobs.Done, jobs.Cancelled, jobs.Failed} {
		states = append(states, string(s))
	}
	s, err := jsonschema.For[Status](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time]():  {Type: "string", Format: "date-time"},
		reflect.TypeFor[jobs.State](): {Type: "string", Enum: states},
	}})
	if err != nil {
		panic(fmt.Sprintf("batch: the schema of a status: %v", err))
	}
	s.Properties["seed"] = &jsonschema.Schema{Type: "string"}
	return s
}
