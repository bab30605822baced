package web

import (
	"net"
	"net/http"
	"strings"
)

var misdirected = Code{"misdirected_request", http.StatusMisdirectedRequest, "The server is on this machine alone, and the request names another host."}

// RefuseForeignHost is for a server that listens on the loopback alone: it answers 421 to
// a request whose Host names another machine, and reports whether it did. A web page can
// make a name of its own resolve to 127.0.0.1 (DNS rebinding); without this check it
// could then read every answer as its own.
func RefuseForeignHost(w http.ResponseWriter, r *http.Request) bool {
	if IsLoopback(r.Host) {
		return false
	}
	misdirected.Problem("this server is on this machine alone and answers to localhost, not to %q", r.Host).Write(w)
	return true
}

// IsLoopback reports that host, with or without a port, is localhost, a name below it
// (RFC 6761) or a loopback address.
func IsLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}
