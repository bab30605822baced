package main

import (
	"context"
	"net/http"

	"example.com/whatis/internal/discover"
)

// markCommand says of a record whether it is right.
type markCommand struct {
	ID      string `arg:"" help:"Of the discovery."`
	Key     string `arg:"" help:"The record's duplicate_key, which --json and --csv of the discovery have."`
	Verdict string `arg:"" enum:"right,wrong" help:"right or wrong."`
	By      string `placeholder:"NAME" help:"Who says so."`
	elsewhere
}

// Run tells the service.
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
