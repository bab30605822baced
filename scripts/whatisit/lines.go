package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
)

// label returns the prefix of a photo's lines: [i/N] and its name.
func (w *work) label(i int, p photo) string {
	label := fmt.Sprintf("[%d/%d] %s", i+1, w.number, p.name)
	if n := len(p.more); n > 0 {
		label += fmt.Sprintf(" and %d more", n)
	}
	return label
}

// summary returns the text of a photo's line: WxH, seconds, tokens, and the source with
// the product, or why there is none.
func summary(r analyze.Result) string {
	if r.Error == analyze.AnalysisFailed {
		return fmt.Sprintf("%s failed: %s", r.InferenceTime, r.Message)
	}
	size := "?x?"
	if r.Image != nil && r.Image.Width > 0 {
		size = fmt.Sprintf("%dx%d", r.Image.Width, r.Image.Height)
	}
	t := r.TokenUsage
	return fmt.Sprintf("%s %s tokens %d/%d/%d %s", size, r.InferenceTime, t.Input, t.Output, t.Total, identification(r))
}

// identification returns the source and the product. For an unidentified product the names are
// those read from the photo.
func identification(r analyze.Result) string {
	if r.Identification == nil {
		return "no product: " + cmp.Or(r.Description, r.Error)
	}
	source := intake.SourceOf(r)
	if slices.Contains(r.Warnings, "unconfirmed_record") {
		source += " (unconfirmed)"
	}
	if r.Cached {
		source += " (cached)"
	}
	return identified(source, r.ProductName, r.Brand)
}

// identified formats a source and the product that it names.
func identified(source, product, brand string) string {
	named := cmp.Or(product, "?")
	if brand != "" {
		named += ", " + brand
	}
	switch {
	case product == "" && brand == "":
		return source
	case strings.HasPrefix(source, intake.Unidentified):
		return fmt.Sprintf("%s (read: %s)", source, named)
	}
	return source + ": " + named
}

// counted formats the numbers of unidentified and failed photos for the closing line.
func counted(unidentified, failed int) string {
	if unidentified == 0 {
		return fmt.Sprintf("%d failed", failed)
	}
	return fmt.Sprintf("%d unidentified, %d failed", unidentified, failed)
}

// why explains the decision: the steps after the photo was read, and their outcome. It
// is empty without a decision.
func why(r analyze.Result) string {
	if r.Decision == nil {
		return ""
	}
	second := slices.Contains(r.Decision.Steps, analyze.StepSecondLook)
	switch r.Decision.Row {
	case 1:
		return "one GTIN was read, and the catalogue has " + recordOf(r) + " record of it"
	case 2:
		return "the photo shows no product"
	case 3:
		return choose(slices.Contains(r.Warnings, "no_brand_printed"), "the name is sure, and no brand is in sight", "name and brand were read with confidence") + secondLook(r, second)
	case 4:
		if r.RAGConfidence != nil && strings.HasPrefix(r.RAGConfidence.Evidence, "near duplicate of ") {
			return "a stronger model picked what a photo that looks nearly the same was identified as"
		}
		return "a stronger model picked the catalogue's product"
	case 5:
		return strings.Join(append(unsettled(r), "a web search names the product, with sources"), "; ")
	case 6:
		return strings.Join(append(unsettled(r), unfound(r)), "; ")
	}
	return ""
}

// secondLook describes the stronger model's verdict on a confident reading.
func secondLook(r analyze.Result, asked bool) string {
	doubted := len(r.Decision.Suspicions) > 0
	switch {
	case asked && failedLook(r) != "":
		return "; " + failedLook(r)
	case asked && doubted:
		return "; a stronger model settled what was suspicious"
	case asked:
		return "; a stronger model is sure as well"
	case doubted:
		return ""
	}
	return "; nothing was suspicious"
}

// unsettled lists the steps before the web search, which did not identify the product.
func unsettled(r analyze.Result) (clauses []string) {
	failed := failedLook(r)
	if slices.Contains(r.Decision.Steps, analyze.StepSearchLocalDB) {
		clauses = append(clauses, choose(failed != "", "the catalogue was searched", "the catalogue has nothing that fits"))
	}
	if slices.Contains(r.Decision.Steps, analyze.StepSecondLook) {
		clauses = append(clauses, cmp.Or(failed, "a stronger model did not settle it"))
	}
	return clauses
}

// failedLook says that the second look came to nothing; it is empty if it did not.
func failedLook(r analyze.Result) string {
	if slices.Contains(r.Warnings, analyze.WarnSecondLookFailed) {
		return "the stronger model gave no usable answer about the photo"
	}
	return ""
}

// unfound describes the outcome of the web search for an unidentified product.
func unfound(r analyze.Result) string {
	switch {
	case len(r.Decision.Steps) == 0:
		return "nothing that was tried identified the product"
	case !slices.Contains(r.Decision.Steps, analyze.StepGoogleSearch):
		return "the web was not searched"
	case slices.Contains(r.Warnings, "search_refused"):
		return "the model would not search the web"
	}
	return "the model was asked to search the web, and no source names a product that fits"
}

func choose(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// describe returns the line that -v prints for an event.
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

// failure returns the result of a photo whose request failed with err.
func failure(err error, took time.Duration) []byte {
	var p *problem
	retryable := errors.Is(err, errCut) || errors.As(err, &p) && p.passing()
	r := analyze.Result{InferenceTime: fmt.Sprintf("%.2fs", took.Seconds())}
	return encode(r.Failed(err.Error(), retryable))
}

func isEmulated(r analyze.Result) bool { return slices.Contains(r.Warnings, "emulated_model") }

// emulated prints once that the answers come from an emulated model.
func (c *console) emulated() {
	c.banner.Do(func() { c.say(emulatedBanner) })
}

// recordOf returns the status of the catalogue record that a result names.
func recordOf(r analyze.Result) string {
	switch {
	case r.Record == nil:
		return "a confirmed or imported"
	case r.Record.Status == "imported":
		return "an imported"
	}
	return "a " + r.Record.Status
}
