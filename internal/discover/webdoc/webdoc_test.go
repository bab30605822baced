package webdoc_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/fetch"
)

// reader reads the pages of all tests, as a discovery does.
var reader = webdoc.NewReader(webdoc.Limits{})

func read(t *testing.T, kind string, body []byte) webdoc.Document {
	t.Helper()
	d, err := reader.Read(t.Context(), fetch.Page{URL: "http://example.org/data/page.html", ContentType: kind, Body: body})
	if err != nil {
		t.Fatalf("Read(%.60q) = %v", body, err)
	}
	return d
}

// Charsets are those of the header, of the page, or guessed, for pages as well as for tables.
func TestCharset(t *testing.T) {
	const hangul = "\xbf\xc2\xbd\xc7\xb0\xa1\xbd\xba"
	for _, p := range []fetch.Page{
		{ContentType: fetch.HTML, Charset: "euc-kr", Body: []byte("<p>" + hangul)}, {ContentType: fetch.HTML, Body: []byte(`<meta charset="euc-kr"><p>` + hangul)},
		{ContentType: fetch.CSV, Charset: "utf-8", Body: []byte(strings.Repeat(hangul+",", 20))}, {ContentType: fetch.Text, Charset: "utf-16le", Body: []byte("\x28\xc6\xe4\xc2\x00\xac\xa4\xc2")},
	} {
		if d, err := reader.Read(t.Context(), p); err != nil || !strings.Contains(d.Markdown, "온실가스") {
			t.Errorf("%s as %q: %q, %v", p.ContentType, p.Charset, d.Markdown, err)
		}
	}
}

func TestHTML(t *testing.T) {
	d := read(t, fetch.HTML, []byte(`<!doctype html><html lang="es-AR"><head><title> Emisiones
		de residuos </title><style>p{color:red}</style></head><body>
		<nav><a href="/inicio">Inicio</a></nav><div role="navigation">menu</div>
		<h1>Residuos</h1><p>Las <b>emisiones</b> de 2020.</p>
		<table><tr><th>Año</th><th>kt</th></tr><tr><td>2020</td><td>17,5</td></tr></table>
		<a href="file 1.csv?utm_source=x#a"> Descargar <i>CSV</i></a> <a href="FILE.csv">otra</a> <a href="file%201.csv">otra vez</a>
		<a href="mailto:x@y.z">correo</a><a href="javascript:alert(1)">js</a><a href="http://127.0.0.1/">local</a>
		<iframe src="//maps.example.org/tablero" title="Tablero"></iframe>
		<script>alert("no")</script><noscript>no</noscript></body></html>`))
	if d.Title != "Emisiones de residuos" || d.URL != "http://example.org/data/page.html" {
		t.Errorf("the document is %+v", d)
	}
	for _, want := range []string{"# Residuos", "Las **emisiones** de 2020.", "| Año | kt |", "| 2020 | 17,5 |"} {
		if !strings.Contains(d.Markdown, want) {
			t.Errorf("the Markdown lacks %q:\n%s", want, d.Markdown)
		}
	}
	for _, not := range []string{"Inicio", "menu", "alert(", "color:red", "no\n"} {
		if strings.Contains(d.Markdown, not) {
			t.Errorf("the Markdown has %q:\n%s", not, d.Markdown)
		}
	}
	want := [][2]string{{"http://example.org/inicio", "Inicio"}, {"http://example.org/data/file%201.csv", "Descargar CSV"},
		{"http://example.org/data/FILE.csv", "otra"}, {"http://127.0.0.1/", "local"}, {"http://maps.example.org/tablero", "Tablero"}}
	if got := textsOf(d.Links); !slices.Equal(got, want) {
		t.Errorf("the links are %q, want %q", got, want)
	}
}

// Invisible text is not read, and its links are not listed.
func TestHiddenText(t *testing.T) {
	for _, hidden := range []string{
		`<p hidden>X</p>`, `<p style="display:none">X</p>`, `<p style="DISPLAY : none !important">X</p>`, `<p aria-hidden="true">X</p>`,
		`<p style="visibility: hidden">X</p>`, `<p style="opacity:0">X</p>`, `<p style="opacity: .01">X</p>`, `<p style="font-size:0">X</p>`, `<p style="font-size:1px">X</p>`,
		`<p style="font-size:0.1px;">X</p>`, `<div style="height:0;overflow:hidden">X</div>`, `<p style="max-height:0px">X</p>`,
		`<p style="position:absolute;left:-9999px">X</p>`, `<p style="text-indent:-999em">X</p>`, `<p style="clip:rect(0,0,0,0)">X</p>`, `<p style="clip-path: inset(50%)">X</p>`,
		`<p style="transform:scale(0)">X</p>`, `<p style="color:transparent">X</p>`, `<p style="color:white">X</p>`, `<p style="color:#FFF">X</p>`, `<p style="color:rgb(255, 255, 255)">X</p>`,
		`<font color="#ffffff">X</font>`, `<div style="background:#123456"><p style="color:#123456">X</p></div>`, `<div bgcolor="black"><p style="color:#000">X</p></div>`,
		`<!-- X -->`, `<script>X</script>`, `<template><p>X</p></template>`, `<noscript>X</noscript>`, `<svg><text>X</text></svg>`, `<input value="X" type="hidden">`,
		`<style>@media print{.y{color:red}} p.x, #z{ display : none }</style><p class="a x">X</p>`, `<style>/* .q{} */ .x>i{left:-9999px}</style><p class="x"><i>X</i></p>`,
		`<div style="display:none"><a href="http://evil.example/X">X</a></div>`, `<dialog>X</dialog>`,
	} {
		d := read(t, fetch.HTML, []byte("<title>T</title><p>before</p>"+hidden+"<p>after</p>"))
		if strings.Contains(d.Markdown, "X") || len(d.Links) > 0 || !strings.Contains(d.Markdown, "before") || !strings.Contains(d.Markdown, "after") {
			t.Errorf("%s is read as %q with %v", hidden, d.Markdown, d.Links)
		}
	}
	for _, seen := range []string{
		`<p style="opacity:0.9">X</p>`, `<p style="font-size:10px">X</p>`, `<p style="font-size:0.9em">X</p>`, `<p style="width:100px">X</p>`, `<p style="margin-left:-20px">X</p>`,
		`<div style="background:#224466"><p style="color:#fff">X</p></div>`, `<div class="hero"><p style="color:white">X</p></div>`, `<table><tr><td bgcolor="#224466"><font color="#ffffff">X</font></td></tr></table>`,
		`<style>@media print{.x{display:none}}</style><p class="x">X</p>`, `<style>.y{display:none} .x{color:red}</style><p class="x">X</p>`, `<p aria-hidden="false">X</p>`, `<details><summary>S</summary>X</details>`, `<footer>X</footer>`, `<p style="color:black">X</p>`,
	} {
		if d := read(t, fetch.HTML, []byte(seen)); !strings.Contains(d.Markdown, "X") {
			t.Errorf("%s is not read", seen)
		}
	}
}

// Files that are not HTML, too deep or made to grow are harmless.
func TestHostileHTML(t *testing.T) {
	for name, body := range map[string]string{
		"quotes": strings.Repeat("<blockquote>", 400) + strings.Repeat("x<br>", 5000),
		"lists":  strings.Repeat("<ul><li>", 200) + strings.Repeat("x<br>", 5000),
		"spans":  "<table><tr><td colspan=2000 rowspan=2000>x</table>" + strings.Repeat(".", 5000),
		"ragged": "<table><tr>" + strings.Repeat("<td>x", 2000) + strings.Repeat("<tr><td>y", 2000),
		"padded": "<table><tr><td>" + strings.Repeat("x", 20_000) + strings.Repeat("<tr><td>y", 2000),
		"styles": "<style>" + strings.Repeat("p{left:-9999px}", 2000) + "</style>" + strings.Repeat("<p>x", 2000),
		"escape": strings.Repeat("*_[]#>", 5000),
	} {
		if d := read(t, fetch.HTML, []byte(body)); len(d.Markdown) > 80*len(body) {
			t.Errorf("%s: %d bytes become %d", name, len(body), len(d.Markdown))
		}
	}
	for _, body := range []string{"", "\x00\x00", strings.Repeat("<div>", 100_000), strings.Repeat("<table><tr><td>", 20_000), "<a href='http://[::1'>x</a>", "<base href='::'><a href='y'>x</a>"} {
		_, err := reader.Read(t.Context(), fetch.Page{URL: "http://example.org/", ContentType: fetch.HTML, Body: []byte(body)})
		if err != nil && !errors.Is(err, webdoc.ErrUnreadable) {
			t.Errorf("Read(%.20q) = %v", body, err)
		}
	}
}

func TestSitemap(t *testing.T) {
	d := read(t, fetch.XML, []byte(`<?xml version="1.0"?><urlset><url><loc> http://example.org/a?x=1&amp;y=2 </loc></url><url><loc><![CDATA[http://example.org/b]]></loc></url><url><loc>file:///etc</loc></url></urlset>`))
	if want := []webdoc.Link{{URL: "http://example.org/a?x=1&y=2"}, {URL: "http://example.org/b"}}; !slices.Equal(d.Links, want) {
		t.Errorf("the links are %q, want %q", d.Links, want)
	}
	d = read(t, fetch.Text, []byte("User-agent: *\nDisallow: /x\nSitemap: http://example.org/sitemap.xml\n"))
	if want := []webdoc.Link{{URL: "http://example.org/sitemap.xml"}}; !slices.Equal(d.Links, want) {
		t.Errorf("the links of a robots.txt are %q, want %q", d.Links, want)
	}
}

func TestCSV(t *testing.T) {
	d := read(t, fetch.CSV, []byte("Año;Sector;\"kt; CO2\"\r\n2020;Residuos;1,5\r\n2021;A|B\r\n"))
	for _, want := range []webdoc.Part{{"C1", "kt; CO2"}, {"A2", "2020"}, {"C2", "1,5"}, {"B3", "A|B"}} {
		if !slices.Contains(d.Parts, want) {
			t.Errorf("the parts are %q, without %q", d.Parts, want)
		}
	}
	if want := "| Año | Sector | kt; CO2 |\n|---|---|---|\n| 2020 | Residuos | 1,5 |\n| 2021 | A\\|B |\n"; !strings.HasPrefix(d.Markdown, want) || d.Truncated {
		t.Errorf("the Markdown is %q, want %q", d.Markdown, want)
	}
	if d := read(t, fetch.CSV, []byte(strings.Repeat("1,2,3,4,5\n", 40_000))); !d.Truncated || len(d.Parts) > 150_000 {
		t.Errorf("a long table has %d parts, truncated: %v", len(d.Parts), d.Truncated)
	}
}

func TestXLSX(t *testing.T) {
	book := excelize.NewFile()
	book.SetCellValue("Sheet1", "B4", 1234.5)
	book.SetCellValue("Sheet1", "A1", "Emisiones")
	book.NewSheet("Notas")
	book.SetCellValue("Notas", "A1", "según IPCC")
	var b bytes.Buffer
	if err := book.Write(&b); err != nil {
		t.Fatal(err)
	}
	d := read(t, fetch.XLSX, b.Bytes())
	for _, want := range []webdoc.Part{{"Sheet1!B4", "1234.5"}, {"Sheet1!A1", "Emisiones"}, {"Notas!A1", "según IPCC"}} {
		if !slices.Contains(d.Parts, want) {
			t.Errorf("the parts are %q, without %q", d.Parts, want)
		}
	}
	if !strings.Contains(d.Markdown, "## Notas") || d.Truncated {
		t.Errorf("the document is %+v", d)
	}
}

// The text of JSON has the letters that its escapes stand for.
func TestJSONLetters(t *testing.T) {
	const want = `[{"region": "Österreich", "unit": "t CO2-äq 🌍", "path": "a\\nb", "none": "\\ud83c"}]`
	if d := read(t, fetch.JSON, []byte(`[{"region": "\u00d6sterreich", "unit": "t CO2-\u00E4q \ud83c\udf0d", "path": "a\\nb", "none": "\\ud83c"}]`)); d.Markdown != want {
		t.Errorf("the text is %q, want %q", d.Markdown, want)
	}
}

func TestPDF(t *testing.T) {
	d := read(t, fetch.PDF, site.PDF("BT /F1 12 Tf 50 700 Td (Emisiones de ) Tj [(resi) 20 (duos) -400 (2020)] TJ 0 -14 Td (a\xf1os) Tj 100 0 Td (17.5) Tj ET", true))
	if want := "Emisiones de residuos 2020\naños 17.5"; len(d.Parts) != 1 || d.Parts[0].Where != "page 1" || d.Parts[0].Text != want || !strings.Contains(d.Markdown, want) {
		t.Errorf("the parts are %q, want %q", d.Parts, want)
	}
	// Of a program that sets each letter by itself, words stay words, and columns columns.
	const letters = "/F1 12 Tf 50 700 Td (D) Tj 8.7 0 Td (a) Tj 6.7 0 Td (t) Tj 3.3 0 Td (a) Tj 6.7 0 Td (\t) Tj 3.3 0 Td (2) Tj 6.7 0 Td (0) Tj 6.7 0 Td (1) Tj 6.7 0 Td (0) Tj 90 0 Td (k) Tj 6 0 Td (t) Tj"
	if d := read(t, fetch.PDF, site.PDF("BT "+letters+" ET", false)); d.Parts[0].Text != "Data 2010 kt" {
		t.Errorf("a PDF of single letters is %q, want words", d.Parts)
	}
	// Of a browser, words are split between letters that are kerned, the cells of a row are set each by itself,
	// and letters have codes of their own in fonts made of drawings.
	const printed = "q BT /F1 12 Tf 50 700 Td (Gr) Tj 13 0 Td (eenhouse ) Tj 60 0 Td (gas) Tj ET q 1 0 0 1 200 700 cm BT /F1 9 Tf 1 0 0 1 0 0 Tm (1990) Tj ET Q BT 300 700 Td (5) Tj 40 -20 Td (kt) Tj ET Q"
	if d := read(t, fetch.PDF, site.PDF(printed, false)); d.Parts[0].Text != "Greenhouse gas 1990 5\nkt" {
		t.Errorf("a PDF that a browser prints is %q, want its words and rows", d.Parts)
	}
	const codes = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <01> <5EC3> endbfchar 2 beginbfrange <02> <03> [<2F42> <68C4>] <04> <05> <7269> endbfrange endcmap end end"
	drawn := site.PDF("BT /F2 12 Tf 50 700 Td <0103> Tj /Span <</ActualText <feff6587>>> BDC 24 0 Td <02> Tj EMC 24 0 Td <04> Tj ET", false,
		"<< /Type /Font /Subtype /Type3 /FontMatrix [.001 0 0 .001 0 0] /FirstChar 1 /Widths [1000 1000 1000 1000] /Encoding << /Differences [1 /g1 /g2 /g3 /g4] >> /ToUnicode 7 0 R >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(codes), codes))
	if d := read(t, fetch.PDF, bytes.Replace(drawn, []byte("/F1 3 0 R"), []byte("/F2 6 0 R"), 1)); d.Parts[0].Text != "廃棄文 物" {
		t.Errorf("a PDF whose letters are drawings is %q", d.Parts)
	}
	two := bytes.Replace(site.PDF("BT /F1 12 Tf (x) Tj ET", false), []byte("%PDF-1.4"), []byte("%PDF-2.0"), 1)
	if d := read(t, fetch.PDF, append(two, "garbage behind the end"...)); d.Parts[0].Text != "x" {
		t.Errorf("the parts of a PDF 2.0 are %q", d.Parts)
	}
}
