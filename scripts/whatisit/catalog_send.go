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

// send has the service import the file, or say what an import would do.
func (i *importCommand) send(ctx context.Context, c *console) error {
	if i.Restore || i.Report != "" {
		return usage("--restore and --report are for the catalogue itself: leave out --url (API_URL), and name its project by GOOGLE_CLOUD_PROJECT")
	}
	s, err := i.elsewhere.open(c)
	if err != nil {
		return err
	}
	query := url.Values{"name": {i.from()}, "status": {i.Status}}
	for column, field := range i.Map {
		query.Add("map", column+"="+field)
	}
	for name, value := range map[string]string{"currency": i.Currency, "decimal": strings.TrimPrefix(i.Decimal, "unknown"), "charset": i.Charset, "shop": i.Shop} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if i.Pictures {
		query.Set("pictures", "true")
	}
	asked := request{method: http.MethodPost, kind: "application/octet-stream"}
	if i.remote() {
		query.Set("uri", i.File)
	} else if asked.body, err = i.bytes(ctx, c); err != nil {
		return err
	}
	if i.Diff {
		query.Set("diff", "true")
	}
	asked.path = "/catalog-imports?" + query.Encode()
	if i.Diff {
		return i.preview(ctx, c, s, asked)
	}
	var started struct {
		ID string `json:"id"`
	}
	if err := s.answer(ctx, asked, &started); err != nil {
		return because(ctx, err)
	}
	return i.watch(ctx, c, s, started.ID)
}

// bytes returns the file.
func (i *importCommand) bytes(ctx context.Context, c *console) ([]byte, error) {
	r, _, err := i.catalogFile.open(ctx, nil, c) // it is no object, which alone needs an app
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
	for _, f := range would.Faults {
		c.say("%s: %s", f.Place(), f.Why)
	}
	d := newDifferences(c)
	for _, one := range would.Differences {
		d.tell(one)
	}
	d.count = would.Counts
	c.say("%s: %s, %d left out", i.File, d, would.LeftOut)
	return d.err
}

// watch waits for the end of an import. It is not found before its task has begun.
func (i *importCommand) watch(ctx context.Context, c *console, s *service, id string) error {
	var last string
	for {
		if err := sleep(ctx, time.Second); err != nil {
			return fmt.Errorf("%w: the import goes on; GET /catalog-imports/%s tells how far it is", err, id)
		}
		var now struct {
			State, Message string
			catalog.Imports
		}
		err := s.answer(ctx, request{method: http.MethodGet, path: "/catalog-imports/" + id}, &now)
		var missing *problem
		switch so := now.Imports.String(); {
		case errors.As(err, &missing) && missing.Status == http.StatusNotFound:
			continue
		case err != nil:
			return because(ctx, err)
		case now.State == "failed":
			return fmt.Errorf("%s: %s", i.File, now.Message)
		case now.State == "done":
			c.say("%s: %s", i.File, so)
			return i.verdict(now.Imports, now.LeftOut)
		case so != last:
			c.say("%s so far", so)
			last = so
		}
	}
}
