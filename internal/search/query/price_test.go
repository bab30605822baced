package query

import "testing"

func TestParsePrice(t *testing.T) {
	tests := []struct {
		query string
		want  PriceRange
		rest  string
	}{
		{"kính râm nam dưới 2 triệu", PriceRange{0, 2_000_000, "VND"}, "kính râm nam"},
		{"kinh ram nam duoi 2 trieu", PriceRange{0, 2_000_000, "VND"}, "kinh ram nam"},
		{"gọng tròn 500k", PriceRange{400_000, 600_000, "VND"}, "gọng tròn"},
		{"gọng dưới 500k màu đen", PriceRange{0, 500_000, "VND"}, "gọng màu đen"},
		{"dưới 80 đô", PriceRange{0, 80, "USD"}, ""},
		{"sunglasses $80", PriceRange{64, 96, "USD"}, "sunglasses"},
		{"sunglasses under $80", PriceRange{0, 80, "USD"}, "sunglasses"},
		{"frames between 50 and 100 dollars", PriceRange{50, 100, "USD"}, "frames"},
		{"từ 1 đến 2 triệu", PriceRange{1_000_000, 2_000_000, "VND"}, ""},
		{"kính 1-2 triệu", PriceRange{1_000_000, 2_000_000, "VND"}, "kính"},
		{"khoảng 1tr5", PriceRange{1_200_000, 1_800_000, "VND"}, ""},
		{"trên 1.200.000đ", PriceRange{1_200_000, 0, "VND"}, ""},
		{"under 79.90 USD", PriceRange{0, 79.9, "USD"}, ""},
		{"under 2 million", PriceRange{0, 2_000_000, "VND"}, ""},
		{"sunglasses between 1 and 1.5 million dong", PriceRange{1_000_000, 1_500_000, "VND"}, "sunglasses"},
		{"under 500 thousand", PriceRange{0, 500_000, "VND"}, ""},
		{"over 100", PriceRange{100, 0, ""}, ""},
		{"kính TR90 tròn", PriceRange{}, "kính TR90 tròn"},
		{"RB2140 wayfarer", PriceRange{}, "RB2140 wayfarer"},
		{"gọng 2 màu", PriceRange{}, "gọng 2 màu"},
		{"top 5 cat-eye frames", PriceRange{}, "top 5 cat-eye frames"},
		{"kính cận cho nam 30 tuổi", PriceRange{}, "kính cận cho nam 30 tuổi"},
		{"tents under 50 GBP", PriceRange{0, 50, "GBP"}, "tents"},
		{"tents under £50", PriceRange{0, 50, "GBP"}, "tents"},
		{"zwischen 20 and 40 euros", PriceRange{20, 40, "EUR"}, "zwischen"},
		{"over €20.50", PriceRange{20.5, 0, "EUR"}, ""},
		{"under 3000 yen", PriceRange{0, 3000, "JPY"}, ""},
		{"under ¥3000", PriceRange{0, 3000, ""}, ""}, // yen, or yuan
		{"tents ¥8000", PriceRange{}, "tents ¥8000"},
		{"under ₩30,000", PriceRange{0, 30000, "KRW"}, ""},
		{"under 50000원", PriceRange{0, 50000, "KRW"}, ""},
		{"a tent of 5 pounds", PriceRange{}, "a tent of 5 pounds"},
		{"laptops under $1,299.99", PriceRange{0, 1299.99, "USD"}, "laptops"},
		{"over 1.299,90 €", PriceRange{1299.9, 0, "EUR"}, ""},
		{"between $1,000.50 and $2,345,678.9", PriceRange{1000.5, 2345678.9, "USD"}, ""},
		{"dưới 1.250.000,5 đồng", PriceRange{0, 1250000.5, "VND"}, ""},
		{"", PriceRange{}, ""},
	}
	for _, test := range tests {
		got, rest, _ := ParsePrice(test.query)
		if got != test.want || rest != test.rest {
			t.Errorf("ParsePrice(%q) = %+v, %q; want %+v, %q", test.query, got, rest, test.want, test.rest)
		}
	}
}
