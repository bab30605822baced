package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"example.com/whatis/internal/catalog"
)

// printedFaults is the number of invalid records that are printed one by one.
const printedFaults = 20

// faults collects the invalid records of a file: it prints the first ones, counts all,
// and writes all to the report if there is one.
type faults struct {
	console *console
	file    *os.File // nil without a report
	report  *bufio.Writer
	count   int
	leftOut int // records that are left out, except those that an earlier one is
	counts  map[string]int
	err     error // of writing the report
}

func newFaults(c *console, report string) (*faults, error) {
	f := &faults{console: c, counts: map[string]int{}}
	if report == "" {
		return f, nil
	}
	file, err := os.Create(report)
	if err != nil {
		return nil, err
	}
	f.file, f.report = file, bufio.NewWriter(file)
	return f, nil
}

// add notes one.
func (f *faults) add(one catalog.Fault) {
	kept := "left out"
	if !one.LeftOut {
		kept = "kept"
	}
	if one.LeftOut && one.Reason != catalog.Duplicate {
		f.leftOut++
	}
	f.counts[kept+", "+string(one.Reason)]++
	if f.report != nil && f.err == nil {
		line, err := json.Marshal(one)
		_, written := f.report.Write(append(line, '\n'))
		f.err = errors.Join(err, written)
	}
	if f.count++; f.count > printedFaults {
		return
	}
	if !one.LeftOut {
		f.console.say("%s: %s", one.Place(), one.Why)
		return
	}
	f.console.say("%s: %s (left out)", one.Place(), one.Why)
}

// end prints how many there were of each kind, and closes the report.
func (f *faults) end() error {
	if f.count > printedFaults {
		var counts []string
		for _, kind := range slices.Sorted(maps.Keys(f.counts)) {
			counts = append(counts, fmt.Sprintf("%d %s", f.counts[kind], kind))
		}
		f.console.say("and %d more: of all %d, %s", f.count-printedFaults, f.count, strings.Join(counts, "; "))
	}
	if f.report == nil {
		return nil
	}
	if err := errors.Join(f.err, f.report.Flush(), f.file.Close()); err != nil {
		return fmt.Errorf("the report is incomplete: %w", err)
	}
	return nil
}
