package analyze_test

import (
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
)

// twists is a reading of Sesame Twists by Brindle that is not sure enough to decide.
func twists(edit ...func(*analyze.Analysis)) func(*analyze.Analysis) {
	return corn("Sesame Twists", "Brindle", append([]func(*analyze.Analysis){sure(0.65, 0.75)}, edit...)...)
}

// webFinds returns the answers of one search that finds a product at 0.9.
func webFinds(name, brand string, edit ...func(*analyze.Finding)) any {
	carried := func(f *analyze.Finding) { f.Supported = []string{"200 g"} }
	return then(searched(1, true, true), findingOf(name, brand, 0.9, append(edit, carried)...))
}

// blurredName makes the line of the name unclear.
func blurredName(a *analyze.Analysis) { a.VisibleText[1].Clear = false }

// alias gives a product other names of its brand.
func alias(brands ...string) func(*catalog.Product) {
	return func(p *catalog.Product) { p.BrandAliases = brands }
}

const (
	webCalls  = "image embed search structure"
	atHalf    = " | google_search 0.5/0.5"
	atNine    = " | google_search 0.9/0.9"
	contradic = "contradicts_print"
)

// webTable has findings of the web beside print that was read clearly.
var webTable = []scripted{
	{name: "web: another brand than the print's", read: ramen(twists()), then: then(webFinds("Sesame Twists", "Marlowe")),
		row: 5, calls: webCalls, queries: 1, got: "Sesame Twists | Marlowe" + atHalf, signs: contradic},
	{name: "web: a name that shares no word with the print", read: ramen(twists()), then: then(webFinds("Garden Hose 20 m", "Brindle")),
		row: 5, calls: webCalls, queries: 1, got: "Garden Hose 20 m | Brindle" + atHalf, signs: contradic},
	{name: "web: a name that shares the brand alone", read: ramen(twists()), then: then(webFinds("Brindle Garden Hose", "Brindle")),
		row: 5, calls: webCalls, queries: 1, got: "Brindle Garden Hose | Brindle" + atHalf, signs: contradic},
	{name: "web: another name in Hangul", read: ramen(sure(0.65, 0.75)), then: then(webFinds("정원 호스", "오뚜기")),
		row: 5, calls: webCalls, queries: 1, got: "정원 호스 | 오뚜기" + atHalf, signs: contradic},
	{name: "web: another brand in Hangul", read: ramen(sure(0.65, 0.75)), then: then(webFinds("진라면 매운맛", "농심")),
		row: 5, calls: webCalls, queries: 1, got: "진라면 매운맛 | 농심" + atHalf, signs: contradic},
	{name: "web: another product than the second look read", read: ramen(corn("Sesame Com Twists", "Brindle"), sure(0.85, 0.95)), then: then(rereads(false, "Sesame Corn Twists", "Brindle", atConfidence(0.65, 0.8)), webFinds("Garden Hose", "Brindle")),
		row: 5, calls: "image judge embed search structure", queries: 1, got: "Garden Hose | Brindle" + atHalf, signs: contradic},
	{name: "web: a clear name of another product, in another language of the same script", change: func(r *analyze.Request) { r.Country, r.Lang = "DE", "en" }, read: ramen(twists(func(a *analyze.Analysis) { a.ProductName = "Twisted Sesame Sticks" })), then: then(webFinds("Garden Hose", "Brindle")),
		row: 5, calls: webCalls, queries: 1, got: "Garden Hose | Brindle" + atHalf, signs: contradic},

	{name: "web: a translated name is no contradiction", change: func(r *analyze.Request) { r.Country, r.Lang = "DE", "en" }, read: ramen(twists(func(a *analyze.Analysis) { a.ProductName = "Knotted Bread" })), then: then(webFinds("Knotted Bread with Sesame", "Brindle")),
		row: 5, calls: webCalls, queries: 1, got: "Knotted Bread with Sesame | Brindle" + atNine, signs: "translation_unproven"},
	{name: "web: 롯데 and Lotte are no contradiction", read: ramen(branded("롯데", "롯데", "칸쵸"), sure(0.65, 0.75)), then: then(searched(1, true, true), findingOf("Kancho", "Lotte", 0.9)),
		row: 5, calls: webCalls, queries: 1, got: "Kancho | Lotte" + atNine},
	{name: "web: a brand that contains the print's", read: ramen(twists()), then: then(webFinds("Sesame Twists", "Brindle & Co")),
		row: 5, calls: webCalls, queries: 1, got: "Sesame Twists | Brindle & Co" + atNine},
	{name: "web: the maker of the brand that is printed", read: ramen(twists()), then: then(webFinds("Brindle Sesame Twists", "Marlowe Foods")),
		row: 5, calls: webCalls, queries: 1, got: "Brindle Sesame Twists | Marlowe Foods" + atNine},
	{name: "web: another name of the brand, by the catalogue", stock: []catalog.Product{near("Poppy Rings", "Brindle", 0.1, catalog.Imported, alias("Marlowe"))}, read: ramen(twists()), then: then(webFinds("Sesame Twists", "Marlowe")),
		row: 5, calls: webCalls, queries: 1, got: "Sesame Twists | Marlowe" + atNine},
	{name: "web: another brand than one read unsurely", read: ramen(twists(sure(0.65, 0.6))), then: then(webFinds("Sesame Twists", "Marlowe")),
		row: 5, calls: webCalls, queries: 1, got: "Sesame Twists | Marlowe" + atNine},
	{name: "web: another name than one that was not clear", read: ramen(twists(blurredName)), then: then(webFinds("Garden Hose", "Brindle")),
		row: 5, calls: webCalls, queries: 1, got: "Garden Hose | Brindle" + atNine},
	{name: "web: a fuller name", read: ramen(twists()), then: then(webFinds("Twists with Sesame and Sea Salt", "Brindle")),
		row: 5, calls: webCalls, queries: 1, got: "Twists with Sesame and Sea Salt | Brindle" + atNine},

	{name: "web: no brand: the one that was read stays", read: ramen(twists()), then: then(webFinds("Sesame Twists", "")),
		row: 5, calls: webCalls, queries: 1, got: "Sesame Twists | Brindle | google_search 0.9/0.75"},
	{name: "web: no brand, and none was read", read: ramen(twists(func(a *analyze.Analysis) { a.Brand, a.BrandAsPrinted, a.KnownProduct = "", "", analyze.Unsure })), then: then(webFinds("Sesame Twists", "")),
		row: 5, calls: webCalls, queries: 1, got: "Sesame Twists |  | google_search 0.9/0"},
	{name: "web: a category that is not English", read: ramen(twists()), then: then(webFinds("Sesame Twists", "Brindle", func(f *analyze.Finding) { f.Category = "과자" })),
		row: 5, calls: webCalls, queries: 1, got: "Sesame Twists | Brindle" + atNine, signs: "category_not_english"},
}

// pickTable has candidates that the stronger model picks against the brand that was read.
var pickTable = []scripted{
	{name: "pick: Walkers for a pack that both read as Marlowe", stock: []catalog.Product{near("Sesame Twists", "Walkers", 0.9, catalog.Confirmed)}, read: ramen(corn("Sesame Twists", "Marlowe"), sure(0.5, 0.5)), then: then(rereads(false, "Sesame Twists", "Marlowe", picking(1)), webFinds("Sesame Twists", "Marlowe")),
		row: 5, calls: "image embed judge search structure", queries: 1, got: "Sesame Twists | Marlowe" + atNine},
	{name: "pick: the same, and nothing is found", stock: []catalog.Product{near("Sesame Twists", "Walkers", 0.9, catalog.Confirmed)}, read: ramen(corn("Sesame Twists", "Marlowe"), sure(0.5, 0.5)), then: then(rereads(false, "Sesame Twists", "Marlowe", picking(1)), searched(2, false, false)),
		row: 6, calls: "image embed judge search", queries: 2, got: "Sesame Twists | Marlowe | google_search 0.5/0.5", signs: "unidentified"},
	{name: "pick: another brand than two different readings", stock: []catalog.Product{near("Sesame Twists", "Walkers", 0.9, catalog.Confirmed)}, read: ramen(corn("Sesame Twists", "Brindle"), sure(0.5, 0.5)), then: then(rereads(false, "Sesame Twists", "Marlowe", picking(1), unsurely), webFinds("Sesame Twists", "Marlowe")),
		row: 5, calls: "image embed judge search structure", queries: 1, got: "Sesame Twists | Marlowe" + atNine},
	{name: "pick: another brand in Hangul", stock: []catalog.Product{near("진라면 매운맛", "농심", 0.9, catalog.Confirmed)}, read: ramen(sure(0.5, 0.5)), then: then(rereads(true, "진라면 매운맛", "오뚜기", picking(1)), web),
		row: 5, calls: "image embed judge search structure", queries: 1, got: fromWeb},
	{name: "pick: another brand in Cyrillic", stock: []catalog.Product{near("Конфеты", "Бабаевский", 0.9, catalog.Imported)}, read: ramen(corn("Конфеты", "Красный Октябрь"), sure(0.5, 0.5)), then: then(rereads(true, "Конфеты", "Красный Октябрь", picking(1)), searched(2, false, false)),
		row: 6, calls: "image embed judge search", queries: 2, got: "Конфеты | Красный Октябрь | google_search 0.5/0.5", signs: "unidentified"},
	{name: "pick: strict, another brand", change: strictly, stock: []catalog.Product{near("Sesame Twists", "Walkers", 0.9, catalog.Confirmed, sharing("Sesame Twists", "200 g", "Snack"))}, read: ramen(corn("Sesame Twists", "Marlowe"), sure(0.5, 0.5)), then: then(rereads(true, "Sesame Twists", "Marlowe", picking(1)), webFinds("Sesame Twists", "Marlowe")),
		row: 5, calls: "image embed judge search structure", queries: 1, got: "Sesame Twists | Marlowe" + atNine},
	{name: "pick: the second reading is of the record's brand", stock: []catalog.Product{near("Sesame Twists", "Walkers", 0.9, catalog.Confirmed)}, read: ramen(corn("Sesame Twists", "Marlowe"), sure(0.5, 0.5)), then: then(rereads(false, "Sesame Twists", "Walkers", picking(1), unsurely)),
		row: 4, calls: "image embed judge", got: "Sesame Twists | Walkers | local_db 0.9/0.9"},
	{name: "pick: a record in another script", stock: []catalog.Product{near("진라면 매운맛", "Ottogi", 0.9, catalog.Confirmed)}, read: ramen(sure(0.5, 0.5)), then: then(rereads(true, "진라면 매운맛", "오뚜기", picking(1))),
		row: 4, calls: "image embed judge", got: "진라면 매운맛 | Ottogi | local_db 0.9/0.9"},
	{name: "pick: a record with that name of the brand", stock: []catalog.Product{near("Sesame Twists", "Walkers", 0.9, catalog.Confirmed, alias("Marlowe"))}, read: ramen(corn("Sesame Twists", "Marlowe"), sure(0.5, 0.5)), then: then(rereads(true, "Sesame Twists", "Marlowe", picking(1))),
		row: 4, calls: "image embed judge", got: "Sesame Twists | Walkers | local_db 0.9/0.9"},
	{name: "pick: the brand that was read is in the record's name", stock: []catalog.Product{near("Marlowe Sesame Twists", "Walkers", 0.9, catalog.Confirmed)}, read: ramen(corn("Sesame Twists", "Marlowe"), sure(0.5, 0.5)), then: then(rereads(true, "Sesame Twists", "Marlowe", picking(1))),
		row: 4, calls: "image embed judge", got: "Marlowe Sesame Twists | Walkers | local_db 0.9/0.9"},
}

// picking makes a second look pick a candidate.
func picking(n int) func(*analyze.Judgement) { return func(j *analyze.Judgement) { j.Pick = n } }

// sharing gives a product features and a category of the photo's.
func sharing(name, amount, category string) func(*catalog.Product) {
	return func(p *catalog.Product) { p.KeyFeatures, p.Category = []string{name, amount}, category }
}
