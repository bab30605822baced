package search

import (
	"testing"

	"example.com/whatis/internal/catalog"
)

// Numbers are written as the language of the answer writes them, English where answers are not
// written in it.
func TestNumbersOfLanguages(t *testing.T) {
	for _, test := range []struct {
		lang     string
		price    float64
		currency string
		want     string
	}{
		{"en", 1250, "USD", "1,250 USD"}, {"en", 1250.5, "USD", "1,250.50 USD"}, {"vi", 1_250_000, "VND", "1.250.000 VND"}, {"vi", 1250.5, "USD", "1.250,50 USD"},
		{"ko", 1_250_000, "KRW", "1,250,000 KRW"}, {"fr", 1250.5, "EUR", "1,250.50 EUR"}, {"", 79.99, "", "79.99"}, {"en", 79.999, "USD", "80.00 USD"}, {"en", 0, "USD", ""},
	} {
		if got := (catalog.Price{Amount: test.price, Currency: test.currency}).Text(printer(test.lang)); got != test.want {
			t.Errorf("%v %s in %q = %q, want %q", test.price, test.currency, test.lang, got, test.want)
		}
	}
	languages, err := readLanguages()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"The shop has 12,500 products; by color: from 1800.5 g", "Cửa hàng có 12.500 sản phẩm; theo color: từ 1800,5 g", "상품 12,500개, color별: 1800.5 g부터",
	} {
		s := &state{language: languages[i], lang: languages[i].Code}
		got := s.text("has_count", 12_500, "color") + " " + s.boundsText(Bounds{Facet: "weight", Min: 1800.5, Unit: "g"})
		if got != want {
			t.Errorf("%s: %q, want %q", s.lang, got, want)
		}
	}
	if got, want := rangeText(0, 2_000_000, "JPY"), "0–2000000 JPY"; got != want {
		t.Errorf("rangeText = %q, want %q", got, want)
	}
}
