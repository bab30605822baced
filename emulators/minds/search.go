package minds

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"example.com/whatis/emulators/gemini"
)

// KindIntent is what somebody asks of a shop's search: a schema with wanted and intent.
const KindIntent gemini.Kind = "intent"

// asking is the mind of intent_classifier. Facets and codes it learns from the request
// alone; of its own it knows a few words for each intent, and some brands of the world.
// It reads words as they are written, and repairs none.
type asking struct{}

func (asking) Kinds(r *gemini.Request) []gemini.Kind {
	properties, _ := r.ResponseSchema["properties"].(map[string]any)
	if properties["wanted"] != nil && properties["intent"] != nil {
		return []gemini.Kind{KindIntent}
	}
	return nil
}

// understood is the answer of KindIntent, members in the order of the wire.
type understood struct {
	Wanted          []statement `json:"wanted"`
	Unwanted        []statement `json:"unwanted"`
	PreferredBrands []string    `json:"preferred_brands"`
	Products        []string    `json:"products"`
	MinPrice        float64     `json:"min_price"`
	MaxPrice        float64     `json:"max_price"`
	Currency        string      `json:"currency"`
	Counted         string      `json:"counted"`
	Intent          string      `json:"intent"`
}

type statement struct {
	Facet string `json:"facet"`
	Value string `json:"value"`
}

func (asking) Answer(_ context.Context, r *gemini.Request) (gemini.Answer, error) {
	query := ""
	for _, text := range r.Texts {
		if body, ok := strings.CutPrefix(text, "query:\n"); ok {
			query = body
		}
	}
	u := understood{Wanted: []statement{}, Unwanted: []statement{}, PreferredBrands: []string{}, Products: namesIn(query)}
	words := splitWords(query)
	for i := 0; i < len(words); {
		said, n := codeAt(words[i:], toldFacets(r.System))
		if n == 0 {
			i++
			continue
		}
		if i > 0 && slices.Contains(refusals, words[i-1]) {
			u.Unwanted = append(u.Unwanted, said)
		} else if !slices.ContainsFunc(u.Wanted, func(s statement) bool { return s.Facet == said.Facet }) {
			u.Wanted = append(u.Wanted, said)
		}
		i += n
	}
	if brand := brandIn(query); brand != "" {
		u.Wanted = append(u.Wanted, statement{"brand", brand})
	}
	u.Intent = intentOf(query)
	return gemini.Answer{JSON: u}, nil
}

// refusals are words that turn the next one round.
var refusals = strings.Fields("not no without except không trừ")

// told are the words for a code, as the request says them.
type told struct {
	statement
	words []string
}

var (
	facetLine = regexp.MustCompile(`(?m)^- (\w+): (.+)$`)
	toldCode  = regexp.MustCompile(`(\w+) \(([^;)]+); ([^)]+)\)`)
)

// toldFacets are the facets of an instruction, the longest words first.
func toldFacets(system string) (all []told) {
	for _, line := range facetLine.FindAllStringSubmatch(system, -1) {
		for _, code := range toldCode.FindAllStringSubmatch(line[2], -1) {
			for _, name := range code[1:] {
				all = append(all, told{statement{line[1], code[1]}, splitWords(strings.ReplaceAll(name, "_", " "))})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b told) int { return len(b.words) - len(a.words) })
	return all
}

// codeAt is the code that words begin with, and how many of them say it.
func codeAt(words []string, all []told) (statement, int) {
	for _, t := range all {
		if n := len(t.words); n > 0 && n <= len(words) && slices.Equal(words[:n], t.words) {
			return t.statement, n
		}
	}
	return statement{}, 0
}

// brands are some that people ask for.
var brands = []string{"Ray-Ban", "Gucci", "Oakley", "Prada", "Gentle Monster", "Tom Ford", "Dior", "Chanel", "Versace", "Persol"}

// brandIn is a brand that stands in a query as it is written, marks and case aside.
func brandIn(query string) string {
	words := " " + strings.Join(splitWords(query), " ") + " "
	for _, brand := range brands {
		for _, way := range []string{strings.Join(splitWords(brand), " "), strings.Join(splitWords(brand), "")} {
			if strings.Contains(words, " "+way+" ") {
				return brand
			}
		}
	}
	return ""
}

// numbered is how names of single products and shops' own numbers look.
var numbered = regexp.MustCompile(`\p{Lu}[\p{L}\p{M}]*[- ]?\d{2,}|\d{8,14}`)

func namesIn(query string) []string { return append([]string{}, numbered.FindAllString(query, 10)...) }

// intentWords are phrases that tell an intent, the first that is met.
var intentWords = []struct {
	intent  string
	phrases []string
}{
	{"compare_products", []string{"compare", "versus", "vs", "difference between", "so sánh", "so sanh", "khác nhau", "khac nhau"}},
	{"faq_about_material", []string{"what is", "what are", "is it good", "allergic", "durable", "là gì", "la gi", "có bền", "co ben", "có tốt không", "dị ứng", "chất liệu nào", "chat lieu nao", "ưu điểm", "uu diem"}},
	{"product_category_stats", []string{"how many", "statistics", "count of", "number of", "bao nhiêu mẫu", "bao nhieu mau", "có bao nhiêu", "co bao nhieu", "thống kê", "thong ke"}},
	{"availability_check", []string{"in stock", "available", "how much", "sold out", "còn hàng", "con hang", "còn không", "con khong", "giá bao nhiêu", "gia bao nhieu", "hết hàng"}},
	{"product_detail", []string{"details", "detail", "tell me about", "information on", "specifications", "chi tiết", "chi tiet", "thông tin", "thong tin", "thông số"}},
	{"recommendation_request", []string{"recommend", "suggest", "advise", "which should i", "gợi ý", "goi y", "tư vấn", "tu van", "nên chọn", "nen chon", "nên mua"}},
	{"filter_by_feature", []string{"filter", "only", "lọc", "loc", "chỉ"}},
	{"unknown", []string{"weather", "joke", "hello", "poem", "football", "thời tiết", "thoi tiet", "chào", "chuyện cười", "bóng đá", "bài thơ"}},
}

// intentOf is what somebody wants who says that.
func intentOf(query string) string {
	words := " " + strings.Join(splitWords(query), " ") + " "
	if strings.TrimSpace(words) == "" {
		return "unknown"
	}
	for _, i := range intentWords {
		for _, phrase := range i.phrases {
			if strings.Contains(words, " "+phrase+" ") {
				return i.intent
			}
		}
	}
	return "search_product"
}
