package query

import (
	"os"
	"strings"
	"testing"
)

// eyewear is the vocabulary of the search for glasses.
const eyewear = "../eyewear.json"

func vocabulary(t *testing.T) *Vocabulary {
	t.Helper()
	data, err := os.ReadFile(eyewear)
	if err != nil {
		t.Fatal(err)
	}
	v, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCodes(t *testing.T) {
	v := vocabulary(t)
	tests := []struct{ facet, value, want string }{
		{"category", "Kính Mát", "sunglasses"},
		{"category", "kinh ram", "sunglasses"},
		{"category", "kính  râm", "sunglasses"},
		{"category", "sunglases", "sunglasses"},
		{"category", "Gọng Kính", "frames"},
		{"gender", "Nữ", "women"},
		{"gender", "nam", "men"},
		{"gender", "nan", ""}, // short words must match exactly
		{"color", "đen", "black"},
		{"color", "den", "black"},
		{"color", "Rose Gold", "rose_gold"},
		{"color", "tortiose", "tortoise"},
		{"color", "ultraviolet", ""},
		{"frameMaterial", "Titanium", "titanium"},
		{"frameMaterial", "titanum", "titanium"},
		{"frameShape", "mắt mèo", "cat_eye"},
		{"frameShape", "cateye", "cat_eye"},
		{"frameShape", "Cat-Eye", "cat_eye"},
		{"frameShape", "giot nuoc", "aviator"},
		{"frameShape", "star", ""},
		{"taste", "sweet", ""},
	}
	for _, test := range tests {
		if got, ok := v.Code(test.facet, test.value); got != test.want || ok != (test.want != "") {
			t.Errorf("Code(%s, %q) = %q, %v; want %q", test.facet, test.value, got, ok, test.want)
		}
	}
	if got := v.Label("frameShape", "cat_eye", "vi"); got != "mắt mèo" {
		t.Errorf("Label(cat_eye, vi) = %q, want mắt mèo", got)
	}
}

func TestWrongVocabularies(t *testing.T) {
	for file, want := range map[string]string{
		`{`:                             "vocabulary",
		`{"facets":[{"name":"color"}]}`: "values",
		`{"facets":[{"name":"color","values":[{"code":"red","en":"red","vi":"đỏ"},{"code":"blue","en":"blue","vi":"do"}]}]}`: "stands for red and for blue",
		`{"facets":[{"name":"color","values":[{"code":"red","en":"red","vi":""}]}]}`:                                         "empty word",
	} {
		if _, err := Parse([]byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%s) = %v, want an error with %q", file, err, want)
		}
	}
}
