package query

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// sellsAll returns the vocabulary of a shop that has a product of each value, and these brands.
func sellsAll(t *testing.T, brands ...Held) *Vocabulary {
	t.Helper()
	v, stock := vocabulary(t), map[string][]Held{Brand: brands}
	for _, f := range v.Facets {
		for _, value := range f.Values {
			stock[f.Name] = append(stock[f.Name], Held{value.Code, 1})
		}
	}
	return v.Of(stock)
}

func TestRead(t *testing.T) {
	v := sellsAll(t, Held{"Ray-Ban", 3}, Held{"Kestrel & Pine", 2}, Held{"Bách Quang", 1})
	languages := languagesOf(t)
	tests := []struct{ query, is, not, preferred, rest string }{
		{"kính râm nam màu đen", "category=sunglasses color=black gender=men", "", "", ""},
		{"kinh ram nam mau den", "category=sunglasses color=black gender=men", "", "", ""},
		{"black cat-eye frames for women", "category=frames color=black frameShape=cat_eye gender=women", "", "", "for"},
		{"tìm kính màu tím", "color=purple", "", "", "tìm kính"},
		{"tim kinh", "", "", "", "tim kinh"},
		{"tim kinh mau tim", "color=purple", "", "", "tim kinh"},
		{"what sunglasses do you have", "category=sunglasses", "", "", "what do you have"},
		{"kinh ram do", "category=sunglasses color=red", "", "", ""},
		{"gọng kính râm mắt mèo", "category=sunglasses frameShape=cat_eye", "", "", ""},
		{"avaitor sunglases", "category=sunglasses frameShape=aviator", "", "", ""},
		{"titanum frame, tortiose", "category=frames color=tortoise frameMaterial=titanium", "", "", ""},
		{"kính không phải màu đen", "", "color=black", "", "kính"},
		{"kinh khong phai mau den", "", "color=black", "", "kinh"},
		{"gọng không nhựa", "category=frames", "frameMaterial=plastic", "", ""},
		{"gọng không viền", "category=frames frameShape=rimless", "", "", ""},
		{"kính không màu đen", "", "color=black", "", "kính"},
		{"kính không màu", "color=clear", "", "", "kính"},
		{"round glasses, not black or brown", "frameShape=round", "color=black color=brown", "", "glasses or"},
		{"round glasses, not black, red ones", "color=red frameShape=round", "color=black", "", "glasses ones"},
		{"neither aviator nor wayfarer", "", "frameShape=aviator frameShape=wayfarer", "", ""},
		{"màu như hình nhưng kiểu phi công", "frameShape=aviator", "", "", "màu như hình nhưng kiểu"},
		{"cho cả nam và nữ", "gender=unisex", "", "", "cho"},
		{"kinh ram nam hoac unisex", "category=sunglasses gender=men|unisex", "", "", "hoac"},
		{"kính màu hồng hay màu tím", "color=pink|purple", "", "", "kính hay"},
		{"kinh dam nu", "category=sunglasses gender=women", "", "", ""},
		{"no metal please", "", "frameMaterial=metal", "", "please"},
		{"all frames except gold", "category=frames", "color=gold", "", "all"},
		{"anything but aviators without rims", "frameShape=rimless", "frameShape=aviator", "", ""},
		{"black or brown sunglasses", "category=sunglasses color=black|brown", "", "", "or"},
		{"kính đen hoặc trắng", "color=black|white", "", "", "kính hoặc"},
		{"sunglasses with a gold frame", "category=sunglasses color=gold", "", "", "with a"},
		{"은행 검사", "", "", "", "은행 검사"}, // a bank and a test: no silver, no black with a letter wrong
		{"RAYBAN wayfarer", "brand=rayban frameShape=wayfarer", "", "", ""},
		{"ray-ban", "brand=rayban", "", "", ""},
		{"kính bach quang", "brand=bachquang", "", "", "kính"},
		{"Kestrel and frames", "brand=kestrelpine category=frames", "", "", "and"},
		{"sunglasses, preferably Ray-Ban", "category=sunglasses", "", "brand=rayban", "preferably"},
		{"kính ưu tiên hãng Ray-Ban", "", "", "brand=rayban", "kính ưu tiên hãng"},
		{"not Ray-Ban", "", "brand=rayban", "", ""},
		{"frames for a round face", "category=frames", "", "", "for a"},
		{"kính cho mặt tròn", "", "", "", "kính cho"},
		{"vàng hồng", "color=rose_gold", "", "", ""},
		{"kính nam nữ", "gender=unisex", "", "", "kính"},
		{"", "", "", "", ""},
	}
	for _, test := range tests {
		r := v.Read(test.query, languages)
		var is []string
		for _, facet := range slices.Sorted(maps.Keys(r.Is)) {
			is = append(is, facet+"="+strings.Join(r.Is[facet], "|"))
		}
		got := [4]string{strings.Join(is, " "), codes(r.Not), codes(r.Preferred), strings.Join(r.Rest, " ")}
		if want := [4]string{test.is, test.not, test.preferred, test.rest}; got != want {
			t.Errorf("Read(%q) = is, not, preferred, rest %q; want %q", test.query, got, want)
		}
	}
}

func codes(all []Code) string {
	var said []string
	for _, c := range all {
		said = append(said, c.Facet+"="+c.Code)
	}
	return strings.Join(said, " ")
}

// languagesOf returns the languages of the search.
func languagesOf(t *testing.T) (all []Language) {
	t.Helper()
	for _, code := range []string{"en", "vi", "ko"} {
		data, err := os.ReadFile("../languages/" + code + ".json")
		if err != nil {
			t.Fatal(err)
		}
		l, err := ParseLanguage(code, data)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

func TestLanguage(t *testing.T) {
	for text, want := range map[string]string{
		"kính râm nam": "vi", "kinh ram nam": "vi", "black frames": "en", "Nébula frames for men": "en", "oval": "en", "EW-1001 còn không": "vi", "": "en",
		"검은 선글라스": "ko", "Ray-Ban 선글라스": "ko", "солнцезащитные очки": "", "サングラス": "", "lunettes à monture écaille": "en",
	} {
		if got := langOf(languagesOf(t), wordsOf(text)); got != want {
			t.Errorf("langOf(%q) = %q, want %q", text, got, want)
		}
	}
}

// Code alone answers only where nothing can be meant in another way.
func TestPlain(t *testing.T) {
	v := sellsAll(t, Held{"Lunavelle", 3}, Held{"Kestrel & Pine", 2})
	languages := languagesOf(t)
	for query, want := range map[string]bool{
		"kính râm nam màu đen":             true,
		"black cat-eye frames for women":   true,
		"kinh ram nam":                     true,
		"Lunavelle sunglasses under $80":   true,
		"kính râm nữ dưới 2 triệu":         true,
		"gọng kính không viền":             true,
		"검은 선글라스":                          true,
		"từ 1 đến 2 triệu kính râm":        true,
		"1 triệu rưỡi":                     false, // a million and a half
		"kính râm 1 triệu rưỡi":            false,
		"sunglasses under 500":             false, // of what?
		"sunglasses around 500k":           false, // how near?
		"sunglasses under 1 299 €":         false, // one, or a thousand and more
		"sunglasses under $1,299.99":       true,
		"tôi cao 1m70, kính râm nam":       false,
		"clubmaster gold black":            false, // two colours
		"black or brown sunglasses":        false,
		"kính râm không phải màu đen":      false,
		"no metal frames":                  false,
		"Lunavelle vs Kestrel":             false,
		"kính râm rẻ nhất":                 false,
		"cheapest sunglasses":              false,
		"kính râm cho mặt tròn":            false,
		"frames for a round face":          false,
		"are sunglasses black?":            false,
		"the second one in black":          false,
		"avaitor sunglases":                false, // misspelt
		"kinh ram do":                      false, // đỏ, or đo
		"sunglasses, preferably Lunavelle": false,
		"sunglasses for my wife":           false,
		"EW-1001":                          false,
		"kính":                             false,
		"":                                 false,
	} {
		if r := v.Read(query, languages); r.Plain != want {
			t.Errorf("Read(%q).Plain = %v with %v and %v left, want %v", query, r.Plain, r.Is, r.Rest, want)
		}
	}
}
