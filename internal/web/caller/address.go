package caller

import (
	"net/http"
	"net/netip"
	"strings"
)

// addressOf returns the address of a request's client. Behind Google's front end that is
// the last entry of X-Forwarded-For: the front end writes it, after whatever the client
// sent of its own. A balancer before it appends the client's address and then its own
// (cloud.google.com/load-balancing/docs/https#x-forwarded-for_header), so that as many
// entries at the end as there are proxies belong to them. Elsewhere anybody may have written
// the header, and the connection counts.
func addressOf(r *http.Request, frontEnd bool, proxies int) string {
	if frontEnd {
		entries := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		if client := len(entries) - 1 - proxies; client >= 0 {
			if address, err := netip.ParseAddr(strings.TrimSpace(entries[client])); err == nil {
				return network(address)
			}
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
