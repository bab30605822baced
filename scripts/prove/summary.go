package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// summary writes what was proven and what was not.
func (w *world) summary(out io.Writer, all []Finding, sets []measured) {
	fmt.Fprintf(out, "\n%-12s %5s %7s %12s\n", "about", "held", "failed", "not checked")
	byStatus := map[Status][]string{}
	for _, g := range w.groups {
		count := map[Status]int{}
		for _, f := range all {
			if f.Group == g.name {
				count[f.Status]++
				byStatus[f.Status] = append(byStatus[f.Status], f.ID)
			}
		}
		fmt.Fprintf(out, "%-12s %5d %7d %12d\n", g.name, count[Held], count[Failed], count[NotChecked])
	}
	fmt.Fprintf(out, "\n%s\n", w.sentence(byStatus, sets))
}

// sentence returns the conclusion of the summary.
func (w *world) sentence(ids map[Status][]string, sets []measured) string {
	n := len(ids[Held]) + len(ids[Failed]) + len(ids[NotChecked])
	said := fmt.Sprintf("Proven of %s: %d of %d assumptions held", w.upstream, len(ids[Held]), n)
	if w.prober.emulated {
		said = fmt.Sprintf("Nothing is proven of Google's models, since an emulated model answered: of the emulator at %s, %d of %d assumptions held", w.upstream, len(ids[Held]), n)
	}
	if failed := ids[Failed]; len(failed) > 0 {
		said += fmt.Sprintf(", and %d did not (%s)", len(failed), strings.Join(failed, ", "))
	}
	if open := ids[NotChecked]; len(open) > 0 {
		said += fmt.Sprintf("; not proven, as nothing decided them: %s", strings.Join(open, ", "))
	}
	var photos []string
	notAsked := 0
	for _, s := range sets {
		photos = append(photos, fmt.Sprintf("%s %s", s.name, s.figures.Identified))
		notAsked += s.figures.NotAsked
	}
	said += "; identified: " + strings.Join(slices.DeleteFunc(photos, func(s string) bool { return s == "" }), "; ")
	if notAsked > 0 {
		said += fmt.Sprintf("; of photos, %d were not asked and prove nothing", notAsked)
	}
	return said + "."
}
