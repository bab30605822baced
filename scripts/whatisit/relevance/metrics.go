package relevance

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/search"
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

// mostCompared is how many products a comparison shows.
const mostCompared = 4

// Score returns the score of an answer. One that is no list of products is right, 1, or wrong,
// 0: a number of products, facts of the shop, or that there is nothing.
func (q Query) Score(r search.Result) Score {
	var names, facts []string
	for _, p := range r.Products {
		names = append(names, p.Name)
	}
	if r.Result.FAQ != nil {
		for _, fact := range append([]search.FAQ{*r.Result.FAQ}, r.Result.Facts...) {
			facts = append(facts, strings.TrimPrefix(fact.Source, "facts#"))
		}
	}
	grades := q.Grades()
	switch {
	case q.counts():
		return either(r.Result.Stats != nil && r.Result.Stats.Total == int64(len(grades)))
	case q.Nothing:
		return either(len(names) == 0)
	case len(q.About) > 0:
		return either(slices.Equal(slices.Sorted(slices.Values(facts)), slices.Sorted(slices.Values(q.About))))
	case len(q.Compared) > 0:
		return either(len(names) > 1 && len(names) <= mostCompared && q.eachSide(names, grades))
	}
	return ScoreOf(names, grades)
}

// counts reports whether the right answer is a number.
func (q Query) counts() bool { return q.Intent == search.CategoryStats }

func either(right bool) Score {
	if right {
		return Score{1, 1}
	}
	return Score{}
}

// eachSide reports whether the products are right, and all that is compared is among them.
func (q Query) eachSide(names []string, grades map[string]int) bool {
	if slices.ContainsFunc(names, func(name string) bool { return grades[name] == 0 }) {
		return false
	}
	for facet, sides := range q.Compared {
		for _, side := range sides {
			if !slices.ContainsFunc(q.products(), func(p Product) bool { return slices.Contains(names, p.Name) && p.has(facet, []string{side}) }) {
				return false
			}
		}
	}
	return true
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
