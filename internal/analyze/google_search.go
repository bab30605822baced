package analyze

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// webQuery is the input of google_search: the refined text of a second search, ""
// for the first, which leaves the wording to the model.
type webQuery struct {
	Refined string `json:"refined,omitempty"`
}

// webAnswer is the output of google_search.
type webAnswer struct {
	Answer  string            `json:"answer"`
	Queries []string          `json:"queries"`
	Sources []gemini.Citation `json:"sources"`
}

// enoughQueries is the number of executed queries after which no search follows:
// each costs money, and Google decides how many one call makes.
const enoughQueries = 2

// googleSearch searches the web for the product and structures an answer that has
// sources. Without sources it searches once more, in words that the model proposes, if fewer
// than two queries were executed. A plan without the tool is no finding, and its result is not
// kept. An answer that stays malformed fails the first deliveries of a photo, and
// then counts as a search that found nothing.
func (r *rag) googleSearch(ctx context.Context) error {
	r.facts.googled = true
	if r.NoWebSearch {
		r.warnings = append(r.warnings, warnNoWebSearch)
		return nil
	}
	r.steps = append(r.steps, StepGoogleSearch)
	for refined, again := "", true; again; again = refined != "" && r.queries < enoughQueries {
		f, err := r.searchOnce(ctx, refined)
		if modelRefused(err) {
			r.warnings = append(r.warnings, warnSearchRefused)
			return nil
		}
		if kindIn(err, gemini.NoSearch) {
			slog.WarnContext(ctx, "analyze: the web was not searched", "error", err)
			r.warnings, r.facts.passing = append(r.warnings, warnSearchRefused), true
			return nil
		}
		if kindIn(err, gemini.Malformed) && jobs.CheckpointsOf(ctx).Keep != nil {
			r.warnings, r.facts.passing = append(r.warnings, warnSearchFailed), true
			return leftToLater(ctx, r.req.key("findings_malformed"), err)
		}
		if err != nil {
			return err
		}
		if len(r.found.Citations) > 0 {
			f.holdToSources(r.facts.analysis.KeyFeatures, len(r.found.Supports) > 0)
			f.Evidence = citing(f.Evidence, r.found.Citations)
			if !r.onlyInjected(f.ProductName) && !r.onlyInjected(f.Brand) {
				r.holdToPrint(f)
				r.facts.finding = f
			}
			return nil
		}
		if refined != "" {
			return nil
		}
		refined = proposed(f, r.found.Text)
	}
	return nil
}

// searchAgain is the line in which a searching model proposes another search.
var searchAgain = regexp.MustCompile(`(?m)^Search again: *(\S.*)$`)

// proposed returns the words of another search that a model proposes in its finding, or in
// its text if that is none, "" if it does not.
func proposed(f *Finding, text string) string {
	if f != nil {
		return f.SearchAgain
	}
	if m := searchAgain.FindStringSubmatch(text); m != nil {
		return clean(m[1], maxProductName)
	}
	return ""
}

// citing returns text without web addresses that are not in cited, which the model
// may have invented.
func citing(text string, cited []gemini.Citation) string {
	return clean(address.ReplaceAllStringFunc(text, func(found string) string {
		if slices.ContainsFunc(cited, func(c gemini.Citation) bool { return strings.TrimRight(found, ".,;)]") == c.URI }) {
			return found
		}
		return ""
	}), maxStringRunes)
}

// searchOnce makes one search. The finding is nil if the answer cites no source:
// then it is not structured.
func (r *rag) searchOnce(ctx context.Context, refined string) (*Finding, error) {
	var f *Finding
	tool := agent.Tool[webQuery, webAnswer]{Name: "google_search", Do: func(ctx context.Context, q webQuery) (webAnswer, error) {
		var err error
		f, err = r.doWebSearch(ctx, q)
		if err != nil {
			return webAnswer{}, err
		}
		return webAnswer{Answer: r.found.Text, Queries: r.found.Queries, Sources: r.found.Citations}, nil
	}}
	if _, err := tool.Call(ctx, webQuery{Refined: refined}); err != nil {
		return nil, err
	}
	r.queries += len(r.found.Queries)
	if f != nil || len(r.found.Citations) == 0 {
		return f, nil
	}
	structured, err := r.Pipeline.finding.Ask(ctx, agent.Call{Key: "finding", Values: r.req.values(), RetryTruncated: true, Parts: []gemini.Part{
		contextPart(r.req), labelled("image_analysis", r.facts.analysis),
		gemini.Text("answer:\n" + r.found.Text), labelled("sources", sources(r.found)),
	}})
	return &structured.Value, err
}

// doWebSearch asks the model that searches. With SearchWithSchema it returns the
// finding, else nil.
func (r *rag) doWebSearch(ctx context.Context, q webQuery) (*Finding, error) {
	key := "google_search"
	if q.Refined != "" {
		key = "google_search_refined"
	}
	call := agent.Call{Key: key, Values: r.req.values(), Parts: r.searchParts(q.Refined), Search: true}
	if !r.SearchWithSchema {
		var err error
		r.found, err = r.search.Ask(ctx, call)
		return nil, err
	}
	f, err := r.oneCall.Ask(ctx, call)
	r.found = f.Response
	return &f.Value, err
}

// searchParts returns the input of the searching model: with the photos, unless the
// same model has seen them; then with its own reading of them.
func (r *rag) searchParts(refined string) []gemini.Part {
	parts := []gemini.Part{contextPart(r.req), labelled("image_analysis", r.facts.analysis)}
	switch j := r.facts.judgement; {
	case j != nil:
		parts = append(parts, labelled("second_look", j))
	case r.facts.blocked:
	case r.found == nil:
		parts = append(photoParts(r.req), parts...)
	}
	if refined != "" {
		parts = append(parts, gemini.Text("refined:\n"+refined))
	} else if r.facts.code != "" {
		parts = append(parts, gemini.Text("code:\n"+r.facts.code))
	}
	return parts
}

// source is the form in which the model gets a source.
type source struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	URI    string `json:"uri"`
}

func sources(answer *gemini.Response) []source {
	out := make([]source, len(answer.Citations))
	for i, c := range answer.Citations {
		out[i] = source{i + 1, c.Title, c.URI}
	}
	return out
}
