package fetch

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/xuri/excelize/v2"
)

// maxUnzipped is how large the parts of a workbook may become together, in bytes.
const maxUnzipped = 32 << 20

// readXLSX takes the cells of a workbook's sheets.
func (d *Document) readXLSX(body []byte) error {
	book, err := excelize.OpenReader(bytes.NewReader(body), excelize.Options{UnzipSizeLimit: maxUnzipped, UnzipXMLSizeLimit: maxUnzipped})
	if err != nil {
		return fmt.Errorf("%w: %v", ErrUnreadable, err)
	}
	defer book.Close()
	for _, sheet := range book.GetSheetList() {
		rows, err := book.Rows(sheet)
		if err != nil {
			continue // a chart has none
		}
		d.Markdown += "## " + sheet + "\n\n"
		d.readRows(sheet+"!", func() ([]string, error) {
			if !rows.Next() {
				return nil, errors.Join(io.EOF, rows.Error())
			}
			return rows.Columns()
		})
		rows.Close()
	}
	return nil
}

// readCSV takes the cells of a table whose delimiter is what its first line has most of.
func (d *Document) readCSV(body []byte) error {
	first, _, _ := bytes.Cut(body, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(body))
	for _, c := range ";\t|" {
		if bytes.Count(first, []byte(string(c))) > bytes.Count(first, []byte(string(r.Comma))) {
			r.Comma = c
		}
	}
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	d.readRows("", r.Read)
	return nil
}

// readRows adds the rows that next returns until it fails, as a table and cell by cell.
func (d *Document) readRows(sheet string, next func() ([]string, error)) {
	var table strings.Builder
	for n := 1; ; n++ {
		row, err := next()
		if err != nil {
			d.Truncated = d.Truncated || !errors.Is(err, io.EOF)
			break
		}
		if len(d.Parts)+len(row) > maxCells || table.Len() > maxChars {
			d.Truncated = true
			break
		}
		for i, cell := range row {
			if row[i] = strings.Join(strings.Fields(cell), " "); row[i] != "" {
				where, _ := excelize.CoordinatesToCellName(i+1, n)
				d.Parts = append(d.Parts, Part{sheet + where, row[i]})
			}
		}
		if len(row) > 0 {
			table.WriteString("| " + strings.ReplaceAll(strings.Join(row, "\x00"), "|", "\\|") + " |\n")
		}
		if n == 1 {
			table.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	d.Markdown += strings.ReplaceAll(table.String(), "\x00", " | ") + "\n"
}
