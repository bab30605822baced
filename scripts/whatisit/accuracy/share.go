package accuracy

import (
	"fmt"
	"math"
)

// A Share is how many of some answers are so, and within which interval that is sure
// of photos like these.
type Share struct {
	Count int     `json:"count"`
	Of    int     `json:"of"`
	Share float64 `json:"share"` // 0 where Of is
	Low   float64 `json:"low"`   // with 95 % confidence
	High  float64 `json:"high"`
}

// String formats s.
func (s Share) String() string {
	if s.Of == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d, %.0f%% (%.0f%% to %.0f%%)", s.Count, s.Of, s.Share*100, s.Low*100, s.High*100)
}

// shareOf counts the shots that are so. The interval takes the photos for its trials
// and not the answers: a photo that was asked ten times is still one photo.
func shareOf(shots []Shot, so func(Shot) bool) Share {
	s := Share{Of: len(shots), High: 1}
	for _, shot := range shots {
		if so(shot) {
			s.Count++
		}
	}
	if s.Of > 0 {
		s.Share = float64(s.Count) / float64(s.Of)
		s.Low, s.High = wilson(s.Share, float64(distinct(shots)))
	}
	return s
}

// distinct returns how many photos shots are about.
func distinct(shots []Shot) int {
	files := map[string]bool{}
	for _, s := range shots {
		files[s.Label.File] = true
	}
	return len(files)
}

// Wilson returns the score interval of right among n, at 95 % confidence (Wilson 1927):
// unlike right/n ± an error it stays within 0 and 1, and is honest about few.
func Wilson(right, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	return wilson(float64(right)/float64(n), float64(n))
}

func wilson(share, n float64) (low, high float64) {
	const z = 1.959964
	centre := share + z*z/(2*n)
	spread := z * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return max(0, (centre-spread)/scale), min(1, (centre+spread)/scale)
}
