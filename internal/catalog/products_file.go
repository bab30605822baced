package catalog

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrFile is the error for a file that does not hold products. Reading it again is useless.
var ErrFile = errors.New("it cannot be read as products")

// wantShape describes the accepted files.
const wantShape = `want the export of a shop (CSV), a table whose first line names the columns, a feed of products (RSS, Atom or delimited text), or JSON: {"products": [ … ]}, a list of products, or a product a line`

// A record is one entry of the file, not yet checked.
type record struct {
	number int    // index in the file, from 0
	place  string // products[3], products["12"], in CSV line 5, in a feed of XML item 4 (from 1)
	line   int    // on which it begins, from 1
	data   json.RawMessage
	broken error    // the record cannot be read
	words  []string // those that were decoded from Windows-1252

	// Of a row of a table or feed, besides the fields of a product:
	columns  map[string]string // the column of each field; nil for other records
	page     string            // the address of the product's page
	otherSKU string            // what identifies it if its SKU is that of another row, too
	wrong    []error
}

// jsonRecord returns a record of JSON, decoded from Windows-1252 if it is not UTF-8.
func jsonRecord(place string, line int, data []byte) record {
	r := record{place: place, line: line, data: data}
	if utf8.Valid(data) {
		return r
	}
	text := []string{string(data)}
	r.words, r.broken = decodeLegacy(text)
	if r.broken == nil {
		r.data = json.RawMessage(text[0])
	}
	return r
}

// A recordReader reads a file record by record. It holds only the current record in memory.
type recordReader struct {
	text  *window
	json  *json.Decoder
	begin int // the line of the first token
}

// recordsIn yields the records of the file in order. It ends with an error where the file
// is malformed.
func recordsIn(r io.Reader, of Format, fault func(Fault)) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		number, stopped := 0, false
		each := func(one record) bool {
			one.number = number
			number++
			stopped = !yield(one, nil)
			return !stopped
		}
		err := readRecords(r, of, each, fault)
		if err == nil && number == 0 {
			fault(Fault{Record: "the file", Reason: NotARecord, Why: "it has no products"})
		}
		if err != nil && !stopped {
			yield(record{}, err)
		}
	}
}

// readRecords calls each for every record until it returns false.
func readRecords(r io.Reader, of Format, each func(record) bool, fault func(Fault)) error {
	packed, err := uncompressed(r)
	if err != nil {
		return err
	}
	plain, err := decoded(packed, of.Charset)
	if err != nil {
		return err
	}
	plain = withLineFeeds(plain)
	switch {
	case isXML(plain):
		return readFeed(plain, of.Charset != "", of, each, fault)
	case isTable(plain):
		return readTable(plain, of, each, fault)
	}
	rows := newRowsReader(of, nil, each, fault)
	var failed error
	f := newRecordReader(newNaNFilter(plain), 1)
	err = f.read(func(one record) bool {
		if one.broken == nil && foreign(one.data, of) {
			failed = rows.add(row{place: one.place, line: one.line, words: one.words, cells: objectCells("", one.data)})
			return failed == nil
		}
		return each(one)
	})
	if failed == nil {
		failed = rows.end()
	}
	return cmp.Or(failed, err)
}

// read reads the whole file: JSON, or JSON Lines.
func (f *recordReader) read(each func(record) bool) error {
	err := f.file(each)
	if err != nil && !errors.Is(err, ErrFile) && !errors.Is(err, errStop) && f.linesFollow() {
		if err = f.brokenLine(err, each); err == nil {
			err = f.lines(1, each)
		}
	}
	if err != nil {
		return f.syntaxError(err)
	}
	return nil
}

// foreign reports whether an object names its fields in other words than ours.
func foreign(data json.RawMessage, of Format) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil || fields == nil {
		return false
	}
	return len(of.Columns) > 0 || fields["product_name"] == nil && fields["key_features"] == nil && fields["code"] == nil && fields["shop"] == nil && nameable(fields)
}

// nameable reports whether one of the fields is known to have the name of a product.
func nameable(fields map[string]json.RawMessage) bool {
	_, named := originOf(slices.Collect(maps.Keys(fields)), false)
	return named
}

// objectCells returns the texts of an object under the names of its fields, and of objects within it under
// both names.
func objectCells(name string, data json.RawMessage) (cells []cell) {
	var fields map[string]json.RawMessage
	var list []json.RawMessage
	switch {
	case json.Unmarshal(data, &fields) == nil && fields != nil:
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			cells = append(cells, objectCells(strings.TrimSpace(name+" "+field), fields[field])...)
		}
	case json.Unmarshal(data, &list) == nil:
		for _, one := range list {
			cells = append(cells, objectCells(name, one)...)
		}
	default:
		text, err := facetText(data)
		if i := strings.IndexByte(text, '.'); data[0] != '"' && i >= 0 && len(text)-i == 4 {
			text += "0" // a number, whose three decimals are no thousands
		}
		if err == nil && text != "" {
			cells = append(cells, cell{name, text})
		}
	}
	return cells
}

func newRecordReader(r io.Reader, line int) *recordReader {
	text := &window{r: r, line: line}
	reader := &recordReader{text: text, json: json.NewDecoder(text)}
	reader.json.UseNumber() // a token outside float64 is no error of its own
	return reader
}

// readBuffer is how many bytes are inspected to detect the format.
const readBuffer = 64 << 10

// uncompressed returns the content of r, decompressed if it is gzip.
func uncompressed(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, readBuffer)
	if magic, _ := b.Peek(2); string(magic) == "\x1f\x8b" {
		packed := &countingReader{Reader: b}
		unpacked, err := gzip.NewReader(packed)
		if err != nil {
			return nil, packed.damaged(err)
		}
		b = bufio.NewReaderSize(&ratioReader{packed: packed, unpacked: unpacked}, readBuffer)
	}
	return b, nil
}

// Files of products compress to a fifth or a thirtieth; one that unpacks to more than maxRatio
// times its size, and than maxRecord, is made to cost.
const maxRatio = 100

// A ratioReader reads what is unpacked, up to maxRatio times what was read to unpack it.
type ratioReader struct {
	packed   *countingReader
	unpacked io.Reader
	n        int64
}

func (r *ratioReader) Read(p []byte) (int, error) {
	n, err := r.unpacked.Read(p)
	if r.n += int64(n); r.n > max(maxRecord, maxRatio*r.packed.n) {
		return 0, fmt.Errorf("%w: it unpacks to more than %d times its size", ErrFile, maxRatio)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.packed.damaged(err)
	}
	return n, err
}

// A countingReader counts what is read, as gzip wants it: by single bytes too. It keeps the
// error of reading, except io.EOF.
type countingReader struct {
	*bufio.Reader
	n   int64
	err error
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	return n, c.read(n, err)
}

func (c *countingReader) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	return b, c.read(1, err)
}

func (c *countingReader) read(n int, err error) error {
	if c.n += int64(n); err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return err
}

// damaged returns the error of a file that gzip cannot unpack because of err, or the error of
// reading it.
func (c *countingReader) damaged(err error) error {
	if c.err != nil {
		return c.err
	}
	return fmt.Errorf("%w: its gzip is damaged: %w", ErrFile, err)
}

// maxRecord is the largest record, in bytes. A record is held in memory.
const maxRecord = 1 << 20

// errLongRecord is the error for a longer one.
var errLongRecord = fmt.Errorf("%w: a record has more than %d bytes", ErrFile, maxRecord)

// errStop ends reading when the consumer wants no more.
var errStop = errors.New("stop")

// file reads the whole file: a list of products, or an object that contains one.
func (f *recordReader) file(each func(record) bool) error {
	begin, err := f.json.Token()
	if err != nil {
		return err
	}
	f.begin = f.text.lineBefore(f.json.InputOffset())
	switch begin {
	case json.Delim('['):
		err = f.list(each)
	case json.Delim('{'):
		return f.object(each)
	default:
		return fmt.Errorf("%w: it has no products: %s", ErrFile, wantShape)
	}
	if err != nil {
		return err
	}
	return f.end()
}

// end returns an error if the file continues, or cannot be read to its end.
func (f *recordReader) end() error {
	switch _, err := f.json.Token(); {
	case f.text.err != nil:
		return f.text.err
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("%w: something follows behind its end", ErrFile)
	}
	return nil
}

// list reads the rest of an array of products.
func (f *recordReader) list(each func(record) bool) error {
	for i := 0; f.json.More(); i++ {
		if err := f.one(fmt.Sprintf("products[%d]", i), each); err != nil {
			return err
		}
	}
	_, err := f.json.Token()
	return err
}

// keyed reads the rest of an object of products.
func (f *recordReader) keyed(each func(record) bool) error {
	for f.json.More() {
		key, err := f.json.Token()
		if err != nil {
			return err
		}
		if err := f.one(fmt.Sprintf("products[%.40q]", key), each); err != nil {
			return err
		}
	}
	_, err := f.json.Token()
	return err
}

// one reads a record.
func (f *recordReader) one(place string, each func(record) bool) error {
	var data json.RawMessage
	if err := f.json.Decode(&data); err != nil {
		return err
	}
	end := f.json.InputOffset()
	line := f.text.lineBefore(end - int64(len(data)) + 1)
	f.text.drop(end)
	if !each(jsonRecord(place, line, data)) {
		return errStop
	}
	return nil
}

// lists are the fields beside products in which programs put lists of them.
var lists = []string{"items", "data", "results", "catalog", "offers", "entries"}

// listFollows reports whether the value of the field that was read is a list.
func (f *recordReader) listFollows() bool {
	for {
		for _, b := range f.text.kept[f.json.InputOffset()-f.text.start:] {
			if strings.IndexByte(space+":", b) < 0 {
				return b == '['
			}
		}
		if f.text.more() != nil {
			return false
		}
	}
}

// object reads the rest of a file that begins with an object: either one field of it holds
// the products, or the file is JSON Lines and this is the first product.
func (f *recordReader) object(each func(record) bool) error {
	found := false
	others := map[string]json.RawMessage{}
	for f.json.More() {
		key, err := f.json.Token()
		if err != nil {
			return err
		}
		if key == "products" || slices.Contains(lists, fmt.Sprint(key)) && f.listFollows() {
			found = true
			if err := f.products(each); err != nil {
				return err
			}
			continue
		}
		var other json.RawMessage
		if err := f.json.Decode(&other); err != nil {
			return err
		}
		others[fmt.Sprint(key)] = other
	}
	if _, err := f.json.Token(); err != nil {
		return err
	}
	switch {
	case found:
		return f.end()
	case others["key_features"] != nil || others["code"] != nil || nameable(others):
		return f.firstLine(others, each)
	}
	return fmt.Errorf("%w: it has no products: %s", ErrFile, wantShape)
}

// products reads the value of the field products.
func (f *recordReader) products(each func(record) bool) error {
	begin, err := f.json.Token()
	if err != nil {
		return err
	}
	switch begin {
	case json.Delim('['):
		return f.list(each)
	case json.Delim('{'):
		return f.keyed(each)
	case nil:
		begin = "null"
	}
	return fmt.Errorf("%w: products is %.20v: %s", ErrFile, begin, wantShape)
}

// syntaxError returns where the file stops being JSON. It returns other errors, such as
// those of reading, unchanged.
func (f *recordReader) syntaxError(err error) error {
	var wrong *json.SyntaxError
	if errors.Is(err, ErrFile) || !errors.As(err, &wrong) && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if f.text.err != nil {
		return f.text.err
	}
	f.text.drop(f.json.InputOffset())
	line, column := f.text.place(f.text.broken())
	return fmt.Errorf("%w: it is no JSON from line %d, byte %d, on: %w", ErrFile, line, column, err)
}

// A window is a reader that keeps the bytes read since some offset, and the line and column
// of that offset.
type window struct {
	r      io.Reader
	err    error // of r, except io.EOF
	kept   []byte
	start  int64 // offset of kept
	line   int   // line at start
	column int   // bytes of that line before start
}

func (w *window) Read(p []byte) (int, error) {
	if len(w.kept) > maxRecord+readBuffer {
		return 0, errLongRecord
	}
	n, err := w.r.Read(p)
	w.kept = append(w.kept, p[:n]...)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}

// drop discards the bytes before an offset.
func (w *window) drop(offset int64) {
	n := int(offset - w.start)
	w.line, w.column = w.place(n)
	w.kept, w.start = w.kept[n:], offset
}

// lineBefore returns the line of the byte before an offset.
func (w *window) lineBefore(offset int64) int {
	line, _ := w.place(int(offset-w.start) - 1)
	return line
}

// place returns the line of byte n of kept, and the number of bytes before it in that line.
func (w *window) place(n int) (line, column int) {
	before := w.kept[:min(n, len(w.kept))]
	if last := bytes.LastIndexByte(before, '\n'); last >= 0 {
		return w.line + bytes.Count(before, []byte("\n")), len(before) - last - 1
	}
	return w.line, w.column + len(before)
}

// broken returns the index in kept where the JSON becomes invalid.
func (w *window) broken() int {
	value := bytes.TrimLeft(w.kept, ",: \t\r\n")
	var any json.RawMessage
	var wrong *json.SyntaxError
	if err := json.Unmarshal(value, &any); errors.As(err, &wrong) {
		return len(w.kept) - len(value) + int(wrong.Offset)
	}
	return len(w.kept) - len(value)
}

// A nanFilter replaces NaN and Infinity outside strings, which Python writes, by null.
type nanFilter struct {
	r        *bufio.Reader
	inString bool
	pending  []byte
}

func newNaNFilter(r *bufio.Reader) *nanFilter { return &nanFilter{r: r} }

func (f *nanFilter) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(f.pending) > 0 {
			copied := copy(p[n:], f.pending)
			f.pending = f.pending[copied:]
			n += copied
			continue
		}
		if n > 0 && f.r.Buffered() == 0 {
			return n, nil
		}
		b, err := f.r.ReadByte()
		if err != nil {
			return n, err
		}
		p[n] = b
		n++
		if b == '\n' { // which no string holds: one that did not end is in a broken line
			f.inString = false
		}
		if f.inString && b == '\\' {
			if next, err := f.r.ReadByte(); err == nil {
				f.pending = append(f.pending[:0], next)
			}
			continue
		}
		if b == '"' {
			f.inString = !f.inString
		}
		if !f.inString && f.skip(b) {
			p[n-1], f.pending = 'n', append(f.pending[:0], "ull"...)
		}
	}
	return n, nil
}

// skip skips the rest of a NaN or Infinity that begins with b.
func (f *nanFilter) skip(b byte) bool {
	rest := map[byte]string{'N': "aN", 'I': "nfinity", '-': "Infinity"}[b]
	if rest == "" {
		return false
	}
	if next, _ := f.r.Peek(len(rest)); string(next) != rest {
		return false
	}
	_, _ = f.r.Discard(len(rest))
	return true
}
