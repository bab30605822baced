package fetch

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"unicode"

	"golang.org/x/net/idna"
)

// maxAddress is how long an address may be, in bytes.
const maxAddress = 2048

// parse reads an address and refuses what is none of the public web by its text alone:
// other schemes and ports, user info, control characters, hosts that are numbers,
// local names or forbidden addresses. The host comes back as DNS knows it: lower case,
// punycode, without a dot at its end.
func (f *Fetcher) parse(address string) (*url.URL, error) {
	u, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	if f.allow.target(net.JoinHostPort(u.Hostname(), port(u))) != "" {
		return u, nil
	}
	if p := port(u); p != "80" && p != "443" {
		return nil, fmt.Errorf("%w: port %s", ErrForbiddenAddress, p)
	}
	return u, checkHost(u.Hostname())
}

// parseURL reads an address and brings its host into the form that DNS knows.
func parseURL(address string) (*url.URL, error) {
	if len(address) > maxAddress || strings.ContainsFunc(address, unprintable) {
		return nil, fmt.Errorf("%w: it is longer than %d bytes, or holds a character that no address has", ErrForbiddenAddress, maxAddress)
	}
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return nil, ErrForbiddenAddress
	}
	host, err := hostname(u.Hostname())
	if err != nil {
		return nil, fmt.Errorf("%w: its host is no name", ErrForbiddenAddress)
	}
	if p := u.Port(); p != "" {
		host += ":" + p
	} else if strings.HasSuffix(u.Host, ":") {
		return nil, fmt.Errorf("%w: its port is missing", ErrForbiddenAddress)
	}
	u.Host, u.Fragment, u.RawFragment = host, "", ""
	return u, nil
}

// unprintable reports control and format characters, which hide what an address is,
// and the backslash, which browsers take for a slash.
func unprintable(r rune) bool {
	return r == '\\' || r == unicode.ReplacementChar || unicode.In(r, unicode.Cc, unicode.Cf)
}

// hostname is the host as DNS knows it, and brackets around what is IPv6.
func hostname(host string) (string, error) {
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() {
		return "[" + ip.String() + "]", nil
	}
	ascii, err := idna.Lookup.ToASCII(host)
	return strings.TrimSuffix(ascii, "."), err
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// numeric is the last label of a host that programs read as an IPv4 address, in
// whatever notation: 2130706433, 0x7f.1, 0177.0.0.1.
var numeric = regexp.MustCompile(`^(?:[0-9]+|0x[0-9a-f]*)$`)

// local are the ends of names that are no public ones.
var local = []string{".localhost", ".local", ".internal", ".intranet", ".lan", ".home.arpa", ".onion"}

// checkHost refuses hosts of which the text says that they are not public.
func checkHost(host string) error {
	if ip, err := netip.ParseAddr(host); err == nil {
		return checkIP(ip)
	}
	if last := host[strings.LastIndex(host, ".")+1:]; last == host || numeric.MatchString(last) {
		return fmt.Errorf("%w: its host is a number or a local name", ErrForbiddenAddress)
	}
	for _, end := range local {
		if strings.HasSuffix(host, end) {
			return fmt.Errorf("%w: its host is a local name", ErrForbiddenAddress)
		}
	}
	return nil
}

// Networks that IsGlobalUnicast and IsPrivate know nothing of.
// https://www.iana.org/assignments/iana-ipv4-special-registry
// https://www.iana.org/assignments/iana-ipv6-special-registry
var special = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"168.63.129.16/32", // Azure's own, of its machines
	"2001::/23", "2001:db8::/32", "3fff::/20")

var (
	public6 = netip.MustParsePrefix("2000::/3")
	sixTo4  = netip.MustParsePrefix("2002::/16")
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
)

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, t := range texts {
		all = append(all, netip.MustParsePrefix(t))
	}
	return all
}

// checkIP refuses every address that is not one of the public internet, and IPv6 ones
// that hold such an IPv4 address.
func checkIP(ip netip.Addr) error {
	ip = ip.Unmap()
	if bytes := ip.As16(); sixTo4.Contains(ip) {
		return checkIP(netip.AddrFrom4([4]byte(bytes[2:6])))
	} else if nat64.Contains(ip) {
		return checkIP(netip.AddrFrom4([4]byte(bytes[12:])))
	}
	refused := ip.Zone() != "" || !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Is6() && !public6.Contains(ip)
	for _, p := range special {
		refused = refused || p.Contains(ip)
	}
	if refused {
		return fmt.Errorf("%w: its host is private, local or reserved", ErrForbiddenAddress)
	}
	return nil
}

// dial connects to a host. What its name resolves to is judged at each connection, so
// that no answer of DNS can change between the judgement and the use.
func (f *Fetcher) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Resolver: f.config.Resolver, Control: checkDialed}
	if target := f.allow.target(address); target != "" {
		address, dialer.Control = target, nil
	}
	return dialer.DialContext(ctx, network, address)
}

// checkDialed is asked by the dialer with each resolved address, before it connects.
func checkDialed(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || at.Port() != 80 && at.Port() != 443 {
		return fmt.Errorf("%w: its port", ErrForbiddenAddress)
	}
	return checkIP(at.Addr())
}
