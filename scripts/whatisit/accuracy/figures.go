package accuracy

import (
	"cmp"
	"slices"
	"time"
)

// Figures are the figures of a run over all photos. Photos that were not analysed are
// only in NotAsked.
type Figures struct {
	Photos      int           `json:"photos"`              // answers: a photo that was analysed N times counts N times
	Distinct    int           `json:"distinct"`            // different photos
	NotAsked    int           `json:"not_asked,omitempty"` // interrupted, or never started
	Failed      int           `json:"failed"`
	AllRight    int           `json:"all_right"`  // photos whose labelled fields are all right
	Identified  Share         `json:"identified"` // the labelled ones of outcome, name and brand are right
	Fields      []FieldFigure `json:"fields"`
	Sources     []SourceMix   `json:"sources"`
	Calibration []Calibration `json:"calibration"`
	CostUSD     float64       `json:"cost_usd"` // of all photos
	WebUSD      float64       `json:"web_usd"`  // of it, for the web
	Calls       Calls         `json:"calls"`    // of all photos
	P50MS       float64       `json:"p50_ms"`   // latency
	P95MS       float64       `json:"p95_ms"`

	Rows      []RowFigure   `json:"rows,omitempty"`      // of the decision table that decided
	Doubts    []DoubtFigure `json:"doubts,omitempty"`    // if the readings are known
	Marks     *MarkFigures  `json:"marks,omitempty"`     // if lines are labelled
	Agreement []Agreement   `json:"agreement,omitempty"` // of photos that were analysed several times
}

// Calls counts calls of models.
type Calls struct {
	Generate int `json:"generate"`
	Embed    int `json:"embed"`
	Queries  int `json:"grounded_queries"`
}

// A FieldFigure is how often a field is right. Its interval is [Wilson]'s for as many
// trials as there are photos: answers to the same photo are not independent of each
// other.
type FieldFigure struct {
	Field    string  `json:"field"`
	Labelled int     `json:"labelled"`
	Right    int     `json:"right"`
	Wrong    int     `json:"wrong"`
	Missing  int     `json:"missing"`
	Accuracy float64 `json:"accuracy"` // right of labelled
	Low      float64 `json:"low"`      // the 95 % confidence interval of the accuracy
	High     float64 `json:"high"`
}

// A SourceMix counts the photos that a source answered, those of them with a labelled
// name, and those whose name is right.
type SourceMix struct {
	Source string `json:"source"`
	Photos int    `json:"photos"`
	Named  int    `json:"named"`
	Right  int    `json:"right"`
}

// FiguresOf computes the figures of shots.
func FiguresOf(all []Shot) Figures {
	shots := slices.DeleteFunc(slices.Clone(all), func(s Shot) bool { return s.NotAsked })
	f := Figures{Photos: len(shots), Distinct: distinct(shots), NotAsked: len(all) - len(shots)}
	f.Identified = shareOf(shots, func(s Shot) bool { return identified(s.Verdicts) })
	var waits []time.Duration
	for _, s := range shots {
		if f.CostUSD += s.CostUSD; s.Source == failed {
			f.Failed++
		}
		f.WebUSD += s.WebUSD
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
	f.Rows, f.Doubts, f.Marks, f.Agreement = rowFigures(shots), doubtFigures(shots), markFigures(shots), agreementOf(shots)
	return f
}

func fieldFigure(field string, shots []Shot) FieldFigure {
	f := FieldFigure{Field: field}
	labelled := slices.DeleteFunc(slices.Clone(shots), func(s Shot) bool { return s.Verdicts[field] == "" })
	for _, s := range labelled {
		switch s.Verdicts[field] {
		case Right:
			f.Right++
		case Wrong:
			f.Wrong++
		case Missing:
			f.Missing++
		}
	}
	share := shareOf(labelled, func(s Shot) bool { return s.Verdicts[field] == Right })
	f.Labelled, f.Accuracy, f.Low, f.High = share.Of, share.Share, share.Low, share.High
	return f
}

// mix returns the sources that occur, the most frequent first.
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

// percentile returns the p-th percentile of waits in milliseconds, by nearest rank.
func percentile(waits []time.Duration, p int) float64 {
	if len(waits) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(waits))
	at := max(0, (len(sorted)*p+99)/100-1)
	return float64(sorted[at].Microseconds()) / 1000
}

// CostPerPhoto returns the average cost of a photo in USD.
func (f Figures) CostPerPhoto() float64 { return f.CostUSD / float64(max(1, f.Photos)) }

// CallsPerPhoto returns the average number of generate calls of a photo.
func (f Figures) CallsPerPhoto() float64 {
	return float64(f.Calls.Generate) / float64(max(1, f.Photos))
}
