//go:build linux

package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// A figure is what a server takes: milliseconds, megabytes, and counts for each
// photo or other request.
type figure struct {
	CPU         float64            `json:"cpu_ms"` // processor time
	P50         float64            `json:"p50_ms"`
	P95         float64            `json:"p95_ms"`
	P99         float64            `json:"p99_ms"`
	PerSecond   float64            `json:"per_second"`
	PeakMB      float64            `json:"peak_mb"`
	AllocatedKB float64            `json:"allocated_kb"`
	Firestore   float64            `json:"firestore_calls"`
	Calls       map[string]float64 `json:"firestore_calls_by_method"`
	Documents   float64            `json:"document_reads"`
	Vectors     float64            `json:"vector_reads"`
	ModelCalls  float64            `json:"model_calls"`
	Generated   float64            `json:"generate_calls"` // of these, to generate
	ModelKB     float64            `json:"model_kb"`       // sent to the model
	AnswerKB    float64            `json:"answer_kb"`      // received by the client
}

// An entry is what the function takes, and the floors beside it.
type entry struct {
	Ours   figure `json:"ours"`
	Bare   figure `json:"bare"`
	Stored figure `json:"stored"`
	Other  figure `json:"other"` // of the command beside them; zero if there is none

	Budget budget `json:"-"`
}

// figures are all of a run.
type figures struct {
	Cases        map[string]entry  `json:"cases"` // one at a time
	Order        []string          `json:"order"`
	Crowds       map[string]entry  `json:"crowds"` // several at once
	CrowdOrder   []string          `json:"crowd_order"`
	Early        map[string]early  `json:"early"` // while the model writes
	EarlyOrder   []string          `json:"early_order"`
	Searches     map[string]figure `json:"searches"` // one at a time
	SearchOrder  []string          `json:"search_order"`
	Requests     map[string]figure `json:"requests"` // one at a time
	RequestOrder []string          `json:"request_order"`
	Discovery    discovered        `json:"discovery"`
	Ready        float64           `json:"ready_ms"` // from the start until its health is answered
	First        float64           `json:"first_ms"` // from the start until the first photo is
	IdleMB       float64           `json:"idle_mb"`
	IdleOwnMB    float64           `json:"idle_own_mb"` // of these not pages of the program's file
	After        int               `json:"after"`       // so many photos
	AfterMB      float64           `json:"after_mb"`
	AfterOwnMB   float64           `json:"after_own_mb"`
	Machine      string            `json:"machine"`
	Others       [2]float64        `json:"others"` // the share of the processors that other programs took, before and after
}

// quiet reports whether the machine did nothing else, before and after.
func (f figures) quiet() bool { return max(f.Others[0], f.Others[1]) <= quietShare }

// print writes the tables, in Markdown. Where there is an earlier run, its figure
// stands behind ours in brackets.
func (f figures) print(out io.Writer, old *figures) {
	if old == nil {
		old = &figures{}
	}
	fmt.Fprintf(out, "Measured on %s; other programs took %.0f %% of the processors before and %.0f %% after.\n\n", f.Machine, 100*f.Others[0], 100*f.Others[1])
	table(out, "a photo, one at a time|own CPU ms|bare floor|× bare|goal|storing floor|× storing|p50 ms|p99 ms|Firestore calls|documents read|model calls|kB to the model|kB allocated|peak MB", f.Order, func(name string) []string {
		now, was := f.Cases[name], old.Cases[name]
		return []string{
			beside(now.Ours.CPU, was.Ours.CPU), number(now.Bare.CPU), number(now.Ours.CPU / now.Bare.CPU), cmp.Or(now.Budget.goal, "–"), number(now.Stored.CPU), number(now.Ours.CPU / now.Stored.CPU), beside(now.Ours.P50, was.Ours.P50),
			beside(now.Ours.P99, was.Ours.P99), beside(now.Ours.Firestore, was.Ours.Firestore), number(now.Ours.Documents), number(now.Ours.ModelCalls), beside(now.Ours.ModelKB, was.Ours.ModelKB),
			beside(now.Ours.AllocatedKB, was.Ours.AllocatedKB), beside(now.Ours.PeakMB, was.Ours.PeakMB),
		}
	})
	table(out, "at once|a second|bare floor|× bare|storing floor|× storing|p50 ms|p99 ms|peak MB", f.CrowdOrder, func(name string) []string {
		now, was := f.Crowds[name], old.Crowds[name]
		return []string{
			beside(now.Ours.PerSecond, was.Ours.PerSecond), number(now.Bare.PerSecond), number(now.Ours.PerSecond / now.Bare.PerSecond), number(now.Stored.PerSecond), number(now.Ours.PerSecond / now.Stored.PerSecond),
			beside(now.Ours.P50, was.Ours.P50), beside(now.Ours.P99, was.Ours.P99), beside(now.Ours.PeakMB, was.Ours.PeakMB),
		}
	})
	f.printOther(out)
	table(out, fmt.Sprintf("while the model writes %g tokens a second, the first after %v|first line s|name s|end s", watched.PerSecond, watched.FirstToken), f.EarlyOrder, func(name string) []string {
		now, was := f.Early[name], old.Early[name]
		seen := func(now, was float64) string {
			if now == 0 {
				return "–"
			}
			return beside(now, was)
		}
		return []string{seen(now.Line, was.Line), seen(now.Name, was.Name), beside(now.End, was.End)}
	})
	table(out, fmt.Sprintf("a search, one at a time, of %d products|own CPU ms|goal ms|p50 ms|p95 ms|Firestore calls|documents read|reads of vectors|generate calls|model calls|kB to the model|peak MB", largeProducts), f.SearchOrder, func(name string) []string {
		now, was := f.Searches[name], old.Searches[name]
		return []string{
			beside(now.CPU, was.CPU), goal(loadOf(name).cpu), beside(now.P50, was.P50), beside(now.P95, was.P95), beside(now.Firestore, was.Firestore), beside(now.Documents, was.Documents),
			beside(now.Vectors, was.Vectors), number(now.Generated), number(now.ModelCalls), beside(now.ModelKB, was.ModelKB), beside(now.PeakMB, was.PeakMB),
		}
	})
	table(out, "a request, one at a time|own CPU ms|p50 ms|p99 ms|Firestore calls|documents read|kB answered|peak MB", f.RequestOrder, func(name string) []string {
		now, was := f.Requests[name], old.Requests[name]
		return []string{
			beside(now.CPU, was.CPU), beside(now.P50, was.P50), beside(now.P99, was.P99), beside(now.Firestore, was.Firestore), beside(now.Documents, was.Documents), beside(now.AnswerKB, was.AnswerKB), beside(now.PeakMB, was.PeakMB),
		}
	})
	if d := f.Discovery; d.Slices > 0 {
		fmt.Fprintf(out, "A discovery of %d pages and %d records, in %d slices: %s s of processor time, %s s until it ends, %s writes of documents a slice, at most %s MB.\n\n",
			d.Pages, d.Records, d.Slices, number(d.CPU/1000), number(d.Seconds), number(d.Writes), number(d.PeakMB))
	}
	if f.Ready > 0 {
		fmt.Fprintf(out, "Start to health %s ms, to the first photo's answer %s ms (medians). Idle %s MB, of which %s are pages of the program's file; after %d photos %s MB, of which %s.\n\n",
			beside(f.Ready, old.Ready), beside(f.First, old.First), beside(f.IdleMB, old.IdleMB), number(f.IdleMB-f.IdleOwnMB), f.After, beside(f.AfterMB, old.AfterMB), number(f.AfterMB-f.AfterOwnMB))
	}
}

// printOther writes a table of the function beside another server, where there was one.
func (f figures) printOther(out io.Writer) {
	all := maps.Clone(f.Cases)
	maps.Copy(all, f.Crowds)
	names := slices.DeleteFunc(slices.Concat(f.Order, f.CrowdOrder), func(name string) bool { return all[name].Other.CPU == 0 })
	table(out, "beside another server|CPU ms|its CPU ms|× less|a second|its a second|× more|peak MB|its peak MB", names, func(name string) []string {
		ours, its := all[name].Ours, all[name].Other
		return []string{
			number(ours.CPU), number(its.CPU), number(its.CPU / ours.CPU), number(ours.PerSecond), number(its.PerSecond), number(ours.PerSecond / its.PerSecond), number(ours.PeakMB), number(its.PeakMB),
		}
	})
}

// table writes a Markdown table with a row for each name, its columns aligned, unless there is
// none.
func table(out io.Writer, head string, names []string, cells func(name string) []string) {
	if len(names) == 0 {
		return
	}
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	row := func(cells ...string) { fmt.Fprintf(w, "| %s\t|\n", strings.Join(cells, "\t| ")) }
	columns := strings.Split(head, "|")
	row(columns...)
	for i := range columns {
		columns[i] = "---"
	}
	row(columns...)
	for _, name := range names {
		row(append([]string{name}, cells(name)...)...)
	}
	_ = w.Flush()
	fmt.Fprintln(out)
}

// goal returns what is aimed for, – where nothing is.
func goal(v float64) string {
	if v == 0 {
		return "–"
	}
	return fmt.Sprintf("%g", v)
}

// beside returns a figure, and the one that it was where there is one.
func beside(now, was float64) string {
	if was == 0 {
		return number(now)
	}
	return fmt.Sprintf("%s (%s)", number(now), number(was))
}

// number returns a figure with as many digits as it deserves.
func number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
