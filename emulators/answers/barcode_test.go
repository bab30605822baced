package answers

import "testing"

func TestElect(t *testing.T) {
	for _, tt := range []struct {
		name  string
		votes map[string]int
		want  string
	}{
		{"none", nil, ""},
		{"one strip", map[string]int{"9780441014989": 1}, ""},
		{"two strips", map[string]int{"9780441014989": 2}, "9780441014989"},
		{"a misreading beside it", map[string]int{"9780441014989": 17, "5780407014989": 1}, "9780441014989"},
		{"a shorter one beside it", map[string]int{"9780441014989": 2, "17804419": 4}, "9780441014989"},
		{"two strips of eight digits", map[string]int{"12345670": 2}, ""},
		{"three strips of eight digits", map[string]int{"12345670": 3}, "12345670"},
		{"a tie", map[string]int{"9780441014989": 2, "4901780188352": 2}, ""},
	} {
		votes := map[string]vote{}
		for digits, n := range tt.votes {
			votes[digits] = vote{n: n}
		}
		if got, _, ok := elect(votes); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: elect(%v) = %q, %v; want %q", tt.name, tt.votes, got, ok, tt.want)
		}
	}
}
