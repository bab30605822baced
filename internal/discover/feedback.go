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
func (p *Pipeline) markStore() markStore { return markStore{p.DB} }

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
		noted.Identity, noted.Also, noted.Name, noted.Sector, noted.LandingPage = item.identity(), item.Also, item.Name, r.Target.Sector, item.LandingPage
		if page := slices.IndexFunc(r.Sources, func(p *Page) bool { return p.URL == item.URL }); page >= 0 {
			noted.Fetch = r.Sources[page].Fetch
		}
	} else if noted.URL == "" {
		return Mark{}, ErrNoRecord
	}
	noted.DuplicateKey, noted.Opinion = m.DuplicateKey, Opinion{Verdict: m.Verdict, By: m.By, Verified: m.Verified, At: time.Now().UTC()}
	return p.markStore().Keep(ctx, r.Target.place(), noted)
}

// marks returns the marks on records of the target's place and sectors, by duplicate_key.
func (p *Pipeline) marks(ctx context.Context, t Target) (map[string]Mark, error) {
	all, err := p.markStore().Of(ctx, t.place())
	maps.DeleteFunc(all, func(_ string, m Mark) bool { return m.Sector != "" && !slices.Contains(t.Sectors, m.Sector) })
	return all, err
}

// addMarked adds the addresses of records marked right, to be read first.
func (s *AgentState) addMarked() {
	for _, key := range slices.Sorted(maps.Keys(s.Marks)) {
		if m := s.Marks[key]; !m.IsWrong() {
			s.add(Page{URL: m.URL, Title: m.Name, Source: marked, Via: m.LandingPage, Fetch: m.Fetch})
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
		r.Items[i] = r.Items[i].withMark(marks)
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

	Identity
	Also        []Identity `json:"also,omitempty" firestore:"also"` // of its duplicates
	Name        string     `json:"name" firestore:"name"`
	Sector      string     `json:"sector,omitempty" firestore:"sector"` // of the run in which it was found; "" is all
	LandingPage string     `json:"landing_page,omitempty" firestore:"landing_page"`
	Fetch       string     `json:"fetch,omitempty" firestore:"fetch"` // of its Page
}

// IsWrong reports that the last verdict is that the record is wrong.
func (m Mark) IsWrong() bool { return m.Verdict == markedWrong }

// A markStore keeps marks in Firestore: below the document of a place, one for each record.
type markStore struct{ DB *firestore.Client }

// of returns the collection of a place's marks, by duplicate key.
func (s markStore) of(place string) *firestore.CollectionRef {
	return s.DB.Collection("places").Doc(place).Collection("discovery_marks")
}

// Keep writes a mark, with its opinion added to the history, the last of which counts. Of opinions
// given at the same time all are kept.
func (s markStore) Keep(ctx context.Context, place string, m Mark) (Mark, error) {
	given := m.Opinion
	d, err := store.In[Mark](s.of(place)).Change(ctx, m.DuplicateKey, func(d *store.Doc[Mark]) error {
		m.History = append(slices.Clone(d.Value.History), given)
		slices.SortStableFunc(m.History, func(a, b Opinion) int { return a.At.Compare(b.At) })
		m.Opinion = m.History[len(m.History)-1]
		d.Exists, d.Value = true, m
		return nil
	})
	if err != nil {
		return m, fmt.Errorf("discover: keep mark %s: %w", m.DuplicateKey, err)
	}
	return d.Value, nil
}

// Of returns the marks on records of a place, by duplicate key.
func (s markStore) Of(ctx context.Context, place string) (map[string]Mark, error) {
	docs, err := store.List[Mark](ctx, s.of(place))
	if err != nil {
		return nil, fmt.Errorf("discover: marks of %s: %w", place, err)
	}
	all := map[string]Mark{}
	for _, d := range docs {
		all[d.ID] = d.Value
	}
	return all, nil
}
