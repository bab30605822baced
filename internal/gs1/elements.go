package gs1

import (
	"fmt"
	"strings"
)

// Elements are the data in a symbol about an item. Missing ones are empty.
type Elements struct {
	GTIN       string // AI 01, 14 digits, check digit verified
	Lot        string // AI 10
	Serial     string // AI 21
	Production Date   // AI 11
	BestBefore Date   // AI 15
	UseBy      Date   // AI 17
	All        []Element
}

// An Element is an application identifier and its value, in the symbol's order.
type Element struct{ AI, Value string }

// separator ends an element of variable length: readers return it for FNC1.
const separator = "\x1d"

// Parse parses a GS1 element string as a reader returns it (with or without its symbology
// identifier, such as ]d2), a readable one with identifiers in brackets, or a GS1 Digital
// Link URI of any domain. Wrong check digits and dates that do not exist are errors.
func Parse(s string) (Elements, error) {
	s = strings.TrimSpace(s)
	var all []Element
	var err error
	switch {
	case isLink(s):
		all, err = linkElements(s)
	case strings.HasPrefix(s, "("):
		all, err = bracketed(s)
	default:
		all, err = concatenated(s)
	}
	if err != nil {
		return Elements{}, fmt.Errorf("gs1: parse %.80q: %w", s, err)
	}
	e := Elements{All: all}
	for _, x := range all {
		if err := e.set(x); err != nil {
			return Elements{}, fmt.Errorf("gs1: parse %.80q: (%s): %w", s, x.AI, err)
		}
	}
	return e, nil
}

// prefixes are the symbology identifiers of GS1's symbols (section 5.1.2).
var prefixes = []string{"]d2", "]Q3", "]C1", "]e0", "]J1"}

// concatenated splits an element string by the lengths of its identifiers and
// by separators (section 7.8).
func concatenated(s string) ([]Element, error) {
	for _, p := range prefixes {
		s = strings.TrimPrefix(s, p)
	}
	s = strings.Trim(s, separator)
	if s == "" {
		return nil, fmt.Errorf("it is empty; give an element string")
	}
	var all []Element
	for s != "" {
		n := identifierLength(s)
		if n == 0 {
			return nil, fmt.Errorf("%.4q is no application identifier", s)
		}
		ai, rest := s[:n], s[n:]
		value, after, _ := strings.Cut(rest, separator)
		if fixed := fixedLength(ai); fixed > 0 {
			if len(rest) < fixed {
				return nil, fmt.Errorf("(%s) has %d characters, not %d; read the symbol again", ai, len(rest), fixed)
			}
			value, after = rest[:fixed], strings.TrimPrefix(rest[fixed:], separator)
		}
		all = append(all, Element{ai, value})
		s = after
	}
	return all, nil
}

// bracketed splits "(01)09506000134352(10)A(1)B". A bracket without an application
// identifier belongs to the value.
func bracketed(s string) ([]Element, error) {
	var all []Element
	for s != "" {
		n := openingBracket(s)
		if n == 0 {
			return nil, fmt.Errorf("%.6q is no application identifier in brackets", s)
		}
		ai := s[1 : n-1]
		end := n
		for end < len(s) && openingBracket(s[end:]) == 0 {
			end++
		}
		all = append(all, Element{ai, strings.TrimSpace(s[n:end])})
		s = s[end:]
	}
	return all, nil
}

// openingBracket returns the length of the bracketed application identifier at the start of
// s, or 0.
func openingBracket(s string) int {
	if s == "" || s[0] != '(' {
		return 0
	}
	n := identifierLength(s[1:])
	if n == 0 || len(s) < n+2 || s[n+1] != ')' {
		return 0
	}
	return n + 2
}

// set checks x and stores it in its field.
func (e *Elements) set(x Element) error {
	if err := x.check(); err != nil {
		return err
	}
	field := map[string]*string{"01": &e.GTIN, "10": &e.Lot, "21": &e.Serial,
		"11": (*string)(&e.Production), "15": (*string)(&e.BestBefore), "17": (*string)(&e.UseBy)}[x.AI]
	if field == nil {
		return nil
	}
	if *field != "" && *field != x.Value {
		return fmt.Errorf("it is both %q and %q; read the symbol again", *field, x.Value)
	}
	*field = x.Value
	return nil
}

// check returns an error for a wrong length, character, check digit or date of x.
func (x Element) check() error {
	if fixed := fixedLength(x.AI); fixed > 0 && (len(x.Value) != fixed || !digits(x.Value)) {
		return fmt.Errorf("%.90q is not of %d digits; read the symbol again", x.Value, fixed)
	}
	if n := longest(x.AI); x.Value == "" || len(x.Value) > n {
		return fmt.Errorf("%d characters, not 1 to %d; read the symbol again", len(x.Value), n)
	}
	for i := range len(x.Value) {
		if x.Value[i] < '!' || x.Value[i] > 'z' {
			return fmt.Errorf("%q has a character that GS1 does not know", x.Value)
		}
	}
	switch x.AI {
	case "00", "01", "02", "03":
		if !verifies(x.Value) || strings.Trim(x.Value, "0") == "" {
			return fmt.Errorf("the check digit of %s does not verify; read the symbol again", x.Value)
		}
	case "11", "12", "13", "15", "16", "17":
		return Date(x.Value).check()
	}
	return nil
}
