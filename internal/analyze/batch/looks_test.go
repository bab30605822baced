package batch

import (
	"math"
	"testing"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo/phash"
)

// The Euclidean distance of two vectors tells how many bits their hashes differ
// in, and the threshold lies between 10 and 11 of them.
func TestVector(t *testing.T) {
	tests := []struct {
		a, b phash.Hash
		want int
	}{
		{0, 0, 0}, {0, 1, 1}, {1 << 63, 0, 1}, {0, 1<<64 - 1, 64}, {0x3ff, 0, 10}, {0x7ff, 0, 11}, {0xf0f0f0f0f0f0f0f0, 0x0f0f0f0f0f0f0f0f, 64},
	}
	for _, test := range tests {
		var square float64
		v, w := vector(test.a), vector(test.b)
		for i := range v {
			square += math.Pow(float64(v[i]-w[i]), 2)
		}
		if len(v) != 64 || square != float64(4*test.want) {
			t.Errorf("%s and %s are the root of %v apart in %d dimensions, want of %d in 64", test.a, test.b, square, len(v), 4*test.want)
		}
		if got := math.Sqrt(square) <= distanceOfBits(alike); got != (test.want <= 10) {
			t.Errorf("%d bits apart is within %d: %v", test.want, alike, got)
		}
	}
}

func TestLends(t *testing.T) {
	product := func(name string, warnings ...string) analyze.Result {
		return analyze.Result{Identification: &analyze.Identification{ProductName: name}, Warnings: warnings, Image: &analyze.Image{PHash: "8f3c00000000abcd"}}
	}
	seen := func(hash string) analyze.Result {
		r := product("tea")
		r.Image.PHash = hash
		return r
	}
	without := product("tea")
	without.Image = nil
	tests := []struct {
		what string
		r    analyze.Result
		want bool
	}{
		{"a product", product("tea"), true},
		{"a product with a warning", product("tea", "multiple_products"), true},
		{"what nobody knows", product("tea", "emulated_model", "unidentified"), false},
		{"no name", product(""), false},
		{"no product", analyze.Result{Error: analyze.NotAProduct, Image: &analyze.Image{PHash: "8f3c00000000abcd"}}, false},
		{"a failure", product("tea").Failed("busy", true), false},
		{"no photo", without, false},
		{"one colour", seen("0000000000000000"), false},
		{"not decoded", seen(""), false},
		{"no hash", seen("no hash at all!!"), false},
	}
	for _, test := range tests {
		if got := nearDuplicateVector(test.r) != nil; got != test.want {
			t.Errorf("%s has the vector %v, want %v", test.what, got, test.want)
		}
	}
}

// An item has a vector only in a batch with dedupe, even if its result has a
// perceptual hash.
func TestTakeLooks(t *testing.T) {
	result := `{"product_name":"tea","brand":"B","source":"image","image":{"phash":"8f3c00000000abcd"}}`
	for _, sought := range []bool{false, true} {
		var s stored
		s.setResult(jobs.Outcome{Result: []byte(result)}, sought)
		if s.Outcome != FromImage || (s.PHash != nil) != sought {
			t.Errorf("take(%s, %v) = %v with %d dimensions; want a vector %v", result, sought, s.Outcome, len(s.PHash), sought)
		}
	}
}
