package analyze

import (
	"bytes"
	"encoding/json"
)

// The outcomes of a photo, by which programs tell the three shapes of a Result apart.
const (
	OutcomeProduct   = "product"
	OutcomeNoProduct = "no_product"
	OutcomeFailed    = "failed"
)

// Outcome says which of its three shapes r has.
func (r Result) Outcome() string {
	switch r.Error {
	case "":
		return OutcomeProduct
	case NotAProduct:
		return OutcomeNoProduct
	}
	return OutcomeFailed
}

// MarshalJSON writes r with its outcome as the last field. It escapes nothing for
// HTML: an encoder that wants that does it to the whole.
func (r Result) MarshalJSON() ([]byte, error) {
	type fields Result
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(struct {
		fields
		Outcome string `json:"outcome"`
	}{fields(r), r.Outcome()})
	return b.Bytes(), err
}
