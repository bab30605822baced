package gs1

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// isLink reports whether s is a web address.
func isLink(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return ok && (strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "http"))
}

// linkElements returns the elements of an uncompressed GS1 Digital Link URI: …/01/GTIN,
// then pairs of qualifiers in the path and attributes in the query. It ignores the path
// before /01/ and after the pairs, and other keys in the query.
func linkElements(s string) ([]Element, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("it is no web address")
	}
	parts := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	at := keyAt(parts)
	if at < 0 {
		return nil, errors.New("it has no /01/ with a GTIN; give an uncompressed GS1 Digital Link")
	}
	number, ok := GTIN(parts[at+1])
	if !ok {
		return nil, fmt.Errorf("(01): the check digit of %s does not verify; read the symbol again", parts[at+1])
	}
	all := []Element{{"01", number}}
	for i := at + 2; i+1 < len(parts); i += 2 {
		if n := identifierLength(parts[i]); n == 0 || n != len(parts[i]) {
			break
		}
		value, err := url.PathUnescape(parts[i+1])
		if err != nil {
			return nil, fmt.Errorf("%q is not escaped as an address must be", parts[i+1])
		}
		all = append(all, Element{parts[i], value})
	}
	return attributes(all, u.RawQuery)
}

// keyAt returns the index of "01" before the digits of a GTIN, or -1.
func keyAt(parts []string) int {
	for i := range len(parts) - 1 {
		n := len(parts[i+1])
		if parts[i] == "01" && digits(parts[i+1]) && (n == 8 || n >= 12 && n <= 14) {
			return i
		}
	}
	return -1
}

// attributes adds the query's elements. Other keys are ignored.
func attributes(all []Element, query string) ([]Element, error) {
	for _, pair := range strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' }) {
		ai, raw, _ := strings.Cut(pair, "=")
		if n := identifierLength(ai); n == 0 || n != len(ai) {
			continue
		}
		value, err := url.QueryUnescape(raw)
		if err != nil {
			return nil, fmt.Errorf("%q is not escaped as an address must be", pair)
		}
		all = append(all, Element{ai, value})
	}
	return all, nil
}
