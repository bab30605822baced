package money

import (
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		a, b  Money
		order int
		ok    bool
	}{
		{Money{10, "USD"}, Money{25, "USD"}, -1, true},
		{Money{25, "USD"}, Money{25, "USD"}, 0, true},
		{Money{30, "EUR"}, Money{25, "EUR"}, 1, true},
		{Money{10, "USD"}, Money{20, "EUR"}, 0, false},
		{Money{}, Money{20, "EUR"}, 0, false},
		{Money{}, Money{}, 0, false},
	} {
		if order, ok := test.a.Compare(test.b); order != test.order || ok != test.ok {
			t.Errorf("%v.Compare(%v) = %d, %v; want %d, %v", test.a, test.b, order, ok, test.order, test.ok)
		}
	}
}

func TestRange(t *testing.T) {
	for _, test := range []struct {
		r    Range
		m    Money
		want bool
	}{
		{Range{Max: 50, Currency: "USD"}, Money{50, "USD"}, true},
		{Range{Max: 50, Currency: "USD"}, Money{50, "EUR"}, false},
		{Range{Max: 50}, Money{50, "EUR"}, true},
		{Range{Min: 50.01}, Money{50, "EUR"}, false},
		{Range{Min: 10, Max: 20}, Money{}, false},
	} {
		if got := test.r.Holds(test.m); got != test.want {
			t.Errorf("%v.Holds(%v) = %v, want %v", test.r, test.m, got, test.want)
		}
	}
	for _, test := range []struct {
		a, b, want Range
		ok         bool
	}{
		{Range{Min: 10}, Range{Max: 20, Currency: "USD"}, Range{10, 20, "USD"}, true},
		{Range{Max: 30, Currency: "USD"}, Range{Max: 20, Currency: "USD"}, Range{0, 20, "USD"}, true},
		{Range{Max: 30, Currency: "USD"}, Range{Min: 40}, Range{40, 30, "USD"}, false},
		{Range{Max: 30, Currency: "USD"}, Range{Max: 20, Currency: "EUR"}, Range{0, 20, "USD"}, false},
	} {
		if got, ok := test.a.And(test.b); got != test.want || ok != test.ok {
			t.Errorf("%v.And(%v) = %v, %v; want %v, %v", test.a, test.b, got, ok, test.want, test.ok)
		}
	}
}

func TestBeyond(t *testing.T) {
	for _, test := range []struct {
		got, want Range
	}{
		{Range{}.Under(Money{20, "EUR"}), Range{0, 19.99, "EUR"}},
		{Range{Min: 5, Max: 15}.Under(Money{20, "EUR"}), Range{5, 15, "EUR"}},
		{Range{Min: 30, Currency: "EUR"}.Under(Money{20, "EUR"}), Range{0, 19.99, "EUR"}},
		{Range{Max: 30, Currency: "USD"}.Under(Money{20, "EUR"}), Range{0, 19.99, "EUR"}},
		{Range{}.Under(Money{1290000, "VND"}), Range{0, 1289999, "VND"}},
		{Range{Max: 30}.Over(Money{20, "EUR"}), Range{20.01, 30, "EUR"}},
		{Range{Max: 10}.Over(Money{20, "EUR"}), Range{20.01, 0, "EUR"}},
	} {
		if test.got != test.want {
			t.Errorf("got %v, want %v", test.got, test.want)
		}
	}
}

func TestText(t *testing.T) {
	for m, want := range map[Money]string{{}: "", {1250.5, "USD"}: "1,250.50 USD", {1290000, "VND"}: "1,290,000 VND"} {
		if got := m.Text(message.NewPrinter(language.English)); got != want {
			t.Errorf("%v.Text = %q, want %q", m, got, want)
		}
	}
}
