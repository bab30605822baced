package query

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	v, brands := vocabulary(t), Phrases{}
	for label, code := range map[string]string{"Ray-Ban": "rayban", "Kestrel & Pine": "kestrelpine", "Kestrel": "kestrelpine", "Bách Quang": "báchquang"} {
		brands.Add(label, Code{Brand, code})
	}
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
		{"RAYBAN wayfarer", "brand=rayban frameShape=wayfarer", "", "", ""},
		{"ray-ban", "brand=rayban", "", "", ""},
		{"kính bach quang", "brand=báchquang", "", "", "kính"},
		{"Kestrel and frames", "brand=kestrelpine category=frames", "", "", "and"},
		{"sunglasses, preferably Ray-Ban", "category=sunglasses", "", "rayban", "preferably"},
		{"kính ưu tiên hãng Ray-Ban", "", "", "rayban", "kính ưu tiên hãng"},
		{"not Ray-Ban", "", "brand=rayban", "", ""},
		{"frames for a round face", "category=frames", "", "", "for a"},
		{"kính cho mặt tròn", "", "", "", "kính cho"},
		{"vàng hồng", "color=rose_gold", "", "", ""},
		{"kính nam nữ", "gender=unisex", "", "", "kính"},
		{"", "", "", "", ""},
	}
	for _, test := range tests {
		r := v.Read(test.query, brands)
		var is, not []string
		for _, facet := range slices.Sorted(maps.Keys(r.Is)) {
			is = append(is, facet+"="+strings.Join(r.Is[facet], "|"))
		}
		for _, n := range r.Not {
			not = append(not, n.Facet+"="+n.Code)
		}
		got := [4]string{strings.Join(is, " "), strings.Join(not, " "), strings.Join(r.Preferred, " "), strings.Join(r.Rest, " ")}
		if want := [4]string{test.is, test.not, test.preferred, test.rest}; got != want {
			t.Errorf("Read(%q) = is, not, preferred, rest %q; want %q", test.query, got, want)
		}
	}
}

func TestLanguage(t *testing.T) {
	for text, want := range map[string]string{
		"kính râm nam": "vi", "kinh ram nam": "vi", "black frames": "en", "Nébula frames for men": "en", "oval": "en", "EW-1001 còn không": "vi", "": "en",
	} {
		if got := langOf(wordsOf(text)); got != want {
			t.Errorf("langOf(%q) = %q, want %q", text, got, want)
		}
	}
}
