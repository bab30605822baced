package webdoc

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/fetch"
)

const (
	// fuzzedSize is the largest document that is fuzzed, so that its time says something.
	fuzzedSize = 64 << 10
	// fuzzedTime is the time that a document of fuzzedSize may take to be read, on a busy
	// machine.
	fuzzedTime = 4 * time.Second
)

// readFuzzed reads a document in this process, and checks what holds for any document: it is
// read or unreadable, in time, and the result stays within the limits and is always the same.
func readFuzzed(t *testing.T, p fetch.Page) (Document, bool) {
	t.Helper()
	if len(p.Body) > fuzzedSize {
		t.Skip()
	}
	p.URL = "http://example.org/a/b?c"
	begin := time.Now()
	d, err := read(p)
	if took := time.Since(begin); took > fuzzedTime {
		t.Errorf("%d bytes of %s take %v", len(p.Body), p.ContentType, took)
	}
	if err != nil {
		if !errors.Is(err, ErrUnreadable) {
			t.Errorf("read = %v, want ErrUnreadable", err)
		}
		return d, false
	}
	if len(d.Links) > maxLinks || len(d.Parts) > maxCells || len(d.Markdown) > 2*maxChars {
		t.Errorf("%d links, %d parts, %d bytes of Markdown", len(d.Links), len(d.Parts), len(d.Markdown))
	}
	seen := map[string]bool{}
	for _, l := range d.Links {
		if again, err := fetch.Canonical(l.URL); err != nil || again != l.URL || seen[l.URL] {
			t.Errorf("the link %q is %q, %v; want each once, in canonical form", l.URL, again, err)
		}
		seen[l.URL] = true
	}
	if again, err := read(p); err != nil || !reflect.DeepEqual(d, again) {
		t.Errorf("read again: another document, or %v", err)
	}
	return d, true
}

// Text that the page hides is never read, whatever follows it.
func FuzzHTML(f *testing.F) {
	for _, seed := range []string{
		`<!doctype html><html lang="es-AR"><head><title>Inventario</title><base href="/datos/"><style>.x, #y{display:none} p{color:#fff}</style></head><body><nav><a href="/">Inicio</a></nav><h1>Emisiones</h1><p>En 2020: <b>17,5</b> kt.</p><p class=x>oculto</p><table><tr><th>Año<th>kt<tr><td colspan=2>2020</table><a href="e.csv">CSV</a></body></html>`,
		`<?xml version="1.0" encoding="ISO-8859-2"?><html><body style="background:#000"><p style="color:rgb(0,0,0)">a<p style="font-size:0">b<p aria-hidden=true>c</html>`,
		`<meta charset="euc-kr"><p>` + "\xbf\xc2\xbd\xc7\xb0\xa1\xbd\xba",
		`<style>:has(.a *) b ~ b ~ b{display:none}</style><b></b><ul><li>1<ul><li>2</ul></ul><blockquote>q</blockquote><pre>code
  here</pre><img alt=x src=y><iframe src=//example.org/z></iframe>`,
		`<a><b><i><p>x</a><table><a><tr><select><option>y<svg><title>z</svg><template><p>t</template><math><mi>m`,
		strings.Repeat("<blockquote><ul><li>", 12) + "deep",
		"<frameset><frame src=a></frameset><noframes><p>n</noframes><plaintext></p>",
	} {
		f.Add("", []byte(seed))
	}
	f.Add("euc-kr", []byte("<p>\xbf\xc2\xbd\xc7\xb0\xa1\xbd\xba"))
	f.Fuzz(func(t *testing.T, charset string, body []byte) {
		const unseen = "zqxhiddenzqx"
		whole := append([]byte("<!doctype html><body><p hidden>"+unseen+"</p>"), body...)
		d, ok := readFuzzed(t, fetch.Page{ContentType: fetch.HTML, Charset: charset, Body: whole})
		if ok && strings.Contains(d.Markdown, unseen) && !strings.Contains(string(body), unseen) {
			t.Errorf("hidden text is read of %q: %q", body, d.Markdown)
		}
		if !utf8.ValidString(d.Markdown) || !utf8.ValidString(d.Title) {
			t.Errorf("no UTF-8: %q, %q", d.Title, d.Markdown)
		}
	})
}

// Each cell of a table stands in the text that the model reads.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"year,kt\n2019,17.4\n2020,17.5\n", "año;kt\n2020;17,5\n", "a\tb\n\"x\ny\"\tz\n", "a|b|c\n|\"|\"|\n", "\ufeffa,b\r\n1,2\r\n", "\"", ",,,\n,", "a,\"b\n",
	} {
		f.Add("", []byte(seed))
	}
	f.Add("euc-kr", []byte("\xbf\xc2,1\n"))
	f.Add("utf-16le", []byte("a\x00,\x00b\x00"))
	f.Fuzz(func(t *testing.T, charset string, body []byte) {
		d, ok := readFuzzed(t, fetch.Page{ContentType: fetch.CSV, Charset: charset, Body: body})
		if !ok {
			t.Errorf("%q is no table", body)
		}
		for _, p := range d.Parts {
			if !strings.Contains(d.Markdown, strings.ReplaceAll(p.Text, "|", `\|`)) {
				t.Errorf("cell %s, %q, is not in the text %q", p.Where, p.Text, d.Markdown)
			}
		}
	})
}

// Text, JSON and XML are read as they are, with the links of sitemaps and robots.txt.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		`<?xml version="1.0"?><urlset><url><loc> https://example.org/a?b=1&amp;c=2 </loc></url><url><loc><![CDATA[http://example.org/d]]></loc></url></urlset>`,
		"User-agent: *\nDisallow: /x\nSitemap: https://example.org/sitemap.xml\n", `{"a": 1}`, "A\x00\xf1\x00", "\xef\xbb\xbfA\xc3\xb1o", "a\x1b$B", "<?xml encoding=\"ISO-8859-2\"?>\xda",
	} {
		f.Add("", []byte(seed))
	}
	f.Add("utf-16be", []byte("\x00A"))
	f.Fuzz(func(t *testing.T, charset string, body []byte) {
		d, ok := readFuzzed(t, fetch.Page{ContentType: fetch.XML, Charset: charset, Body: body})
		if text := strings.TrimPrefix(string(body), "\ufeff"); ok && charset == "" && utf8.Valid(body) && !strings.ContainsAny(text, "\x00\x1b") && d.Markdown != text {
			t.Errorf("%q is read as %q", body, d.Markdown)
		}
		if !ok || !utf8.ValidString(d.Markdown) {
			t.Errorf("%q is read as %q", body, d.Markdown)
		}
	})
}

func FuzzPDF(f *testing.F) {
	f.Add(site.PDF("BT /F1 12 Tf 72 720 Td (Emissions of waste) Tj T* [(19) -20 (90 to) -300 (2020)] TJ ET", false))
	f.Add(site.PDF("BT /F1 12 Tf (x) ' 1 2 (y) \" Td TD Tm ET", true))
	for _, h := range site.Hostile(fetch.PDF) {
		if len(h.Body) < 2<<10 { // larger ones unpack to much, which takes seconds
			f.Add(h.Body)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		d, _ := readFuzzed(t, fetch.Page{ContentType: fetch.PDF, Body: body})
		if len(d.Parts) > maxPages {
			t.Errorf("%d pages", len(d.Parts))
		}
	})
}

// The parts of a workbook are compressed, so that its sheet and its strings are fuzzed as they
// are; FuzzArchive has the file around them.
func FuzzXLSX(f *testing.F) {
	const sheet, shared = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
	f.Add(`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>kt</t></is></c></row><row r="2"><c r="A2"><v>2020</v></c><c r="B2" s="1"><f>A2*2</f><v>4040</v></c></row></sheetData></worksheet>`,
		`<sst count="1" uniqueCount="1"><si><t>year</t></si></sst>`)
	f.Add(`<worksheet><sheetData><row r="7"><c r="AD7"><v>1</v></c></row></sheetData></worksheet>`, "")
	f.Add(`<worksheet><sheetData><row r="90"/><row r="1"/><row><c r="A0" t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="d"><v>2020-01-01</v></c></row></sheetData></worksheet>`, "<sst><si><r><t>a</t></r><r><t>b</t></r></si></sst>")
	f.Fuzz(func(t *testing.T, rows, strings string) {
		if len(rows)+len(strings) > fuzzedSize/2 {
			t.Skip()
		}
		files := map[string]string{sheet: rows}
		if strings != "" {
			files[shared] = strings
		}
		readFuzzed(t, fetch.Page{ContentType: fetch.XLSX, Body: site.Workbook(files)})
	})
}

// FuzzArchive reads damaged archives.
func FuzzArchive(f *testing.F) {
	good := site.Workbook(nil)
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte("PK\x03\x04"))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, body []byte) {
		readFuzzed(t, fetch.Page{ContentType: fetch.XLSX, Body: body})
	})
}
