package fetch

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// allowed are the servers of tests that FETCH_ALLOW admits: where to dial for a
// host:port, a host of port 80 and 443, or "*", which is any other name with a dot.
//
//	127.0.0.1:4321                      that port of that host may be asked
//	stat.gov.example=127.0.0.1:4321     the host is played by a server there
//	*=127.0.0.1:4321                    so are all names that no other entry has
//
// Entries are divided by commas. A "*" takes no addresses: http://169.254.169.254/ and
// http://localhost/ stay forbidden, so that a test meets the same rules as the web.
type allowed map[string]string

func parseAllow(text string) (allowed, error) {
	all := allowed{}
	for entry := range strings.SplitSeq(text, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
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

// target is where to dial for address, a host:port, if it is admitted.
func (a allowed) target(address string) string {
	if to := a[address]; to != "" || len(a) == 0 {
		return to
	}
	host, port, _ := net.SplitHostPort(address)
	if port != "80" && port != "443" {
		return ""
	}
	if to := a[host]; to != "" {
		return to
	}
	if _, err := netip.ParseAddr(host); err == nil || checkHost(host) != nil {
		return ""
	}
	return a["*"]
}
