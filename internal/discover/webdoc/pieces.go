package webdoc

import (
	"path"
	"strings"
)

// A Piece is a part of a long text; Number counts from 1 in the order of the text.
type Piece struct {
	Number int
	Text   string
}

// Cut cuts a text into pieces of so many runes, each of which begins with the last ones,
// overlap many, of the one before. An empty text is one empty piece.
func Cut(text string, size, overlap int) (all []Piece) {
	runes := []rune(text)
	for from := 0; from == 0 || from+overlap < len(runes); from += size - overlap {
		all = append(all, Piece{len(all) + 1, string(runes[from:min(from+size, len(runes))])})
	}
	return all
}

// formats are the endings of files that hold data.
var formats = map[string]string{".csv": "CSV", ".xlsx": "XLSX", ".xls": "XLS", ".pdf": "PDF", ".json": "JSON", ".zip": "ZIP", ".ods": "ODS"}

// FormatOf is the format of the data file at an address, "" if it seems to be none.
func FormatOf(address string) string {
	return formats[strings.ToLower(path.Ext(strings.Split(address, "?")[0]))]
}
