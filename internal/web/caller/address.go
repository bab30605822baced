package caller

import (
	"net/http"
	"net/netip"
	"strings"
)

// addressOf returns the address of a request's client. Behind Google's front end that is
// the last entry of X-Forwarded-For: the front end writes it, after whatever the client
// sent of its own. Elsewhere anybody may have written the header, and the connection counts.
func addressOf(r *http.Request, frontEnd bool) string {
	if frontEnd {
		entries := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		if address, err := netip.ParseAddr(strings.TrimSpace(entries[len(entries)-1])); err == nil {
			return network(address)
		}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	return network(peer.Addr())
}

// network returns what an address has in common with others of the same client, who gets a
// whole /64 of IPv6 addresses.
func network(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a.String()
	}
	of, err := a.Prefix(64)
	if err != nil {
		return ""
	}
	return of.String()
}
