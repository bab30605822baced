package analyze_test

import (
	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
)

// truncated is an answer that hits its limit.
func truncated(k emulated.Kind) emulated.Answer {
	return emulated.Answer{Kind: k, Text: `{"seen":"라면`, FinishReason: "MAX_TOKENS"}
}

// unusable is an answer that is no JSON of the schema, even after a repair.
func unusable() []emulated.Answer {
	const bad = `{"seen":"","name_as_printed":"","brand_as_printed":"","sub_brands":[],"category":"","product_name":"","brand":"","product_name_confidence":0,"brand_confidence":0,"confirmed":"in part","pick":0,"reason":""}`
	return []emulated.Answer{{Kind: answers.KindJudge, Text: bad}, {Kind: answers.KindJudge, Text: bad}}
}

// failureTable has second looks that come to nothing. They are no verdict.
var failureTable = []scripted{
	{name: "failed: blocked, without a suspicion", read: ramen(sure(0.85, 0.85)), then: then(blocked(answers.KindJudge)),
		row: 3, calls: "image judge", got: "오뚜기 진라면 매운맛 | 오뚜기 | image 0.85/0.85", signs: "second_look_failed"},
	{name: "failed: truncated twice, without a suspicion", read: ramen(sure(0.85, 0.85)), then: then(truncated(answers.KindJudge), truncated(answers.KindJudge)),
		row: 3, calls: "image judge judge", got: "오뚜기 진라면 매운맛 | 오뚜기 | image 0.85/0.85", signs: "second_look_failed"},
	{name: "failed: truncated once, and whole the second time", read: ramen(sure(0.85, 0.85)), then: then(truncated(answers.KindJudge), confirmed),
		row: 3, calls: "image judge judge", got: "오뚜기 진라면 매운맛 | 오뚜기 | image 0.85/0.85"},
	{name: "failed: unusable, without a suspicion", read: ramen(sure(0.71, 0.71)), then: then(unusable()),
		row: 3, calls: "image judge judge", got: "오뚜기 진라면 매운맛 | 오뚜기 | image 0.71/0.71", signs: "second_look_failed"},
	{name: "failed: always looked at again, and blocked", change: look(analyze.Always), read: ramen(), then: then(blocked(answers.KindJudge)),
		row: 3, calls: "image judge", got: jin, signs: "second_look_failed"},
	{name: "failed: not known for sure, and blocked", read: ramen(known(analyze.Unsure)), then: then(blocked(answers.KindJudge)),
		row: 3, calls: "image judge", got: jin, signs: "second_look_failed"},
	{name: "failed: strict, under its threshold, and blocked", change: strictly, read: ramen(sure(0.86, 0.86)), then: then(blocked(answers.KindJudge)),
		row: 3, calls: "image judge", got: "오뚜기 진라면 매운맛 | 오뚜기 | image 0.86/0.86", signs: "second_look_failed"},
	{name: "failed: unusable, with a suspicion: the catalogue, then the web", read: ramen(known(analyze.No)), then: then(unusable(), web),
		row: 5, calls: "image embed judge judge search structure", queries: 1, got: fromWeb, signs: "unknown_product second_look_failed"},
	{name: "failed: blocked, with a suspicion: the catalogue, then the web", read: ramen(known(analyze.No)), then: then(blocked(answers.KindJudge), web),
		row: 5, calls: "image embed judge search structure", queries: 1, got: fromWeb, signs: "unknown_product second_look_failed"},
	{name: "failed: truncated, with a suspicion, and the web knows nothing", read: ramen(known(analyze.No)), then: then(truncated(answers.KindJudge), truncated(answers.KindJudge), searched(2, false, false)),
		row: 6, calls: "image embed judge judge search", queries: 2, got: "오뚜기 진라면 매운맛 | 오뚜기 | google_search 0.6/0.6", signs: "unknown_product second_look_failed unidentified"},
	{name: "failed: unusable at the candidates, after a look that held the doubt", stock: []catalog.Product{near("진라면 순한맛", "오뚜기", 0.9, catalog.Confirmed)}, read: ramen(sure(0.8, 0.8)), then: then(held, unusable(), web),
		row: 5, calls: "image judge embed judge judge search structure", queries: 1, got: fromWeb, signs: "second_look_failed"},
	{name: "failed: the photo's first reading is truncated once", read: truncated(answers.KindImage), then: then(ramen()),
		row: 3, calls: "image image", got: jin},
}
