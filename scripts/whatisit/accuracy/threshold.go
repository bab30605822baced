package accuracy

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// A Pair is two texts of features as search_local_db joins them, and whether they are
// of the same product.
type Pair struct {
	A    Features `json:"a"`
	B    Features `json:"b"`
	Same *bool    `json:"same"`
}

// Features are the key features of a product, joined by spaces.
type Features string

// UnmarshalJSON reads a text or a list of features.
func (f *Features) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*f = Features(one)
		return nil
	}
	var all []string
	if err := json.Unmarshal(data, &all); err != nil {
		return errors.New("a and b are texts, or lists of key features")
	}
	*f = Features(strings.Join(all, " "))
	return nil
}

// PairExample is a line of the file.
const PairExample = `{"a": ["Sea Salt", "Oat Crackers", "200 g"], "b": ["Oat Crackers", "wholegrain"], "same": true}`

// maxLine bounds a pair.
const maxLine = 1 << 20

// ReadPairs reads pairs, a line of JSON each. There must be some of either kind.
func ReadPairs(r io.Reader) (pairs []Pair, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	kinds := map[bool]int{}
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		p, err := readPair(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w: want %s", n, err, PairExample)
		}
		pairs = append(pairs, p)
		kinds[*p.Same]++
	}
	switch {
	case lines.Err() != nil:
		return nil, lines.Err()
	case kinds[true] == 0 || kinds[false] == 0:
		return nil, fmt.Errorf("%d pairs are of the same product and %d of two: send some of either, a line each such as %s", kinds[true], kinds[false], PairExample)
	}
	return pairs, nil
}

func readPair(line []byte) (p Pair, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	switch err := d.Decode(&p); {
	case err != nil:
		return p, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	case strings.TrimSpace(string(p.A)) == "" || strings.TrimSpace(string(p.B)) == "":
		return p, errors.New("a or b is empty")
	case p.Same == nil:
		return p, errors.New("it does not say whether they are the same")
	}
	return p, nil
}

// A Scored is a pair's score, the cosine of its embeddings.
type Scored struct {
	Score float64
	Same  bool
}

// Thresholds are those of an embedder, and how well they did on the pairs.
type Thresholds struct {
	Model  string    `json:"model"`
	Pairs  int       `json:"pairs"`
	Same   int       `json:"same"`
	Floor  Threshold `json:"floor"`
	Accept Threshold `json:"accept"`
	// Now are those that the program has.
	Now struct {
		Floor  Threshold `json:"floor"`
		Accept Threshold `json:"accept"`
	} `json:"now"`
	Unlike Spread `json:"unlike"` // the scores of pairs of two products
	Alike  Spread `json:"alike"`
}

// A Threshold is a score, and what the pairs at or above it are.
type Threshold struct {
	Score     float64 `json:"score"`
	Above     int     `json:"above"`     // pairs
	Precision float64 `json:"precision"` // of them, the same product
	Low       float64 `json:"precision_low"`
	Recall    float64 `json:"recall"` // of the pairs of the same product, above it
}

// A Spread is where scores lie.
type Spread struct {
	P5     float64 `json:"p5"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
}

// lostByFloor is the share of pairs of the same product that the floor may leave out.
const lostByFloor = 0.01

// Propose finds the lowest accept at and above which a share of precision of the pairs
// is of the same product, and the highest floor, no higher than that, which leaves out
// one in a hundred of those at most. A threshold lies halfway to the next lower score.
func Propose(scores []Scored, precision float64) (t Thresholds, err error) {
	sorted := slices.SortedFunc(slices.Values(scores), func(a, b Scored) int { return cmp.Compare(b.Score, a.Score) })
	t.Pairs = len(sorted)
	for _, s := range sorted {
		if s.Same {
			t.Same++
		}
	}
	accept, floor, right := -1, 0, 0
	for i, s := range sorted {
		if s.Same {
			right++
		}
		if i+1 < len(sorted) && sorted[i+1].Score == s.Score {
			continue // a threshold does not part equal scores
		}
		if float64(right) >= precision*float64(i+1) {
			accept = i
		}
		if float64(t.Same-right) > lostByFloor*float64(t.Same) {
			floor = i + 1
		}
	}
	if accept < 0 || !slices.ContainsFunc(sorted[:accept+1], func(s Scored) bool { return s.Same }) {
		return t, fmt.Errorf("no threshold has a precision of %v: the highest score, %.3f, is of two products, or among them", precision, sorted[0].Score)
	}
	t.Accept = at(sorted, below(sorted, accept))
	t.Floor = at(sorted, min(t.Accept.Score, below(sorted, min(floor, len(sorted)-1))))
	t.Unlike, t.Alike = spread(sorted, false), spread(sorted, true)
	return t, nil
}

// below returns a threshold between the i-th score and the next lower one.
func below(sorted []Scored, i int) float64 {
	for _, s := range sorted[i:] {
		if s.Score < sorted[i].Score {
			return (s.Score + sorted[i].Score) / 2
		}
	}
	return sorted[i].Score
}

// At returns what scores at or above a threshold are worth.
func At(scores []Scored, score float64) Threshold {
	return at(slices.SortedFunc(slices.Values(scores), func(a, b Scored) int { return cmp.Compare(b.Score, a.Score) }), score)
}

func at(sorted []Scored, score float64) Threshold {
	t := Threshold{Score: score}
	right, same := 0, 0
	for _, s := range sorted {
		if s.Same {
			same++
		}
		if s.Score < score {
			continue
		}
		if t.Above++; s.Same {
			right++
		}
	}
	t.Low, _ = Wilson(right, t.Above)
	if t.Above > 0 {
		t.Precision = float64(right) / float64(t.Above)
	}
	t.Recall = float64(right) / float64(max(1, same))
	return t
}

func spread(sorted []Scored, same bool) (s Spread) {
	scores := scoresOf(sorted, same)
	return Spread{rank(scores, 5), rank(scores, 50), rank(scores, 95)}
}

// scoresOf returns the scores of one kind, lowest first.
func scoresOf(all []Scored, same bool) (scores []float64) {
	for _, one := range all {
		if one.Same == same {
			scores = append(scores, one.Score)
		}
	}
	slices.Sort(scores)
	return scores
}

// rank returns the score that p in a hundred of sorted scores do not exceed.
func rank(scores []float64, p int) float64 { return scores[max(0, (len(scores)*p+99)/100-1)] }

// unsoldBelow is how many in a hundred queries for what is not sold stay below the floor of a search.
const unsoldBelow = 90

// A SearchFloor is a floor of a search, and what is below it.
type SearchFloor struct {
	Score  float64 `json:"score"`
	Unsold float64 `json:"unsold_below"` // the share of queries for what is not sold whose nearest product is below
	Right  float64 `json:"right_below"`  // the share of the others whose best right product is
}

// SearchFloors are the floor that was measured, and that of the program.
type SearchFloors struct {
	Model    string      `json:"model"`
	Queries  int         `json:"queries"` // that products answer
	Unsold   int         `json:"unsold"`
	Proposed SearchFloor `json:"proposed"`
	Now      SearchFloor `json:"now"`
	Nearest  Spread      `json:"nearest"` // the scores of the nearest product to what is not sold
	Right    Spread      `json:"right"`   // those of the best right product
}

// ProposeFloor returns the floor that nine of ten queries for what is not sold stay below. Of each
// query there is a score: Same is that of its best right product, the others those of the nearest to
// what is not sold. There must be some of either.
func ProposeFloor(scores []Scored, now float64) SearchFloors {
	unsold, right := scoresOf(scores, false), scoresOf(scores, true)
	below := func(scores []float64, floor float64) float64 {
		n := slices.IndexFunc(scores, func(score float64) bool { return score >= floor })
		if n < 0 {
			n = len(scores)
		}
		return float64(n) / float64(len(scores))
	}
	at := func(score float64) SearchFloor { return SearchFloor{score, below(unsold, score), below(right, score)} }
	floor := math.Floor(rank(unsold, unsoldBelow)*100) + 1 // in hundredths
	return SearchFloors{Queries: len(right), Unsold: len(unsold), Proposed: at(floor / 100), Now: at(now), Nearest: spread(scores, false), Right: spread(scores, true)}
}
