package spend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
)

// A Day is what a day's calls of models have cost so far: over all instances where there is a
// limit, else in this one. Other instances' costs are known with the delay that the package
// comment describes.
type Day struct {
	Day    string  `json:"day"`                 // in UTC, 2006-01-02
	USD    float64 `json:"usd"`                 // the sum
	Limit  float64 `json:"limit_usd,omitempty"` // at which paid work stops until the next day; without it, never
	Paused *Pause  `json:"paused,omitempty"`    // that stops paid work, of all days
	Agents []Share `json:"agents"`              // by agent, the dearest first
	Models []Share `json:"models"`              // by model as it was asked for, the dearest first
}

// A Share is a part of a sum.
type Share struct {
	Name string  `json:"name"`
	USD  float64 `json:"usd"`
}

// Today returns today's costs. It reads a document for each instance of today, once in
// Options.Fresh at most.
func (m *Meter) Today(ctx context.Context) (Day, error) {
	now := time.Now().UTC()
	today := now.Format(time.DateOnly)
	if err := m.acquireTurn(ctx); err != nil {
		return Day{}, err
	}
	defer func() { <-m.turn }()
	if m.read.day != today || now.Sub(m.read.at) >= m.o.Fresh {
		db, err := m.open(ctx)
		var others parts
		if err == nil {
			others, err = m.partsOfOthers(ctx, db, today)
		}
		var paused *Pause
		if err == nil {
			paused, err = pauseIn(ctx, db)
		}
		if err != nil {
			return Day{}, fmt.Errorf("spend: today: %w", err)
		}
		m.read = breakdown{today, now, others, paused}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d := dayOf(today, m.read.others, m.parts[today])
	d.Paused = m.read.paused
	return d, nil
}

// partsOfOthers reads what the other instances have written of a day.
func (m *Meter) partsOfOthers(ctx context.Context, db *firestore.Client, day string) (parts, error) {
	all := parts{}
	// In the order of the index of the sum: there is no other.
	documents := db.Collection(collection).Where("day", "==", day).OrderBy("usd", firestore.Asc).Documents(ctx)
	defer documents.Stop()
	for {
		snap, err := documents.Next()
		if errors.Is(err, iterator.Done) {
			return all, nil
		}
		var d document
		if err == nil {
			err = snap.DataTo(&d)
		}
		if err != nil {
			return nil, err
		}
		if snap.Ref.ID != day+"-"+m.instance {
			all.add(d)
		}
	}
}

// add adds the parts of a document.
func (all parts) add(d document) {
	for name, usd := range d.Parts {
		agent, model, _ := strings.Cut(name, " ")
		all[part{agent, model}] += usd
	}
}

// named returns the parts by "agent model".
func (all parts) named() map[string]float64 {
	named := make(map[string]float64, len(all))
	for p, usd := range all {
		named[p.agent+" "+p.model] = usd
	}
	return named
}

// dayOf adds up the parts of a day.
func dayOf(day string, all ...parts) Day {
	agents, models := map[string]float64{}, map[string]float64{}
	d := Day{Day: day}
	for _, by := range all {
		for p, usd := range by {
			agents[p.agent] += usd
			models[p.model] += usd
			d.USD += usd
		}
	}
	d.USD, d.Agents, d.Models = rounded(d.USD), shares(agents), shares(models)
	return d
}

// rounded is without the noise of a sum, which the order of its addends decides.
func rounded(usd float64) float64 { return math.Round(usd*1e9) / 1e9 }

func shares(usd map[string]float64) []Share {
	list := make([]Share, 0, len(usd))
	for _, name := range slices.Sorted(maps.Keys(usd)) {
		list = append(list, Share{name, rounded(usd[name])})
	}
	slices.SortStableFunc(list, func(a, b Share) int { return cmp.Compare(b.USD, a.USD) })
	return list
}
