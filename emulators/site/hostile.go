package site

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A HostileDocument is made to cost much more time or memory than its size, or is damaged.
type HostileDocument struct {
	Name        string
	ContentType string
	Body        []byte
	Refused     bool // no reader may take it for a document
}

// Hostile returns documents of every kind that a web page may lead to, or of some content
// types. They are made at each call.
func Hostile(types ...string) (all []HostileDocument) {
	for _, kind := range []struct {
		contentType string
		bodies      func() map[string][]byte
	}{
		{"text/html", func() map[string][]byte { return bodies(hostilePages(), asBytes) }},
		{"text/csv", func() map[string][]byte { return bodies(hostileTexts(), asBytes) }},
		{"application/xml", func() map[string][]byte { return bodies(hostileTexts(), asBytes) }},
		{workbookType, hostileArchives},
		{pdfType, hostileFiles},
	} {
		if len(types) > 0 && !slices.Contains(types, kind.contentType) {
			continue
		}
		made := kind.bodies()
		for _, name := range slices.Sorted(maps.Keys(made)) {
			refused := kind.contentType == pdfType && !strings.HasSuffix(name, "read")
			all = append(all, HostileDocument{name, kind.contentType, made[name], refused})
		}
	}
	return all
}

func asBytes(s string) []byte { return []byte(s) }

func bodies[V any](all map[string]V, body func(V) []byte) map[string][]byte {
	out := map[string][]byte{}
	for name, v := range all {
		out[name] = body(v)
	}
	return out
}

// hostileArchives returns workbooks, and files that are none.
func hostileArchives() map[string][]byte {
	all := bodies(hostileWorkbooks(), Workbook)
	all["empty"], all["a head"], all["text"] = nil, []byte("PK\x03\x04"), []byte("not a zip")
	return all
}

const (
	pdfType      = "application/pdf"
	workbookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// costlyPage returns a page that takes a second or two to read. It is no variable, because it
// would be made at the start of each program.
func costlyPage() string {
	return "<style>" + strings.Repeat("b>b,b.a.a.a.a.a.a>b.a.a.a.a{display:none}", 1000) + "</style>" + strings.Repeat("<b class='a a a a a a a'></b>", 30_000)
}

// hostilePages returns HTML pages.
func hostilePages() map[string]string {
	return map[string]string{
		"selectors over selectors": "<style>:has(.a *) b ~ b ~ b{display:none}</style>" + strings.Repeat("<b></b>", 1000),
		"short selectors":          "<style>:has(.a *) b ~ b ~ b{display:none}</style>" + strings.Repeat("<b></b>", 100),
		"selectors with children":  costlyPage(),
		"many selectors":           "<style>" + strings.Repeat("p,b,i,.x,#y{left:-9999px}", 50_000) + "</style>" + strings.Repeat("<p>x", 50_000),
		"one wide row of many":     "<table><tr>" + strings.Repeat("<td>x", 300) + strings.Repeat("<tr><td>y", 190_000),
		"wide rows":                "<table>" + strings.Repeat("<tr>"+strings.Repeat("<td>", 2000), 100),
		"empty rows":               "<table><tr>" + strings.Repeat("<td>x", 300) + strings.Repeat("<tr>", 400_000),
		"spans":                    "<table>" + strings.Repeat("<tr><td colspan=9 rowspan=9999>x", 50_000),
		"a padded cell":            "<table><tr><td>" + strings.Repeat("x", 1_000_000) + strings.Repeat("<tr><td>y", 90_000),
		"tables in tables":         strings.Repeat("<table><tr><td>", 300) + strings.Repeat("<tr><td>x", 100_000),
		"the same links":           links(1999) + strings.Repeat("<a href=/data/a-rather-long-address/1998>", 40_000),
		"many links":               links(60_000),
		"misnested formatting":     strings.Repeat("<a><b><i><p>", 20_000),
		"links in tables":          strings.Repeat("<table><a>", 20_000),
		"options":                  strings.Repeat("<select><option>", 100_000),
		"deep fonts":               strings.Repeat("<font color=red>", 100_000),
		"quotes in quotes":         strings.Repeat("<blockquote>", 400) + strings.Repeat("x<br>", 300_000),
		"lists in lists":           strings.Repeat("<ul><li>", 200) + strings.Repeat("x<br>", 300_000),
		"attributes":               "<p " + strings.Repeat("a ", 500_000) + ">",
		"one attribute":            "<p style='" + strings.Repeat("color:#fff;", 170_000) + "'>x",
		"entities":                 strings.Repeat("&amp", 500_000),
		"marks of Markdown":        strings.Repeat("*_[]#>`", 280_000),
		"comments in style":        "<style>" + strings.Repeat("/*", 500_000) + "</style>",
		"blocks in style":          "<style>" + strings.Repeat("@media{", 200_000) + "</style>",
		"classes":                  "<style>.a{display:none}</style>" + strings.Repeat("<p class='"+strings.Repeat("b ", 1000)+"'>x", 900),
		"bases":                    strings.Repeat("<base href='x/'><a href=y>", 60_000),
		"titles":                   strings.Repeat("<title>x</title>", 100_000),
		"zeros":                    strings.Repeat("\x00", 2_000_000),
	}
}

// hostileTexts returns CSV files and sitemaps.
func hostileTexts() map[string]string {
	return map[string]string{
		"one row":        strings.Repeat(",", 2_000_000),
		"one cell":       strings.Repeat("x", 2_000_000),
		"rows":           strings.Repeat("\n", 2_000_000),
		"rows of one":    strings.Repeat("x\n", 1_000_000),
		"a quote":        `"` + strings.Repeat("x,\n", 600_000),
		"quotes":         strings.Repeat(`"`, 2_000_000),
		"bars":           strings.Repeat("|", 2_000_000),
		"addresses":      strings.Repeat("<loc>http://example.org/a</loc>", 65_000),
		"open addresses": strings.Repeat("<loc>", 400_000),
		"spaces":         "<loc>" + strings.Repeat(" ", 2_000_000),
		"sitemaps":       strings.Repeat("\nsitemap:", 200_000),
	}
}

// hostileWorkbooks returns the files that hostile workbooks have beside what a workbook needs.
func hostileWorkbooks() map[string]map[string]string {
	return map[string]map[string]string{
		"a zip bomb":       {"xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + strings.Repeat(" ", 64<<20)},
		"many rows":        {"xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + strings.Repeat("<row/>", 5_000_000) + "</sheetData></worksheet>"},
		"the last cell":    {"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>`},
		"wide rows":        {"xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + strings.Repeat(`<row><c r="XFD1"><v>1</v></c></row>`, 100_000) + "</sheetData></worksheet>"},
		"rows back":        {"xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + strings.Repeat(`<row r="1000000"/><row r="1"/>`, 100_000) + "</sheetData></worksheet>"},
		"deep XML":         {"xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + strings.Repeat("<row>", 2_000_000)},
		"many strings":     {"xl/sharedStrings.xml": `<sst count="2000000000" uniqueCount="2000000000">` + strings.Repeat("<si/>", 5_000_000) + "</sst>"},
		"one string":       {"xl/sharedStrings.xml": "<sst><si><t>" + strings.Repeat("x", 40<<20) + "</t></si></sst>", "xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 10_000) + "</sheetData></worksheet>"},
		"many styles":      {"xl/styles.xml": "<styleSheet><cellXfs>" + strings.Repeat("<xf/>", 5_000_000) + "</cellXfs></styleSheet>"},
		"many sheets":      {"xl/workbook.xml": `<workbook xmlns:r="r"><sheets>` + strings.Repeat(`<sheet name="x" sheetId="1" r:id="rId1"/>`, 300_000) + "</sheets></workbook>"},
		"a workbook of no": {"xl/workbook.xml": "<workbook>"},
	}
}

// Workbook returns a workbook of one sheet with other files in the place of its own.
func Workbook(files map[string]string) []byte {
	all := map[string]string{
		"[Content_Types].xml":        `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
		"_rels/.rels":                `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml":   `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData></worksheet>`,
	}
	maps.Copy(all, files)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		w, _ := z.Create(name) // a buffer never fails
		_, _ = w.Write([]byte(all[name]))
	}
	_ = z.Close()
	return b.Bytes()
}

// hostileFiles returns PDFs that are refused, but for those whose names end in "read".
func hostileFiles() map[string][]byte {
	good := PDF("BT /F1 12 Tf (x) Tj ET", false)
	change := func(old, new string) []byte { return bytes.Replace(good, []byte(old), []byte(new), 1) }
	return map[string][]byte{
		"empty":            {},
		"head only":        []byte("%PDF-1.4\n"),
		"cut":              good[:len(good)/2],
		"bomb":             PDF(strings.Repeat(" ", 60<<20), true),
		"table":            change("xref\n0 6\n", "xref\n2000000000 6\n"),
		"twice":            change("/Length", "/Filter [/FlateDecode /FlateDecode] /Length"),
		"pages, read":      change("/Kids [4 0 R]", "/Kids [2 0 R]"),
		"parent":           change("/Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >>", "/Parent 4 0 R"),
		"previous xref":    change("/Root 1 0 R", fmt.Sprintf("/Root 1 0 R /Prev %d", bytes.LastIndex(good, []byte("xref\n0")))),
		"operands, read":   PDF("BT Tf Td Tj TJ (x) Tf 1 Td ' \" ET", false),
		"encrypted":        change("/Root 1 0 R", "/Root 1 0 R /Encrypt << /Filter /Standard /V 9 >>"),
		"arrays, read":     PDF(strings.Repeat("[", 1_000_000), true),
		"strings, read":    PDF("BT /F1 12 Tf "+strings.Repeat("(x) Tj ", 1_000_000), true),
		"dictionary, read": PDF(strings.Repeat("<<", 1_000_000), true),
		"stack, read":      PDF(strings.Repeat("1 ", 5_000_000), true),
	}
}

func links(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<a href=/data/a-rather-long-address/%04d>", i)
	}
	return b.String()
}

// PDF returns a PDF with one page; more objects may follow.
func PDF(content string, compressed bool, more ...string) []byte {
	filter := ""
	if compressed {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, _ = z.Write([]byte(content))
		_ = z.Close()
		content, filter = b.String(), "/Filter /FlateDecode "
	}
	objects := append([]string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
		fmt.Sprintf("<< %s/Length %d >>\nstream\n%s\nendstream", filter, len(content), content)}, more...)
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	var offsets []int
	for i, o := range objects {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return out.Bytes()
}
