package page_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"example.com/whatis/internal/api"
)

// The page comes in the language that was chosen, else in that of the browser, with its
// words in it.
func TestWordsInThePage(t *testing.T) {
	titles := map[string]string{"en": "What is the product in this photo?", "ko": "이 사진의 제품은 무엇일까요?", "vi": "Sản phẩm trong ảnh này là gì?"}
	for _, test := range []struct{ accept, cookie, want string }{
		{"", "", "en"}, {"ko-KR,ko;q=0.9,en;q=0.8", "", "ko"}, {"fr,vi;q=0.5", "", "vi"}, {"de", "", "en"}, {"ko", "vi", "vi"}, {"ko", "xx", "ko"}, {";;q=x", "", "en"},
	} {
		resp := request(t, "GET", "/", "", "Accept-Language", test.accept, "Cookie", "whatis.lang="+test.cookie)
		body := text(t, resp)
		if !strings.Contains(body, `lang="`+test.want+`"`) || !strings.Contains(body, titles[test.want]+"</h1>") || !strings.Contains(body, "<kbd>Ctrl V</kbd>") {
			t.Errorf("for %q and the choice %q the page is %.300s; want it in %s", test.accept, test.cookie, body, test.want)
		}
		if vary := strings.Join(resp.Header.Values("Vary"), ", "); !strings.Contains(vary, "Accept-Language") || !strings.Contains(vary, "Cookie") {
			t.Errorf("Vary is %q, want Accept-Language and Cookie", vary)
		}
	}
}

// What the page names is there, and is kept for good; a name of an earlier version is
// answered too, but not kept.
func TestKeptForGood(t *testing.T) {
	named := regexp.MustCompile(`(?:href|src)="(/page/[^"]+)"`).FindAllStringSubmatch(text(t, request(t, "GET", "/", "")), -1)
	if len(named) < 20 {
		t.Fatalf("the page names %d files, want more", len(named))
	}
	for _, m := range named {
		resp := request(t, "GET", m[1], "")
		if got := resp.Header.Get("Cache-Control"); resp.StatusCode != http.StatusOK || got != "public, max-age=31536000, immutable" {
			t.Errorf("GET %s = %s, Cache-Control %q; want it kept for good", m[1], resp.Status, got)
		}
	}
	if resp := request(t, "GET", "/page/0123456789abcdef/app.js", ""); resp.StatusCode != http.StatusOK || resp.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("of another version: %s, %q", resp.Status, resp.Header.Get("Cache-Control"))
	}
}

// The limits of a bad line: what a visitor waits for the first words, in milliseconds, and
// what the page needs until photos can be sent, in bytes as they are sent.
const (
	firstWords = 1500
	usable     = 60_000
)

// A lineSpeed is what the browser is limited to: milliseconds, and bytes a second.
type lineSpeed struct {
	Offline  bool    `json:"offline"`
	Latency  float64 `json:"latency"`
	Download float64 `json:"downloadThroughput"`
	Upload   float64 `json:"uploadThroughput"`
}

// emulateLine is the command that browsers of any age know; cdproto has its successor.
var emulateLine = cdp.Command[lineSpeed, cdp.Empty]{Method: "Network.emulateNetworkConditions"}

// limit limits the line until it is called again, or the test ends.
func (b *tab) limit(s lineSpeed) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		b.Fatal(err)
	}
	if _, err := chromedp.Call(b.ctx, emulateLine, s); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_, _ = chromedp.Call(b.ctx, emulateLine, lineSpeed{Download: -1, Upload: -1})
		b.do(unreported)
	})
}

// At 400 kbit/s with a latency of 400 ms the first words are there within 1.5 s, as the line goes:
// the page and its style sheets one after the other. What the browser measured is printed, as a
// machine that is busy adds to it. The page is usable with 60 kB.
func TestBadLine(t *testing.T) {
	t.Parallel()
	w := serve(t, false, (*whatis).samplesIn, func(w *whatis, _ *testing.T, _ *api.Config) { w.line.unknown = true }) // outlives the tab, which asks it for pictures until the end
	b := open(t, serve(t, false).url)
	b.do(chromedp.Navigate("about:blank"))
	const latency, perMillisecond = 400, 50 // bytes
	b.limit(lineSpeed{Latency: latency, Download: 1000 * perMillisecond, Upload: 1000 * perMillisecond})
	b.do(chromedp.Navigate(w.url)) // another address, of which nothing is cached
	b.until(listening)
	const entries = `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]`
	sent := eval[int](b, entries+`.filter((e) => !e.name.includes("/samples")).reduce((sum, e) => sum + e.transferSize, 0)`)
	before := eval[int](b, entries+`.filter((e) => e.entryType === "navigation" || e.renderBlockingStatus === "blocking").reduce((sum, e) => sum + e.transferSize, 0)`)
	paint := eval[float64](b, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
	t.Logf("first words after %.0f ms with %d bytes, usable with %d bytes after %.0f ms", paint, before, sent, eval[float64](b, `performance.now()`))
	if byLine := 2*latency + before/perMillisecond; byLine > firstWords || before < 4000 {
		t.Errorf("the first words come with %d bytes, which take %d ms, want %d", before, byLine, firstWords)
	}
	if sent > usable {
		t.Errorf("the page is usable with %d bytes, want at most %d", sent, usable)
	}
}
