package accuracy

import "example.com/whatis/internal/textfold"

// An Agreement counts, among photos that were analysed several times, those whose answers
// for one field all agree, right or wrong. Two empty answers agree.
type Agreement struct {
	Field string `json:"field"` // one of Fields
	Share
}

// agreementOf returns nil if no photo was analysed several times.
func agreementOf(shots []Shot) (all []Agreement) {
	by := map[string][]Shot{}
	for _, s := range shots {
		by[s.Label.File] = append(by[s.Label.File], s)
	}
	var first []Shot // of the photos that were analysed several times
	for _, of := range by {
		if len(of) > 1 {
			first = append(first, of[0])
		}
	}
	if len(first) == 0 {
		return nil
	}
	for _, field := range Fields {
		share := shareOf(first, func(s Shot) bool { return agree(by[s.Label.File], field) })
		all = append(all, Agreement{field, share})
	}
	return all
}

// agree reports whether all answers for a field are equal, compared as labels are:
// without case, diacritics, spaces and punctuation.
func agree(shots []Shot, field string) bool {
	for _, s := range shots[1:] {
		if textfold.String(s.answer(field)) != textfold.String(shots[0].answer(field)) {
			return false
		}
	}
	return true
}

// answer returns s's value of a field; for the outcome, whether there is a product.
func (s Shot) answer(field string) string {
	switch {
	case field != Outcome:
		return s.Said[field]
	case s.Source == noProduct, s.Source == failed:
		return s.Source
	}
	return "product"
}
