package batch

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/whatis/internal/agent"
)

// Render returns s for people: how many photos have ended, how, and where the results are.
func (s Status) Render() agent.Rendering {
	var counts []string
	for _, outcome := range slices.Sorted(maps.Keys(s.Counts)) {
		counts = append(counts, fmt.Sprintf("%d %s", s.Counts[outcome], outcome))
	}
	text := fmt.Sprintf("%d of %d photos of %s have ended", s.Ended, s.Number, s.Prefix)
	if len(counts) > 0 {
		text += ": " + strings.Join(counts, ", ")
	}
	lines := []string{fmt.Sprintf("%s. $%.4f so far.", text, s.CostUSD)}
	for _, line := range []struct{ what, value string }{{"Failed", s.Reason}, {"Results", s.ResultURI}, {"Results as CSV", s.CSVURI}, {"Results so far", s.PartialURI}} {
		if line.value != "" {
			lines = append(lines, line.what+": "+line.value)
		}
	}
	return agent.Rendering{Text: strings.Join(lines, "\n")}
}
