package accuracy

import "example.com/whatis/internal/textfold"

// An Agreement is in how many photos all answers to one field agree, right or wrong,
// of those that were asked several times. What was left open agrees with what was left
// open.
type Agreement struct {
	Field string `json:"field"` // one of Fields
	Share
}

// agreementOf is nil where no photo was asked several times.
func agreementOf(shots []Shot) (all []Agreement) {
	by := map[string][]Shot{}
	for _, s := range shots {
		by[s.Label.File] = append(by[s.Label.File], s)
	}
	var first []Shot // of the photos that were asked several times
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

// agree reports that all answers to a field say the same, as labels are compared:
// case, marks, spaces and punctuation aside.
func agree(shots []Shot, field string) bool {
	for _, s := range shots[1:] {
		if textfold.String(s.answer(field)) != textfold.String(shots[0].answer(field)) {
			return false
		}
	}
	return true
}

// answer is what s says of a field: of the outcome, whether there is a product.
func (s Shot) answer(field string) string {
	switch {
	case field != Outcome:
		return s.Said[field]
	case s.Source == noProduct, s.Source == failed:
		return s.Source
	}
	return "product"
}
