package accuracy

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Figures are what the answers to all photos of a run are worth.
type Figures struct {
	Photos      int           `json:"photos"`
	Failed      int           `json:"failed"`
	AllRight    int           `json:"all_right"` // photos of which everything labelled is right
	Fields      []FieldFigure `json:"fields"`
	Sources     []SourceMix   `json:"sources"`
	Calibration []Calibration `json:"calibration"`
	CostUSD     float64       `json:"cost_usd"` // of all photos
	Calls       Calls         `json:"calls"`    // of all photos
	P50MS       float64       `json:"p50_ms"`   // that the caller waits
	P95MS       float64       `json:"p95_ms"`
}

// Calls counts what was asked of models.
type Calls struct {
	Generate int `json:"generate"`
	Embed    int `json:"embed"`
	Queries  int `json:"grounded_queries"`
}

// A FieldFigure is how often a field is right.
type FieldFigure struct {
	Field    string  `json:"field"`
	Labelled int     `json:"labelled"`
	Right    int     `json:"right"`
	Wrong    int     `json:"wrong"`
	Missing  int     `json:"missing"`
	Accuracy float64 `json:"accuracy"` // right of labelled
	Low      float64 `json:"low"`      // where the accuracy lies with 95 % confidence
	High     float64 `json:"high"`
}

// A SourceMix says how many photos a source answered, and of how many of those that
// have a labelled name the name is right.
type SourceMix struct {
	Source string `json:"source"`
	Photos int    `json:"photos"`
	Named  int    `json:"named"`
	Right  int    `json:"right"`
}

// FiguresOf sums up.
func FiguresOf(shots []Shot) Figures {
	f := Figures{Photos: len(shots)}
	var waits []time.Duration
	for _, s := range shots {
		if f.CostUSD += s.CostUSD; s.Source == failed {
			f.Failed++
		}
		if len(s.Wrong()) == 0 {
			f.AllRight++
		}
		f.Calls.Generate += s.Calls.Generate
		f.Calls.Embed += s.Calls.Embed
		f.Calls.Queries += s.Calls.GroundedQueries
		waits = append(waits, time.Duration(s.TookMS*1e6))
	}
	for _, field := range Fields {
		if one := fieldFigure(field, shots); one.Labelled > 0 {
			f.Fields = append(f.Fields, one)
		}
	}
	f.Sources = mix(shots)
	for _, field := range []string{Name, Brand} {
		if c := CalibrationOf(field, shots); c.Answers > 0 {
			f.Calibration = append(f.Calibration, c)
		}
	}
	f.P50MS, f.P95MS = percentile(waits, 50), percentile(waits, 95)
	return f
}

func fieldFigure(field string, shots []Shot) FieldFigure {
	f := FieldFigure{Field: field}
	for _, s := range shots {
		switch s.Verdicts[field] {
		case Right:
			f.Right++
		case Wrong:
			f.Wrong++
		case Missing:
			f.Missing++
		}
	}
	if f.Labelled = f.Right + f.Wrong + f.Missing; f.Labelled > 0 {
		f.Accuracy = float64(f.Right) / float64(f.Labelled)
		f.Low, f.High = Wilson(f.Right, f.Labelled)
	}
	return f
}

// Wilson is the score interval of right among n, at 95 % confidence (Wilson 1927):
// unlike right/n ± an error it stays within 0 and 1, and is honest about few.
func Wilson(right, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	share, of := float64(right)/float64(n), float64(n)
	centre := share + z*z/(2*of)
	spread := z * math.Sqrt(share*(1-share)/of+z*z/(4*of*of))
	scale := 1 + z*z/of
	return max(0, (centre-spread)/scale), min(1, (centre+spread)/scale)
}

// mix is the sources that occur, the most frequent first.
func mix(shots []Shot) []SourceMix {
	var all []SourceMix
	for _, s := range shots {
		i := slices.IndexFunc(all, func(m SourceMix) bool { return m.Source == s.Source })
		if i < 0 {
			i, all = len(all), append(all, SourceMix{Source: s.Source})
		}
		all[i].Photos++
		if v, labelled := s.Verdicts[Name]; labelled {
			if all[i].Named++; v == Right {
				all[i].Right++
			}
		}
	}
	slices.SortFunc(all, func(a, b SourceMix) int {
		return cmp.Or(cmp.Compare(b.Photos, a.Photos), cmp.Compare(a.Source, b.Source))
	})
	return all
}

// percentile is the milliseconds that p in a hundred of waits take at most (the
// nearest rank).
func percentile(waits []time.Duration, p int) float64 {
	if len(waits) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(waits))
	at := max(0, (len(sorted)*p+99)/100-1)
	return float64(sorted[at].Microseconds()) / 1000
}

// CostPerPhoto is what a photo cost on average.
func (f Figures) CostPerPhoto() float64 { return f.CostUSD / float64(max(1, f.Photos)) }

// CallsPerPhoto is how many calls that generate a photo took on average.
func (f Figures) CallsPerPhoto() float64 {
	return float64(f.Calls.Generate) / float64(max(1, f.Photos))
}
