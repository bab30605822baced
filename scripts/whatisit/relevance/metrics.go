package relevance

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// Depth is how many products of an answer are looked at.
const Depth = 10

// A Score is how good one answer is, 0 to 1.
type Score struct {
	// NDCG is the normalised discounted cumulative gain of the first ten: a product of
	// grade g gains 2^g − 1, less by log2(1 + rank) the further behind it stands, beside
	// what the best order of all products would gain (Järvelin and Kekäläinen 2002, with
	// the gain of Burges 2005).
	NDCG float64 `json:"ndcg"`
	// Recall is how many of the products that are right at all are among the first
	// ten, beside as many of them as ten places hold.
	Recall float64 `json:"recall"`
}

// ScoreOf returns the score of products, best first, of which a product that is not in
// grades has grade 0. One that is there twice counts once.
func ScoreOf(ranked []string, grades map[string]int) Score {
	var got []int
	seen := map[string]bool{}
	found := 0
	for _, name := range ranked[:min(Depth, len(ranked))] {
		grade := grades[name]
		if seen[name] {
			grade = 0
		}
		seen[name] = true
		if got = append(got, grade); grade > 0 {
			found++
		}
	}
	best := slices.SortedFunc(maps.Values(grades), func(a, b int) int { return cmp.Compare(b, a) })
	best = best[:min(Depth, len(best))]
	if len(best) == 0 {
		return Score{}
	}
	return Score{NDCG: gain(got) / gain(best), Recall: float64(found) / float64(len(best))}
}

// gain returns the discounted cumulative gain of grades in their order.
func gain(grades []int) float64 {
	sum := 0.0
	for i, g := range grades {
		sum += (math.Exp2(float64(g)) - 1) / math.Log2(float64(i+2))
	}
	return sum
}

// Percentile returns the time that p in a hundred of all take at most (the nearest rank),
// 0 of none.
func Percentile(all []time.Duration, p int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}
