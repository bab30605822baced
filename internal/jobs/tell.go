package jobs

import (
	"context"
	"log/slog"
	"maps"

	"example.com/whatis/internal/jobs/queue"
)

// tell publishes the public part of a finished result, with its id and the attributes of
// the job and of the result. Work that was given up is also published to Failures.
// Both messages may be published more than once, with the same id.
func (e *Executor[R, E]) tell(ctx context.Context, s *Spec, o Outcome) error {
	if e.Events == nil && e.Failures == nil {
		return nil
	}
	r, err := Decode[R](o.Result)
	if err != nil { // of another version, which has told
		slog.WarnContext(ctx, "result not published", "id", s.Item.ID, "error", err)
		return nil
	}
	facts := e.kind.Describe(r)
	if e.Events != nil {
		err = e.Events.Publish(ctx, queue.Message{Data: e.kind.Public(r), Attributes: s.attributes(facts.Attributes)})
	}
	if err == nil && e.Failures != nil && facts.GivenUp {
		err = e.Failures.Publish(ctx, queue.Message{Data: e.kind.Public(r), Attributes: s.attributes(s.FailureAttributes)})
	}
	return err
}

// attributes returns the attributes of a message about the job, with those of more.
func (s *Spec) attributes(more map[string]string) map[string]string {
	all := map[string]string{"id": s.Item.ID}
	maps.Copy(all, s.Attributes)
	maps.Copy(all, more)
	return all
}
