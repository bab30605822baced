package webdoc

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ledongthuc/pdf"
	"github.com/xuri/excelize/v2"
)

// Limits for the content of a file, and for its size after decompression.
const (
	maxPages    = 300
	maxCells    = 150_000
	maxChars    = 2 << 20
	maxUnpacked = 48 << 20
	maxMerged   = 500 // merged cells of a sheet whose value is repeated
)

var (
	// oversized matches a number that no PDF within the size limit contains: the library
	// would allocate that many objects.
	oversized = regexp.MustCompile(`[\s\x00\[+]0*[1-9][0-9]{8,}[\s\x00\]/>%]`)
	// chained matches streams that are compressed twice.
	chained    = regexp.MustCompile(`/Fl(?:ateDecode)?[\s\[]*/Fl`)
	stream     = regexp.MustCompile(`stream\r?\n`)
	blankLines = regexp.MustCompile(`\s*\n\s*`)
)

// readPDF reads the text of a PDF's pages. The library follows offsets in the file, so the
// file is checked first, and the number of reads is limited.
func (d *Document) readPDF(body []byte) error {
	if end := bytes.LastIndex(body, []byte("%%EOF")); end > 0 {
		body = append(bytes.Replace(body[:end], []byte("%PDF-2.0"), []byte("%PDF-1.7"), 1), "%%EOF\n"...)
	}
	if oversized.Match(body) || chained.Match(body) || unpacked(body) > maxUnpacked {
		return fmt.Errorf("%w: its parts are too large", ErrUnreadable)
	}
	size := int64(len(body))
	file, err := pdf.NewReader(&budget{bytes.NewReader(body), 16<<20 + 200*size}, size)
	if err != nil && strings.Contains(err.Error(), "ncrypt") {
		return fmt.Errorf("%w: it is encrypted in a way that is not read here", ErrUnreadable)
	}
	if err != nil {
		return fmt.Errorf("%w: %v", ErrUnreadable, err)
	}
	for n := 1; n <= min(file.NumPage(), maxPages) && len(d.Markdown) < maxChars; n++ {
		words := pageText(file.Page(n))
		d.Parts = append(d.Parts, Part{fmt.Sprintf("page %d", n), words})
		d.Markdown += fmt.Sprintf("## page %d\n\n%s\n\n", n, words)
	}
	d.Truncated = len(d.Parts) < file.NumPage()
	return nil
}

// unpacked returns the total size of a PDF's decompressed streams, up to the limit.
func unpacked(body []byte) (size int64) {
	for _, at := range stream.FindAllIndex(body, -1) {
		if plain, err := zlib.NewReader(bytes.NewReader(body[at[1]:])); err == nil && size <= maxUnpacked {
			n, _ := io.CopyN(io.Discard, plain, maxUnpacked+1-size)
			size += n
		}
	}
	return size
}

// budget is a file from which a limited number of bytes can be read, which ends cycles of
// references.
type budget struct {
	io.ReaderAt
	left int64
}

func (b *budget) ReadAt(p []byte, at int64) (int, error) {
	if b.left -= max(int64(len(p)), 4096); b.left < 0 {
		panic("its parts name each other")
	}
	return b.ReaderAt.ReadAt(p, at)
}

// readXLSX reads the cells of a workbook's sheets.
func (d *Document) readXLSX(body []byte) error {
	book, err := excelize.OpenReader(bytes.NewReader(body), excelize.Options{UnzipSizeLimit: maxUnpacked, UnzipXMLSizeLimit: maxUnpacked})
	if err != nil {
		return fmt.Errorf("%w: %v", ErrUnreadable, err)
	}
	defer book.Close()
	for _, sheet := range book.GetSheetList() {
		rows, err := book.Rows(sheet)
		if err != nil {
			continue // a chart has no cells
		}
		merged := mergedCells(book, sheet)
		n := 0
		all := d.readRows("## "+sheet+"\n\n", sheet+"!", func() ([]string, error) {
			if n++; !rows.Next() {
				return nil, errors.Join(io.EOF, rows.Error())
			}
			row, err := rows.Columns()
			for _, m := range merged {
				row = m.fill(row, n)
			}
			return row, err
		})
		rows.Close()
		if !all {
			break
		}
	}
	return nil
}

// A merged is a rectangle of cells of a sheet that are shown as one, from 1.
type merged struct {
	left, top, right, bottom int
	value                    string
}

// mergedCells returns those of a sheet, as far as they are not too many or too wide. Without them the cells
// stand alone.
func mergedCells(book *excelize.File, sheet string) (all []merged) {
	cells, _ := book.GetMergeCells(sheet)
	for _, c := range cells[:min(len(cells), maxMerged)] {
		left, top, err := excelize.CellNameToCoordinates(c.GetStartAxis())
		right, bottom, otherwise := excelize.CellNameToCoordinates(c.GetEndAxis())
		if err == nil && otherwise == nil && right <= maxColumns {
			all = append(all, merged{left, top, right, bottom, c.GetCellValue()})
		}
	}
	return all
}

// fill returns row n with the value of m in each of its cells that stands in it.
func (m merged) fill(row []string, n int) []string {
	if n < m.top || n > m.bottom {
		return row
	}
	row = append(row, make([]string, max(0, m.right-len(row)))...)
	for i := m.left - 1; i < m.right; i++ {
		row[i] = cmp.Or(row[i], m.value)
	}
	return row
}

// readCSV reads the cells of a table. The delimiter is the candidate that stands as often in most of
// the first lines, of which one may be a title with commas.
func (d *Document) readCSV(body []byte) error {
	r := csv.NewReader(bytes.NewReader(body))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	lines := bytes.SplitN(body[:min(len(body), 64<<10)], []byte("\n"), 51)
	most := 0
	for _, c := range "\t;|," {
		alike := map[int]int{} // lines, by how many of c they have
		for _, line := range lines[:min(len(lines), 50)] {
			n := bytes.Count(line, []byte{byte(c)})
			if alike[n]++; n > 0 && alike[n] > most {
				most, r.Comma = alike[n], c
			}
		}
	}
	d.readRows("", "", r.Read)
	return nil
}

// readRows adds the rows that next returns until it fails, under a heading, as a table and as single
// cells, and reports whether it was not cut. Titles stand above the table: the first rows that end
// before its last column, or in CSV behind it. No rows have no heading either.
func (d *Document) readRows(heading, sheet string, next func() ([]string, error)) (all bool) {
	var rows [][]string
	var row []string
	for n, size := 1, len(d.Markdown); ; n++ {
		var err error
		row, err = next()
		if all = errors.Is(err, io.EOF); err != nil || len(d.Parts)+len(row) > cmp.Or(d.cells, maxCells) || size > maxChars {
			d.Truncated = d.Truncated || !all
			break
		}
		for i, cell := range row {
			cell = strings.Join(strings.Fields(cell), " ")
			if where, err := excelize.CoordinatesToCellName(i+1, n); err == nil && cell != "" {
				d.Parts = append(d.Parts, Part{sheet + where, cell})
			}
			row[i] = strings.ReplaceAll(cell, "|", `\|`)
			size += len(row[i]) + 3
		}
		size += 2
		rows = append(rows, row)
	}
	width, fields := most(rows, filled), most(rows, func(row []string) int { return len(row) })
	begin := max(0, slices.IndexFunc(rows, func(row []string) bool {
		return filled(row) >= width && (sheet != "" || filled(row) <= fields)
	}))
	if width == 0 || !all && len(row) > 2*width { // it was cut before its head
		return all
	}
	var titles []string
	for _, row := range rows[:begin] {
		titles = append(titles, slices.DeleteFunc(row, func(cell string) bool { return cell == "" })...)
	}
	var table strings.Builder
	table.WriteString(heading + strings.Join(titles, ", "))
	if begin > 0 {
		table.WriteString("\n\n")
	}
	for i, row := range rows[begin:] {
		if len(row) > 0 {
			table.WriteString("| " + strings.Join(row, " | ") + " ")
		}
		table.WriteString("|\n")
		if i == 0 {
			table.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	d.Markdown += table.String() + "\n"
	return all
}

// filled returns up to which column a row has anything.
func filled(row []string) int {
	for i, cell := range slices.Backward(row) {
		if cell != "" {
			return i + 1
		}
	}
	return 0
}

// most returns what most of the rows that have anything have, the largest of several.
func most(rows [][]string, of func([]string) int) (n int) {
	count := map[int]int{}
	for _, row := range rows {
		if filled(row) > 0 {
			count[of(row)]++
		}
	}
	for _, one := range slices.Sorted(maps.Keys(count)) {
		if count[one] >= count[n] {
			n = one
		}
	}
	return n
}
