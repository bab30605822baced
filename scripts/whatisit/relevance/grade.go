package relevance

import (
	"cmp"
	"maps"
	"slices"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/textfold"
)

// The facets of a frame, in the order in which differences are told.
var Facets = []string{"category", "gender", "brand", "color", "frameMaterial", "frameShape"}

// Facet returns the code that a frame has of a facet, "" of one that there is not.
func Facet(f samples.Frame, facet string) string {
	switch facet {
	case "category":
		return f.Category
	case "gender":
		return f.Gender
	case "brand":
		return textfold.String(f.Brand)
	case "color":
		return f.Color
	case "frameMaterial":
		return f.Material
	case "frameShape":
		return f.Shape
	}
	return ""
}

// Grades returns the grades of all products of q's shop that are not 0, by their names.
func (q Query) Grades() map[string]int {
	grades := map[string]int{}
	for _, p := range q.products() {
		if g := q.Grade(p); g > 0 {
			grades[p.Name] = g
		}
	}
	switch q.Sort {
	case search.PriceUp, search.PriceDown:
		q.keepFirst(grades)
	}
	return grades
}

// keepFirst leaves only the first ten by price, those that are sold out behind all others.
func (q Query) keepFirst(grades map[string]int) {
	right := slices.DeleteFunc(slices.Clone(q.products()), func(p Product) bool { return grades[p.Name] == 0 })
	if len(right) <= Depth {
		return
	}
	before := func(a, b Product) int {
		order := byPrice(a, b)
		if q.Sort == search.PriceDown {
			order = -order
		}
		return cmp.Or(cmp.Compare(min(b.Stock, 1), min(a.Stock, 1)), order)
	}
	slices.SortFunc(right, before)
	for _, p := range right[Depth:] {
		if before(right[Depth-1], p) < 0 {
			delete(grades, p.Name)
		}
	}
}

// byPrice compares products of a shop of one currency.
func byPrice(a, b Product) int {
	order, _ := a.Price.Compare(b.Price)
	return order
}

// products returns all products of q's shop.
func (q Query) products() []Product { return products()[q.shop()] }

func (q Query) shop() string { return cmp.Or(q.Shop, samples.EyewearShop) }

// Grade returns how right a product is, 0 to 3. Words are met or not: 3 or 0, and 2 for one
// that is met but not preferred. Of a picture, 3 has its shape, colour and category,
// 2 its shape and colour, 1 its shape; what the words say of one of them takes its
// place.
func (q Query) Grade(p Product) int {
	switch {
	case len(q.SKUs) > 0 && slices.Contains(q.SKUs, p.SKU):
		return 3
	case q.Nothing || len(q.SKUs) > 0 || len(q.Failed(p)) > 0 || !q.refersTo(p):
		return 0
	case q.Picture != nil:
		return q.likeness(p.Frame)
	case !meets(q.Prefer, p):
		return 2
	}
	return 3
}

// Failed returns the facets, or price, by which a product is no right answer to the words.
func (q Query) Failed(p Product) []string {
	var failed []string
	for facet, codes := range q.wanted() {
		if !slices.Contains(q.GiveUp, facet) && !p.has(facet, codes) {
			failed = append(failed, facet)
		}
	}
	for facet, codes := range q.Not {
		if p.has(facet, codes) {
			failed = append(failed, facet)
		}
	}
	for facet, r := range q.Ranges {
		if !p.within(facet, r[0], r[1]) {
			failed = append(failed, facet)
		}
	}
	if q.Price != nil && !q.Price.Holds(p.Price) {
		failed = append(failed, "price")
	}
	if q.InStock && p.Stock == 0 {
		failed = append(failed, "in_stock")
	}
	slices.Sort(failed)
	return slices.Compact(failed)
}

// wanted returns the codes that q wants of each facet.
func (q Query) wanted() map[string]Codes {
	if len(q.Held)+len(q.Compared) == 0 {
		return q.Want
	}
	wanted := map[string]Codes{}
	maps.Copy(wanted, q.Held)
	maps.Copy(wanted, q.Want)
	maps.Copy(wanted, q.Compared)
	return wanted
}

// refersTo reports whether a product is as the query wants it beside those that were shown
// before it: one of them, another, at a lower price.
func (q Query) refersTo(p Product) bool {
	var shown []Product
	for _, name := range q.Before {
		if p, ok := q.Product(name); ok {
			shown = append(shown, p)
		}
	}
	var spoken []Product
	for _, n := range q.Shown {
		if n <= len(shown) {
			spoken = append(spoken, shown[n-1])
		}
	}
	if len(spoken) == 0 {
		spoken = shown
	}
	if len(spoken) == 0 {
		return true
	}
	for _, facet := range q.NotShown {
		if p.has(facet, spoken[0].Values[facet]) {
			return false
		}
	}
	one := slices.ContainsFunc(spoken, func(s Product) bool { return s.SKU == p.SKU })
	switch q.Reference {
	case search.ToThese:
		return one
	case search.ToOthers, search.ToLike:
		return !one
	case search.ToCheaper:
		return byPrice(p, slices.MinFunc(spoken, byPrice)) < 0
	case search.ToDearer:
		return byPrice(p, slices.MaxFunc(spoken, byPrice)) > 0
	}
	return true
}

func meets(want map[string]Codes, p Product) bool {
	for facet, codes := range want {
		if !p.has(facet, codes) {
			return false
		}
	}
	return true
}

// likeness returns the grade of a frame beside the one in q's picture.
func (q Query) likeness(f samples.Frame) int {
	unlike := q.Unlike(f)
	if len(unlike) == 0 {
		return 3
	}
	return slices.Index(seen, unlike[0])
}

// seen are the facets that a picture shows, the one that counts most first.
var seen = []string{"frameShape", "color", "category"}

// Unlike returns the facets by which a frame differs from the one in q's picture, without
// those of which the words say something else.
func (q Query) Unlike(f samples.Frame) (unlike []string) {
	for _, facet := range seen {
		code := Facet(q.Picture.frame(), facet)
		said := q.Want[facet] != nil || slices.Contains(q.Not[facet], code)
		if !said && Facet(f, facet) != code {
			unlike = append(unlike, facet)
		}
	}
	return unlike
}
