package accuracy

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// A Report is what was measured, of one setting or several.
type Report struct {
	Version  int       `json:"version"`
	Made     time.Time `json:"made"`
	Service  string    `json:"service"`  // that answered
	Emulated bool      `json:"emulated"` // then it is a regression guard, and no accuracy
	Folder   string    `json:"folder"`
	Runs     []Measure `json:"runs"`
}

// reportVersion changes when an older report can no longer be compared.
const reportVersion = 1

// A Measure is one setting's figures, and every photo.
type Measure struct {
	Settings Settings `json:"settings"`
	Figures  Figures  `json:"figures"`
	Shots    []Shot   `json:"photos"`
}

// NewReport returns a report of runs that ended at made.
func NewReport(made time.Time, service, folder string, emulated bool, runs []Measure) Report {
	return Report{Version: reportVersion, Made: made.UTC().Truncate(time.Second), Service: service, Emulated: emulated, Folder: folder, Runs: runs}
}

// Kind says what the figures may be called.
func (r Report) Kind() string {
	if r.Emulated {
		return "a regression guard: no real model answered, and this is no accuracy"
	}
	return "accuracy on these photos"
}

// ReadReport reads an earlier report.
func ReadReport(path string) (Report, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Report{}, err
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return Report{}, fmt.Errorf("%s: %w: want the JSON that an earlier whatisit eval wrote", path, err)
	}
	if r.Version != reportVersion || len(r.Runs) == 0 {
		return Report{}, fmt.Errorf("%s: %w", path, errNoReport)
	}
	return r, nil
}

var errNoReport = errors.New("it is no report of this version: want the JSON that an earlier whatisit eval wrote")
