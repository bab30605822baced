package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/discover"
)

// decode decodes a JSON response of the service.
func decode(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("the answer is not JSON of a whatis service: %w", err)
	}
	return nil
}

// records prints the records of a result as a table.
func (c *console) records(r discover.Result) error {
	if len(r.Items) == 0 {
		return nil
	}
	var table table
	table.row("SURE", "PUBLISHER", "YEARS", "DATASET", "URL")
	for _, i := range r.Items {
		table.row(fmt.Sprintf("%.2f", i.Acceptance), i.PublisherKind, years(i.FirstYear, i.LastYear), i.Name, i.URL)
	}
	return table.print(c.out)
}

func years(first, last int) string {
	switch {
	case first == 0 && last == 0:
		return "?"
	case last == 0:
		return fmt.Sprintf("%d-…", first)
	case first == 0:
		return fmt.Sprintf("…-%d", last)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

// summed returns the summary of a discovery: its outcome, records and cost.
func summed(r discover.Result, status discover.Status) []string {
	kinds, gates := map[string]int{}, map[string]int{}
	for _, i := range r.Items {
		kinds[i.PublisherKind]++
	}
	for _, d := range r.Dropped {
		gates[string(d.Gate)]++
	}
	lines := append([]string{fmt.Sprintf("%s: %s", r.Action, r.Reason)}, r.Note...)
	lines = append(lines,
		fmt.Sprintf("records   %d%s", len(r.Items), counts(kinds)),
		"coverage  "+coverage(r.Grid),
		fmt.Sprintf("dropped   %d%s", len(r.Dropped), counts(gates)),
		fmt.Sprintf("took      %d searches, %d pages, %d calls of models in %d iterations, %s, $%.4f",
			r.Searches, len(r.Sources), r.Calls, r.Iterations, r.EndTime.Sub(r.StartTime).Round(100*time.Millisecond), r.CostUSD),
	)
	if ch := r.Changes; ch != nil {
		lines = append(lines, fmt.Sprintf("changes   %d new, %d gone, %d superseded, %d not looked at since %s", len(ch.New), len(ch.Gone), len(ch.Superseded), len(ch.NotLookedAt), ch.Since))
	}
	if len(r.Warnings) > 0 {
		lines = append(lines, "warnings  "+strings.Join(r.Warnings, ", "))
	}
	if status.ResultURI != "" {
		lines = append(lines, "result    "+status.ResultURI)
	}
	return lines
}

// counts formats how many there are of each name, the most frequent first.
func counts(of map[string]int) string {
	names := slices.Sorted(maps.Keys(of))
	slices.SortStableFunc(names, func(a, b string) int { return of[b] - of[a] })
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", of[name], name)
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}

// coverage formats the numbers of subsectors, years and covered cells.
func coverage(g discover.Grid) string {
	cells := map[string]int{}
	for _, r := range g.Rows {
		for _, cell := range r.Cells {
			cells[cell]++
		}
	}
	if len(g.Years) == 0 {
		return "no years are known"
	}
	return fmt.Sprintf("%d subsectors, %d to %d%s", len(g.Rows), g.Years[0], g.Years[len(g.Years)-1], counts(cells))
}
