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
// Addresses that a server may answer differently stay distinct: http and https, with
// www. and without, with a slash at the end and without, letters of a path in another
// case. It judges no host: Get does.
func Canonical(address string) (string, error) {
	u, err := parseURL(address)
	if err != nil {
		return "", err
	}
	return canonical(u), nil
}

// Site is the domain that one owner has registered: https://www.data.stat.gov.xx/ is of
// the site stat.gov.xx. It is what "the same site" and rules about publishers compare. A
// host that is an IP address or a public suffix is its own site.
func Site(address string) (string, error) {
	u, err := parseURL(address)
	if err != nil {
		return "", err
	}
	if site, err := publicsuffix.EffectiveTLDPlusOne(u.Hostname()); err == nil && !number.MatchString(u.Hostname()) {
		return site, nil
	}
	return u.Hostname(), nil
}

var (
	// session is what some servers write into a path for whom they know.
	session = regexp.MustCompile(`(?i);(?:jsessionid|phpsessid|sid)=[^/;]*`)
	// tracking are parameters that say whence a reader comes, and nothing about the page.
	tracking = regexp.MustCompile(`(?i)^(?:utm_.*|[gdy]clid|fbclid|msclkid|igshid|mc_[ce]id|_g[al]|_hs(?:enc|mi)|phpsessid|jsessionid)(?:=|$)`)
	// escaped is an escape, or a byte that must be one.
	escaped = regexp.MustCompile(`%[0-9A-Fa-f]{2}|[^!#-;=?-Z_a-z~\[\]]`)
	plain   = regexp.MustCompile(`^[A-Za-z0-9._~-]$`)
)

// canonical is Canonical of an address that was read.
func canonical(u *url.URL) string {
	root := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}
	if u.Port() == port(&url.URL{Scheme: u.Scheme}) {
		root.Host = strings.TrimSuffix(u.Host, ":"+u.Port())
	}
	path := root.ResolveReference(&url.URL{Path: cmp.Or(u.Path, "/"), RawPath: u.RawPath}).EscapedPath()
	pairs := slices.DeleteFunc(strings.Split(escapes(u.RawQuery), "&"), func(pair string) bool {
		return pair == "" || tracking.MatchString(pair)
	})
	slices.SortStableFunc(pairs, func(a, b string) int {
		a, _, _ = strings.Cut(a, "=")
		b, _, _ = strings.Cut(b, "=")
		return strings.Compare(a, b)
	})
	text := root.Scheme + "://" + root.Host + escapes(session.ReplaceAllString(path, ""))
	if len(pairs) > 0 {
		text += "?" + strings.Join(pairs, "&")
	}
	return text
}

// escapes writes escapes of letters, digits and -._~ as what they stand for, all others
// with capital letters, and as an escape every byte that must be one.
func escapes(s string) string {
	return escaped.ReplaceAllStringFunc(s, func(e string) string {
		if e[0] != '%' {
			return strings.ReplaceAll(fmt.Sprintf("% X", "\x00"+e)[2:], " ", "%")
		}
		if letter, err := url.PathUnescape(e); err == nil && plain.MatchString(letter) {
			return letter
		}
		return strings.ToUpper(e)
	})
}
