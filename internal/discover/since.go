package discover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/textfold"
	"example.com/whatis/internal/usererror"
)

// Changes are the differences between the records of a run and of an earlier one. A record that
// is marked wrong is in none of the lists.
type Changes struct {
	Since       string   `json:"since"`
	New         []Change `json:"new"`
	Gone        []Change `json:"gone"`       // their pages were read in this run, and do not print them any more
	Superseded  []Change `json:"superseded"` // records of the earlier run that have a newer edition
	NotLookedAt []Change `json:"not_looked_at" jsonschema:"records of which this run proves neither that they are there nor that they are gone, each with the reason"`
}

// A Change is a record that is new, gone, superseded or not looked at.
type Change struct {
	DuplicateKey string `json:"duplicate_key"`
	Name         string `json:"name"`
	URL          string `json:"url"`
	FirstYear    int    `json:"first_year"`
	LastYear     int    `json:"last_year"`
	By           string `json:"superseded_by,omitempty"` // the duplicate_key of the newer edition
	Reason       string `json:"reason,omitempty"`        // why it was not looked at
}

// changes compares the records of two runs. unseen says why nothing is known of a record's page
// in the later run, or "" if it was read and does not print the record.
func changes(since string, before, now []StructuredDataItem, unseen func(StructuredDataItem) (string, error)) (*Changes, error) {
	c := &Changes{since, []Change{}, []Change{}, []Change{}, []Change{}}
	added := slices.DeleteFunc(slices.Clone(now), func(r StructuredDataItem) bool {
		return slices.ContainsFunc(before, func(old StructuredDataItem) bool { return areOne(old.identities(), r.identities(), Identity.is) })
	})
	newer := map[string]bool{}
	for _, old := range before {
		there := slices.IndexFunc(now, func(r StructuredDataItem) bool { return areOne(old.identities(), r.identities(), Identity.is) })
		edition := slices.IndexFunc(added, func(r StructuredDataItem) bool { return r.editionOf(old) })
		var by string
		switch {
		case there >= 0 && old.LastYear > 0 && now[there].LastYear > old.LastYear:
			by = now[there].DuplicateKey
		case there < 0 && edition >= 0:
			by = added[edition].DuplicateKey
		case there >= 0 || old.Mark != nil && old.Mark.Verdict == markedWrong:
			continue
		}
		if by != "" {
			newer[by] = true
			c.Superseded = append(c.Superseded, changeOf(old, by, ""))
			continue
		}
		reason, err := unseen(old)
		switch {
		case err != nil:
			return nil, err
		case reason != "":
			c.NotLookedAt = append(c.NotLookedAt, changeOf(old, "", reason))
		default:
			c.Gone = append(c.Gone, changeOf(old, "", ""))
		}
	}
	for _, r := range added {
		if !newer[r.DuplicateKey] {
			c.New = append(c.New, changeOf(r, "", ""))
		}
	}
	return c, nil
}

func changeOf(r StructuredDataItem, by, reason string) Change {
	return Change{r.DuplicateKey, r.Name, r.URL, r.FirstYear, r.LastYear, by, reason}
}

// editionOf reports that r, which the earlier run did not have, is at the address of its record
// old, on the same subsectors and with later years.
func (r StructuredDataItem) editionOf(old StructuredDataItem) bool {
	return r.URL == old.URL && textfold.String(r.Subsector) == textfold.String(old.Subsector) && r.LastYear > old.LastYear && r.Sector == old.Sector
}

// unseen returns why a run knows nothing of the page of an earlier record, or "" if it has read
// the page, which does not print the record's quote, or has learnt that there is no page.
func (p *Pipeline) unseen(ctx context.Context, s *AgentState, old StructuredDataItem) (string, error) {
	page := s.known(old.URL)
	switch {
	case page == nil:
		return "this run did not come to its page", nil
	case page.Missing:
		return "", nil
	case page.Status != extracted:
		return cmp.Or(page.Reason, "the run ended before its page was read"), nil
	}
	_, why, err := keptProof(ctx, s.Pages, old.identity(), func(ctx context.Context, name string) ([]byte, error) {
		data, _, err := p.Objects.Read(ctx, blob.ObjectRef{Bucket: p.Bucket, Name: name}, maxArchived)
		return data, err
	})
	if why == withoutQuote {
		return "", err
	}
	return cmp.Or(why, "its page still prints its quote, but this run has no record of it"), err
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
	case err == nil && (r.Target.place() != t.place() || !slices.Equal(r.Target.Sectors, t.Sectors)):
		return refuse("is of another place or sector")
	}
	return r, err
}
