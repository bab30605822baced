package answers

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"example.com/whatis/emulators/gemini"
)

// The kinds of the requests of the agents that analyse a photo.
const (
	KindImage     gemini.Kind = "image"     // a schema with visible_text
	KindJudge     gemini.Kind = "judge"     // a schema with pick
	KindStructure gemini.Kind = "structure" // a schema with probability
	KindSearch    gemini.Kind = "search"    // the google_search tool, with that schema or without any
)

// analyze is the responder of image_analyzer and rag_agent. It reports what it read:
// the project's own sample packs, barcodes two readings agree on, text that
// tesseract is sure of. Anything else gets empty names and confidence 0. Several
// photos of one request are taken as one product's: the text of all of them, the
// name of the first known pack.
type analyze struct {
	Options
	*observer
}

func (a *analyze) Kinds(r *gemini.Request) []gemini.Kind {
	if !r.JSON && r.Search {
		return []gemini.Kind{KindSearch}
	}
	switch {
	case asksFor(r, "visible_text"):
		return []gemini.Kind{KindImage}
	case asksFor(r, "pick"):
		return []gemini.Kind{KindJudge}
	case asksFor(r, "probability") && r.Search:
		return []gemini.Kind{KindStructure, KindSearch}
	case asksFor(r, "probability"):
		return []gemini.Kind{KindStructure}
	}
	return nil
}

// Answer answers a request with what the photos and the text show.
func (a *analyze) Answer(ctx context.Context, r *gemini.Request) (gemini.Answer, error) {
	seen, err := a.observeAll(ctx, r.Inline)
	if err != nil {
		return gemini.Answer{}, err
	}
	if a.Obedient {
		obeying := *seen
		obeying.wants = seen.wants.and(injectedIn(r.Texts))
		seen = &obeying
	}
	given := readGiven(r.Texts)
	kinds := a.Kinds(r)
	switch {
	case kinds[0] == KindImage:
		return gemini.Answer{JSON: a.describe(seen)}, nil
	case kinds[0] == KindJudge:
		return gemini.Answer{JSON: a.judge(seen, given)}, nil
	case kinds[0] == KindSearch:
		return a.search(seen, given), nil
	case slices.Contains(kinds, KindSearch):
		return groundedStructure(seen, given)
	}
	return gemini.Answer{JSON: a.structure(seen, given)}, nil
}

func (a *analyze) search(seen *observation, g given) gemini.Answer {
	text, grounding := search(seen, g)
	if a.Obedient {
		text = injectedSearch(text, grounding, seen.wants)
	}
	return gemini.Answer{Text: text, Grounding: grounding}
}

func (a *analyze) structure(seen *observation, g given) structured {
	found := structure(g)
	if a.Obedient {
		found.applyInjection(seen.wants)
	}
	return found
}

// given has the labelled text parts of a request, as far as they can be parsed.
type given struct {
	analysis   analysis
	secondLook judgement
	candidates []candidateProduct
	answer     string
	sources    []source
	hasSources bool
	refined    string
	code       string
}

// analysis is the part image_analysis.
type analysis struct {
	VisibleText []visibleLine `json:"visible_text"`
	NamePrinted string        `json:"name_as_printed"`
	Brand       string        `json:"brand"`
	Name        string        `json:"product_name"`
	Category    string        `json:"category"`
	KeyFeatures []string      `json:"key_features"`
}

type candidateProduct struct {
	Number int    `json:"number"`
	Name   string `json:"product_name"`
	Brand  string `json:"brand"`
}

type source struct {
	Title string `json:"title"`
	URI   string `json:"uri"`
}

func readGiven(texts []string) given {
	var g given
	for _, t := range texts {
		label, body, _ := strings.Cut(t, ":\n")
		switch label {
		case "image_analysis":
			json.Unmarshal([]byte(body), &g.analysis)
		case "second_look":
			json.Unmarshal([]byte(body), &g.secondLook)
		case "candidates":
			json.Unmarshal([]byte(body), &g.candidates)
		case "answer":
			g.answer = body
		case "sources":
			g.hasSources = true
			json.Unmarshal([]byte(body), &g.sources)
		case "refined":
			g.refined = body
		case "code":
			g.code = body
		}
	}
	return g
}
