package discover

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// note says what a result has, in English sentences: what exists, of which years, what is
// missing, and where records and inventories contradict each other. All of it is counted from
// the other fields.
func (r Result) note() []string {
	place := r.Country
	if r.Region+r.City != "" {
		place = cmp.Or(r.City, r.Region) + " (" + r.Country + ")"
	}
	about := strings.ReplaceAll(list(r.Sectors), "_", " ")
	if len(r.Items) == 0 {
		return append([]string{fmt.Sprintf("No published dataset was found on %s of %s. %d queries were searched and %d pages were known; the run ended with %s: %s.", about, place, r.Searches, len(r.Sources), r.Action, r.Reason)}, r.unread()...)
	}
	return slices.Concat([]string{r.exists(about, place)}, r.years(), r.gaps(), r.contradictions(), r.unread())
}

// count writes a number with its noun.
func count(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", more)
}

// exists says how many datasets there are, whose, and which is the surest.
func (r Result) exists(about, place string) string {
	by := map[string]int{}
	for _, i := range r.Items {
		by[strings.ReplaceAll(i.PublisherKind, "_", " ")]++
	}
	var whose []string
	for _, kind := range slices.Sorted(maps.Keys(by)) {
		whose = append(whose, fmt.Sprintf("%d %s", by[kind], kind))
	}
	best := r.Items[0]
	return fmt.Sprintf("%s on %s of %s: %s. The surest is “%s” (%s, %.2f).", count(len(r.Items), "dataset is published", "datasets are published"), about, place, strings.Join(whose, ", "), best.Name, best.URL, best.Acceptance)
}

// years says for each row which years are published.
func (r Result) years() []string {
	var all []string
	for _, row := range r.Grid.Rows {
		if !row.publishes() {
			continue
		}
		said := stretches(r.Grid.Years, row.Cells, published)
		if row.Undated {
			said = append(said, "years that the page does not say")
		}
		all = append(all, row.name()+" "+strings.Join(said, ", "))
	}
	return sentence("Published years: ", all)
}

// gaps says which years between published ones are missing, and which subsectors.
func (r Result) gaps() []string {
	var inside, absent, missing []string
	for _, row := range r.Grid.Rows {
		if first := slices.Index(row.Cells, published); first >= 0 {
			last := len(row.Cells) - 1
			for row.Cells[last] != published {
				last--
			}
			for _, s := range stretches(r.Grid.Years[first:last+1], row.Cells[first:last+1], notFound) {
				inside = append(inside, row.name()+" "+s)
			}
		}
	}
	for _, n := range r.NotFound {
		name := strings.ReplaceAll(n.Sector, "_", " ") + ", " + n.Subsector
		if strings.HasPrefix(n.Reason, "not estimated") || strings.HasPrefix(n.Reason, "does not occur") {
			absent = append(absent, name+" ("+n.Reason+")")
		} else {
			missing = append(missing, name)
		}
	}
	return slices.Concat(sentence("Gaps between published years: ", inside), sentence("Stated as missing: ", absent), sentence("Sought and not found by name: ", missing))
}

// contradictions says where a record has what an inventory says not to have, and where
// publishers give one subsector different years.
func (r Result) contradictions() []string {
	var all []string
	for _, a := range r.Absent {
		for _, i := range r.Items {
			if slices.ContainsFunc(i.Subsectors, func(o Subsector) bool { return o.Sector == a.Sector && sameLabel(o.Label, a.Subsector) }) {
				all = append(all, fmt.Sprintf("%s is published by %s and %s by %s", a.Subsector, i.URL, map[string]string{"NE": "not estimated", "NO": "not occurring"}[a.Key], a.URL))
			}
		}
	}
	slices.Sort(all)
	return sentence("Contradictions: ", slices.Compact(all))
}

// unread says how much was seen and not read.
func (r Result) unread() []string {
	if len(r.NotRead) == 0 {
		return nil
	}
	return []string{count(len(r.NotRead), "address was", "addresses were") + " seen and not read, each with its reason in not_read."}
}

func (row Row) name() string {
	if row.Subsector == "" {
		return "the whole of " + strings.ReplaceAll(row.Sector, "_", " ")
	}
	return row.Subsector
}

// sentence returns what, with a list, nil for none.
func sentence(what string, of []string) []string {
	if len(of) == 0 {
		return nil
	}
	return []string{what + strings.Join(of, "; ") + "."}
}

// stretches returns the years in a row of cells that say code, such as "1990–1999".
func stretches(years []int, cells []string, code string) (all []string) {
	for i := 0; i < len(cells); {
		j := i
		for j+1 < len(cells) && cells[j+1] == cells[i] && years[j+1] == years[j]+1 {
			j++
		}
		if cells[i] == code {
			said := fmt.Sprint(years[i])
			if j > i {
				said += fmt.Sprintf("–%d", years[j])
			}
			all = append(all, said)
		}
		i = j + 1
	}
	return all
}
