package analyze

import (
	"context"
	"slices"
	"strings"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"

	"example.com/whatis/internal/textfold"
)

// webQuery is what google_search is called with: the refined text of a second
// try, "" for the first, which leaves the wording to the model.
type webQuery struct {
	Refined string `json:"refined,omitempty"`
}

// key is the call's place in the journal.
func (q webQuery) key() string {
	if q.Refined == "" {
		return "google_search"
	}
	return "google_search_refined"
}

// webAnswer is what google_search answers.
type webAnswer struct {
	Answer  string            `json:"answer"`
	Queries []string          `json:"queries"`
	Sources []gemini.Citation `json:"sources"`
}

// enoughQueries is how many executed queries end the searching: each costs money,
// and Google's side decides how many one call makes.
const enoughQueries = 2

// googleSearch asks the web what the product is, and has a sourced answer
// structured. Without a source it asks once more in other words, as long as fewer
// than two queries were executed.
func (r *rag) googleSearch(ctx context.Context) error {
	r.facts.googled = true
	r.steps = append(r.steps, StepGoogleSearch)
	for _, refined := range r.searchWordings() {
		if r.queries >= enoughQueries {
			return nil
		}
		f, err := r.searchOnce(ctx, refined)
		if modelRefused(err) {
			r.warnings = append(r.warnings, warnSearchRefused)
			return nil
		}
		if err != nil {
			return err
		}
		if sourced(r.found) {
			f.holdToSources(r.facts.analysis.KeyFeatures, len(r.found.Supports) > 0)
			f.Evidence = citing(f.Evidence, r.found.Citations)
			r.facts.finding = f
			return nil
		}
	}
	return nil
}

// searchWordings are what the searches are asked with: "" leaves the wording to
// the model, the second is refined by code.
func (r *rag) searchWordings() []string {
	wordings := []string{""}
	if refined := refinedQuery(r.facts.analysis, r.facts.judgement); refined != "" {
		wordings = append(wordings, refined)
	}
	return wordings
}

// citing is text without the web addresses that are none of cited: a model may
// write down what it likes.
func citing(text string, cited []gemini.Citation) string {
	return clean(address.ReplaceAllStringFunc(text, func(found string) string {
		if slices.ContainsFunc(cited, func(c gemini.Citation) bool { return strings.TrimRight(found, ".,;)]") == c.URI }) {
			return found
		}
		return ""
	}), maxStringRunes)
}

// sourced reports that the answer names pages it rests on. Without one it is no
// finding.
func sourced(answer *gemini.Response) bool { return len(answer.Citations) > 0 }

// searchOnce makes one search. The finding is nil when the answer names no
// source: there is nothing to structure then.
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
	if f != nil || !sourced(r.found) {
		return f, nil
	}
	structured, err := r.Pipeline.finding.Ask(ctx, agent.Call{Key: "finding", Values: r.req.values(), Parts: []gemini.Part{
		contextPart(r.req), labelled("image_analysis", r.facts.analysis),
		gemini.Text("answer:\n" + r.found.Text), labelled("sources", sources(r.found)),
	}})
	return &structured.Value, err
}

// doWebSearch asks the model that searches. With SearchWithSchema the answer is
// a finding already.
func (r *rag) doWebSearch(ctx context.Context, q webQuery) (*Finding, error) {
	call := agent.Call{Key: q.key(), Values: r.req.values(), Parts: r.searchParts(q.Refined), Search: true}
	if !r.SearchWithSchema {
		var err error
		r.found, err = r.search.Ask(ctx, call)
		return nil, err
	}
	f, err := r.oneCall.Ask(ctx, call)
	r.found = f.Response
	return &f.Value, err
}

// searchParts are what the searching model sees: the photos too, unless the same
// model has seen them already; then what it read itself.
func (r *rag) searchParts(refined string) []gemini.Part {
	parts := []gemini.Part{contextPart(r.req), labelled("image_analysis", r.facts.analysis)}
	switch j := r.facts.judgement; {
	case r.facts.refused:
	case j != nil:
		parts = append(parts, labelled("second_look", j))
	case r.found == nil:
		parts = append(r.reading.shown(), parts...)
	}
	if refined != "" {
		parts = append(parts, gemini.Text("refined:\n"+refined))
	}
	return parts
}

// refinedQuery is what a person would type at the second try: the brand and the
// name, as a second look read them if there was one, and the two largest lines
// that were read clearly.
func refinedQuery(a Analysis, j *Judgement) string {
	const names, clearLines = 2, 2
	words := distinct([]string{a.Brand, a.NameAsPrinted}, names)
	if j.reads() {
		words = distinct([]string{j.Brand, j.ProductName}, names)
	}
	most := len(words) + clearLines
	for _, l := range a.VisibleText {
		if l.Clear && textfold.Letters(l.Text) > 2 {
			words = distinct(append(words, l.Text), most)
		}
	}
	return strings.Join(words, " ")
}

// source is a source as the model sees it.
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
