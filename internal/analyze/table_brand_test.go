package analyze_test

import (
	"example.com/whatis/emulators/answers"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
)

// brandTable has brands that may hold a sub-brand: the stronger model decides whether
// they do, and without it they stay as they were read.
var brandTable = []scripted{
	{name: "brand: Mr. Clean beside Clean Freak", read: ramen(branded("Mr. Clean", "Mr. Clean", "Clean Freak")), then: then(looked(true, 0, "Clean Freak", "Mr. Clean")),
		row: 3, calls: "image embed judge", got: "Clean Freak | Mr. Clean | image 0.97/0.97", signs: "brand_overextended"},
	{name: "brand: Trader Joe's beside Joe's O's", read: ramen(branded("Trader Joe's", "TRADER JOE'S", "Joe's O's")), then: then(looked(true, 0, "Joe's O's", "Trader Joe's")),
		row: 3, calls: "image embed judge", got: "Joe's O's | Trader Joe's | image 0.97/0.97", signs: "brand_overextended"},
	{name: "brand: Kraft Heinz beside Heinz Ketchup", read: ramen(branded("Kraft Heinz", "Kraft Heinz", "Heinz Ketchup")), then: then(looked(true, 0, "Heinz Ketchup", "Kraft Heinz")),
		row: 3, calls: "image embed judge", got: "Heinz Ketchup | Kraft Heinz | image 0.97/0.97", signs: "brand_overextended"},
	{name: "brand: Bob's Red Mill beside Mill Oats", read: ramen(branded("Bob's Red Mill", "Bob's Red Mill", "Mill Oats")), then: then(looked(true, 0)),
		row: 3, calls: "image embed judge", got: "Mill Oats | Bob's Red Mill | image 0.97/0.97", signs: "brand_overextended"},
	{name: "brand: The Body Shop with Body among the sub-brands", read: ramen(branded("The Body Shop", "THE BODY SHOP", "Body Butter Shea", "Body")), then: then(looked(true, 0, "Body Butter Shea", "The Body Shop")),
		row: 3, calls: "image embed judge", got: "Body Butter Shea | The Body Shop | image 0.97/0.97", signs: "brand_overextended"},
	{name: "brand: The Body Shop, and the catalogue knows a brand The Body", stock: []catalog.Product{near("Oil", "The Body", 0.1, catalog.Imported)}, read: ramen(branded("The Body Shop", "THE BODY SHOP", "Shea Butter")), then: then(looked(true, 0, "Shea Butter", "The Body Shop")),
		row: 3, calls: "image embed judge", got: "Shea Butter | The Body Shop | image 0.97/0.97", signs: "brand_overextended"},
	{name: "brand: 롯데 오늘 온차, and the stronger model's brand is 롯데", read: ramen(branded("롯데 오늘 온차", "롯데", "오늘 온차")), then: then(rereads(false, "오늘 온차", "롯데")),
		row: 3, calls: "image embed judge", got: "오늘 온차 | 롯데 | image 0.95/0.95", signs: "brand_overextended"},
	{name: "brand: 롯데 오늘 온차, confirmed with the brand 롯데", read: ramen(branded("롯데 오늘 온차", "롯데", "오늘 온차")), then: then(rereads(true, "오늘 온차", "롯데")),
		row: 3, calls: "image embed judge", got: "오늘 온차 | 롯데 | image 0.97/0.97", signs: "brand_overextended"},
	{name: "brand: Mr. Clean, never looked at again", change: look(analyze.Never), read: ramen(branded("Mr. Clean", "Mr. Clean", "Clean Freak")),
		row: 3, calls: "image", got: "Clean Freak | Mr. Clean | image 0.97/0.97", signs: "brand_overextended brand_may_hold_sub_brand"},
	{name: "brand: Mr. Clean, which the catalogue knows", stock: []catalog.Product{near("Spray", "Mr. Clean", 0.1, catalog.Imported)}, read: ramen(branded("Mr. Clean", "Mr. Clean", "Clean Freak")),
		row: 3, calls: "image", got: "Clean Freak | Mr. Clean | image 0.97/0.97"},
	{name: "brand: Mr. Clean, and the look is refused", read: ramen(branded("Mr. Clean", "Mr. Clean", "Clean Freak")), then: then(blocked(answers.KindJudge), searched(2, false, false)),
		row: 6, calls: "image embed judge search", queries: 2, got: "Clean Freak | Mr. Clean | google_search 0.6/0.6", signs: "brand_overextended second_look_failed brand_may_hold_sub_brand unidentified"},
	{name: "brand: Mr. Clean, read unsurely, and nothing is found", read: ramen(branded("Mr. Clean", "Mr. Clean", "Clean Freak"), sure(0.5, 0.5)), then: then(searched(2, false, false)),
		row: 6, calls: "image embed search", queries: 2, got: "Clean Freak | Mr. Clean | google_search 0.5/0.5", signs: "brand_overextended brand_may_hold_sub_brand unidentified"},
	{name: "brand: a trademark sign alone", read: ramen(branded("Mr. Clean®", "Mr. Clean®", "Floor Wipes")),
		row: 3, calls: "image", got: "Floor Wipes | Mr. Clean | image 0.97/0.97"},
}
