package accuracy

import "math"

// A Calibration compares a field's confidences with how often it was right: of the
// answers with confidence 0.8, eight of ten should be right.
type Calibration struct {
	Field   string `json:"field"`
	Answers int    `json:"answers"` // given and labelled
	// ECE is the expected calibration error (Naeini, Cooper and Hauskrecht 2015): how
	// far confidence and accuracy differ, averaged over the bins, weighted by answers.
	ECE  float64 `json:"ece"`
	Bins []Bin   `json:"bins"` // with answers, from low to high
}

// A Bin has the answers with From ≤ confidence < To; 1 is in the last bin.
type Bin struct {
	From    float64 `json:"from"`
	To      float64 `json:"to"`
	Answers int     `json:"answers"`
	Claimed float64 `json:"claimed"` // the mean confidence
	Right   float64 `json:"right"`   // the share that is right
}

const bins = 10

// CalibrationOf computes the calibration of one field. Empty answers do not count.
func CalibrationOf(field string, shots []Shot) Calibration {
	c := Calibration{Field: field}
	sums := make([]Bin, bins)
	for _, s := range shots {
		sure, claimed := s.Sure[field]
		v, labelled := s.Verdicts[field]
		if !claimed || !labelled || s.Said[field] == "" {
			continue
		}
		b := &sums[min(bins-1, max(0, int(sure*bins)))]
		b.Answers++
		b.Claimed += sure
		if v == Right {
			b.Right++
		}
		c.Answers++
	}
	for i, b := range sums {
		if b.Answers == 0 {
			continue
		}
		n := float64(b.Answers)
		c.ECE += math.Abs(b.Claimed-b.Right) / float64(c.Answers)
		c.Bins = append(c.Bins, Bin{From: float64(i) / bins, To: float64(i+1) / bins, Answers: b.Answers, Claimed: b.Claimed / n, Right: b.Right / n})
	}
	return c
}
