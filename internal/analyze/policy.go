package analyze

import "example.com/whatis/internal/usererror"

// A Policy holds the thresholds for accepting an answer.
type Policy struct {
	Name string
	// Confidence is the value that both confidences must exceed for the photo alone
	// to decide.
	Confidence float64
	// TextClues and Features are how many features the read text must hold, and
	// how many there must be at all, for the photo alone to decide.
	TextClues, Features int
	// Overlap is how many of a candidate's features must be, word for word, among
	// the photo's features or read text. Where it is above 0, a candidate of
	// another brand or category is refused too.
	Overlap int
}

// The policies: the original one, called seed, and strict, which identifies fewer
// products with more certainty.
var policies = map[string]Policy{
	"seed":   {Name: "seed", Confidence: confident},
	"strict": {Name: "strict", Confidence: 0.85, TextClues: 3, Features: 4, Overlap: 2},
}

// PolicyNamed returns the policy called name; "" is seed.
func PolicyNamed(name string) (Policy, error) {
	if name == "" {
		name = "seed"
	}
	p, ok := policies[name]
	if !ok {
		return Policy{}, usererror.Errorf("analyze", "policy %q is unknown: use seed or strict", name)
	}
	return p, nil
}

// SecondLook says when the stronger model looks at a photo that the first model is
// sure of without a suspicion. Suspicious photos and the catalogue's candidates it
// always sees before the web is asked.
type SecondLook string

// The choices. Doubt is the default: a look if a confidence is under 0.9, the model
// does not know the product, or there is a suspicion.
const (
	Doubt  SecondLook = "doubt"
	Always SecondLook = "always"
	Never  SecondLook = "never"
)

// ParseSecondLook returns the choice called s; "" is Doubt.
func ParseSecondLook(s string) (SecondLook, error) {
	switch l := SecondLook(s); l {
	case "":
		return Doubt, nil
	case Doubt, Always, Never:
		return l, nil
	}
	return "", usererror.Errorf("analyze", "second_look %q is unknown: use doubt, always or never", s)
}

// undoubted is the confidence from which a name needs no second look.
const undoubted = 0.9

// wanted reports whether a, which has no suspicion, needs a second look.
func (l SecondLook) wanted(a Analysis) bool {
	switch l {
	case Always:
		return true
	case Never:
		return false
	}
	return a.ProductNameConfidence < undoubted || a.BrandConfidence < undoubted ||
		a.KnownProduct != Yes
}
