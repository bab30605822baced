package relevance

import (
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

// Grades returns the grades of all frames that are not 0, by the names of the frames.
func (q Query) Grades() map[string]int {
	grades := map[string]int{}
	for _, f := range frames() {
		if g := q.Grade(f); g > 0 {
			grades[f.Name] = g
		}
	}
	return grades
}

// Grade returns how right a frame is, 0 to 3. Words are met or not: 3 or 0, and 2 for one
// that is met but not preferred. Of a picture, 3 has its shape, colour and category,
// 2 its shape and colour, 1 its shape; what the words say of one of them takes its
// place.
func (q Query) Grade(f samples.Frame) int {
	switch {
	case len(q.SKUs) > 0 && slices.Contains(q.SKUs, f.SKU):
		return 3
	case len(q.SKUs) > 0 || len(q.Failed(f)) > 0 || !q.refersTo(f):
		return 0
	case q.Picture != nil:
		return q.likeness(f)
	case !meets(q.Prefer, f):
		return 2
	}
	return 3
}

// Failed returns the facets, or price, by which a frame is no right answer to the words.
func (q Query) Failed(f samples.Frame) []string {
	var failed []string
	for _, facet := range Facets {
		wanted, ok := q.Want[facet]
		if !ok {
			wanted, ok = q.Held[facet]
		}
		missed := ok && !slices.Contains(q.GiveUp, facet) && !slices.Contains(wanted, Facet(f, facet))
		if missed || slices.Contains(q.Not[facet], Facet(f, facet)) {
			failed = append(failed, facet)
		}
	}
	if p := q.Price; p != nil && (float64(f.Price) < p.Min || p.Max > 0 && float64(f.Price) > p.Max) {
		failed = append(failed, "price")
	}
	if q.InStock && f.Stock == 0 {
		failed = append(failed, "in_stock")
	}
	return failed
}

// refersTo reports whether a frame is as the query wants it beside those that were shown before
// it: one of them, another, at a lower price.
func (q Query) refersTo(f samples.Frame) bool {
	var shown []samples.Frame
	for _, name := range q.Before {
		if i := slices.IndexFunc(frames(), func(f samples.Frame) bool { return f.Name == name }); i >= 0 {
			shown = append(shown, frames()[i])
		}
	}
	var spoken []samples.Frame
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
		if Facet(f, facet) == Facet(spoken[0], facet) {
			return false
		}
	}
	one := slices.ContainsFunc(spoken, func(s samples.Frame) bool { return s.SKU == f.SKU })
	byPrice := func(a, b samples.Frame) int { return a.Price - b.Price }
	switch q.Reference {
	case search.ToThese:
		return one
	case search.ToOthers, search.ToLike:
		return !one
	case search.ToCheaper:
		return f.Price < slices.MinFunc(spoken, byPrice).Price
	case search.ToDearer:
		return f.Price > slices.MaxFunc(spoken, byPrice).Price
	}
	return true
}

func meets(want map[string]Codes, f samples.Frame) bool {
	for facet, codes := range want {
		if !slices.Contains(codes, Facet(f, facet)) {
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
