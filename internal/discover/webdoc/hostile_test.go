package webdoc_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/discover/fetch"
	"example.com/whatis/internal/discover/webdoc"
)

// hostilePages are made to cost much more than their size.
var hostilePages = map[string]string{
	"selectors over selectors": "<style>:has(.a *) b ~ b ~ b{display:none}</style>" + strings.Repeat("<b></b>", 1000),
	"selectors with children":  "<style>" + strings.Repeat("b>b,b.a.a.a.a.a.a>b.a.a.a.a{display:none}", 1000) + "</style>" + strings.Repeat("<b class='a a a a a a a'></b>", 30_000),
	"one wide row of many":     "<table><tr>" + strings.Repeat("<td>x", 300) + strings.Repeat("<tr><td>y", 190_000),
	"empty rows":               "<table><tr>" + strings.Repeat("<td>x", 300) + strings.Repeat("<tr>", 400_000),
	"tables in tables":         strings.Repeat("<table><tr><td>", 300) + strings.Repeat("<tr><td>x", 100_000),
	"the same links":           links(1999) + strings.Repeat("<a href=/data/a-rather-long-address/1998>", 40_000),
	"misnested formatting":     strings.Repeat("<a><b><i><p>", 20_000),
	"links in tables":          strings.Repeat("<table><a>", 20_000),
	"options":                  strings.Repeat("<select><option>", 100_000),
	"deep fonts":               strings.Repeat("<font color=red>", 100_000),
	"attributes":               "<p " + strings.Repeat("a ", 500_000) + ">",
	"entities":                 strings.Repeat("&amp", 500_000),
	"comments in style":        "<style>" + strings.Repeat("/*", 500_000) + "</style>",
	"blocks in style":          "<style>" + strings.Repeat("@media{", 200_000) + "</style>",
	"classes":                  "<style>.a{display:none}</style>" + strings.Repeat("<p class='"+strings.Repeat("b ", 1000)+"'>x", 900),
}

func links(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<a href=/data/a-rather-long-address/%04d>", i)
	}
	return b.String()
}

// Each page takes at most some hundred milliseconds alone; the bound leaves time for a busy
// machine, and is far below what their unbounded reading takes.
func TestHostilePagesTakeLittleTime(t *testing.T) {
	for name, body := range hostilePages {
		begin, done := time.Now(), make(chan struct{})
		go func() {
			defer close(done)
			_, _ = webdoc.Read(fetch.Page{URL: "http://example.org/", ContentType: fetch.HTML, Body: []byte(body)}) // some are refused
		}()
		select {
		case <-done:
			t.Logf("%s: %d bytes in %v", name, len(body), time.Since(begin).Round(time.Millisecond))
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: %d bytes are not read after 10 s", name, len(body))
		}
	}
}
