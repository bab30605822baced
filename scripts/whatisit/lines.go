package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
)

// label begins the lines of a photo: [i/N] and its name.
func (w *work) label(i int, p photo) string { return fmt.Sprintf("[%d/%d] %s", i+1, w.number, p.name) }

// summary is what a photo's line says of its result: WxH, seconds, tokens, and
// the source with the product, or why there is none.
func summary(r analyze.Result) string {
	if r.Error == analyze.AnalysisFailed {
		return fmt.Sprintf("%s failed: %s", r.InferenceTime, r.Message)
	}
	size := "?x?"
	if r.Image != nil && r.Image.Width > 0 {
		size = fmt.Sprintf("%dx%d", r.Image.Width, r.Image.Height)
	}
	t := r.TokenUsage
	return fmt.Sprintf("%s %s tokens %d/%d/%d %s", size, r.InferenceTime, t.Input, t.Output, t.Total, said(r))
}

// said is the source and the product.
func said(r analyze.Result) string {
	if r.Identification == nil {
		return "no product: " + cmp.Or(r.Description, r.Error)
	}
	source := string(r.Source)
	if r.Cached {
		source += " (cached)"
	}
	switch {
	case r.ProductName == "" && r.Brand == "":
		return source + ": unidentified"
	case r.Brand == "":
		return source + ": " + r.ProductName
	}
	return fmt.Sprintf("%s: %s, %s", source, cmp.Or(r.ProductName, "?"), r.Brand)
}

// describe is what -v says of an event.
func describe(e agent.Event) string {
	switch e.Kind {
	case agent.ToolCall:
		return fmt.Sprintf("%s calls %s", e.Author, e.Tool)
	case agent.ToolResult:
		if e.Error != "" {
			return fmt.Sprintf("%s: %s failed: %s", e.Author, e.Tool, e.Error)
		}
		return fmt.Sprintf("%s: %s answered", e.Author, e.Tool)
	case agent.ModelUsage:
		if e.Usage != nil {
			return fmt.Sprintf("%s: %s tokens %d/%d/%d", e.Author, e.Usage.Model, e.Usage.InputTokens, e.Usage.OutputTokens, e.Usage.TotalTokens)
		}
	}
	return fmt.Sprintf("%s %s", e.Author, e.Kind)
}

// failure is the result of a photo that has none because of err.
func failure(err error, took time.Duration) []byte {
	var p *problem
	retryable := errors.Is(err, errCut) || errors.As(err, &p) && p.passing()
	r := analyze.Result{InferenceTime: fmt.Sprintf("%.2fs", took.Seconds())}
	return encode(r.Failed(err.Error(), retryable))
}

func isEmulated(r analyze.Result) bool { return slices.Contains(r.Warnings, "emulated_model") }

// emulated shows, once, what the answers are worth.
func (c *console) emulated() {
	c.banner.Do(func() { c.say(emulatedBanner) })
}
