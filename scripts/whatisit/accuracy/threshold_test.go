package accuracy

import (
	"math"
	"strings"
	"testing"
)

// scored are pairs of the same product at some scores and of two at others.
func scored(same, two []float64) (all []Scored) {
	for _, s := range same {
		all = append(all, Scored{s, true})
	}
	for _, s := range two {
		all = append(all, Scored{s, false})
	}
	return all
}

func TestPropose(t *testing.T) {
	tests := []struct {
		name          string
		same, two     []float64
		precision     float64
		accept, floor float64
		recall        float64
	}{
		{"apart", []float64{0.9, 0.8}, []float64{0.5, 0.6}, 0.99, 0.7, 0.7, 1},
		{"one of two products among them", []float64{0.9, 0.8, 0.4}, []float64{0.5, 0.3}, 0.99, 0.65, 0.35, 2.0 / 3},
		{"half has to be right", []float64{0.9, 0.4}, []float64{0.5, 0.3}, 0.5, 0.3, 0.3, 1},
		{"equal scores are not parted", []float64{0.9, 0.7}, []float64{0.7, 0.2}, 0.99, 0.8, 0.45, 0.5},
	}
	for _, test := range tests {
		got, err := Propose(scored(test.same, test.two), test.precision)
		if err != nil || math.Abs(got.Accept.Score-test.accept) > 1e-9 || math.Abs(got.Floor.Score-test.floor) > 1e-9 || math.Abs(got.Accept.Recall-test.recall) > 1e-9 {
			t.Errorf("%s: Propose = accept %v, floor %v, recall %v, %v; want %v, %v and %v", test.name, got.Accept.Score, got.Floor.Score, got.Accept.Recall, err, test.accept, test.floor, test.recall)
		}
		if got.Accept.Precision < test.precision || got.Floor.Score > got.Accept.Score {
			t.Errorf("%s: Propose = %+v, want a precision of %v, and no floor above accept", test.name, got, test.precision)
		}
	}
	if _, err := Propose(scored([]float64{0.5}, []float64{0.9}), 0.99); err == nil || !strings.Contains(err.Error(), "no threshold has a precision of 0.99") {
		t.Errorf("Propose where two products score highest = %v, want that", err)
	}
}

func TestReadPairs(t *testing.T) {
	const good = `{"a":["Oat","Salt"],"b":"Oat Salt","same":true}` + "\n\n" + `{"a":"x","b":"y","same":false}`
	pairs, err := ReadPairs(strings.NewReader(good))
	if err != nil || len(pairs) != 2 || pairs[0].A != "Oat Salt" || !*pairs[0].Same || *pairs[1].Same {
		t.Errorf("ReadPairs = %+v, %v; want two", pairs, err)
	}
	for _, test := range []struct{ lines, want string }{
		{"", "0 pairs are of the same product and 0 of two"},
		{`{"a":"x","b":"y","same":true}`, "1 pairs are of the same product and 0 of two"},
		{`{"a":"x","b":"y"}`, "line 1: it does not say whether they are the same: want {"},
		{`{"a":"x","b":" ","same":true}`, "line 1: a or b is empty"},
		{good + "\n" + `{"a":1}`, "line 4: a and b are texts"},
		{`{"a":"x","c":"y"}`, `unknown field "c"`},
		{"a,b", "line 1: "},
	} {
		if _, err := ReadPairs(strings.NewReader(test.lines)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("ReadPairs(%q) = %v, want %q in it", test.lines, err, test.want)
		}
	}
}

// The floor is above what nine of ten queries for what is not sold score.
func TestProposeFloor(t *testing.T) {
	var scores []Scored
	for i := range 20 {
		scores = append(scores, Scored{Score: float64(i) / 100}, Scored{Score: float64(10+i) / 100, Same: true})
	}
	f := ProposeFloor(scores, 0.5)
	if want := (SearchFloor{0.18, 0.9, 0.4}); f.Proposed != want || f.Now != (SearchFloor{0.5, 1, 1}) || f.Queries != 20 || f.Unsold != 20 {
		t.Errorf("ProposeFloor = %+v, want %+v proposed", f, want)
	}
}
