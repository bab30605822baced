package main

import (
	"context"
	"net/http"

	"example.com/whatis/internal/discover"
)

// markCommand marks a record as right or wrong.
type markCommand struct {
	ID      string `arg:"" help:"The discovery's ID."`
	Key     string `arg:"" help:"The record's duplicate_key, as printed with --json and --csv."`
	Verdict string `arg:"" enum:"right,wrong" help:"right or wrong."`
	By      string `placeholder:"NAME" help:"The person who marks it."`
	elsewhere
}

// Run sends the mark to the service.
func (m *markCommand) Run(ctx context.Context, c *console) error {
	s, err := m.open(c)
	if err != nil {
		return err
	}
	defer s.close()
	var marked discover.Mark
	body := encode(discover.MarkRequest{DuplicateKey: m.Key, Verdict: m.Verdict, By: m.By})
	if err := s.answer(ctx, request{method: http.MethodPost, path: discoveryPath(m.ID) + "/marks", kind: "application/json", body: body}, &marked); err != nil {
		return because(ctx, err)
	}
	c.say("%s is marked %s", marked.URL, m.Verdict)
	return nil
}
