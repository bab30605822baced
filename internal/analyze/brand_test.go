package analyze

import (
	"slices"
	"testing"

	"example.com/whatis/internal/catalog"
)

// How the catalogue's trusted products change a brand.
func TestKnowledge(t *testing.T) {
	tests := []struct {
		brand, printed string
		found          []catalog.Product
		brands         []string
		subBrand       bool
	}{
		{"오늘 온차", "", []catalog.Product{{ProductName: "오늘 온차 보리", Brand: "롯데"}}, []string{"롯데"}, true},
		{"오늘 온차", "", []catalog.Product{{ProductName: "다른 차", Brand: "롯데"}}, []string{"롯데"}, false},
		{"롯데", "", []catalog.Product{{ProductName: "롯데 온차", Brand: "롯데"}}, []string{"롯데"}, false},
		{"LOTTE", "롯데", []catalog.Product{{ProductName: "LOTTE 온차", Brand: "롯데"}}, []string{"롯데"}, false},
		{"The North Face", "", []catalog.Product{{ProductName: "Nuptse", Brand: "The North Face®"}}, []string{"thenorthface"}, false},
		{"롯데", "", nil, nil, false},
	}
	for _, test := range tests {
		k := knowledge(Analysis{Brand: test.brand, BrandAsPrinted: test.printed}, test.found)
		if !slices.Equal(k.brands, test.brands) || k.subBrand != test.subBrand {
			t.Errorf("knowledge(%q, %v) = %+v; want %q, sub-brand %v", test.brand, test.found, k, test.brands, test.subBrand)
		}
	}
}

func TestBrandOverextended(t *testing.T) {
	catalogue := brandKnowledge{brands: []string{"롯데", "north", "thenorthface", "nivea", "onetwothreefour", "sixseveneightnineten"}}
	tests := []struct {
		brand, printed string // the brand, and the name as it is printed
		subs           []string
		want           bool
	}{
		{"", "", nil, false},
		{"롯데", "", nil, false},
		{"롯데 오늘 온차", "", nil, true},
		{"롯데온차", "", nil, false}, // one word
		{"The North Face", "North Face Jacket", nil, false},
		{"The North Face®", "", []string{"North Face"}, false},
		{"North Star", "", nil, true},
		{"Northern Star", "", nil, false},
		{"The North Face Gold", "", nil, true},
		{"One Two Three Four Five", "", nil, true},
		{"Six Seven Eight Nine Ten Eleven", "", nil, false}, // five words are not looked up
		{"NIVEA® Men", "", []string{"MEN"}, true},
		{"Unheard Of Men", "", []string{"men"}, true},
		{"Unheard Of Mentha", "", []string{"Men"}, false},
		{"Unheard Of", "", []string{""}, false},
		{"Nike", "", []string{"Nike"}, true}, // only a sub-brand, as read
		{"롯데", "", []string{"롯데"}, false},    // but a brand of the catalogue
		{"Haetsal™", "", nil, false},

		// Without the maker in the catalogue: what begins the printed name is no maker.
		{"CJ제일제당 비비고", "비비고 왕교자", nil, true},
		{"CJ제일제당 비비고", "비비고왕교자", nil, true},
		{"Acme Bean", "Beanie Hat", nil, true}, // as Johnson & Johnson, a true brand that the stronger model has to confirm
		{"햇살 오늘 온차", "오늘온차 제로", nil, true},
		{"CJ제일제당 비비고", "", nil, false},
		{"Johnson & Johnson", "Johnson's Baby Oil", nil, true},
		{"Barilla", "Lasagne", nil, false}, // two letters, in a script with spaces
		{"롯데빼빼로", "빼빼로 초코", nil, true},
		{"Acme of La", "La Crema", nil, true},
		{"Coca-Cola", "Coca-Cola Zero", nil, false},
		{"Ben & Jerry's", "Cookie Dough", nil, false},
		{"Dr. Oetker Ristorante", "Ristorante Pizza Salame", nil, true},
	}
	for _, test := range tests {
		a := Analysis{Brand: test.brand, NameAsPrinted: test.printed, SubBrands: test.subs}
		if got := brandOverextended(a, catalogue); got != test.want {
			t.Errorf("brandOverextended(%q, sub-brands %q, printed %q) = %v, want %v", test.brand, test.subs, test.printed, got, test.want)
		}
	}
	if !brandOverextended(Analysis{Brand: "오늘 온차"}, brandKnowledge{subBrand: true}) {
		t.Error("brandOverextended of a brand that a record has in another maker's name = false, want true")
	}
}

func TestWithoutSigns(t *testing.T) {
	for brand, want := range map[string]string{"NIVEA® Men": "NIVEA Men", "Haetsal™": "Haetsal", "The Body Shop": "The Body Shop", "®": "®", "": ""} {
		if got := withoutSigns(brand); got != want {
			t.Errorf("withoutSigns(%q) = %q, want %q", brand, got, want)
		}
	}
}
