package answers

import (
	"hash/fnv"
	"math"
	"strings"
	"unicode"
)

// Weights of the features of a text. Parts of words make inflected and compound words
// similar; Korean joins words freely, so there they count as much as the word.
const (
	wordWeight     = 1.0
	tripleWeight   = 0.5
	syllableWeight = 1.0
)

// Words that hardly distinguish products have a low weight: those in the features of
// nearly every product, and colours.
var (
	plainWords = wordsOf(`a an the of in on with and or for to by from at is as it no
		background colour color text label logo letters drawing picture photo image package packaging pack product brand name
		front printed large small round format pixels contrast light bright dark strong low medium portrait landscape square
		g kg ml l oz fl 그림 글씨 배경 포장 용기 제품 상표 색`)
	colourWords = wordsOf(`black white grey gray red orange brown yellow green blue purple pink beige turquoise
		검은 하얀 흰 빨간 붉은 노란 초록 파란 갈색 회색 분홍`)
)

const (
	plainFactor  = 0.15
	colourFactor = 0.4
)

// embedding returns a unit vector of the text's words and their parts, each hashed
// to one dimension and a sign. The same text always has the same vector, texts
// with words in common are near each other, and others nearly orthogonal: with
// d dimensions chance adds about 1/√d. A task prefix only
// says whether the text is searched.
func embedding(text string, dimensions int) []float32 {
	sums := make([]float64, dimensions)
	seen := wordSet{}
	weigh := factorOf
	if isSearched(text) {
		weigh = searchFactorOf
	}
	for _, word := range splitWords(spaceNumbers(withoutTask(text))) {
		if !seen[word] {
			seen[word] = true
			addWord(sums, word, weigh(word))
		}
	}
	return unit(sums)
}

// unlikeAll returns a vector that is nearly orthogonal to those of all texts, whose few large
// numbers have random signs.
func unlikeAll(dimensions int) []float32 {
	sums := make([]float64, dimensions)
	for i := range sums {
		sums[i] = 1
	}
	return unit(sums)
}

// The prefixes of gemini-embedding-2 for what is searched, and for what is found.
const (
	queryTask    = "task: search result | query: "
	documentTask = "title: none | text: "
)

func isSearched(text string) bool {
	return strings.HasPrefix(text, queryTask) || strings.HasPrefix(text, documentTask)
}

// searchFactorOf returns factorOf, except that colours and shapes count as much as other
// words, as people search for them.
func searchFactorOf(word string) float64 {
	if colourWords[word] || word == "round" || word == "square" {
		return 1
	}
	return factorOf(word)
}

// addWord adds a word and its parts, which share one weight.
func addWord(sums []float64, word string, weight float64) {
	addFeature(sums, "w "+word, wordWeight*weight)
	parts, partsWeight := partsOf(word)
	for _, p := range parts {
		addFeature(sums, "p "+p, partsWeight*weight/math.Sqrt(float64(len(parts))))
	}
}

// spaceNumbers separates numbers from adjacent letters: 240ml becomes 240 ml.
func spaceNumbers(text string) string {
	var b strings.Builder
	var last rune
	for _, r := range text {
		if unicode.IsDigit(last) && unicode.IsLetter(r) || unicode.IsLetter(last) && unicode.IsDigit(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// withoutTask drops a prefix like "task: sentence similarity | query: ".
func withoutTask(text string) string {
	if rest, ok := strings.CutPrefix(text, documentTask); ok {
		return rest
	}
	rest, ok := strings.CutPrefix(text, "task: ")
	if !ok {
		return text
	}
	if _, after, ok := strings.Cut(rest, " | query: "); ok {
		return after
	}
	return text
}

func factorOf(word string) float64 {
	switch {
	case plainWords[word]:
		return plainFactor
	case colourWords[word]:
		return colourFactor
	}
	return 1
}

// partsOf returns the n-grams of a word with its edges marked, pairs for scripts
// whose characters are syllables or words, else triples; and their weight.
func partsOf(word string) (parts []string, weight float64) {
	runes := []rune("<" + word + ">")
	n, weight := 3, tripleWeight
	if unicode.In(runes[1], unicode.Hangul, unicode.Han, unicode.Hiragana, unicode.Katakana) {
		n, weight = 2, syllableWeight
	}
	for i := 0; i+n <= len(runes); i++ {
		parts = append(parts, string(runes[i:i+n]))
	}
	return parts, weight
}

// addFeature adds weight at the dimension and with the sign that its hash gives.
func addFeature(sums []float64, feature string, weight float64) {
	h := fnv.New64a()
	h.Write([]byte(feature))
	sum := mix(h.Sum64())
	if sum>>63 == 1 {
		weight = -weight
	}
	sums[(sum&math.MaxInt64)%uint64(len(sums))] += weight
}

// mix spreads the bits of an FNV hash, whose high bits depend little on the
// last characters (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit scales to length 1. A text without words gets the first axis, as a zero vector
// has no direction to compare.
func unit(sums []float64) []float32 {
	length := 0.0
	for _, v := range sums {
		length += v * v
	}
	vector := make([]float32, len(sums))
	if length == 0 {
		vector[0] = 1
		return vector
	}
	for i, v := range sums {
		vector[i] = float32(v / math.Sqrt(length))
	}
	return vector
}
