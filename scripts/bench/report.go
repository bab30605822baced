//go:build linux

package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A figure is what a server takes: milliseconds, megabytes, and counts for each
// photo.
type figure struct {
	CPU        float64 `json:"cpu_ms"` // processor time of a photo
	P50        float64 `json:"p50_ms"`
	P95        float64 `json:"p95_ms"`
	P99        float64 `json:"p99_ms"`
	PerSecond  float64 `json:"per_second"`
	PeakMB     float64 `json:"peak_mb"`
	Firestore  float64 `json:"firestore_calls"`
	Documents  float64 `json:"document_reads"`
	Vectors    float64 `json:"vector_reads"`
	ModelCalls float64 `json:"model_calls"`
	Generated  float64 `json:"generate_calls"` // of these, to generate
	ModelKB    float64 `json:"model_kb"`       // sent to the model
}

// A pair is what the function takes, and the bare handler beside it.
type pair struct {
	Ours figure `json:"ours"`
	Bare figure `json:"bare"`

	Budget budget `json:"-"`
}

// figures are all of a run.
type figures struct {
	Cases       map[string]pair   `json:"cases"` // one at a time
	Order       []string          `json:"order"`
	Crowds      map[string]pair   `json:"crowds"` // the first case, by so many clients
	CrowdOrder  []string          `json:"crowd_order"`
	Searches    map[string]figure `json:"searches"` // of the large shop, one at a time
	SearchOrder []string          `json:"search_order"`
	Ready       float64           `json:"ready_ms"` // from the start until its health is answered
	First       float64           `json:"first_ms"` // from the start until the first photo is
	IdleMB      float64           `json:"idle_mb"`
	Quiet       bool              `json:"quiet"` // nothing else ran on the machine, before and after
}

// print writes the tables, in Markdown. Where there is an earlier run, its figure
// stands behind ours in brackets.
func (f figures) print(out io.Writer, old *figures) {
	if old == nil {
		old = &figures{}
	}
	table(out, "one at a time|own CPU ms|budget|bare|ratio|p50 ms|p99 ms|Firestore calls|model calls|kB to the model|peak MB", func(row func(...string)) {
		for _, name := range f.Order {
			now, was := f.Cases[name], old.Cases[name]
			row(name, beside(now.Ours.CPU, was.Ours.CPU), now.Budget.String(), number(now.Bare.CPU), number(now.Ours.CPU/now.Bare.CPU), beside(now.Ours.P50, was.Ours.P50),
				beside(now.Ours.P99, was.Ours.P99), beside(now.Ours.Firestore, was.Ours.Firestore), number(now.Ours.ModelCalls), beside(now.Ours.ModelKB, was.Ours.ModelKB),
				beside(now.Ours.PeakMB, was.Ours.PeakMB))
		}
	})
	table(out, "at once, 0.3 MB, image|a second|bare|ratio|p50 ms|p99 ms|peak MB", func(row func(...string)) {
		for _, name := range f.CrowdOrder {
			now, was := f.Crowds[name], old.Crowds[name]
			row(name, beside(now.Ours.PerSecond, was.Ours.PerSecond), number(now.Bare.PerSecond), number(now.Ours.PerSecond/now.Bare.PerSecond),
				beside(now.Ours.P50, was.Ours.P50), beside(now.Ours.P99, was.Ours.P99), beside(now.Ours.PeakMB, was.Ours.PeakMB))
		}
	})
	table(out, fmt.Sprintf("one at a time, of %d products|own CPU ms|goal|p50 ms|p95 ms|Firestore calls|documents read|reads of vectors|generate calls|model calls|kB to the model|peak MB", largeProducts), func(row func(...string)) {
		for _, name := range f.SearchOrder {
			now, was := f.Searches[name], old.Searches[name]
			row(name, beside(now.CPU, was.CPU), budget{cpu: loadOf(name).cpu}.String(), beside(now.P50, was.P50), beside(now.P95, was.P95), beside(now.Firestore, was.Firestore), beside(now.Documents, was.Documents),
				beside(now.Vectors, was.Vectors), number(now.Generated), number(now.ModelCalls), beside(now.ModelKB, was.ModelKB), beside(now.PeakMB, was.PeakMB))
		}
	})
	fmt.Fprintf(out, "Start to health %s ms, to the first photo's answer %s ms (medians), idle %s MB.\n", beside(f.Ready, old.Ready), beside(f.First, old.First), beside(f.IdleMB, old.IdleMB))
}

// table writes a Markdown table, its columns aligned.
func table(out io.Writer, head string, rows func(row func(...string))) {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	row := func(cells ...string) { fmt.Fprintf(w, "| %s\t|\n", strings.Join(cells, "\t| ")) }
	columns := strings.Split(head, "|")
	row(columns...)
	for i := range columns {
		columns[i] = "---"
	}
	row(columns...)
	rows(row)
	_ = w.Flush()
	fmt.Fprintln(out)
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
