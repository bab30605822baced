package analyze

import (
	"slices"
	"testing"

	"example.com/whatis/internal/catalog"
)

// match returns a candidate with a score.
func match(name, brand string, score float64) catalog.Match {
	return catalog.Match{Score: score, Product: catalog.Product{ID: name, ProductName: name, Brand: brand, Category: "Beverage", KeyFeatures: []string{"Barley Tea", "500 ml"}}}
}

// unsure returns a clear analysis with both confidences at c.
func unsure(c float64) Analysis {
	return with(func(a *Analysis) { a.ProductNameConfidence, a.BrandConfidence = c, c })
}

// The decision table, row by row: the facts, and the next move.
func TestNext(t *testing.T) {
	record := &catalog.Product{ProductName: "Barley Tea", Brand: "Haetsal", GTIN: "08801234567893", Status: catalog.Imported}
	foreign := &catalog.Product{ProductName: "Cola", Brand: "Fizz", GTIN: "08801234567893", Status: catalog.Imported}
	owner := &catalog.Product{ProductName: "Morning Gold Cola", Brand: "Fizz", GTIN: "08801234567893", Status: catalog.Imported}
	confirmed := func(p *catalog.Product) *catalog.Product {
		c := *p
		c.Status = catalog.Confirmed
		return &c
	}
	suspect := []Suspicion{NameUnread}
	tea, other := match("Barley Tea", "Haetsal", 0.8), match("Green Tea", "Haetsal", 0.7)
	snack := tea
	snack.Category = "Snack"
	blank := with(func(a *Analysis) {
		a.VisibleText, a.ProductNameConfidence, a.BrandConfidence = nil, unprovenCap, unprovenCap
	})
	nameless := blank
	nameless.Brand = ""
	seed, strict := policies["seed"], policies["strict"]

	tests := []struct {
		name string
		f    facts
		row  row
		move move
	}{
		{"1: the GTIN's record", facts{analysis: clear(), record: record}, rowGTIN, answer},
		{"1: the GTIN's record, even of a photo that shows no product", facts{analysis: Analysis{NotProduct: true}, record: record}, rowGTIN, answer},
		{"1: no brand was read", facts{analysis: with(func(a *Analysis) { a.Brand, a.BrandConfidence = "", 0 }), record: record}, rowGTIN, answer},
		{"1: another brand, read without confidence, of a confirmed record", facts{analysis: with(func(a *Analysis) { a.BrandConfidence = 0.7 }), record: confirmed(foreign)}, rowGTIN, answer},
		{"1: the brand in another script than on the package", facts{analysis: with(func(a *Analysis) { a.Brand, a.BrandAsPrinted = "햇살", "HAETSAL" }), record: record}, rowGTIN, answer},
		{"1: another brand, read with confidence", facts{analysis: with(func(a *Analysis) { a.BrandConfidence = 0.71 }), record: confirmed(foreign)}, undecided, searchDB},
		{"1: another brand, read without confidence, of an imported record", facts{analysis: unsure(0.2), record: foreign}, undecided, searchDB},
		{"1: a sub-brand of the record's maker", facts{analysis: with(func(a *Analysis) { a.Brand, a.BrandAsPrinted = "Morning Gold", "" }), record: owner}, rowGTIN, answer},
		{"1: another brand, and the second look confirms what was read", facts{analysis: clear(), record: foreign, searched: true, judgement: &Judgement{Confirmed: true}}, rowImage, answer},
		{"2: not a product", facts{analysis: Analysis{NotProduct: true}}, rowRejected, answer},

		{"3: a clear photo", facts{analysis: clear()}, rowImage, answer},
		{"3: just above the threshold, never looked at again", facts{analysis: unsure(0.71), secondLook: Never}, rowImage, answer},
		{"3: at the threshold", facts{analysis: unsure(0.7), secondLook: Never}, undecided, searchDB},
		{"3: only the name at the threshold", facts{analysis: with(func(a *Analysis) { a.ProductNameConfidence = 0.7 }), secondLook: Never}, undecided, searchDB},
		{"3: only the brand at the threshold", facts{analysis: with(func(a *Analysis) { a.BrandConfidence = 0.7 }), secondLook: Never}, undecided, searchDB},
		{"3: below the threshold", facts{analysis: unsure(0.69), secondLook: Never}, undecided, searchDB},
		{"3: only the name is sure", facts{analysis: with(func(a *Analysis) { a.BrandConfidence = 0.5 })}, undecided, searchDB},
		{"3: only the brand is sure", facts{analysis: with(func(a *Analysis) { a.ProductNameConfidence = 0.5 })}, undecided, searchDB},
		{"3: a suspicion: its candidates first", facts{analysis: clear(), suspicions: suspect}, undecided, searchDB},
		{"3: a suspicion: then a look", facts{analysis: clear(), suspicions: suspect, searched: true}, undecided, judge},
		{"3: a suspicion that the second look dispels", facts{analysis: clear(), suspicions: suspect, searched: true, judgement: &Judgement{Confirmed: true}}, rowImage, answer},
		{"3: a suspicion of a reading that is unsure", facts{analysis: unsure(0.7), suspicions: suspect, searched: true, judgement: &Judgement{Confirmed: true}}, undecided, searchWeb},
		{"3: a suspicion, though sure readings are never looked at again", facts{analysis: clear(), suspicions: suspect, secondLook: Never}, undecided, searchDB},
		{"3: a suspicion, and the same after the catalogue", facts{analysis: clear(), suspicions: suspect, secondLook: Never, searched: true}, undecided, judge},
		{"3: print that speaks to machines", facts{analysis: clear(), injected: true, searched: true}, undecided, judge},
		{"3: at 0.9 there is no doubt", facts{analysis: unsure(0.9)}, rowImage, answer},
		{"3: under 0.9 there is", facts{analysis: unsure(0.89)}, undecided, judge},
		{"3: the model does not know it", facts{analysis: with(func(a *Analysis) { a.KnownProduct = Unsure })}, undecided, judge},
		{"3: the model does not know it, never looked at again", facts{analysis: with(func(a *Analysis) { a.KnownProduct = Unsure }), secondLook: Never}, rowImage, answer},
		{"3: always looked at again", facts{analysis: clear(), secondLook: Always}, undecided, judge},
		{"3: the second look confirms", facts{analysis: unsure(0.8), judgement: &Judgement{Confirmed: true}}, rowImage, answer},
		{"3: the second look does not", facts{analysis: unsure(0.8), judgement: &Judgement{}}, undecided, searchDB},
		{"3: strict, at its threshold", facts{analysis: unsure(0.85), policy: strict, secondLook: Never}, undecided, searchDB},
		{"3: strict, above it", facts{analysis: unsure(0.86), policy: strict, secondLook: Never}, rowImage, answer},
		{"3: strict, two text clues", facts{analysis: with(func(a *Analysis) { a.KeyFeatures = []string{"barley tea", "500 ml", "green", "round"} }), policy: strict}, undecided, searchDB},
		{"3: strict, three features", facts{analysis: with(func(a *Analysis) { a.KeyFeatures = a.KeyFeatures[:3] }), policy: strict}, undecided, searchDB},

		{"4: candidates are judged", facts{analysis: unsure(0.5), searched: true, candidates: hits(tea)}, undecided, judge},
		{"4: one is picked", facts{analysis: unsure(0.5), searched: true, candidates: hits(tea, other), judgement: &Judgement{Pick: 2, offered: 2}}, rowCatalogue, answer},
		{"4: none is picked", facts{analysis: unsure(0.5), searched: true, candidates: hits(tea), judgement: &Judgement{offered: 1}}, undecided, searchWeb},
		{"4: a suspicion that is held, and none is picked", facts{analysis: clear(), suspicions: suspect, searched: true, candidates: hits(tea), judgement: &Judgement{offered: 1}}, undecided, searchWeb},
		{"4: a suspicion that is held, and one is picked", facts{analysis: clear(), suspicions: suspect, searched: true, candidates: hits(tea), judgement: &Judgement{Pick: 1, offered: 1}}, rowCatalogue, answer},
		{"4: a pick beyond the candidates", facts{analysis: unsure(0.5), searched: true, candidates: hits(tea), judgement: &Judgement{Pick: 2, offered: 1}}, undecided, searchWeb},
		{"4: refused before the catalogue was asked: judged again with its candidates", facts{analysis: unsure(0.8), searched: true, candidates: hits(other, tea), judgement: &Judgement{}}, undecided, judge},
		{"4: judged again, and picked", facts{analysis: unsure(0.8), searched: true, candidates: hits(other, tea), judgement: &Judgement{Pick: 2, offered: 2}}, rowCatalogue, answer},
		{"4: a model that will not judge is not asked again", facts{analysis: unsure(0.8), searched: true, candidates: hits(tea), judgement: &Judgement{}, refused: true}, undecided, searchWeb},
		{"3: a confirmation that names another brand", facts{analysis: unsure(0.8), judgement: &Judgement{Confirmed: true, Brand: "Fizz"}}, undecided, searchDB},
		{"4: strict refuses another brand", facts{analysis: with(func(a *Analysis) { a.ProductNameConfidence = 0.5 }), policy: strict, searched: true, candidates: hits(match("Barley Tea", "Fizz", 0.8)), judgement: &Judgement{Pick: 1, offered: 1}}, undecided, searchWeb},
		{"4: strict refuses another category", facts{analysis: unsure(0.5), policy: strict, searched: true, candidates: hits(snack), judgement: &Judgement{Pick: 1, offered: 1}}, undecided, searchWeb},
		{"4: the seed does not mind another category", facts{analysis: unsure(0.5), searched: true, candidates: hits(snack), judgement: &Judgement{Pick: 1, offered: 1}}, rowCatalogue, answer},
		{"4: strict takes two clues in common", facts{analysis: unsure(0.5), policy: strict, searched: true, candidates: hits(tea), judgement: &Judgement{Pick: 1, offered: 1}}, rowCatalogue, answer},
		{"4: strict refuses one", facts{analysis: with(func(a *Analysis) {
			a.ProductNameConfidence, a.VisibleText, a.KeyFeatures = 0.5, clearly("HAETSAL", "barley tea"), []string{"barley tea"}
		}), policy: strict, searched: true, candidates: hits(tea), judgement: &Judgement{Pick: 1, offered: 1}}, undecided, searchWeb},

		{"5: nothing in the catalogue", facts{analysis: unsure(0.5), searched: true}, undecided, searchWeb},
		{"5: always looked at again, unsure ones too", facts{analysis: unsure(0.5), searched: true, secondLook: Always}, undecided, judge},
		{"5: never looked at again, and nothing in the catalogue", facts{analysis: unsure(0.5), searched: true, secondLook: Never}, undecided, searchWeb},
		{"5: never looked at again, and the catalogue has candidates", facts{analysis: unsure(0.5), searched: true, secondLook: Never, candidates: hits(tea)}, undecided, judge},
		{"5: found", facts{analysis: unsure(0.5), searched: true, googled: true, finding: &Finding{Found: true, Probability: 0.3}}, rowWeb, answer},
		{"5: found, and hardly believed", facts{analysis: unsure(0.5), searched: true, googled: true, finding: &Finding{Found: true, Probability: 0.29}}, rowNothing, answer},
		{"5: a textless photo with a brand", facts{analysis: blank, searched: true}, undecided, searchWeb},

		{"6: not found", facts{analysis: unsure(0.5), searched: true, googled: true, finding: &Finding{}}, rowNothing, answer},
		{"6: no source", facts{analysis: unsure(0.5), searched: true, googled: true}, rowNothing, answer},
		{"6: a textless photo without a brand", facts{analysis: nameless, searched: true}, rowNothing, answer},
	}
	for _, test := range tests {
		if test.f.policy.Name == "" {
			test.f.policy = seed
		}
		if row, move := test.f.next(); row != test.row || move != test.move {
			t.Errorf("%s: next = row %d, move %d; want row %d, move %d", test.name, row, move, test.row, test.move)
		}
	}
}

func TestOtherCategory(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"Beverage", "Beverage", false},
		{"Beverage", "BEVERAGES", false},
		{"Green tea", "Tea bags", false},
		{"Beverage", "Snack", true},
		{"Tea", "Teapot", true},
		{"", "Snack", false},
		{"Beverage", "", false},
	}
	for _, test := range tests {
		if got := otherCategory(test.a, test.b); got != test.want {
			t.Errorf("otherCategory(%q, %q) = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func TestOverlap(t *testing.T) {
	a := Analysis{KeyFeatures: []string{"Barley Tea", "green label"}, VisibleText: clearly("HAETSAL", "500 ml")}
	tests := []struct {
		features []string
		want     int
	}{
		{[]string{"barley tea", "GREEN LABEL", "glass"}, 2},
		{[]string{"Haetsal", "500ML", "glass"}, 2},
		{[]string{"barley tea", "500 ml"}, 2},
		{[]string{"barley", "label"}, 0}, // word for word
		{nil, 0},
	}
	for _, test := range tests {
		if got := overlap(a, test.features); got != test.want {
			t.Errorf("overlap(%q) = %d, want %d", test.features, got, test.want)
		}
	}
}

func TestContradicts(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"Haetsal", "HAETSAL®", false},
		{"Haetsal", "Haetsal Gold", false},
		{"Haetsal Gold", "Haetsal", false},
		{"HaetsalGold", "Haetsal Gold", false},
		{"Haetsal", "Fizz", true},
		{"Haet", "Haetsal", true},
		{"", "Fizz", false},
		{"Haetsal", "", false},
		{"롯데", "Lotte", false}, // in another script
	}
	for _, test := range tests {
		if got := (Analysis{Brand: test.a}).contradicts(test.b); got != test.want {
			t.Errorf("contradicts(%q, %q) = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func TestWeigh(t *testing.T) {
	own := []string{"Barley Tea", "500 ml", "green label"}
	tests := []struct {
		supported []string
		at        float64
		carried   bool
		want      []string
		wantAt    float64
		learnable bool
	}{
		{[]string{"barley tea", "500ML"}, 0.9, true, []string{"barley tea", "500ML"}, 0.9, true},
		{[]string{"barley tea", "golden lid"}, 0.9, true, []string{"barley tea"}, 0.9, true},
		{[]string{"barley tea"}, 0.9, false, []string{"barley tea"}, 0.5, false}, // pages are cited, none supports the answer
		{[]string{"barley tea"}, 0.4, false, []string{"barley tea"}, 0.4, false},
		{[]string{"barley"}, 0.9, true, []string{}, 0.5, false}, // a part of one
		{[]string{"golden lid"}, 0.51, true, []string{}, 0.5, false},
		{nil, 0.9, true, nil, 0.5, false},
		{nil, 0.4, true, nil, 0.4, false},
	}
	for _, test := range tests {
		f := Finding{Supported: slices.Clone(test.supported), Probability: test.at}
		if f.holdToSources(own, test.carried); !slices.Equal(f.Supported, test.want) || f.Probability != test.wantAt || f.learnable() != test.learnable {
			t.Errorf("weigh of %q at %v, carried %v = %q at %v, learnable %v; want %q at %v, %v",
				test.supported, test.at, test.carried, f.Supported, f.Probability, f.learnable(), test.want, test.wantAt, test.learnable)
		}
	}
}

// Another search is made only in the words that the searching model proposes.
func TestProposedSearch(t *testing.T) {
	tests := []struct {
		finding *Finding
		text    string
		want    string
	}{
		{nil, "Nothing was found.", ""},
		{nil, "Nothing was found.\nSearch again: Haetsal  Barley Tea ", "Haetsal Barley Tea"},
		{nil, "Nothing was found. Search again: Haetsal", ""},
		{nil, "Search again: ", ""},
		{&Finding{SearchAgain: "Haetsal"}, `{"search_again":"Haetsal"}`, "Haetsal"},
		{&Finding{}, "Search again: Haetsal", ""},
	}
	for _, test := range tests {
		if got := proposed(test.finding, test.text); got != test.want {
			t.Errorf("proposed(%+v, %q) = %q, want %q", test.finding, test.text, got, test.want)
		}
	}
}

func TestSaveRefusal(t *testing.T) {
	full := savedProduct{ProductName: "Tea", Category: "Beverage", KeyFeatures: []string{"tea"}, Source: FromGoogleSearch}
	change := func(f func(*savedProduct)) savedProduct {
		p := full
		f(&p)
		return p
	}
	tests := []struct {
		p    savedProduct
		want string
	}{
		{full, ""}, // the brand may be empty
		{change(func(p *savedProduct) { p.Source = FromImage }), "source_image_not_allowed"},
		{change(func(p *savedProduct) { p.Source = FromLocalDB }), "source_local_db_not_allowed"},
		{change(func(p *savedProduct) { p.Source = "" }), "missing_required_fields"},
		{change(func(p *savedProduct) { p.ProductName = "" }), "missing_required_fields"},
		{change(func(p *savedProduct) { p.Category = "" }), "missing_required_fields"},
		{change(func(p *savedProduct) { p.KeyFeatures = nil }), "missing_required_fields"},
	}
	for _, test := range tests {
		if got := test.p.refusal(); got != test.want {
			t.Errorf("refusal(%+v) = %q, want %q", test.p, got, test.want)
		}
	}
}

// hits returns matches as candidates.
func hits(matches ...catalog.Match) (all []hit) {
	for _, m := range matches {
		all = append(all, hit{Match: m})
	}
	return all
}
