package analyze_test

import (
	"example.com/whatis/emulators/answers"
	"example.com/whatis/internal/analyze"
)

// goods is a reading of goods without a brand.
func goods(name, category string, edit ...func(*analyze.Analysis)) func(*analyze.Analysis) {
	return func(a *analyze.Analysis) {
		a.VisibleText, a.KeyFeatures = nil, []string{"yellow", "curved", "ripe", "bunch", "five pieces", "brown spots", "stem", "white table"}
		a.NameAsPrinted, a.ProductName, a.BrandAsPrinted, a.Brand, a.Category = "", name, "", "", category
		a.ProductNameConfidence, a.BrandConfidence = 0.95, 0
		for _, e := range edit {
			e(a)
		}
	}
}

// titled gives goods a printed title and further clear lines.
func titled(title string, lines ...string) func(*analyze.Analysis) {
	return func(a *analyze.Analysis) {
		a.NameAsPrinted, a.KnownProduct = title, analyze.Unsure
		read(append([]string{title, "A novel"}, lines...)...)(a)
		a.KeyFeatures = append([]string{title, "a novel"}, a.KeyFeatures...)
	}
}

// brandlessTable has goods without a brand.
var brandlessTable = []scripted{
	{name: "no brand: a banana", read: ramen(goods("Banana", "Fruit")), then: then(rereads(true, "Banana", "")),
		row: 3, calls: "image judge", got: "Banana |  | image 0.95/0", signs: "no_brand_printed"},
	{name: "no brand: a banana that the second look does not name", read: ramen(goods("Banana", "Fruit")), then: then(looked(true, 0)),
		row: 3, calls: "image judge", got: "Banana |  | image 0.95/0", signs: "no_brand_printed"},
	{name: "no brand: an avocado with a sticker", read: ramen(goods("Avocado", "Fruit", read("Produce of Mexico", "4046"))), then: then(rereads(true, "Avocado", "")),
		row: 3, calls: "image embed judge", got: "Avocado |  | image 0.95/0", signs: "name_unread no_brand_printed"},
	{name: "no brand: a book with an ISBN", read: ramen(goods("The Quiet Harbour", "Book", titled("The Quiet Harbour", "ISBN 978-0-306-40615-7"))), then: then(rereads(true, "The Quiet Harbour", "")),
		row: 3, calls: "image judge", got: "The Quiet Harbour |  | image 0.95/0", signs: "no_brand_printed"},
	{name: "no brand: a book with an ISBN of ten digits", read: ramen(goods("The Quiet Harbour", "Book", titled("The Quiet Harbour", "ISBN 0-306-40615-2"))), then: then(rereads(true, "The Quiet Harbour", "")),
		row: 3, calls: "image judge", got: "The Quiet Harbour |  | image 0.95/0", signs: "no_brand_printed"},
	{name: "no brand: a pack with a barcode", read: ramen(goods("Sesame Seeds", "Seeds", titled("Sesame Seeds"), barcoded(code))), then: then(rereads(true, "Sesame Seeds", "")),
		row: 3, calls: "image judge", got: "Sesame Seeds |  | image 0.95/0", signs: "no_brand_printed"},
	{name: "no brand: never looked at again, and looked at all the same", change: look(analyze.Never), read: ramen(goods("Banana", "Fruit")), then: then(rereads(true, "Banana", "")),
		row: 3, calls: "image judge", got: "Banana |  | image 0.95/0", signs: "no_brand_printed"},
	{name: "no brand: a banana that is a plantain", read: ramen(goods("Banana", "Fruit")), then: then(rereads(false, "Plantain", "")),
		row: 3, calls: "image judge", got: "Plantain |  | image 0.95/0", signs: "no_brand_printed"},
	{name: "no brand: the second look reads one", read: ramen(goods("Sesame Seeds", "Seeds", titled("Sesame Seeds"), barcoded(code))), then: then(rereads(false, "Sesame Seeds", "Brindle")),
		row: 3, calls: "image judge", got: "Sesame Seeds | Brindle | image 0.95/0.95"},
	{name: "no brand: the look is refused", read: ramen(goods("Banana", "Fruit")), then: then(blocked(answers.KindJudge)),
		row: 6, calls: "image judge embed", got: "Banana |  | google_search 0.6/0", signs: "second_look_failed unidentified"},
	{name: "no brand: not known, and without a code", read: ramen(goods("Sesame Seeds", "Seeds", titled("Sesame Seeds"))), then: then(rereads(true, "Sesame Seeds", "")),
		row: 3, calls: "image judge", got: "Sesame Seeds |  | image 0.95/0", signs: "no_brand_printed"},
	{name: "no brand: the look does not agree, and the web knows the name", read: ramen(goods("Sesame Seeds", "Seeds", titled("Sesame Seeds"))), then: then(looked(false, 0), webFinds("Sesame Seeds", "")),
		row: 5, calls: "image judge embed search structure", queries: 1, got: "Sesame Seeds |  | google_search 0.5/0"},
}
