package fetch_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/usererror"
)

const agent = "whatis/test (+https://whatis.example/about)"

// hostile are addresses that must not be requested: PORT is that of a local server.
var hostile = []string{
	"", " ", "example.org", "//example.org/", "/etc/passwd", "http://", "http:///path", "http:example.org",
	"file:///etc/passwd", "ftp://example.org/", "gopher://example.org:70/_", "javascript:alert(1)", "data:text/html,hello",
	"http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://127.0.0.1/", "http://localhost/", "https://localhost./",
	"http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://017700000001/",
	"http://127.0.0.1./", "http://127.0.0.1../", "http://localhost../", "http://example..org/", "http://.example.org/", "http://0/", "http://0.0.0.0/", "http://1２7.0.0.1/", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/",
	"http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[0:0:0:0:0:ffff:10.0.0.1]/",
	"http://[64:ff9b::7f00:1]/", "http://[64:ff9b::169.254.169.254]/", "http://[2002:7f00:1::]/", "http://[2002:a9fe:a9fe::1]/",
	"http://[fe80::1]/", "http://[fe80::1%25eth0]/", "http://[fc00::1]/", "http://[fd00:ec2::254]/", "http://[ff02::1]/",
	"http://[2001:db8::1]/", "http://[2001::1]/", "http://[::127.0.0.1]/", "http://[::ffff:0:127.0.0.1]/",
	"http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.1.1/", "http://100.64.0.1/", "http://100.100.100.200/",
	"http://169.254.169.254/latest/meta-data/", "http://169.254.169.254.:80/", "http://metadata.google.internal/computeMetadata/v1/",
	"http://metadata/", "http://168.63.129.16/", "http://192.0.0.192/", "http://224.0.0.1/", "http://255.255.255.255/", "http://240.0.0.1/",
	"http://198.18.0.1/", "http://203.0.113.7/", "http://printer.local/", "http://wiki.lan/",
	"http://example.org:22/", "http://example.org:8080/", "https://example.org:6379/", "http://example.org:/", "http://example.org:99999/",
	"http://user@example.org/", "http://user:secret@example.org/", "http://example.org@127.0.0.1/", "http://example.org\\@127.0.0.1/",
	"http://exa mple.org/", "http://example.org/\r\nX-Injected: 1", "http://example.org/a\tb", "http://example.org/\u202egpj.exe", "http://exam\u200bple.org/\u200b",
	"http://example.org/" + strings.Repeat("a", 3000), "http://xn--/", "http://-.example.org-/", "http://[::1/", "http://%31%32%37.0.0.1/",
}

// Hostile addresses are not requested: nothing reaches the local server, and no name is
// resolved.
func TestHostileAddresses(t *testing.T) {
	var asked, looked atomic.Int32
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ConnState = func(net.Conn, http.ConnState) { asked.Add(1) }
	server.Start()
	t.Cleanup(server.Close)
	dns := startDNS(t, func() netip.Addr { looked.Add(1); return netip.MustParseAddr("127.0.0.1") })
	f := newFetcher(t, fetch.Config{Resolver: dns})
	for _, address := range hostile {
		address = strings.ReplaceAll(address, "PORT", server.URL[strings.LastIndex(server.URL, ":")+1:])
		page, err := f.Get(t.Context(), address)
		if !errors.Is(err, fetch.ErrForbiddenAddress) || page.Status != 0 {
			t.Errorf("Get(%q) = status %d, %v; want ErrForbiddenAddress", address, page.Status, err)
		}
		if text, ok := usererror.Message(err); !ok || !strings.Contains(text, "use an http or https address") {
			t.Errorf("Get(%q): the message for callers is %q", address, text)
		}
	}
	if asked.Load() != 0 || looked.Load() != 0 {
		t.Errorf("the server was reached %d times and DNS %d times; want neither", asked.Load(), looked.Load())
	}
}

// A name that resolves to a private address is refused when dialled, even if it resolved to
// a public one before: DNS answers are not remembered.
func TestRebinding(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:80")
	if err != nil {
		t.Skipf("port 80 cannot be listened on here: %v", err)
	}
	var reached atomic.Int32
	server := &http.Server{ConnState: func(net.Conn, http.ConnState) { reached.Add(1) }}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	var private atomic.Bool
	dns := startDNS(t, func() netip.Addr {
		if private.Load() {
			return netip.MustParseAddr("127.0.0.1")
		}
		return netip.MustParseAddr("3ffe::1") // syntactically public, but a returned network: it leads nowhere
	})
	f := newFetcher(t, fetch.Config{Resolver: dns, Timeout: 2 * time.Second})
	if _, err := f.Get(t.Context(), "http://rebind.example.org/"); err == nil || errors.Is(err, fetch.ErrForbiddenAddress) {
		t.Errorf("Get of the public address = %v, want that it was dialled in vain", err)
	}
	private.Store(true)
	for range 3 {
		if _, err := f.Get(t.Context(), "http://rebind.example.org/"); !errors.Is(err, fetch.ErrForbiddenAddress) {
			t.Errorf("Get = %v, want ErrForbiddenAddress", err)
		}
	}
	if reached.Load() != 0 {
		t.Errorf("127.0.0.1:80 was reached %d times", reached.Load())
	}
}

// A public page may redirect; the target is checked like any address.
func TestRedirects(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := map[string]string{
			"/metadata": "http://169.254.169.254/latest/meta-data/", "/chain": "/metadata", "/file": "file:///etc/passwd",
			"/user": "http://a:b@example.org/", "/loop": "/loop", "/port": "http://127.0.0.1:1/", "/ipv6": "http://[::ffff:a9fe:a9fe]/",
			"/fine": "/one", "/one": "/two", "/two": "/page", "/odd": "//[", "/local": "http://localhost/",
		}[r.URL.Path]
		if to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte("here"))
	}))
	t.Cleanup(server.Close)
	f := newFetcher(t, fetch.Config{Allow: strings.TrimPrefix(server.URL, "http://")})
	for path, want := range map[string]error{
		"/metadata": fetch.ErrForbiddenAddress, "/chain": fetch.ErrForbiddenAddress, "/file": fetch.ErrForbiddenAddress,
		"/user": fetch.ErrForbiddenAddress, "/loop": fetch.ErrRedirects, "/port": fetch.ErrForbiddenAddress,
		"/ipv6": fetch.ErrForbiddenAddress, "/odd": fetch.ErrForbiddenAddress, "/local": fetch.ErrForbiddenAddress, "/fine": nil,
	} {
		page, err := f.Get(t.Context(), server.URL+path)
		if !errors.Is(err, want) {
			t.Errorf("Get(%s) = %v, want %v", path, err, want)
		}
		if path == "/fine" && (page.URL != server.URL+"/page" || len(page.Redirects) != 3 || string(page.Body) != "here") {
			t.Errorf("Get(%s) = %+v", path, page)
		}
	}
}

func newFetcher(t *testing.T, c fetch.Config) *fetch.Fetcher {
	t.Helper()
	c.Agent = agent
	if c.Delay == 0 {
		c.Delay = time.Nanosecond
	}
	f, err := fetch.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// startDNS returns a resolver that uses a local DNS server, which answers every name.
func startDNS(t *testing.T, answer func() netip.Addr) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
			head := dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Class: m.Questions[0].Class}
			switch ip := answer(); {
			case m.Questions[0].Type == dnsmessage.TypeA && ip.Is4():
				m.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AResource{A: ip.As4()}}}
			case m.Questions[0].Type == dnsmessage.TypeAAAA && ip.Is6():
				m.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}}}
			}
			if packed, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}
