package accuracy

import "testing"

// A name may begin with its brand or leave it out, and with nothing else.
func TestSameName(t *testing.T) {
	tests := []struct {
		name, wanted string // the accepted name
		brands       Accepted
		said, brand  string
		want         Verdict
	}{
		{"the same", "Oat Crackers", Accepted{"Brindlemoor"}, "OAT-crackers", "Brindlemoor", Right},
		{"with the brand", "Oat Crackers", Accepted{"Brindlemoor"}, "Brindlemoor Oat Crackers", "brindlemoor", Right},
		{"without the brand", "Brindlemoor Oat Crackers", Accepted{"Brindlemoor"}, "Oat Crackers", "Brindlemoor", Right},
		{"with another accepted brand", "롯데 초코파이", Accepted{"Lotte", "롯데"}, "초코파이", "Lotte", Right},
		{"a brand set without a space", "진라면", Accepted{"오뚜기"}, "오뚜기진라면", "오뚜기", Right},
		{"split into brand and rest", "Shin Ramyun", Accepted{"Nongshim"}, "Ramyun", "Shin", Wrong},
		{"split into brand and rest, no brand labelled", "Shin Ramyun", nil, "Ramyun", "Shin", Wrong},
		{"half of the name, the brand right", "Shin Ramyun", Accepted{"Nongshim"}, "Ramyun", "Nongshim", Wrong},
		{"with the brand, no brand labelled", "Shin Ramyun", nil, "Nongshim Shin Ramyun", "Nongshim", Right},
		{"whole, with a part of it as its brand", "Shin Ramyun", nil, "Shin Ramyun", "Shin", Right},
		{"with a wrong brand before it", "Oat Crackers", Accepted{"Brindlemoor"}, "Nestora Oat Crackers", "Nestora", Wrong},
		{"without the brand, a wrong one beside it", "Brindlemoor Oat Crackers", Accepted{"Brindlemoor"}, "Oat Crackers", "Nestora", Wrong},
		{"a brand that ends within a word", "Oatly Drink", Accepted{"Oat"}, "ly Drink", "Oat", Wrong},
		{"a name that is its brand", "Nutella", Accepted{"Nutella"}, "Nutella", "Nutella", Right},
		{"no brand answered", "Oat Crackers", Accepted{"Brindlemoor"}, "Oat Crackers", "", Right},
	}
	for _, test := range tests {
		l := Label{File: "a.jpg", Name: Accepted{test.wanted}, Brand: test.brands}
		if got := l.Judge(answer(test.said, test.brand, 1))[Name]; got != test.want {
			t.Errorf("%s: %q of %q for %q of %q is %s, want %s", test.name, test.said, test.brand, test.wanted, test.brands, got, test.want)
		}
	}
}
