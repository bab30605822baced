package query

import "testing"

func TestParsePrice(t *testing.T) {
	tests := []struct {
		query string
		want  PriceRange
		rest  string
	}{
		{"kính râm nam dưới 2 triệu", PriceRange{Min: 0, Max: 2_000_000, Currency: "VND"}, "kính râm nam"},
		{"kinh ram nam duoi 2 trieu", PriceRange{Min: 0, Max: 2_000_000, Currency: "VND"}, "kinh ram nam"},
		{"gọng tròn 500k", PriceRange{Min: 400_000, Max: 600_000, Currency: "VND"}, "gọng tròn"},
		{"gọng dưới 500k màu đen", PriceRange{Min: 0, Max: 500_000, Currency: "VND"}, "gọng màu đen"},
		{"dưới 80 đô", PriceRange{Min: 0, Max: 80, Currency: "USD"}, ""},
		{"sunglasses $80", PriceRange{Min: 64, Max: 96, Currency: "USD"}, "sunglasses"},
		{"sunglasses under $80", PriceRange{Min: 0, Max: 80, Currency: "USD"}, "sunglasses"},
		{"frames between 50 and 100 dollars", PriceRange{Min: 50, Max: 100, Currency: "USD"}, "frames"},
		{"từ 1 đến 2 triệu", PriceRange{Min: 1_000_000, Max: 2_000_000, Currency: "VND"}, ""},
		{"kính 1-2 triệu", PriceRange{Min: 1_000_000, Max: 2_000_000, Currency: "VND"}, "kính"},
		{"khoảng 1tr5", PriceRange{Min: 1_200_000, Max: 1_800_000, Currency: "VND"}, ""},
		{"trên 1.200.000đ", PriceRange{Min: 1_200_000, Max: 0, Currency: "VND"}, ""},
		{"under 79.90 USD", PriceRange{Min: 0, Max: 79.9, Currency: "USD"}, ""},
		{"under 2 million", PriceRange{Min: 0, Max: 2_000_000, Currency: "VND"}, ""},
		{"sunglasses between 1 and 1.5 million dong", PriceRange{Min: 1_000_000, Max: 1_500_000, Currency: "VND"}, "sunglasses"},
		{"under 500 thousand", PriceRange{Min: 0, Max: 500_000, Currency: "VND"}, ""},
		{"tents $50-100", PriceRange{Min: 50, Max: 100, Currency: "USD"}, "tents"},
		{"over 100", PriceRange{Min: 100, Max: 0, Currency: ""}, ""},
		{"kính TR90 tròn", PriceRange{}, "kính TR90 tròn"},
		{"RB2140 wayfarer", PriceRange{}, "RB2140 wayfarer"},
		{"gọng 2 màu", PriceRange{}, "gọng 2 màu"},
		{"top 5 cat-eye frames", PriceRange{}, "top 5 cat-eye frames"},
		{"kính cận cho nam 30 tuổi", PriceRange{}, "kính cận cho nam 30 tuổi"},
		{"tents under 50 GBP", PriceRange{Min: 0, Max: 50, Currency: "GBP"}, "tents"},
		{"tents under £50", PriceRange{Min: 0, Max: 50, Currency: "GBP"}, "tents"},
		{"zwischen 20 and 40 euros", PriceRange{Min: 20, Max: 40, Currency: "EUR"}, "zwischen"},
		{"over €20.50", PriceRange{Min: 20.5, Max: 0, Currency: "EUR"}, ""},
		{"under 3000 yen", PriceRange{Min: 0, Max: 3000, Currency: "JPY"}, ""},
		{"under ¥3000", PriceRange{Min: 0, Max: 3000, Currency: ""}, ""}, // yen, or yuan
		{"tents ¥8000", PriceRange{}, "tents ¥8000"},
		{"under ₩30,000", PriceRange{Min: 0, Max: 30000, Currency: "KRW"}, ""},
		{"under 50000원", PriceRange{Min: 0, Max: 50000, Currency: "KRW"}, ""},
		{"a tent of 5 pounds", PriceRange{}, "a tent of 5 pounds"},
		{"laptops under $1,299.99", PriceRange{Min: 0, Max: 1299.99, Currency: "USD"}, "laptops"},
		{"over 1.299,90 €", PriceRange{Min: 1299.9, Max: 0, Currency: "EUR"}, ""},
		{"between $1,000.50 and $2,345,678.9", PriceRange{Min: 1000.5, Max: 2345678.9, Currency: "USD"}, ""},
		{"dưới 1.250.000,5 đồng", PriceRange{Min: 0, Max: 1250000.5, Currency: "VND"}, ""},
		{"pens under 0.500 USD", PriceRange{Min: 0, Max: 0.5, Currency: "USD"}, "pens"},
		{"under 12.05.26 USD", PriceRange{}, "under 12.05.26 USD"}, // a date
		{"", PriceRange{}, ""},
	}
	for _, test := range tests {
		got, rest, _ := ParsePrice(test.query)
		if got != test.want || rest != test.rest {
			t.Errorf("ParsePrice(%q) = %+v, %q; want %+v, %q", test.query, got, rest, test.want, test.rest)
		}
	}
}
