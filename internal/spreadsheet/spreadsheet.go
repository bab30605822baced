// Package spreadsheet writes CSV in which a spreadsheet finds no formula, whatever the cells hold: they
// are what packs, pages and file names say.
package spreadsheet

import (
	"encoding/csv"
	"io"
	"strings"
	"unicode/utf8"
)

// formulas begin what a spreadsheet takes for a formula, also in their full-width forms.
// https://owasp.org/www-community/attacks/CSV_Injection
const formulas = "=+-@\t\r\n＝＋－＠"

// A Writer writes rows.
type Writer struct{ csv *csv.Writer }

// NewWriter returns a Writer to w that has written the names of the columns.
func NewWriter(w io.Writer, columns ...string) *Writer {
	to := &Writer{csv.NewWriter(w)}
	_ = to.Row(columns...) // Flush returns its error
	return to
}

// Row writes a row. A cell that begins as a formula gets an apostrophe before it. Flush returns the
// first error, too.
func (w *Writer) Row(cells ...string) error {
	row := make([]string, len(cells))
	for i, cell := range cells {
		if first, _ := utf8.DecodeRuneInString(cell); cell != "" && strings.ContainsRune(formulas, first) {
			cell = "'" + cell
		}
		row[i] = cell
	}
	return w.csv.Write(row)
}

// Flush writes what is buffered, and returns the first error of the Writer.
func (w *Writer) Flush() error {
	w.csv.Flush()
	return w.csv.Error()
}
