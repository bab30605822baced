package analyze

import (
	"bytes"
	"encoding/json"
)

// The outcomes of a photo, one for each of the three shapes of a Result.
const (
	OutcomeProduct   = "product"
	OutcomeNoProduct = "no_product"
	OutcomeFailed    = "failed"
)

// Outcome returns the outcome of r.
func (r Result) Outcome() string {
	switch r.Error {
	case "":
		return OutcomeProduct
	case NotAProduct:
		return OutcomeNoProduct
	}
	return OutcomeFailed
}

// MarshalJSON writes r with whether it is doubtful, and its outcome as the last field. It does
// not escape HTML: the calling encoder does, if set to.
func (r Result) MarshalJSON() ([]byte, error) {
	type fields Result
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(struct {
		fields
		Doubt   bool   `json:"doubt,omitempty"`
		Outcome string `json:"outcome"`
	}{fields(r), r.Doubtful(), r.Outcome()})
	return b.Bytes(), err
}
