package discover

import (
	"cmp"
	"fmt"
	"slices"
)

// A Grid says for each subsector that a record's page prints which years are published.
type Grid struct {
	Years []int `json:"years"`
	Rows  []Row `json:"rows"`
}

// A Row has a cell for each year: published, not_found, or NE or NO by a page that is about this year. A row without a subsector is
// of records about the whole sector.
type Row struct {
	Sector    string   `json:"sector"`
	Subsector string   `json:"subsector"` // its English name
	Cells     []string `json:"cells"`
	Undated   bool     `json:"undated,omitempty"` // there is a record whose page does not say its years
}

// The cells of a grid, beside NE and NO.
const (
	published = "published"
	notFound  = "not_found"
)

// grid returns the years from the first to the last that a record covers. A sector without records has a row too.
func grid(sectors []string, items []StructuredDataItem, missing []Absence) (g Grid) {
	for _, r := range items {
		first, last := r.span()
		for y := first; y > 0 && y <= last; y++ {
			g.Years = append(g.Years, y)
		}
	}
	slices.Sort(g.Years)
	g.Years = append([]int{}, slices.Compact(g.Years)...)
	for y := 0; y+1 < len(g.Years); y++ { // years between, of which there is no record
		if g.Years[y+1] > g.Years[y]+1 {
			g.Years = slices.Insert(g.Years, y+1, g.Years[y]+1)
		}
	}
	g.Rows = []Row{}
	row := func(sector, subsector string) *Row {
		i := slices.IndexFunc(g.Rows, func(r Row) bool { return r.Sector == sector && sameLabel(r.Subsector, subsector) })
		if i < 0 {
			i = len(g.Rows)
			g.Rows = append(g.Rows, Row{Sector: sector, Subsector: subsector, Cells: slices.Repeat([]string{notFound}, len(g.Years))})
		}
		return &g.Rows[i]
	}
	fill := func(to *Row, first, last int, with string) {
		for i, y := range g.Years {
			if y >= first && y <= last {
				to.Cells[i] = with
			}
		}
	}
	for _, a := range missing {
		to := row(a.Sector, a.Subsector)
		for _, r := range items {
			for _, i := range r.identities() {
				if i.URL == a.URL { // it says so of the years that it is about
					fill(to, cmp.Or(i.FirstYear, i.LastYear), cmp.Or(i.LastYear, i.FirstYear), a.Key)
				}
			}
		}
	}
	for _, r := range items {
		for _, one := range r.covers(sectors) {
			to := row(one.Sector, one.Label)
			first, last := r.span()
			to.Undated = to.Undated || r.FirstYear == 0 || r.LastYear == 0
			fill(to, first, last, published)
		}
	}
	for _, sector := range sectors {
		if !slices.ContainsFunc(g.Rows, func(r Row) bool { return r.Sector == sector }) {
			row(sector, "")
		}
	}
	return g
}

// span returns the years from which and to which a record is known to go: of a series with an open end
// the one that its page says.
func (r StructuredDataItem) span() (first, last int) {
	return cmp.Or(r.FirstYear, r.LastYear), cmp.Or(r.LastYear, r.FirstYear)
}

// covers returns the subsectors of a record, and its sectors of which it names none.
func (r StructuredDataItem) covers(sectors []string) (all []Subsector) {
	all = slices.Clone(r.Subsectors)
	for _, sector := range r.Sectors {
		if slices.Contains(sectors, sector) && !slices.ContainsFunc(all, func(o Subsector) bool { return o.Sector == sector }) {
			all = append(all, Subsector{Sector: sector})
		}
	}
	return all
}

// publishes reports that a record is about a row.
func (r Row) publishes() bool { return r.Undated || slices.Contains(r.Cells, published) }

// A NotFound is a subsector that an inventory has and no record is about.
type NotFound struct {
	Sector    string `json:"sector"`
	Subsector string `json:"subsector"`
	Reason    string `json:"reason"`
}

// notFound returns the subsectors that were sought and not found. A record of the whole sector
// may have them: its quote does not say so.
func (s *AgentState) notFound(g Grid) []NotFound {
	all := []NotFound{}
	for _, sector := range s.Sectors {
		for _, name := range s.subsectorsOf(sector) {
			i := slices.IndexFunc(g.Rows, func(r Row) bool { return r.Sector == sector && sameLabel(r.Subsector, name) })
			if i < 0 || !g.Rows[i].publishes() {
				all = append(all, NotFound{sector, name, s.whyNotFound(sector, name, g)})
			}
		}
	}
	return all
}

func (s *AgentState) whyNotFound(sector, name string, g Grid) string {
	for _, a := range s.Absent {
		if a.Sector == sector && sameLabel(a.Subsector, name) {
			return map[string]string{"NE": "not estimated, says ", "NO": "does not occur, says "}[a.Key] + a.URL
		}
	}
	whole := slices.ContainsFunc(g.Rows, func(r Row) bool { return r.Sector == sector && r.Subsector == "" && r.publishes() })
	sought := fmt.Sprintf("%d queries and %d pages led to no record that names it", s.SearchesConductedCount, len(s.pages(extracted)))
	switch {
	case whole:
		return sought + "; records of the whole sector may have it"
	case s.Action == stopped || s.Action == canceled || s.Action == failed:
		return sought + "; the run ended before everything was read"
	}
	return sought
}
