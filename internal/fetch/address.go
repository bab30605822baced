package fetch

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// maxAddress is the longest address, in bytes.
const maxAddress = 2048

var errLongAddress = fmt.Errorf("%w: it is longer than %d bytes", ErrForbiddenAddress, maxAddress)

// parse parses an address and refuses those that cannot be on the public web: other schemes
// and ports, user info, control characters, hosts that are numbers, local names and
// forbidden IP addresses.
func (f *Fetcher) parse(address string) (*url.URL, error) {
	u, err := parseURL(address)
	if err != nil || f.allow.target(net.JoinHostPort(u.Hostname(), port(u))) != "" {
		return u, err
	}
	if p := port(u); p != "80" && p != "443" {
		return nil, fmt.Errorf("%w: port %s", ErrForbiddenAddress, p)
	}
	return u, checkHost(u.Hostname())
}

// parseURL parses an address. The host is converted to lower case and punycode, without a
// final dot.
func parseURL(address string) (*url.URL, error) {
	if len(address) > maxAddress {
		return nil, errLongAddress
	}
	if strings.ContainsFunc(address, unprintable) {
		return nil, fmt.Errorf("%w: it holds a character that no address has", ErrForbiddenAddress)
	}
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || strings.HasSuffix(u.Host, ":") {
		return nil, ErrForbiddenAddress
	}
	host, err := idna.Lookup.ToASCII(u.Hostname())
	if ip, notIP := netip.ParseAddr(u.Hostname()); notIP == nil && ip.Is6() {
		host, err = "["+ip.String()+"]", nil
	}
	if host = strings.TrimSuffix(host, "."); err != nil || strings.ContainsFunc(u.Hostname(), unprintable) || slices.Contains(strings.Split(host, "."), "") {
		return nil, fmt.Errorf("%w: its host is no name", ErrForbiddenAddress)
	}
	if u.Port() != "" {
		host += ":" + u.Port()
	}
	u.Host, u.Fragment, u.RawFragment = host, "", ""
	return u, nil
}

// unprintable reports whether r is a control or format character, which can disguise an
// address, or the backslash, which browsers treat as a slash.
func unprintable(r rune) bool {
	return r == '\\' || r == unicode.ReplacementChar || unicode.In(r, unicode.Cc, unicode.Cf)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

var (
	// number matches the end of a host that programs parse as an IPv4 address: 2130706433,
	// 0x7f.1, 0177.1.
	number = regexp.MustCompile(`(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$`)
	// local matches names that are not public.
	local = regexp.MustCompile(`^[^.]*$|\.(?:localhost|local|internal|intranet|lan|home\.arpa|onion)$`)
)

// checkHost refuses hosts whose text shows that they are not public.
func checkHost(host string) error {
	if ip, err := netip.ParseAddr(host); err == nil {
		return checkIP(ip)
	}
	if number.MatchString(host) || local.MatchString(host) {
		return fmt.Errorf("%w: its host is a number or a local name", ErrForbiddenAddress)
	}
	return nil
}

// special are networks that IsGlobalUnicast and IsPrivate do not cover.
// https://www.iana.org/assignments/iana-ipv4-special-registry
// https://www.iana.org/assignments/iana-ipv6-special-registry
var special = strings.Fields(`0.0.0.0/8 100.64.0.0/10 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24
	203.0.113.0/24 240.0.0.0/4 2001::/23 2001:db8::/32 3fff::/20
	168.63.129.16/32`) // the last is Azure's host service

var (
	public6 = netip.MustParsePrefix("2000::/3")
	sixTo4  = netip.MustParsePrefix("2002::/16")
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
)

// checkIP refuses every address outside the public internet, and IPv6 addresses that embed
// such an IPv4 address.
func checkIP(ip netip.Addr) error {
	ip = ip.Unmap()
	if bytes := ip.As16(); sixTo4.Contains(ip) {
		return checkIP(netip.AddrFrom4([4]byte(bytes[2:6])))
	} else if nat64.Contains(ip) {
		return checkIP(netip.AddrFrom4([4]byte(bytes[12:])))
	}
	refused := ip.Zone() != "" || !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Is6() && !public6.Contains(ip)
	for _, network := range special {
		refused = refused || netip.MustParsePrefix(network).Contains(ip)
	}
	if refused {
		return fmt.Errorf("%w: its host is private, local or reserved", ErrForbiddenAddress)
	}
	return nil
}

// dial connects to a host. The resolved addresses are checked at each connection, so that
// DNS answers cannot change between check and use.
func (f *Fetcher) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Resolver: f.config.Resolver, Control: checkDialed}
	if target := f.allow.target(address); target != "" {
		address, dialer.Control = target, nil
	}
	return dialer.DialContext(ctx, network, address)
}

// checkDialed is called by the dialer with each resolved address before it connects.
func checkDialed(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || at.Port() != 80 && at.Port() != 443 {
		return fmt.Errorf("%w: its port", ErrForbiddenAddress)
	}
	return checkIP(at.Addr())
}

// allowed maps test servers that FETCH_ALLOW admits to where to dial for them: a host:port,
// a host for ports 80 and 443, or "*" for any other public name.
type allowed map[string]string

// parseAllow reads FETCH_ALLOW, whose entries are separated by commas:
//
//	127.0.0.1:4321                      that port of that host is allowed
//	stat.gov.example=127.0.0.1:4321     requests for the host go to that server
//	*=127.0.0.1:4321                    and so do those for all other names
//
// http://169.254.169.254/ and http://localhost/ are not public names and remain forbidden,
// so that tests run under the same rules.
func parseAllow(text string) (allowed, error) {
	all := allowed{}
	for entry := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		host, target, mapped := strings.Cut(entry, "=")
		if !mapped {
			target = host
		}
		if name, port, err := net.SplitHostPort(target); err != nil || name == "" || port == "" || host == "" {
			return nil, fmt.Errorf("fetch: FETCH_ALLOW has %q: use host:port or name=host:port, divided by commas", entry)
		}
		all[strings.ToLower(host)] = target
	}
	return all, nil
}

// target returns where to dial for address, a host:port, if it is admitted.
func (a allowed) target(address string) string {
	host, port, _ := net.SplitHostPort(address)
	if to := a[address]; to != "" || port != "80" && port != "443" {
		return to
	}
	if _, err := netip.ParseAddr(host); a[host] != "" || err == nil || checkHost(host) != nil {
		return a[host]
	}
	return a["*"]
}

// Canonical returns the canonical form of an address: scheme and host in lower case, the
// host in punycode without a dot at its end, no default port, no fragment, a path without
// dot segments and session, escapes in one notation, a query without tracking parameters
// and sorted by name (values of one name stay in their order).
//
// Addresses that a server may answer differently stay distinct: http and https, with www.
// and without, with a slash at the end and without, letters of a path in another case. It
// does not check the host; Get does.
func Canonical(address string) (string, error) {
	u, err := parseURL(address)
	if err != nil {
		return "", err
	}
	text := canonical(u)
	if len(text) > maxAddress { // by what had to be escaped
		return "", errLongAddress
	}
	return text, nil
}

// Site returns the registered domain of an address: that of https://www.data.stat.gov.xx/
// is stat.gov.xx. "The same site" and rules about publishers compare it. A host that is an
// IP address or a public suffix is its own site.
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
	// session matches session IDs that some servers write into paths.
	session = regexp.MustCompile(`(?i);(?:jsessionid|phpsessid|sid)=[^/;]*`)
	// tracking matches parameters that say where a reader came from, and nothing about the
	// page.
	tracking = regexp.MustCompile(`(?i)^(?:utm_.*|[gdy]clid|fbclid|msclkid|igshid|mc_[ce]id|_g[al]|_hs(?:enc|mi)|phpsessid|jsessionid)(?:=|$)`)
	// escaped matches an escape, or a byte that must be escaped.
	escaped = regexp.MustCompile(`%[0-9A-Fa-f]{2}|[^!#-;=?-Z_a-z~\[\]]`)
	plain   = regexp.MustCompile(`^[A-Za-z0-9._~-]$`)
)

// canonical returns the canonical form of a parsed address.
func canonical(u *url.URL) string {
	root := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}
	if u.Port() == port(&url.URL{Scheme: u.Scheme}) {
		root.Host = strings.TrimSuffix(u.Host, ":"+u.Port())
	}
	given := escapes(u.EscapedPath()) // %2E is a dot
	plain, _ := url.PathUnescape(given)
	path := root.ResolveReference(&url.URL{Path: cmp.Or(plain, "/"), RawPath: given}).EscapedPath()
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

// escapes decodes escapes of letters, digits and -._~, writes all others in capitals, and
// escapes every byte that must be.
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
