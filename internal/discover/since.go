package discover

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/textfold"
	"example.com/whatis/internal/usererror"
)

// Changes are the differences between the records of a run and of an earlier one.
type Changes struct {
	Since      string   `json:"since"`
	New        []Change `json:"new"`
	Gone       []Change `json:"gone"`
	Superseded []Change `json:"superseded"` // records of the earlier run that have a newer edition
}

// A Change is a record that is new, gone or superseded.
type Change struct {
	DuplicateKey string `json:"duplicate_key"`
	Name         string `json:"name"`
	URL          string `json:"url"`
	FirstYear    int    `json:"first_year"`
	LastYear     int    `json:"last_year"`
	By           string `json:"superseded_by,omitempty"` // the duplicate_key of the newer edition
}

// changes compares the records of two runs.
func changes(since string, before, now []StructuredDataItem) *Changes {
	c := &Changes{since, []Change{}, []Change{}, []Change{}}
	has := func(all []StructuredDataItem, key string) bool {
		return slices.ContainsFunc(all, func(i StructuredDataItem) bool { return i.DuplicateKey == key })
	}
	newer := map[string]bool{}
	for _, old := range before {
		if i := slices.IndexFunc(now, func(r StructuredDataItem) bool { return supersedes(r, old) }); i >= 0 {
			newer[now[i].DuplicateKey] = true
			c.Superseded = append(c.Superseded, changeOf(old, now[i].DuplicateKey))
		} else if !has(now, old.DuplicateKey) {
			c.Gone = append(c.Gone, changeOf(old, ""))
		}
	}
	for _, r := range now {
		if !newer[r.DuplicateKey] && !has(before, r.DuplicateKey) {
			c.New = append(c.New, changeOf(r, ""))
		}
	}
	return c
}

func changeOf(r StructuredDataItem, by string) Change {
	return Change{r.DuplicateKey, r.Name, r.URL, r.FirstYear, r.LastYear, by}
}

// supersedes reports that r is a later edition of old: its last year is later, and it has
// old's address or a duplicate's.
func supersedes(r, old StructuredDataItem) bool {
	edition := slices.Contains(r.Also, old.URL) || r.URL == old.URL && textfold.String(r.Subsector) == textfold.String(old.Subsector)
	return edition && r.LastYear > old.LastYear && r.Sector == old.Sector
}

// earlier returns the result of the run to compare with, which must be over and have the
// same place and sector.
func (p *Pipeline) earlier(ctx context.Context, id string, t Target) (Result, error) {
	r, err := p.Result(ctx, id)
	refuse := func(why string) (Result, error) {
		return r, fmt.Errorf("%w: since %q %s: send the ID of a run on this place and sector that is over", ErrRequest, usererror.Short(id, usererror.Quoted), why)
	}
	switch {
	case errors.Is(err, ErrNotFound), errors.Is(err, blob.ErrNotFound):
		return refuse("is no run whose result is there")
	case errors.Is(err, ErrUnfinished):
		return refuse("is not over")
	case err == nil && !sameTarget(r.Target, t):
		return refuse("is of another place or sector")
	}
	return r, err
}

func sameTarget(a, b Target) bool {
	return a.CountryLocode == b.CountryLocode && a.RegionLocode == b.RegionLocode && textfold.String(a.City) == textfold.String(b.City) && slices.Equal(a.Sectors, b.Sectors)
}
