package accuracy

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// A Report is what was measured, of one setting or several.
type Report struct {
	Version int       `json:"version"`
	Made    time.Time `json:"made"`
	Service string    `json:"service"` // that answered
	Folder  string    `json:"folder"`
	Runs    []Measure `json:"runs"`
}

// reportVersion changes when an older report can no longer be compared.
const reportVersion = 1

// A Measure is one setting's figures, and every photo.
type Measure struct {
	Settings Settings `json:"settings"`
	AnsweredBy
	Figures Figures `json:"figures"`
	Shots   []Shot  `json:"photos"`
}

// Measured returns the figures of shots.
func Measured(s Settings, shots []Shot) Measure {
	return Measure{Settings: s, AnsweredBy: answeredBy(s, shots), Figures: FiguresOf(shots), Shots: shots}
}

// NewReport returns a report of runs that ended at made.
func NewReport(made time.Time, service, folder string, runs []Measure) Report {
	return Report{Version: reportVersion, Made: made.UTC().Truncate(time.Second), Service: service, Folder: folder, Runs: runs}
}

// Kind says what the figures may be called, by model if that differs.
func (r Report) Kind() string {
	var kinds, named []string
	for _, m := range r.Runs {
		kind := m.means()
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		if by := fmt.Sprintf("%s (model %s)", kind, m.Settings.Model); !slices.Contains(named, by) {
			named = append(named, by)
		}
	}
	if len(kinds) == 1 {
		return kinds[0]
	}
	return strings.Join(named, "; ")
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
