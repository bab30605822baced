package barcode

import "fmt"

// When says when codes are read from the pixels of a picture.
type When string

// The values of When.
const (
	WhenSeen When = "seen"   // where a model saw one
	Always   When = "always" // anywhere in the picture
	Never    When = "never"
)

// Reads reports whether codes may be read from pixels.
func (w When) Reads() bool { return w == WhenSeen || w == Always }

// ParseWhen parses a value of When.
func ParseWhen(s string) (When, error) {
	switch w := When(s); w {
	case WhenSeen, Always, Never:
		return w, nil
	}
	return "", fmt.Errorf("barcode: reading codes %.20q: use %s, %s or %s", s, WhenSeen, Always, Never)
}
