package gemini

import (
	"encoding/json"
	"strings"
)

// think answers a request honestly. An error is the client's fault: a photo
// that cannot be decoded.
func (s *Server) think(q *query) (string, *Grounding, error) {
	seen, err := s.look(q)
	if err != nil {
		return "", nil, err
	}
	if s.obedient {
		obeying := *seen
		obeying.wants = seen.wants.and(told(q.Texts))
		seen = &obeying
	}
	given := readGiven(q.Texts)
	var answer any
	switch q.Kind {
	case KindImage:
		answer = s.describe(seen)
	case KindJudge:
		answer = s.judge(seen, given)
	case KindSearch:
		text, grounding := search(seen, given)
		if s.obedient {
			text = obeySearch(text, grounding, seen.orders())
		}
		return text, grounding, nil
	case KindStructure:
		if q.Search {
			return groundedStructure(seen, given)
		}
		found := structure(given)
		if s.obedient {
			found.obey(seen.orders())
		}
		answer = found
	default:
		return otherAnswer(q), nil, nil
	}
	text, err := encode(answer)
	return text, nil, err
}

// look sees the photos of a request; without one it sees nothing.
func (s *Server) look(q *query) (*sight, error) {
	var photos []*sight
	for _, i := range q.Inline {
		if !strings.HasPrefix(i.MIMEType, "image/") {
			continue
		}
		seen, err := s.eye.look(i)
		if err != nil {
			return nil, err
		}
		photos = append(photos, seen)
	}
	if len(photos) == 0 {
		return &sight{}, nil
	}
	return together(photos), nil
}

// otherAnswer is for requests the emulated model was not made for.
func otherAnswer(q *query) string {
	if q.jsonAnswer {
		return "{}"
	}
	return "The emulated model has no answer to this."
}

// given is what the labelled text parts of a request say. Parts are taken as
// far as they can be read.
type given struct {
	analysis   analysis
	secondLook judgement
	candidates []candidateProduct
	answer     string
	sources    []source
	hasSources bool
	refined    string
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
		}
	}
	return g
}
