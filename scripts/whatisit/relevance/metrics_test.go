package relevance

import (
	"math"
	"testing"
	"time"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/search"
)

func TestScoreOf(t *testing.T) {
	grades := map[string]int{"a": 3, "b": 2, "c": 1}
	ideal := 7 + 3/math.Log2(3) + 1/math.Log2(4)
	tests := []struct {
		name   string
		ranked []string
		grades map[string]int
		want   Score
	}{
		{"the best order", []string{"a", "b", "c"}, grades, Score{1, 1}},
		{"with others behind", []string{"a", "b", "c", "x", "y"}, grades, Score{1, 1}},
		{"two changed about", []string{"b", "a", "c"}, grades, Score{(3 + 7/math.Log2(3) + 0.5) / ideal, 1}},
		{"the best at the second place", []string{"x", "a"}, map[string]int{"a": 3}, Score{1 / math.Log2(3), 1}},
		{"one of three", []string{"c"}, grades, Score{1 / ideal, 1.0 / 3}},
		{"one three times", []string{"a", "a", "a"}, grades, Score{7 / ideal, 1.0 / 3}},
		{"behind the tenth place", []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a"}, grades, Score{}},
		{"nothing", nil, grades, Score{}},
		{"nothing is right", []string{"a"}, nil, Score{}},
		{"more than ten are right", []string{"0", "1", "2", "3", "4"}, map[string]int{
			"0": 3, "1": 3, "2": 3, "3": 3, "4": 3, "5": 3, "6": 3, "7": 3, "8": 3, "9": 3, "10": 3, "11": 3,
		}, Score{gain([]int{3, 3, 3, 3, 3}) / gain([]int{3, 3, 3, 3, 3, 3, 3, 3, 3, 3}), 0.5}},
	}
	for _, test := range tests {
		got := ScoreOf(test.ranked, test.grades)
		if math.Abs(got.NDCG-test.want.NDCG) > 1e-9 || math.Abs(got.Recall-test.want.Recall) > 1e-9 {
			t.Errorf("%s: ScoreOf(%q) = %+v, want %+v", test.name, test.ranked, got, test.want)
		}
	}
}

func TestPercentile(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(100 - i)
	}
	tests := []struct {
		all  []time.Duration
		p    int
		want time.Duration
	}{
		{nil, 50, 0}, {hundred[:1], 95, 100}, {[]time.Duration{3, 1, 2}, 50, 2}, {hundred, 50, 50}, {hundred, 95, 95}, {hundred, 100, 100}, {hundred, 0, 1},
	}
	for _, test := range tests {
		if got := Percentile(test.all, test.p); got != test.want {
			t.Errorf("Percentile of %d, %d = %d, want %d", len(test.all), test.p, got, test.want)
		}
	}
}

// EW-1001 is a round black pair of sunglasses for men, of metal, at 290,000 VND.
func TestGrade(t *testing.T) {
	codes := func(facet, code string) map[string]Codes { return map[string]Codes{facet: {code}} }
	tests := []struct {
		name string
		q    Query
		want int
	}{
		{"a colour", Query{Want: codes("color", "black")}, 3},
		{"another colour", Query{Want: codes("color", "red")}, 0},
		{"one of two shapes", Query{Want: map[string]Codes{"frameShape": {"oval", "round"}}}, 3},
		{"for all is not for men", Query{Want: codes("gender", "unisex")}, 0},
		{"a colour that is given up", Query{Want: codes("color", "red"), GiveUp: []string{"color"}}, 3},
		{"not black", Query{Not: codes("color", "black")}, 0},
		{"not red", Query{Not: codes("color", "red")}, 3},
		{"the brand that is preferred", Query{Want: codes("color", "black"), Prefer: codes("brand", "lunavelle")}, 3},
		{"another brand than is preferred", Query{Want: codes("color", "black"), Prefer: codes("brand", "orvando")}, 2},
		{"its SKU", Query{SKUs: []string{"EW-1001"}}, 3},
		{"another SKU", Query{SKUs: []string{"EW-1002"}}, 0},
		{"cheap enough", Query{Price: &search.PriceRange{Max: 290_000}}, 3},
		{"too dear", Query{Price: &search.PriceRange{Max: 289_999}}, 0},
		{"too cheap", Query{Price: &search.PriceRange{Min: 290_001}}, 0},
		{"its own picture", Query{Picture: &Picture{SKU: "EW-1001"}}, 3},
		{"the same as optical frames", Query{Picture: &Picture{SKU: "EW-1002"}}, 2},
		{"the same shape in white", Query{Picture: &Picture{SKU: "EW-1003"}}, 1},
		{"another shape in black", Query{Picture: &Picture{SKU: "EW-1035"}}, 0},
		{"the white one, but black", Query{Picture: &Picture{SKU: "EW-1003"}, Want: codes("color", "black")}, 3},
		{"the white one, but red", Query{Picture: &Picture{SKU: "EW-1003"}, Want: codes("color", "red")}, 0},
		{"the white one, but not white", Query{Picture: &Picture{SKU: "EW-1003"}, Not: codes("color", "white")}, 3},
		{"the oval one, but round", Query{Picture: &Picture{SKU: "EW-1035"}, Want: codes("frameShape", "round")}, 3},
	}
	for _, test := range tests {
		if got := test.q.Grade(products()[samples.EyewearShop][0]); got != test.want {
			t.Errorf("%s: the grade of EW-1001 is %d, want %d", test.name, got, test.want)
		}
	}
}
