package fetch

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Canonical is the one form of all spellings of an address: scheme and host in lower
// case, the host in punycode without a dot at its end, no default port, no fragment, a
// path without dot segments and session, escapes in one notation, a query without
// tracking parameters and sorted by name (values of one name stay in their order).
//
// Distinct addresses stay distinct where a server may answer them differently: http
// and https, with www. and without, with a slash at the end and without, letters of a
// path in another case. It judges no host: Get does.
func Canonical(address string) (string, error) {
	u, err := parseURL(address)
	if err != nil {
		return "", err
	}
	return canonical(u), nil
}

// Site is the domain that one owner has registered, "gov.uk" and its like being none:
// the pages of https://www.data.stat.gov.xx/ are of the site stat.gov.xx. It is what
// "the same site" and rules about publishers compare. A host that is an address is its
// own site.
func Site(address string) (string, error) {
	u, err := parseURL(address)
	if err != nil {
		return "", err
	}
	site, err := publicsuffix.EffectiveTLDPlusOne(u.Hostname())
	if err != nil { // a bare suffix, such as gov.uk's own page, or an address
		return u.Hostname(), nil
	}
	return site, nil
}

var (
	// session is what some servers write into a path for whom they know.
	session = regexp.MustCompile(`(?i);(?:jsessionid|phpsessid|sid)=[^/;]*`)
	// tracking are parameters that say whence a reader comes, and nothing about the page.
	tracking = regexp.MustCompile(`(?i)^(?:utm_.*|gclid|dclid|fbclid|msclkid|yclid|igshid|mc_cid|mc_eid|_ga|_gl|_hs(?:enc|mi)|phpsessid|jsessionid)$`)
)

// canonical is Canonical of an address that was read.
func canonical(u *url.URL) string {
	host := u.Host
	if u.Port() != "" && port(u) == port(&url.URL{Scheme: u.Scheme}) {
		host = strings.TrimSuffix(host, ":"+u.Port())
	}
	bare := (&url.URL{Scheme: u.Scheme, Host: host, Path: "/"}).ResolveReference(&url.URL{Path: cmp.Or(u.Path, "/"), RawPath: u.RawPath})
	text := u.Scheme + "://" + host + escapes(session.ReplaceAllString(bare.EscapedPath(), ""))
	if query := sortedQuery(u.RawQuery); query != "" {
		text += "?" + query
	}
	return text
}

func sortedQuery(raw string) string {
	pairs := slices.DeleteFunc(strings.Split(escapes(raw), "&"), func(pair string) bool {
		return pair == "" || tracking.MatchString(name(pair))
	})
	slices.SortStableFunc(pairs, func(a, b string) int { return strings.Compare(name(a), name(b)) })
	return strings.Join(pairs, "&")
}

func name(pair string) string {
	name, _, _ := strings.Cut(pair, "=")
	return name
}

// escaped is an escape, or a byte that must be one.
var escaped = regexp.MustCompile("%[0-9A-Fa-f]{2}|[^!#-;=?-Z_a-z~\\[\\]]")

// escapes writes every escape of s with capital letters, those of letters, digits and
// -._~ as what they stand for, and every byte that must be escaped as an escape.
func escapes(s string) string {
	return escaped.ReplaceAllStringFunc(s, func(e string) string {
		if e == "%" || len(e) == 3 && e[0] == '%' {
			if plain, err := url.PathUnescape(e); err == nil && unreserved.MatchString(plain) {
				return plain
			}
			return strings.ToUpper(e)
		}
		text := ""
		for _, b := range []byte(e) {
			text += fmt.Sprintf("%%%02X", b)
		}
		return text
	})
}

var unreserved = regexp.MustCompile(`^[A-Za-z0-9._~-]$`)
