package search

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/whatis/internal/search/query"
)

// why returns, in words, which parts of the request a product meets.
func (p *Pipeline) why(s *state, c candidate) []string {
	why := []string{}
	add := func(holds bool, en, vi string, args ...any) {
		if holds {
			why = append(why, fmt.Sprintf(in(s.lang, en, vi), args...))
		}
	}
	add(c.exact > 0, "named exactly", "đúng tên, mã hoặc mã vạch")
	add(slices.Contains(s.want.Preferred, c.Facets[query.Brand]), "preferred brand", "thương hiệu ưa thích")
	for _, soft := range s.soft() {
		name := s.label(p, soft.facet, c.Facets[soft.facet])
		face := soft.facet == shapeFacet && len(s.want.Is[shapeFacet]) == 0
		add(soft.holds(c.Product) && !face, "%s", "%s", name)
		add(soft.holds(c.Product) && face, "%s goes with the face", "%s hợp với khuôn mặt", name)
	}
	for _, facet := range slices.Sorted(maps.Keys(s.Filters)) {
		add(true, "%s", "%s", s.label(p, facet, s.Filters[facet]))
	}
	priced := !s.want.Price.Empty() || !s.asked.Empty()
	add(priced, "price %s", "giá %s", priceText(c.Price, c.Currency))
	for _, not := range s.want.Not {
		add(c.Facets[not.Facet] != not.Code, "not %s", "không %s", s.label(p, not.Facet, not.Code))
	}
	add(c.scores[1] != nil && s.picture != nil, "%v %% like the picture", "giống ảnh %v %%", percent(c.scores[1]))
	add(c.scores[0] != nil && s.query != "", "%v %% like the words", "khớp mô tả %v %%", percent(c.scores[0]))
	add(s.like != nil, "like the chosen product", "giống sản phẩm đã chọn")
	return slices.Compact(why)
}

func percent(score *float64) float64 {
	if score == nil {
		return 0
	}
	return math.Round(max(0, *score) * 100)
}

// priceText formats a price for people: 1.250.000 VND.
func priceText(price float64, currency string) string {
	if price == 0 {
		return ""
	}
	whole := strconv.FormatFloat(math.Trunc(price), 'f', 0, 64)
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "." + whole[i:]
	}
	if cents := math.Round(price*100) - math.Trunc(price)*100; cents > 0 {
		whole += fmt.Sprintf(",%02.0f", cents)
	}
	return strings.TrimSpace(whole + " " + currency)
}

func stockText(stock *int) string {
	if stock == nil {
		return ""
	}
	return strconv.Itoa(*stock)
}

// summary returns the answer in one to three sentences.
func (p *Pipeline) summary(s *state) string {
	var said []string
	say := func(when bool, en, vi string, args ...any) {
		if when {
			said = append(said, fmt.Sprintf(in(s.lang, en, vi), args...))
		}
	}
	r := s.response
	searched := s.route.searches
	say(s.intent == UnknownIntent, "I can only help with products of this shop. You may ask, for example:", "Tôi chỉ giúp tìm sản phẩm của cửa hàng này. Bạn có thể hỏi, ví dụ:")
	if stats := r.Result.Stats; stats != nil {
		say(true, "The shop has %d products; by %s:", "Cửa hàng có %d sản phẩm; theo %s:", stats.Total, stats.Facet)
	}
	say(r.Result.FAQ != nil, "From the notes on materials.", "Trích từ ghi chú về chất liệu.")
	say(s.intent == MaterialQuestion && s.material == nil, "The notes on materials do not say anything of that.", "Ghi chú về chất liệu không nói gì về điều này.")
	say(searched && r.Count > 0, "%d found: %s.", "Tìm thấy %d sản phẩm: %s.", r.Count, p.about(s))
	say(searched && r.Count == 0, "Nothing was found: %s.", "Không tìm thấy sản phẩm nào: %s.", p.about(s))
	say(slices.Contains(s.warnings, WarnIrrelevantImage), "The picture does not seem to show what is sold here.", "Ảnh dường như không có sản phẩm thuộc loại được bán ở đây.")
	say(slices.Contains(s.warnings, WarnNotExact), "No product is called exactly so: this is what comes nearest.", "Không có sản phẩm nào trùng tên: đây là kết quả gần nhất.")
	say(len(s.relaxed) > 0, "Nothing met every wish, so these were given up: %s.", "Không có sản phẩm nào đáp ứng mọi điều kiện nên đã bỏ: %s.", p.facetNames(s, s.relaxed))
	for _, i := range s.ignored {
		say(true, "%q is not known here and was left out.", "%q không có ở đây nên đã bỏ qua.", i.Value)
	}
	return strings.Join(said, " ")
}

// about describes what was searched for.
func (p *Pipeline) about(s *state) string {
	switch {
	case p.wanted(s) != "":
		return p.wanted(s)
	case s.query != "":
		return s.query
	case s.like != nil:
		return s.like.ProductName
	}
	return in(s.lang, "by the picture", "theo ảnh")
}

func (p *Pipeline) facetNames(s *state, facets []string) string {
	var names []string
	for _, facet := range facets {
		name := facet
		if f := p.Vocabulary.Facet(facet); f.En != "" {
			name = in(s.lang, f.En, f.Vi)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
