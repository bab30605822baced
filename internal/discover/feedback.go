package discover

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"

	"example.com/whatis/internal/usererror"
)

// marked is the source of a page whose record a user has marked right.
const marked = "marked"

// markStore returns the store of the marks.
func (p *Pipeline) markStore() markStore { return markStore{DB: p.DB, Collection: "discovery_marks"} }

// place returns the ID of the document with a target's marks.
func (t Target) place() string {
	return store.HashID(t.CountryLocode, t.RegionLocode, textfold.String(t.City))
}

// A MarkRequest says which record of a run is right or wrong.
type MarkRequest struct {
	DuplicateKey string `json:"duplicate_key" jsonschema:"of a record of the run"`
	Verdict      string `json:"verdict" jsonschema:"right or wrong"`
	By           string `json:"by,omitempty" jsonschema:"who says so, where the service does not know; it signs with the caller otherwise"`

	Verified bool `json:"-"` // the service knows who says so
}

// maxBy bounds the name of a person.
const maxBy = 100

func (r MarkRequest) check() error {
	switch {
	case r.Verdict != markedRight && r.Verdict != markedWrong:
		return fmt.Errorf("%w: verdict %q: send right or wrong", ErrRequest, usererror.Short(r.Verdict, usererror.Quoted))
	case r.DuplicateKey == "":
		return fmt.Errorf("%w: no duplicate_key: send that of a record of the run's result", ErrRequest)
	case len([]rune(r.By)) > maxBy:
		return fmt.Errorf("%w: by has more than %d characters: send a name", ErrRequest, maxBy)
	}
	return nil
}

// ErrNoRecord is the error of a mark on an unknown record.
var ErrNoRecord = usererror.New("discover", "the run has no record of this duplicate_key: send one of its result's items")

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
	noted := known[m.DuplicateKey]
	if i := slices.IndexFunc(r.Items, func(i StructuredDataItem) bool { return i.DuplicateKey == m.DuplicateKey }); i >= 0 {
		item := r.Items[i]
		noted.URL, noted.Name, noted.Quote, noted.Also, noted.Sector = item.URL, item.Name, item.Quote, item.Also, r.Target.Sector
	} else if noted.URL == "" {
		return Mark{}, ErrNoRecord
	}
	noted.DuplicateKey, noted.Opinion = m.DuplicateKey, Opinion{Verdict: m.Verdict, By: m.By, Verified: m.Verified, At: time.Now().UTC()}
	noted.History = append(noted.History, noted.Opinion)
	return noted, p.markStore().Keep(ctx, r.Target.place(), noted)
}

// marks returns the marks on records of the target's place and sectors, by duplicate_key.
func (p *Pipeline) marks(ctx context.Context, t Target) (map[string]Mark, error) {
	all, err := p.markStore().Of(ctx, t.place())
	maps.DeleteFunc(all, func(_ string, m Mark) bool { return m.Sector != "" && !slices.Contains(t.Sectors, m.Sector) })
	return all, err
}

// markOf returns the mark on a record, or on another address of it; nil if there is none.
func (s *AgentState) markOf(r StructuredDataItem) *Mark {
	for _, m := range s.Marks {
		if m.URL == r.URL && textfold.String(m.Quote) == textfold.String(r.Quote) || slices.Contains(m.Also, r.URL) {
			return &m
		}
	}
	return nil
}

// addMarked adds the addresses of records marked right, to be read first.
func (s *AgentState) addMarked() {
	for _, key := range slices.Sorted(maps.Keys(s.Marks)) {
		if m := s.Marks[key]; !m.IsWrong() {
			s.add(Page{URL: m.URL, Title: m.Name, Source: marked})
		}
	}
}

// Result returns the result of a run that is over, with the current marks.
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
			r.Items[i].Mark = &m.Opinion
		}
	}
	return r, err
}

// The verdicts on a record.
const (
	markedRight = "right"
	markedWrong = "wrong"
)

// An Opinion is a user's verdict on a record. It is not called Verdict: a field of the name of
// the struct around it is missing from the schema of a struct that embeds that.
type Opinion struct {
	Verdict  string    `json:"verdict" firestore:"verdict" enum:"right,wrong"`
	By       string    `json:"by,omitempty" firestore:"by"`
	Verified bool      `json:"verified,omitempty" firestore:"verified"` // the service knows who said it
	At       time.Time `json:"at" firestore:"at"`
}

// A Mark is a record with the verdicts on it. The last one counts.
type Mark struct {
	DuplicateKey string `json:"duplicate_key" firestore:"duplicate_key"`
	Opinion
	History []Opinion `json:"history" firestore:"history"` // the oldest first, including the last

	URL    string   `json:"url" firestore:"url"`
	Name   string   `json:"name" firestore:"name"`
	Quote  string   `json:"quote" firestore:"quote"`
	Also   []string `json:"also,omitempty" firestore:"also"`     // other addresses of the record
	Sector string   `json:"sector,omitempty" firestore:"sector"` // of the run in which it was found; "" is all
}

// IsWrong reports that the last verdict is that the record is wrong.
func (m Mark) IsWrong() bool { return m.Verdict == markedWrong }

// A markStore keeps marks in Firestore: a document for each place, in which each record has
// its entry by its duplicate key.
type markStore struct {
	DB         *firestore.Client
	Collection string
}

// Keep writes a mark. Concurrent verdicts are all kept in its history.
func (s markStore) Keep(ctx context.Context, place string, m Mark) error {
	entry := map[string]any{
		"duplicate_key": m.DuplicateKey, "verdict": m.Verdict, "by": m.By, "verified": m.Verified, "at": m.At, "history": firestore.ArrayUnion(m.Opinion),
		"url": m.URL, "name": m.Name, "quote": m.Quote, "also": m.Also, "sector": m.Sector,
	}
	_, err := s.DB.Collection(s.Collection).Doc(place).Set(ctx, map[string]any{"marks": map[string]any{m.DuplicateKey: entry}}, firestore.MergeAll)
	if err != nil {
		return fmt.Errorf("discover: keep mark %s: %w", m.DuplicateKey, err)
	}
	return nil
}

// Of returns the marks on records of a place, by duplicate key.
func (s markStore) Of(ctx context.Context, place string) (map[string]Mark, error) {
	d, err := store.In[markDocument](s.DB.Collection(s.Collection)).Get(ctx, place)
	if err != nil && !store.Gone(err) {
		return nil, fmt.Errorf("discover: marks of %s: %w", place, err)
	}
	return d.Value.Marks, nil
}

// A markDocument has the marks on records of a place.
type markDocument struct {
	Marks map[string]Mark `firestore:"marks"`
}
