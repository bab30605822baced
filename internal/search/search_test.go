package search_test

import (
	"encoding/json"
	"testing"

	"example.com/whatis/internal/search"
)

func TestWords(t *testing.T) {
	b := eyewear(t)
	for _, q := range []string{"kính râm nam màu đen dưới 2 triệu", "black cat-eye frames for women", "so sánh EW-1001 và EW-1010", "có bao nhiêu màu?", "titan là gì", "EW-1001 còn hàng không", "hello"} {
		r := b.search(search.Request{Query: q})
		out, _ := json.MarshalIndent(r, "", " ")
		t.Logf("%s", out)
	}
}
