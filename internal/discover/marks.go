package discover

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/internal/digest"
	"example.com/whatis/internal/fold"
	"example.com/whatis/internal/public"
)

// marksCollection is the Firestore collection of what people say of records: a document
// for each place, in which each record has its entry by its duplicate_key.
const marksCollection = "discovery_marks"

// The verdicts of a mark.
const (
	right = "right"
	wrong = "wrong"
)

// marked is the source of a page whose record somebody has marked right.
const marked = "marked"

// A Verdict is what somebody says of a record.
type Verdict struct {
	Verdict string    `json:"verdict" firestore:"verdict" enum:"right,wrong"`
	By      string    `json:"by,omitempty" firestore:"by"`
	At      time.Time `json:"at" firestore:"at"`
}

// A Mark is a record with the verdicts on it. The last one counts.
type Mark struct {
	DuplicateKey string `json:"duplicate_key" firestore:"duplicate_key"`
	Verdict
	History []Verdict `json:"history" firestore:"history"` // the oldest first, with the last one

	URL    string   `json:"url" firestore:"url"`
	Name   string   `json:"name" firestore:"name"`
	Quote  string   `json:"quote" firestore:"quote"`
	Also   []string `json:"also,omitempty" firestore:"also"`
	Sector string   `json:"sector,omitempty" firestore:"sector"` // of the run in which it was found; "" is all
}

// A MarkRequest says which record of a run is right or wrong.
type MarkRequest struct {
	DuplicateKey string `json:"duplicate_key" jsonschema:"of a record of the run"`
	Verdict      string `json:"verdict" jsonschema:"right or wrong"`
	By           string `json:"by,omitempty" jsonschema:"who says so"`
}

// maxBy is how long the name of a person may be.
const maxBy = 100

func (r MarkRequest) check() error {
	switch {
	case r.Verdict != right && r.Verdict != wrong:
		return fmt.Errorf("%w: verdict %q: send right or wrong", ErrRequest, public.Short(r.Verdict, public.Quoted))
	case r.DuplicateKey == "":
		return fmt.Errorf("%w: no duplicate_key: send that of a record of the run's result", ErrRequest)
	case len([]rune(r.By)) > maxBy:
		return fmt.Errorf("%w: by has more than %d characters: send a name", ErrRequest, maxBy)
	}
	return nil
}

// ErrNoRecord is a mark on nothing.
var ErrNoRecord = public.New("discover", "the run has no record of this duplicate_key: send one of its result's items")

// Mark notes that a record of a run is right or wrong, for the next run on its place.
func (p *Pipeline) Mark(ctx context.Context, id string, m MarkRequest) (Mark, error) {
	if err := m.check(); err != nil {
		return Mark{}, err
	}
	r, err := p.Result(ctx, id)
	if err != nil {
		return Mark{}, err
	}
	known, err := p.marks(ctx, r.Target)
	if err != nil {
		return Mark{}, err
	}
	mark := known[m.DuplicateKey]
	if i := slices.IndexFunc(r.Items, func(i StructuredDataItem) bool { return i.DuplicateKey == m.DuplicateKey }); i >= 0 {
		item := r.Items[i]
		mark.URL, mark.Name, mark.Quote, mark.Also, mark.Sector = item.URL, item.Name, item.Quote, item.Also, r.Target.Sector
	} else if mark.URL == "" {
		return Mark{}, ErrNoRecord
	}
	mark.DuplicateKey, mark.Verdict = m.DuplicateKey, Verdict{m.Verdict, m.By, time.Now().UTC()}
	mark.History = append(mark.History, mark.Verdict)
	return mark, p.keepMark(ctx, r.Target, mark)
}

// keepMark writes a mark. Its verdict joins those that others write at the same time.
func (p *Pipeline) keepMark(ctx context.Context, t Target, m Mark) error {
	entry := map[string]any{
		"duplicate_key": m.DuplicateKey, "verdict": m.Verdict.Verdict, "by": m.By, "at": m.At, "history": firestore.ArrayUnion(m.Verdict),
		"url": m.URL, "name": m.Name, "quote": m.Quote, "also": m.Also, "sector": m.Sector,
	}
	if _, err := p.marksOf(t).Set(ctx, map[string]any{"marks": map[string]any{m.DuplicateKey: entry}}, firestore.MergeAll); err != nil {
		return fmt.Errorf("discover: keep a mark: %w", err)
	}
	return nil
}

func (p *Pipeline) marksOf(t Target) *firestore.DocumentRef {
	return p.DB.Collection(marksCollection).Doc(digest.Of(t.CountryLocode, t.RegionLocode, fold.String(t.City)))
}

// marks are those on records of a place that concern its sectors, by duplicate_key.
func (p *Pipeline) marks(ctx context.Context, t Target) (map[string]Mark, error) {
	snap, err := p.marksOf(t).Get(ctx)
	if status.Code(err) == codes.NotFound {
		return nil, nil
	}
	var document struct {
		Marks map[string]Mark `firestore:"marks"`
	}
	if err == nil {
		err = snap.DataTo(&document)
	}
	if err != nil {
		return nil, fmt.Errorf("discover: marks: %w", err)
	}
	for key, m := range document.Marks {
		if m.Sector != "" && !slices.Contains(t.Sectors, m.Sector) {
			delete(document.Marks, key)
		}
	}
	return document.Marks, nil
}

// markOf is the mark on a record, or on another address of it; nil if there is none.
func (s *AgentState) markOf(r StructuredDataItem) *Mark {
	for _, m := range s.Marks {
		if m.URL == r.URL && fold.String(m.Quote) == fold.String(r.Quote) || slices.Contains(m.Also, r.URL) {
			return &m
		}
	}
	return nil
}

// addMarked notes, to be read first, the addresses of what was marked right.
func (s *AgentState) addMarked() {
	for _, key := range slices.Sorted(maps.Keys(s.Marks)) {
		if m := s.Marks[key]; m.Verdict.Verdict == right {
			s.add(Page{URL: m.URL, Title: m.Name, Source: marked})
		}
	}
}

// Result is what a run that is over has come to, with the marks of today.
func (p *Pipeline) Result(ctx context.Context, id string) (r Result, err error) {
	data, err := p.object(ctx, id, "result.json")
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("discover: the result of %s: %w", id, err)
	}
	marks, err := p.marks(ctx, r.Target)
	for i := range r.Items {
		if m, ok := marks[r.Items[i].DuplicateKey]; ok {
			r.Items[i].Mark = &m.Verdict
		}
	}
	return r, err
}
