package answers

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/whatis/emulators/samples"
)

// acceptScore is the threshold proposed for the space emulated-embedding: a score
// from which a judgement is worth its call.
const acceptScore = 0.5

// The pairs say how far apart texts are that the catalogue has to keep
// together or apart. The floors and acceptScore thresholds of the space
// emulated-embedding rest on these figures.
func TestCosines(t *testing.T) {
	for _, tt := range []struct {
		name, a, b  string
		least, most float64
	}{
		{"same text", "oat milk 240 ml", "oat milk 240 ml", 0.9999, 1.0001},
		{"other case, order and task", "task: sentence similarity | query: OAT milk 240 ml", "240 ml Oat Milk", 0.9999, 1.0001},
		{"full width", "ＯＡＴ milk", "oat milk", 0.9999, 1.0001},
		{"same product, English",
			"Cold Brew Oat Latte No added sugar Steeped 18 hours 240 ml drink can beige and brown oat milk coffee bean drawing",
			"Cold Brew Oat No added sugar Shake well 240 ml slim can beige and brown iced coffee coffee bean drawing", 0.6, 1},
		{"same product, Korean",
			"유자 보리차 은은한 유자 향 볶은 보리 92% 카페인 없음 티백 20개입 30 g 크림색 종이 상자 유자 그림 찻잔 그림",
			"달여울 유자보리차 볶은 보리 카페인없음 티백 20개 종이 상자 유자 찻잔", 0.6, 1},
		{"same product, inflected",
			"roasted almonds sea salt resealable pouch 150 g crunchy", "roasted almond snack with sea salt, crunchy, 150 g pouch", 0.6, 1},
		{"same kind, other product",
			"Cold Brew Oat Latte No added sugar 240 ml drink can oat milk", "Vanilla Almond Cappuccino 330 ml bottle whole milk sweetened", -0.2, 0.4},
		{"unrelated, English",
			"Cold Brew Oat Latte No added sugar 240 ml drink can", "hand cream fig night 75 ml purple tube shea butter", -0.2, 0.2},
		{"unrelated, Korean",
			"유자 보리차 볶은 보리 카페인 없음 티백 종이 상자", "죽염 치약 하얀 튜브 박하 향 잇몸 관리 불소", -0.2, 0.2},
		{"unrelated, two scripts",
			"Sea Salt Oat Crackers wholegrain oats High in fiber", "홍삼 대추청 국산 대추 유리병 금색 띠", -0.2, 0.2},
		{"only plain words in common",
			"red background white label large letters brass kettle", "red background white label large letters toothpaste", -0.2, 0.6},
	} {
		got := cosine(embedding(tt.a, 768), embedding(tt.b, 768))
		t.Logf("%5.2f  %s", got, tt.name)
		if got < tt.least || got > tt.most {
			t.Errorf("%s: cosine = %.3f, want %v to %v", tt.name, got, tt.least, tt.most)
		}
	}
}

// A catalogue holds what its file, or a search, said of a product; the query is
// what a photo shows.
func TestEmbeddingsOfSamplesInACatalogue(t *testing.T) {
	type record struct{ name, features string }
	var catalogue struct {
		Products []struct {
			Name     string   `json:"product_name"`
			Features []string `json:"key_features"`
		} `json:"products"`
	}
	if err := json.Unmarshal(samples.ProductsDB, &catalogue); err != nil {
		t.Fatal(err)
	}
	var records []record
	for _, p := range catalogue.Products {
		records = append(records, record{p.Name, strings.Join(p.Features, " ")})
	}
	for _, p := range samples.Pages {
		records = append(records, record{p.Name, strings.Join(p.Features, " ")})
	}
	lowest, highest := 1.0, -1.0
	for _, sample := range samples.All() {
		if sample.Truth.Kind != samples.Product {
			continue
		}
		for _, r := range records {
			c := cosine(embedding(strings.Join(sample.Truth.Features, " "), 768), embedding(r.features, 768))
			if strings.HasPrefix(r.name, sample.Truth.Name) {
				lowest = min(lowest, c)
				t.Logf("%5.2f  %s is %s", c, sample.File, r.name)
				continue
			}
			if c > 0.3 {
				t.Logf("%5.2f  %s is not %s", c, sample.File, r.name)
			}
			highest = max(highest, c)
		}
	}
	t.Logf("lowest of the same product %.2f, highest of different ones %.2f", lowest, highest)
	if lowest < acceptScore || highest > acceptScore {
		t.Errorf("lowest of the same product %.2f, highest of different ones %.2f; want %v between them", lowest, highest, acceptScore)
	}
}
