package webdoc_test

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/fetch"
)

// textsOf returns the addresses and texts of links.
func textsOf(links []webdoc.Link) (all [][2]string) {
	for _, l := range links {
		all = append(all, [2]string{l.URL, l.Text})
	}
	return all
}

// A link says where it stands and to which kind of file it seems to lead.
func TestLinksOfFiles(t *testing.T) {
	d := read(t, fetch.HTML, []byte(`<!doctype html><h1>Catálogo</h1><h2>Residuos sólidos</h2>
		<table><tr><td>Serie 1990–2020<td><a href="/get?id=7">Descargar (XLSX, 2 MB)</a></table>
		<ul><li>Anexo metodológico <a href="/bitstream/123/a.pdf?sequence=1">PDF</a></ul>
		<p><a href="/download.php?file=x.ods">tabla</a></p>
		<p><a href="/d/9" type="text/csv">datos</a></p>
		<p><a href="/acerca">Acerca de</a></p>
		<div><a href="/y.zip">todo</a></div>`))
	for i, want := range []webdoc.Link{
		{URL: "http://example.org/get?id=7", Text: "Descargar (XLSX, 2 MB)", Near: "Residuos sólidos: Serie 1990–2020 Descargar (XLSX, 2 MB)", Format: "XLSX"},
		{URL: "http://example.org/bitstream/123/a.pdf?sequence=1", Text: "PDF", Near: "Residuos sólidos: Anexo metodológico PDF", Format: "PDF"},
		{URL: "http://example.org/download.php?file=x.ods", Text: "tabla", Near: "Residuos sólidos", Format: "ODS"},
		{URL: "http://example.org/d/9", Text: "datos", Near: "Residuos sólidos", Format: "CSV"},
		{URL: "http://example.org/acerca", Text: "Acerca de", Near: "Residuos sólidos"},
		{URL: "http://example.org/y.zip", Text: "todo", Near: "Residuos sólidos", Format: "ZIP"},
	} {
		if d.Links[i] != want {
			t.Errorf("link %d is %+v, want %+v", i, d.Links[i], want)
		}
	}
}

// A paragraph of thousands of links is read in time: what stands near a link is bounded.
func TestLinksOfOneParagraph(t *testing.T) {
	d := read(t, fetch.HTML, []byte("<p>"+strings.Repeat("word ", 200_000)+strings.Repeat(`<a href="/?a">x</a>`, 50_000)+"</p>"))
	if len(d.Links) != 1 || len(d.Links[0].Near) > 700 {
		t.Errorf("%d links, the first near %d bytes", len(d.Links), len(d.Links[0].Near))
	}
}

// zipOf returns an archive of members, by name.
func zipOf(t *testing.T, members ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w, err := z.Create(m[0])
		if err == nil {
			_, err = w.Write([]byte(m[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// workbook returns a workbook with one cell.
func workbook(t *testing.T, sheet, cell, text string) string {
	t.Helper()
	book := excelize.NewFile()
	var b bytes.Buffer
	book.SetSheetName("Sheet1", sheet)
	book.SetCellStr(sheet, cell, text)
	if err := book.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The members of an archive are read as files; those that are not are named.
func TestZIP(t *testing.T) {
	body := zipOf(t, [2]string{"2019/CRT_2019.xlsx", workbook(t, "Table1", "A5", "Total national emissions")}, [2]string{"notes.csv", "Año,kt\n2020,1\n"},
		[2]string{"old.xls", "\xd0\xcf"}, [2]string{"broken.xlsx", "no workbook"}, [2]string{"__MACOSX/x.csv", "a,b"})
	d := read(t, fetch.ZIP, body)
	for _, want := range []webdoc.Part{{"2019/CRT_2019.xlsx: Table1!A5", "Total national emissions"}, {"notes.csv: A2", "2020"}} {
		if !slices.Contains(d.Parts, want) {
			t.Errorf("the parts are %q, without %q", d.Parts, want)
		}
	}
	if !strings.Contains(d.Markdown, "# notes.csv") || !slices.Equal(d.Unread, []string{"old.xls", "broken.xlsx"}) || !d.Truncated {
		t.Errorf("the document is %+v", d)
	}
	if d := read(t, fetch.ZIP, []byte(workbook(t, "Hoja", "B2", "Residuos sólidos"))); !slices.Contains(d.Parts, webdoc.Part{Where: "Hoja!B2", Text: "Residuos sólidos"}) {
		t.Errorf("a workbook whose type is not said has the parts %q", d.Parts)
	}
}

// An archive that unpacks to too much is read as far as the limits allow.
func TestZIPBomb(t *testing.T) {
	bomb := strings.Repeat("0,", 15<<20)
	d := read(t, fetch.ZIP, zipOf(t, [2]string{"a.csv", "Año,kt\n"}, [2]string{"b.csv", bomb}, [2]string{"c.csv", "x,y\n"}))
	if !slices.Equal(d.Unread, []string{"b.csv"}) || len(d.Parts) != 4 {
		t.Errorf("unread %q, parts %q", d.Unread, d.Parts)
	}
}
