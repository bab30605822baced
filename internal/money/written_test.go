package money

import (
	"errors"
	"testing"
)

// An amount is read as it is written, or not at all.
func TestStyleReads(t *testing.T) {
	inEuros, withDots, withCommas := Style{Currency: "EUR"}, Style{".", "EUR"}, Style{",", "EUR"}
	for _, test := range []struct {
		text string
		in   Style
		want Money
		err  error
	}{
		{"15", inEuros, Money{15, "EUR"}, nil},
		{"12,50 EUR", Style{}, Money{12.5, "EUR"}, nil},
		{"12.50", Style{}, Money{12.5, ""}, ErrNoCurrency},
		{"1.249,00 €", Style{}, Money{1249, "EUR"}, nil},
		{"€1,249.00", Style{}, Money{1249, "EUR"}, nil},
		{"US$ 1,249.00", inEuros, Money{1249, "USD"}, nil},
		{"1,249", inEuros, Money{}, ErrAmbiguous},
		{"1.249", inEuros, Money{}, ErrAmbiguous},
		{"1,249", withDots, Money{1249, "EUR"}, nil},
		{"1,249", withCommas, Money{1.249, "EUR"}, nil},
		{"1.249", withCommas, Money{1249, "EUR"}, nil},
		{"34.0000", inEuros, Money{34, "EUR"}, nil},
		{"0,125", inEuros, Money{0.125, "EUR"}, nil},
		{"1.249.000", inEuros, Money{1249000, "EUR"}, nil},
		{"₹ 1,24,999.00", Style{}, Money{124999, "INR"}, nil},
		{"₹12,34,999", Style{}, Money{1234999, "INR"}, nil},
		{"1 249,90 zł", Style{}, Money{1249.9, "PLN"}, nil},
		{"CHF 1'249.90", Style{}, Money{1249.9, "CHF"}, nil},
		{"150.000đ", Style{}, Money{150000, "VND"}, nil},
		{"15.000 ₫", withDots, Money{15000, "VND"}, nil},
		{"59,- €", Style{}, Money{59, "EUR"}, nil},
		{"Rs. 500", Style{Currency: "PKR"}, Money{500, "PKR"}, nil},
		{"kr 499", Style{Currency: "SEK"}, Money{499, "SEK"}, nil},
		{"$20", Style{Currency: "AUD"}, Money{20, "AUD"}, nil},
		{"usd 20", Style{}, Money{20, "USD"}, nil},
		{"12.05.26", inEuros, Money{}, ErrNoAmount},
		{"1.2,3.4", inEuros, Money{}, ErrNoAmount},
		{"10 - 20", inEuros, Money{}, ErrNoAmount},
		{"-5", inEuros, Money{}, ErrNoAmount},
		{"0.00", inEuros, Money{}, ErrNoAmount},
		{"15 dollars", inEuros, Money{}, ErrNoAmount},
		{"1 2 3", inEuros, Money{}, ErrNoAmount},
		{"free", inEuros, Money{}, ErrNoAmount},
		{"", inEuros, Money{}, ErrNoAmount},
	} {
		if got, err := test.in.Read(test.text); got != test.want || !errors.Is(err, test.err) {
			t.Errorf("%+v.Read(%q) = %v, %v; want %v, %v", test.in, test.text, got, err, test.want, test.err)
		}
	}
	for _, text := range []string{"$20", "20 kr", "¥300", "USD 20 EUR"} {
		if got, err := (Style{}).Read(text); err == nil {
			t.Errorf("Read(%q) = %v; want an error: nothing says which currency", text, got)
		}
	}
}

// The other amounts of a file say what one means that may be read in two ways.
func TestSampleStyle(t *testing.T) {
	for _, test := range []struct {
		of   []string
		want Style
	}{
		{[]string{"1,249", "12.50"}, Style{Decimal: "."}},
		{[]string{"1.249", "12,50"}, Style{Decimal: ","}},
		{[]string{"1.249", "1.249.000"}, Style{Decimal: ","}},
		{[]string{"1,249", "1,300"}, Style{}},
		{[]string{"12.50", "12,50"}, Style{}},
		{[]string{"12,50 €", "13"}, Style{",", "EUR"}},
		{[]string{"12 €", "12 USD"}, Style{}},
		{[]string{"free", ""}, Style{}},
	} {
		var s Sample
		for _, text := range test.of {
			s.Note(text)
		}
		if got := s.Style(); got != test.want {
			t.Errorf("%q: %+v, want %+v", test.of, got, test.want)
		}
	}
}
