package page_test

import (
	"encoding/json"
	"fmt"
	"testing"
)

const (
	searched = `"steps":["search_local_db"]`
	second   = `"steps":["second_look"]`
	both     = `"steps":["search_local_db","second_look"]`
	onWeb    = `"steps":["search_local_db","google_search"]`
	all      = `"steps":["second_look","search_local_db","google_search"]`
	doubted  = `,"suspicions":["name_unread"]`
)

// For each row, the page's explanation of a decision: the steps that were done and the
// warnings, nothing else.
func why(t *testing.T, w *whatis, b *tab) {
	tests := []struct{ decision, more, want string }{
		{`"row":1`, ``, "One GTIN was read, the catalogue has a confirmed or imported record of it, and no other brand was read with confidence."},
		{`"row":1`, `,"record":{"id":"x","status":"confirmed"},"rag_confidence":{"probability":1,"method":"local_db_score","evidence":"gtin 08801234567893"}`,
			"One GTIN was read, the catalogue has a record of it that a person has confirmed, and no other brand was read with confidence. | Probability 100 %, by the code: gtin 08801234567893."},
		{`"row":1`, `,"record":{"id":"x","status":"imported"},"rag_confidence":{"probability":0.95,"method":"local_db_score","evidence":"gtin 08801234567893"}`,
			"One GTIN was read, the catalogue has an imported record of it, and no other brand was read with confidence. | Probability 95 %, by the code: gtin 08801234567893."},
		{`"row":2`, ``, "The photo shows no product."},
		{`"row":3`, ``, "Name and brand are sure. Nothing was suspicious."},
		{`"row":3,"suspicions":[]`, `,"cached":true`, "Name and brand are sure. Nothing was suspicious."},
		{`"row":3,` + second, ``, "Name and brand are sure. A stronger model, which saw the photo too, is sure as well."},
		{`"row":3,` + second + doubted, ``, "Name and brand are sure. A stronger model, which saw the photo too, settled what was suspicious. | Suspicious at first: the name does not stand in the print."},
		{`"row":3,` + both + doubted, ``, "Name and brand are sure. The catalogue was searched as well. A stronger model, which saw the photo too, settled what was suspicious. | Suspicious at first: the name does not stand in the print."},
		{`"row":3,` + second, `,"warnings":["second_look_failed"]`, "Name and brand are sure. The stronger model gave no usable answer about the photo."},
		{`"row":3,` + second, `,"warnings":["no_brand_printed"]`, "The name is sure, and no brand is in sight. A stronger model, which saw the photo too, is sure as well."},
		{`"row":3` + doubted, ``, "Name and brand are sure. | Suspicious at first: the name does not stand in the print."},
		{`"row":4`, ``, "The catalogue has a product that is near enough, and a stronger model, which saw the photo, picked it."},
		{`"row":4,` + both, `,"rag_confidence":{"probability":0.67,"method":"local_db_score","evidence":"same name"}`,
			"The catalogue has a product that is near enough, and a stronger model, which saw the photo, picked it. | Probability 67 %, similarity to the catalogue’s record: same name."},
		{`"row":4,` + both, `,"record":{"id":"x","status":"unconfirmed"},"warnings":["unconfirmed_record"],"rag_confidence":{"probability":0.6,"method":"local_db_score","evidence":"same name"}`,
			"The catalogue has a product that is near enough, and a stronger model, which saw the photo, picked it. | Probability 60 %, similarity to the catalogue’s record, times how sure that record is: same name."},
		{`"row":4,` + both, `,"rag_confidence":{"probability":0.9,"method":"local_db_score","evidence":"near duplicate of B Tea: same pack"}`,
			"A photo that looks nearly the same was identified before, and a stronger model, which saw this one, picked its product. | Probability 90 %, likeness of the two photos: same pack."},
		{`"row":5`, ``, "A web search names a product, with sources."},
		{`"row":5,` + onWeb, `,"rag_confidence":{"probability":0.8,"method":"google_search_estimate","evidence":"two shops"}`,
			"The catalogue has nothing that fits. A web search names a product, with sources. | Probability 80 %, the model’s estimate from its sources: two shops."},
		{`"row":5,` + all + doubted, ``, "The catalogue has nothing that fits. A stronger model, which saw the photo too, did not settle it. A web search names a product, with sources. | Suspicious: the name does not stand in the print."},
		{`"row":5,` + all, `,"warnings":["second_look_failed","queries_exceeded"]`, "The catalogue was searched. The stronger model gave no usable answer about the photo. A web search names a product, with sources."},
		{`"row":6`, `,"warnings":["unidentified"]`, "Nothing that was tried identified the product."},
		{`"row":6,` + searched, `,"warnings":["unidentified"],"source":"google_search","rag_confidence":{"probability":0.3,"method":"google_search_estimate","evidence":"there is nothing on the photo to search for"}`,
			"The catalogue has nothing that fits. The web was not searched. | There is nothing on the photo to search for."},
		{`"row":6,` + both, `,"warnings":["unidentified","second_look_failed"]`, "The catalogue was searched. The stronger model gave no usable answer about the photo. The web was not searched."},
		{`"row":6`, `,"warnings":["unidentified"],"rag_confidence":{"probability":0.3,"evidence":"no source names a product that fits"}`,
			"Nothing that was tried identified the product. | No source names a product that fits."},
		{`"row":6,` + onWeb, `,"warnings":["unidentified"],"rag_confidence":{"probability":0.3,"evidence":"no source names a product that fits"}`, "The catalogue has nothing that fits. The model was asked to search the web, and no source names a product that fits."},
		{`"row":6,` + onWeb, `,"warnings":["unidentified","search_refused"]`, "The catalogue has nothing that fits. The model would not search the web."},
		{`"row":6,` + all, `,"warnings":["unidentified"],"cached":true`, "The catalogue has nothing that fits. A stronger model, which saw the photo too, did not settle it. The model was asked to search the web, and no source names a product that fits."},
		{`"row":6,` + both, `,"warnings":["no_web_search","unidentified","local_model"],"rag_confidence":{"probability":0.3,"evidence":"the web was not searched: that is switched off, or the model cannot"}`,
			"The catalogue has nothing that fits. A stronger model, which saw the photo too, did not settle it. The web was not searched: it is switched off, or the model cannot."},
		{`"row":6`, `,"warnings":["no_web_search","unidentified"]`, "The web was not searched: it is switched off, or the model cannot."},
		{`"row":9`, ``, ""},
	}
	for _, test := range tests {
		result := fmt.Sprintf(`{"decision":{%s}%s}`, test.decision, test.more)
		got := eval[string](b, `import("/page/why.js").then((w) => { const r = `+result+`; return [w.why(r), w.doubts(r), w.probability(r)].filter(Boolean).join(" | "); })`)
		if got != test.want {
			t.Errorf("why(%s) = %q, want %q", result, got, test.want)
		}
	}
}

// A result of a local model has a badge and its view a banner, in each language; what they say
// is not among its warnings.
func localModel(t *testing.T, _ *whatis, b *tab) {
	const result = `{"product_name":"Tea","source":"google_search","decision":{"row":6},"warnings":["few_features","no_web_search","unidentified","local_model"]}`
	for lang, want := range map[string]string{"en": "Local model", "ko": "로컬 모델", "vi": "Mô hình cục bộ"} {
		b.inLanguage(lang)
		got := eval[[]string](b, `import("/page/card.js").then((c) => {
			const r = `+result+`, card = c.facts(r, []), texts = (of) => [...card.querySelectorAll(of)].map((n) => n.textContent);
			const before = document.getElementById("local_model").hidden;
			c.showModel(r);
			return [texts(".badge")[1], texts(".warnings code").join(), String(before), ...[...document.querySelectorAll(".banner:not([hidden])")].map((n) => n.querySelector("strong").textContent)]; })`)
		if all := []string{want, "few_features", "true", want + "."}; fmt.Sprint(got) != fmt.Sprint(all) {
			t.Errorf("%s: badge, warnings and banner are %q, want %q", lang, got, all)
		}
	}
	b.fits("the banner")
}

// The texts of the badge, the title and the line below.
func titles(t *testing.T, _ *whatis, b *tab) {
	tests := []struct {
		result string
		want   []string
	}{
		{`{"product_name":"Tea","brand":"B","source":"image"}`, []string{"Read off the photo", "Tea", "B"}},
		{`{"product_name":"Tea","brand":"B","source":"local_db","warnings":["unconfirmed_record"]}`, []string{"Known to the catalogue", "Tea", "B"}},
		{`{"product_name":"Tea","brand":"","source":"google_search"}`, []string{"Found on the web", "Tea", ""}},
		{`{"product_name":"Tea","brand":"B","source":"google_search","warnings":["unidentified"]}`, []string{"Not identified", "Unknown product", "Read: Tea, B"}},
		{`{"product_name":"","brand":"","source":"google_search","warnings":["unidentified"]}`, []string{"Not identified", "Unknown product", ""}},
		{`{"error":"Unable to identify product image","description":"x"}`, []string{"No product", "No product in this photo", ""}},
		{`{"error":"analysis_failed","message":"x"}`, []string{"Not analysed", "Could not be analysed", ""}},
	}
	for _, test := range tests {
		got := eval[[]string](b, `import("/page/card.js").then((c) => { const r = `+test.result+`; return [c.badge(r).textContent, c.title(r), c.maker(r)]; })`)
		if text, _ := json.Marshal(got); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("badge, title and maker of %s = %s, want %q", test.result, text, test.want)
		}
	}
}
