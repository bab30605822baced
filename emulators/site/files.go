package site

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// A series has the emissions: a row for each year.
type series struct {
	names []string
	first int
	rows  [][]float64
}

// series makes figures that vary from year to year like real ones.
func (w *web) series(names []string, first, last int) series {
	s := series{names: names, first: first}
	level := make([]float64, len(names))
	for i := range level {
		level[i] = 200 + 9000*w.random.Float64()
	}
	for range last - first + 1 {
		row := make([]float64, len(names))
		for i := range row {
			level[i] *= 0.96 + 0.09*w.random.Float64()
			row[i] = math.Round(level[i]*10) / 10
		}
		s.rows = append(s.rows, row)
	}
	return s
}

// recent returns the last n years as text, with a head.
func (s series) recent(t *words, n int) [][]string {
	all := [][]string{append(append([]string{t.page.year}, s.names...), t.page.total)}
	for i := max(0, len(s.rows)-n); i < len(s.rows); i++ {
		row, sum := []string{strconv.Itoa(s.first + i)}, 0.0
		for _, v := range s.rows[i] {
			row, sum = append(row, decimal(v)), sum+v
		}
		all = append(all, append(row, decimal(sum)))
	}
	return all
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// files adds one or two files with the whole series to the host of p.
func (w *web) files(p *page, title, quote string, s series) (links []link) {
	rows := s.recent(p.words, len(s.rows))
	forms := []string{".csv", ".xlsx", ".pdf"}
	if p.words.charset == "euc-kr" {
		forms = forms[:2] // the PDFs here have no Hangul
	}
	for _, form := range []int{w.random.IntN(2), w.random.IntN(len(forms))} {
		if len(links) == 1 && forms[form] == links[0].URL[len(links[0].URL)-len(forms[form]):] {
			break
		}
		var body []byte
		kind := map[string]string{".csv": "text/csv", ".pdf": "application/pdf", ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}[forms[form]]
		switch forms[form] {
		case ".csv":
			body = csvFile(rows, []string{"utf-8", p.words.charset}[w.random.IntN(2)])
		case ".xlsx":
			body = xlsxFile(title, quote, rows)
		case ".pdf":
			body = pdfFile(title, quote, rows)
		}
		f := w.file(p, slug(title), forms[form], kind, body)
		links = append(links, link{f.url(), p.words.page.download + " (" + strings.ToUpper(forms[form][1:]) + ")"})
	}
	return links
}

func (w *web) file(p *page, name, form, kind string, body []byte) *page {
	p.by.serial++
	f := w.page(p.by, p.words, fmt.Sprintf("/files/%s-%d%s", name, p.by.serial, form), p.title)
	f.kind, f.body, f.indexed, f.mapped = kind, body, false, false
	return f
}

// csvFile has semicolons, and the charset of an office program, which it does not name.
func csvFile(rows [][]string, charset string) []byte {
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte(';')
			}
			b.WriteString(`"` + strings.ReplaceAll(cell, `"`, `""`) + `"`)
		}
		b.WriteString("\r\n")
	}
	return encoded([]byte(b.String()), charset)
}

// encoded returns text in a charset, without characters that the charset lacks.
func encoded(text []byte, charset string) []byte {
	e, err := htmlindex.Get(charset)
	if err != nil {
		return text
	}
	out, err := e.NewEncoder().Bytes(text)
	if err != nil {
		return text
	}
	return out
}

// xlsxFile has a sheet with notes and one with the figures.
func xlsxFile(title, quote string, rows [][]string) []byte {
	book := excelize.NewFile()
	defer book.Close()
	book.SetSheetName("Sheet1", "Info")
	book.SetCellStr("Info", "A1", title)
	book.SetCellStr("Info", "A2", quote)
	book.NewSheet("Data")
	for y, row := range rows {
		for x, cell := range row {
			at, _ := excelize.CoordinatesToCellName(x+1, y+1)
			if v, err := strconv.ParseFloat(cell, 64); err == nil {
				book.SetCellValue("Data", at, v)
			} else {
				book.SetCellStr("Data", at, cell)
			}
		}
	}
	var b bytes.Buffer
	if err := book.Write(&b); err != nil { // into memory
		panic(err)
	}
	return b.Bytes()
}

// pdfFile has the title and quote on its first page and the figures behind, in Latin
// letters.
func pdfFile(title, quote string, rows [][]string) []byte {
	pages := [][]string{append([]string{title, ""}, wrap(quote, 80)...)}
	for len(rows) > 0 {
		n := min(40, len(rows))
		var lines []string
		for _, row := range rows[:n] {
			lines = append(lines, strings.Join(row, "   "))
		}
		pages, rows = append(pages, lines), rows[n:]
	}
	var out bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(offsets)}, args...)...)
	}
	out.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object("<< /Type /Pages /Count %d /Kids [%s] >>", len(pages), kids.String())
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for i, lines := range pages {
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", 5+2*i)
		packed := deflated(pdfText(lines))
		object("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", len(packed), packed)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return out.Bytes()
}

// pdfText shows lines from the top of a page down.
func pdfText(lines []string) []byte {
	var b bytes.Buffer
	b.WriteString("BT /F1 11 Tf 50 790 Td 14 TL\n")
	for _, line := range lines {
		latin, _ := charmap.Windows1252.NewEncoder().String(strings.Map(func(r rune) rune {
			if _, ok := charmap.Windows1252.EncodeRune(r); !ok {
				return '?'
			}
			return r
		}, line))
		fmt.Fprintf(&b, "(%s) Tj T*\n", strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(latin))
	}
	b.WriteString("ET")
	return b.Bytes()
}

func deflated(data []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(data) // into memory
	z.Close()
	return b.Bytes()
}

// wrap breaks text into lines of at most width bytes, where it has spaces.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+len(word) >= width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
