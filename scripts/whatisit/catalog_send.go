package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"example.com/whatis/internal/catalog"
)

// request returns a request about the file to the service, but for its path, and what the path asks.
func (i *catalogFile) request(ctx context.Context, c *console) (s *service, query url.Values, asked request, err error) {
	if s, err = i.elsewhere.open(c); err != nil {
		return nil, nil, asked, err
	}
	query = url.Values{"name": {i.from()}, "status": {i.Status}}
	for column, field := range i.Map {
		query.Add("map", column+"="+field)
	}
	for name, value := range map[string]string{"currency": i.Currency, "decimal": strings.TrimPrefix(i.Decimal, "unknown"), "charset": i.Charset, "shop": i.Shop} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if i.Restore {
		query.Set("restore", "true")
	}
	asked = request{method: http.MethodPost, kind: "application/octet-stream"}
	if i.remote() {
		query.Set("uri", i.File)
		return s, query, asked, nil
	}
	asked.body, err = i.bytes(ctx, c)
	return s, query, asked, err
}

// send has the service import the file, or say what an import would do.
func (i *importCommand) send(ctx context.Context, c *console) error {
	s, query, asked, err := i.request(ctx, c)
	if err != nil {
		return err
	}
	if i.Pictures {
		query.Set("pictures", "true")
	}
	if i.Diff {
		query.Set("diff", "true")
	}
	asked.path = "/catalog-imports?" + query.Encode()
	if i.Diff {
		return i.preview(ctx, c, s, asked)
	}
	now, err := done(ctx, c, s, asked)
	if now.Reading != nil {
		c.reading(*now.Reading)
	}
	if told := i.tellFaults(c, now.Faults); err != nil || told != nil {
		return errors.Join(err, told)
	}
	c.say("%s: %s", i.File, now.Imports)
	return i.verdict(now.Imports, now.LeftOut)
}

// tellFaults prints the faults that a service tells of, and writes them to the report. A service tells of the first hundred.
func (i *catalogFile) tellFaults(c *console, told []catalog.Fault) error {
	if err := apart("--report", i.Report, i.File); err != nil {
		return err
	}
	found, err := newFaults(c, i.Report)
	if err != nil {
		return usage("--report: %s", err)
	}
	for _, f := range told {
		found.add(f)
	}
	if len(told) == 100 {
		c.say("the service tells of the first 100")
	}
	return found.end()
}

// bytes returns the file.
func (i *catalogFile) bytes(ctx context.Context, c *console) ([]byte, error) {
	r, _, err := i.open(ctx, nil, c) // it is no object, which alone needs an app
	if err != nil {
		return nil, usage("%s", err)
	}
	defer r.Close()
	return io.ReadAll(r)
}

// preview prints what an import would do.
func (i *importCommand) preview(ctx context.Context, c *console, s *service, asked request) error {
	var would struct {
		Reading     catalog.Reading        `json:"reading"`
		Counts      map[catalog.Effect]int `json:"counts"`
		Differences []catalog.Difference   `json:"differences"`
		LeftOut     int                    `json:"left_out"`
		Faults      []catalog.Fault        `json:"faults"`
	}
	if err := s.answer(ctx, asked, &would); err != nil {
		return because(ctx, err)
	}
	c.reading(would.Reading)
	if err := i.tellFaults(c, would.Faults); err != nil {
		return err
	}
	d := newDifferences(c)
	for _, one := range would.Differences {
		d.tell(one)
	}
	d.count = would.Counts
	c.say("%s: %s, %d left out", i.File, d, would.LeftOut)
	return d.err
}

// An importState is how far the work on a catalogue is, or what became of it.
type importState struct {
	State, Message string
	catalog.Imports
	Reading *catalog.Reading
	Faults  []catalog.Fault
	Dropped int
}

// done asks for work on the catalogue and waits for its end. It is not found before its task has begun.
func done(ctx context.Context, c *console, s *service, asked request) (now importState, err error) {
	var started struct{ ID string }
	if err := s.answer(ctx, asked, &started); err != nil {
		return now, because(ctx, err)
	}
	var last string
	for {
		if err := sleep(ctx, time.Second); err != nil {
			return now, fmt.Errorf("%w: it goes on; GET /catalog-imports/%s tells how far it is", err, started.ID)
		}
		err := s.answer(ctx, request{method: http.MethodGet, path: "/catalog-imports/" + started.ID}, &now)
		var missing *problem
		switch so := now.Imports.String(); {
		case errors.As(err, &missing) && missing.Status == http.StatusNotFound:
			continue
		case err != nil:
			return now, because(ctx, err)
		case now.State == "failed":
			return now, errors.New(now.Message)
		case now.State == "done":
			return now, nil
		case so != last:
			c.say("%s so far", so)
			last = so
		}
	}
}
