package answers

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"sync/atomic"

	"example.com/whatis/emulators/gemini"
)

// A Recording holds the answers that somebody has given to each step about one photo, as the
// model's JSON. In place of one that is nil the model is at a loss: it reads and finds nothing.
type Recording struct {
	Shown                string // the SHA-256 of the photo's bytes as the model gets them
	Read, Judge, Finding json.RawMessage
	Search               *RecordedSearch

	atLoss atomic.Int32
}

// A RecordedSearch is the answer of the model that searches the web.
type RecordedSearch struct {
	Text    string   `json:"text"`
	Queries []string `json:"queries"`
	Sources []string `json:"sources"` // titles of pages
}

// AtLoss returns how many calls had no recorded answer; none without a recording.
func (r *Recording) AtLoss() int {
	if r == nil {
		return 0
	}
	return int(r.atLoss.Load())
}

// recorded is the responder that answers from recordings. It knows a photo by the bytes that
// it is shown, and without a photo by the print that image_analysis quotes. Its answers bear
// the name of the model that was asked, so that they are charged at its price.
type recorded struct {
	analyze
	all []*Recording
}

func (m *recorded) Answer(_ context.Context, r *gemini.Request) (gemini.Answer, error) {
	of := m.recording(r)
	if of == nil {
		return gemini.Answer{}, errors.New("the photo is none of those with recorded answers")
	}
	kind, a := m.Kinds(r)[0], gemini.Answer{ModelVersion: r.Model}
	said := map[gemini.Kind]json.RawMessage{KindImage: of.Read, KindJudge: of.Judge, KindStructure: of.Finding}[kind]
	if said != nil {
		a.JSON = said
	}
	a.AtALoss = said == nil && kind != KindSearch
	search := RecordedSearch{Text: "Nothing was found."}
	if of.Search != nil {
		search = *of.Search
	}
	if given := readGiven(r.Texts); r.Search {
		if search.Queries == nil || given.code != "" && given.refined == "" { // a code is to be the only query
			search.Queries = queriesOf(given)
		}
		a.Grounding = search.grounding()
	}
	if kind == KindSearch {
		a.Text = search.Text
	}
	if a.AtALoss || kind == KindSearch && of.Search == nil {
		of.atLoss.Add(1)
	}
	return a, nil
}

// grounding says that all of the text stands in each of the sources.
func (s *RecordedSearch) grounding() *gemini.Grounding {
	g := &gemini.Grounding{Queries: s.Queries, Entry: &gemini.SearchEntryPoint{HTML: suggestions(s.Queries)}}
	support := gemini.GroundingSupport{Segment: gemini.Segment{End: len(s.Text), Text: s.Text}}
	for i, title := range s.Sources {
		g.Chunks = append(g.Chunks, gemini.GroundingChunk{Web: gemini.WebSource{URI: "https://recorded.example/" + url.PathEscape(title), Title: title}})
		support.Chunks = append(support.Chunks, i)
	}
	if len(s.Sources) > 0 {
		g.Supports = append(g.Supports, support)
	}
	return g
}

// recording returns what is recorded of the photo that r is about, nil if that is not known.
func (m *recorded) recording(r *gemini.Request) *Recording {
	quoted := readGiven(r.Texts).analysis.quotes()
	var best *Recording
	most := 0.0
	for _, of := range m.all {
		if slices.ContainsFunc(r.Inline, func(i gemini.Inline) bool { return i.SHA256 == of.Shown }) {
			return of
		}
		var read analysis
		if json.Unmarshal(of.Read, &read) != nil {
			continue
		}
		own := read.quotes()
		common := 0
		for words := range own {
			if quoted[words] {
				common++
			}
		}
		if alike := float64(common) / float64(max(1, len(own)+len(quoted)-common)); alike > most {
			best, most = of, alike
		}
	}
	return best
}

// quotes returns the lines and the features of a, which tell photos apart.
func (a analysis) quotes() map[string]bool {
	all := map[string]bool{}
	for _, l := range a.VisibleText {
		all[l.Text] = true
	}
	for _, feature := range a.KeyFeatures {
		all[feature] = true
	}
	return all
}
