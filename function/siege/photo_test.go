package siege

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/language"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
)

// A shot is a photo and the way it goes through the decision table.
type shot struct {
	mark string
	way  way
	data []byte
}

// shoot makes n photos, each with its own mark and pixels, that go the ways in
// turn.
func shoot(n int, ways ...way) []shot {
	shots := make([]shot, n)
	for i := range shots {
		shots[i] = shot{mark: fmt.Sprintf("p%03d", i), way: ways[i%len(ways)], data: pixels(uint64(i))}
	}
	return shots
}

// pixels returns a small, unique photo.
func pixels(seed uint64) []byte {
	m := image.NewGray(image.Rect(0, 0, 48, 36))
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range m.Pix {
		m.Pix[i] = uint8(random.Uint32())
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	return b.Bytes()
}

func (s shot) name() string { return s.mark + ".jpg" }

// product returns the product name that the result must have.
func (s shot) product() string {
	switch s.way.source {
	case "local_db":
		return "보리차"
	case "":
		return ""
	}
	return "보리차 " + s.mark
}

// A mark's number stands in the language tag: as a region, then a script, then a
// language. The codes are listed when a test first needs them: the instances that the
// tests start are processes of this binary, and must not pay for them.
var (
	languages = []string{"ko", "ja"}
	scripts   = sync.OnceValue(scriptCodes)
	regions   = sync.OnceValue(countryCodes)
)

// scriptCodes returns the codes of all scripts, one of each: Qaai is Zinh in a tag.
func scriptCodes() []string {
	var codes []string
	for _, code := range words("A", "a", "a", "a") {
		if tag, err := language.Parse("ko-" + code); err == nil && tag.String() == "ko-"+code {
			codes = append(codes, code)
		}
	}
	return codes
}

// countryCodes returns the codes of all countries.
func countryCodes() []string {
	var codes []string
	for _, code := range words("A", "A") {
		if r, err := language.ParseRegion(code); err == nil && r.IsCountry() && r.Canonicalize() == r {
			codes = append(codes, code)
		}
	}
	return codes
}

// words returns all words whose letters each run over 26 letters from the given first one.
func words(firsts ...string) []string {
	all := []string{""}
	for _, first := range firsts {
		var longer []string
		for _, word := range all {
			for i := range 26 {
				longer = append(longer, word+string(rune(first[0])+rune(i)))
			}
		}
		all = longer
	}
	return all
}

// tagOf returns the language tag of the photo with a mark.
func tagOf(mark string) string {
	n, err := strconv.Atoi(mark[1:])
	if err != nil {
		panic(err) // marks are p and a number
	}
	scripts, regions := scripts(), regions()
	script := n / len(regions)
	return languages[script/len(scripts)] + "-" + scripts[script%len(scripts)] + "-" + regions[n%len(regions)]
}

// tagged matches the language tag of a request, marked the mark among the features of
// an embedded text.
var (
	tagged = regexp.MustCompile(`\b(ko|ja)-([A-Z][a-z]{3})-([A-Z]{2})\b`)
	marked = regexp.MustCompile(`\bp\d{3,}\b`)
)

func markOf(text string) string {
	tag := tagged.FindStringSubmatch(text)
	if tag == nil {
		return marked.FindString(text)
	}
	scripts, regions := scripts(), regions()
	script := slices.Index(languages, tag[1])*len(scripts) + slices.Index(scripts, tag[2])
	return fmt.Sprintf("p%03d", script*len(regions)+slices.Index(regions, tag[3]))
}

// A way is one way through the decision table: what the model answers at each
// step, and the source of the result.
type way struct {
	name   string
	source string // "" is a photo of no product
	steps  []string
	edit   func(*analyze.Analysis)
	judged analyze.Judgement
}

var (
	clear      = way{name: "clear", source: "image", steps: []string{stepImage}}
	confirmed  = way{name: "confirmed", source: "image", steps: []string{stepImage, stepJudge}, edit: sure(0.8), judged: analyze.Judgement{Confirmed: true}}
	catalogued = way{name: "catalogued", source: "local_db", steps: []string{stepImage, stepEmbed, stepJudge}, edit: sure(0.5), judged: analyze.Judgement{Pick: 1}}
	searched   = way{name: "searched", source: "google_search", steps: []string{stepImage, stepEmbed, stepSearch, stepFinding}, edit: strange}
	judged     = way{name: "judged", source: "google_search", steps: []string{stepImage, stepEmbed, stepJudge, stepSearch, stepFinding}, edit: sure(0.5)}
	refined    = way{name: "refined", source: "google_search", steps: []string{stepImage, stepEmbed, stepJudge, stepSearch, stepRefined, stepFinding}, edit: sure(0.5)}
	rejected   = way{name: "rejected", steps: []string{stepImage}, edit: func(a *analyze.Analysis) { a.NotProduct, a.ProductName = true, "" }}
)

var allWays = []way{clear, confirmed, catalogued, searched, judged, refined, rejected}

// features are the features of the only product in the catalogue.
var features = []string{"보리차", "볶은 곡물", "500 ml", "초록 라벨", "페트병", "무가당", "카페인 없음", "국산 보리"}

// catalogue is the products_db.json that is imported.
const catalogue = `[{"product_name":"보리차","brand":"햇살마루","category":"Beverage",
"key_features":["보리차","볶은 곡물","500 ml","초록 라벨","페트병","무가당","카페인 없음","국산 보리"]}]`

func sure(confidence float64) func(*analyze.Analysis) {
	return func(a *analyze.Analysis) { a.ProductNameConfidence, a.BrandConfidence = confidence, confidence }
}

// strange changes a so that the catalogue has nothing similar.
func strange(a *analyze.Analysis) {
	sure(0.5)(a)
	a.KeyFeatures = []string{"quartz", "zebra", "violin", "walnut", a.KeyFeatures[len(a.KeyFeatures)-1]}
}

// script returns the model's answers for s.
func (s shot) script() []emulated.Answer {
	var answers []emulated.Answer
	for _, step := range s.way.steps {
		if step == stepEmbed {
			continue
		}
		a := s.answer(step)
		a.Contains = `"lang":"` + tagOf(s.mark) + `"`
		a.Match = func(r *emulated.Request) bool { return isRefined(r) == (step == stepRefined) }
		answers = append(answers, a)
	}
	return answers
}

func isRefined(r *emulated.Request) bool {
	return slices.ContainsFunc(r.Texts, func(t string) bool { return strings.HasPrefix(t, "refined:\n") })
}

func (s shot) answer(step string) emulated.Answer {
	switch step {
	case stepImage:
		return emulated.Answer{Kind: answers.KindImage, JSON: s.analysis()}
	case stepJudge:
		return emulated.Answer{Kind: answers.KindJudge, JSON: s.way.judged}
	case stepFinding:
		return emulated.Answer{Kind: answers.KindStructure, JSON: analyze.Finding{
			Found: true, ProductName: "보리차 " + s.mark, Brand: "햇살마루", Category: "Beverage", Supported: []string{s.mark}, Probability: 0.8,
		}}
	case stepSearch:
		if slices.Contains(s.way.steps, stepRefined) {
			return emulated.Answer{Kind: answers.KindSearch, Text: "Nothing was found.\nSearch again: 보리차 " + s.mark, Grounding: &emulated.Grounding{Queries: []string{s.mark}}}
		}
	}
	return emulated.Answer{Kind: answers.KindSearch, Text: "It is 보리차 " + s.mark, Grounding: &emulated.Grounding{
		Queries:  []string{s.mark},
		Chunks:   []emulated.GroundingChunk{{Web: emulated.WebSource{URI: "https://shop.example/tea", Title: "shop.example"}}},
		Supports: []emulated.GroundingSupport{{Segment: emulated.Segment{End: 5, Text: "It is"}, Chunks: []int{0}}},
	}}
}

// analysis returns what image_analyzer reads on s.
func (s shot) analysis() analyze.Analysis {
	name := "보리차 " + s.mark
	a := analyze.Analysis{
		VisibleText:   []analyze.Line{{Text: "햇살마루", Clear: true}, {Text: name, Clear: true}, {Text: "볶은 곡물 500 ml", Clear: true}},
		NameAsPrinted: name, BrandAsPrinted: "햇살마루", SubBrands: []string{}, Dates: []analyze.Date{}, Category: "Beverage",
		ImageFeatures: "초록 라벨의 페트병", KeyFeatures: append(slices.Clone(features), s.mark), ProductName: name, Brand: "햇살마루",
		ProductNameConfidence: 0.95, BrandConfidence: 0.95, KnownProduct: analyze.Yes, ProductsSeen: 1, Side: analyze.SideFront,
	}
	if s.way.edit != nil {
		s.way.edit(&a)
	}
	return a
}
