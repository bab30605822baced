package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/whatis/internal/gs1"
)

// MaxText is the longest text of an imported record, in characters: its name, its brand,
// each feature.
const MaxText = 1000

// The aliases of a record of each kind, and the bytes of its texts, that may be imported:
// Firestore refuses a document of more than a megabyte, or of too many indexed values, and
// with it those that are written beside it.
const (
	maxOtherNames = 100
	maxTexts      = 256 << 10
)

// A Fault is an error in one record of an imported file.
type Fault struct {
	Record  string `json:"record"`          // products[3] (counted from 0), products["12"], in CSV line 5, in XML item 4 (counted from 1)
	Line    int    `json:"line,omitempty"`  // on which the record begins, from 1, as an editor counts
	Field   string `json:"field,omitempty"` // price, facets.color, of a Merchant feed its attribute; "" if it is not about one
	Code    string `json:"code,omitempty"`  // the record's GTIN as written
	Reason  Reason `json:"reason"`
	Why     string `json:"why"`
	LeftOut bool   `json:"left_out"` // otherwise the record is imported without the faulty value
}

// Place says where in the file the record is: line 12, products[3].
func (f Fault) Place() string {
	line := fmt.Sprintf("line %d", f.Line)
	if f.Line == 0 || f.Record == line {
		return f.Record
	}
	return line + ", " + f.Record
}

// A Reason classifies a fault.
type Reason string

// The reasons.
const (
	NotARecord  Reason = "no record"   // not an object with texts
	NoName      Reason = "no name"     // nor another field that names it
	NoFeatures  Reason = "no features" // in an export that is restored
	WrongCode   Reason = "wrong code"  // wrong length or check digit
	Duplicate   Reason = "duplicate"   // an earlier record of the file is the same product
	WrongField  Reason = "wrong field"
	Undecided   Reason = "undecided"    // several records may be the product's
	NotRestored Reason = "not restored" // a guess or a tombstone of an export, which is imported as any file
	Unread      Reason = "not read"     // columns or fields that are no field of a product
	Cut         Reason = "cut"          // a list with more than fits, of which the first are kept
	Replaced    Reason = "replaced"     // characters in another character set, or lost ones
)

// A reasoned error says why a record is refused.
type reasoned struct {
	reason Reason
	error
}

func (r reasoned) Unwrap() error { return r.error }

// A fieldError is an error in a field of a record.
type fieldError struct {
	field string
	error
}

func (e fieldError) Error() string { return e.field + " " + e.error.Error() }

func (e fieldError) Unwrap() error { return e.error }

// inField returns an error in a field; its text goes on after the field's name.
func inField(field, format string, args ...any) error {
	return fieldError{field, fmt.Errorf(format, args...)}
}

func because(r Reason, format string, args ...any) error {
	return reasoned{r, fmt.Errorf(format, args...)}
}

// fault returns err as a Fault of the record.
func (r record) fault(err error, leftOut bool) Fault {
	f := Fault{Record: r.place, Line: r.line, Code: r.written("gtin", "code"), Reason: WrongField, Why: err.Error(), LeftOut: leftOut}
	var why reasoned
	if errors.As(err, &why) {
		f.Reason = why.reason
	}
	var field fieldError
	if errors.As(err, &field) {
		f.Field = field.field
	}
	if column := r.columns[f.Field]; column != "" {
		f.Why, f.Field = column+strings.TrimPrefix(f.Why, f.Field), column
	}
	return f
}

// written returns the first of the fields with a text or a number, unchanged.
func (r record) written(fields ...string) string {
	all := map[string]json.RawMessage{}
	_ = json.Unmarshal(r.data, &all)
	for _, field := range fields {
		if text, err := plainText(all[field]); err == nil && text != "" {
			return text
		}
	}
	return ""
}

// A Format describes how to read a file.
type Format struct {
	// Columns maps product fields to the columns, attributes or keys that hold them, where the file's
	// origin is not known or says otherwise.
	Columns map[string]string `json:"columns,omitempty"`
	// Currency is that of prices without one. If it is empty, it is the currency of the file's other prices.
	Currency string `json:"currency,omitempty"`
	// Decimal is the decimal mark, "." or ",", of prices that may be read in two ways, as 1,249. If it is
	// empty, the other prices of the file say it.
	Decimal string `json:"decimal,omitempty"`
	// Reading is told what the file was taken for, before its first product; nil tells nobody.
	Reading func(Reading) `json:"-"`
	// Charset is the file's character set, by its name on the web, such as windows-1252 or
	// euc-kr. If empty, it is that of the byte order mark, UTF-16 or UTF-8; records that are
	// not UTF-8 are read as Windows-1252 if that makes words of them, and reported.
	Charset string `json:"charset,omitempty"`
	// Restore takes the lines of an export as the records that they were, with status, source,
	// reviews and tombstones: whoever wrote the file decides what is confirmed. Otherwise they
	// are products as those of any file, but for guesses and tombstones, which are none.
	Restore bool `json:"restore,omitempty"`
	// Pictures has pictures on the web fetched and embedded, as others are.
	Pictures bool `json:"pictures,omitempty"`
	// KnownFacet reports whether a facet may have that value; others are stored and
	// reported as faults. nil accepts all.
	KnownFacet func(facet, value string) bool `json:"-"`
	// Now is the time at which a sale lasts, or not; zero is the time of reading.
	Now time.Time `json:"-"`
}

func (f Format) now() time.Time {
	if f.Now.IsZero() {
		return time.Now()
	}
	return f.Now
}

// ReadProducts reads the products of a file, compressed by gzip or not:
//
//   - a products_db.json as it comes: {"products": [ … ]}, {"products": {"0": …}} or a
//     bare array, of objects with product_name, brand, category, key_features and, if
//     known, gtin, country, lang, aliases and brand_aliases, and of products for sale: sku,
//     description, price, currency, stock, image_uri and facets. NaN and Infinity, which
//     Python writes, are read as null;
//   - JSON Lines of such objects;
//   - JSON Lines as Open Food Facts and its siblings export them: objects with a code;
//   - tables whose first line names the columns, above all what shops export: origins says which are
//     known, and anyFile which columns are read of others;
//   - feeds of products: RSS 2.0, Atom and lists of other elements, with the attributes of Google
//     Merchant Center or others;
//   - JSON of other words, read as tables are;
//   - JSON Lines of Exported records: with Format.Restore these are restored as they were.
//
// Other fields are reported. A record that is not a product is a Fault and left out. A line
// of JSON Lines that is no JSON is one, too. A
// record with an invalid gtin, price or the like is a Fault too, but is imported without
// that value; in Open Food Facts, where only the code identifies a record, it is left out.
// Only a malformed file is an error: ErrFile ends the products, after those before it were
// yielded.
func ReadProducts(r io.Reader, f Format, fault func(Fault)) iter.Seq2[Product, error] {
	if f.KnownFacet == nil {
		f.KnownFacet = func(string, string) bool { return true }
	}
	return func(yield func(Product, error) bool) {
		var seen identities
		ignored := unread{}
		defer ignored.report(fault)
		for record, err := range recordsIn(r, f, fault) {
			if err != nil {
				yield(Product{}, fmt.Errorf("catalog: %w", err))
				return
			}
			p, wrong, err := record.read(f)
			if err == nil {
				if err = seen.add(p, record); err != nil && record.otherSKU != "" {
					p.SKU = record.otherSKU
					err = seen.add(p, record)
				}
				ignored.add(record, f.Restore)
			}
			if err != nil {
				fault(record.fault(err, true))
				continue
			}
			for _, err := range wrong {
				fault(record.fault(err, false))
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}

// identities are the products of a file so far: part of the ID of each, so that a hundred
// thousand take a few MB.
type identities map[uint64]position

// A position is where a record is in its file.
type position struct{ number, line uint32 }

// as returns the position in the words of the place of another record of the file.
func (p position) as(other record) string {
	record := fmt.Sprintf("products[%d]", p.number)
	switch {
	case strings.HasPrefix(other.place, "line "):
		record = fmt.Sprintf("line %d", p.line)
	case strings.HasPrefix(other.place, "item "):
		record = fmt.Sprintf("item %d", p.number+1)
	}
	return Fault{Record: record, Line: int(p.line)}.Place()
}

// add returns an error if an earlier record is the same product.
func (seen *identities) add(p Product, r record) error {
	p = p.identified()
	id, err := strconv.ParseUint(p.id()[:16], 16, 64)
	if err != nil {
		return err
	}
	if before, known := (*seen)[id]; known && p.restored != nil {
		return because(Duplicate, "it is the same record as %s", before.as(r))
	} else if known && p.Identity == BySKU {
		return because(Duplicate, "%w", inField("sku", "%.60q is also that of %s: each product has its own", p.SKU, before.as(r)))
	} else if known && p.Identity == ByGTIN {
		return because(Duplicate, "%w", inField("gtin", "%s is also that of %s: give both a sku if they are two products", p.GTIN, before.as(r)))
	} else if known {
		return because(Duplicate, "it is the same product as %s: name, brand, country and language are equal; give both a sku if they are two products", before.as(r))
	}
	if *seen == nil {
		*seen = identities{}
	}
	(*seen)[id] = position{uint32(r.number), uint32(r.line)}
	return nil
}

// read returns the record as a product, and the errors in its optional values. It returns
// err if the record is not a product.
func (r record) read(f Format) (p Product, wrong []error, err error) {
	if r.broken != nil {
		return p, nil, r.broken
	}
	if e, ok := r.exported(); ok && f.Restore {
		p, err = e.restored()
	} else if ok && (e.Status == Unconfirmed || e.Status == Rejected) {
		return p, nil, because(NotRestored, "it is of an export, and %s there: only restoring the file brings it back", e.Status)
	} else if o, ok := r.openFoodFacts(); ok {
		p, err = o.product()
	} else if p, err = r.product(); err == nil {
		wrong = append(r.setSale(&p, f), r.setGTIN(&p), p.cutFeatures())
		wrong = append(r.wrong, wrong...)
		p.Provenance = withoutBlank([]string{r.page})
	}
	wrong = append(wrong, r.replaced())
	return p, slices.DeleteFunc(wrong, func(err error) bool { return err == nil }), err
}

// cutFeatures keeps the first MaxFeatures features, and returns an error if there are more.
func (p *Product) cutFeatures() error {
	n := len(p.KeyFeatures)
	if n <= MaxFeatures {
		return nil
	}
	p.KeyFeatures = p.KeyFeatures[:MaxFeatures]
	return because(Cut, "%w", inField("key_features", "are %d: the first %d are kept", n, MaxFeatures))
}

// replaced returns an error if characters of the record were taken for others, or are lost.
func (r record) replaced() error {
	switch {
	case len(r.words) > 0:
		return because(Replaced, "it is not UTF-8, and was read as Windows-1252: %s; if these words are wrong, name its character set", listed(r.words))
	case bytes.ContainsRune(r.data, utf8.RuneError):
		return because(Replaced, "characters were lost: it holds %q", string(utf8.RuneError))
	}
	return nil
}

// An unread counts the fields of a file's records that are no fields of a product, by name.
type unread map[string]int

// add counts those of a record. CSV names its columns once, and Open Food Facts has many for others.
func (u unread) add(r record, restored bool) {
	if r.columns != nil {
		return
	}
	if _, ok := r.exported(); ok && !restored {
		u["status"]++
	}
	fields := map[string]json.RawMessage{}
	_ = json.Unmarshal(r.data, &fields)
	if fields["code"] != nil && fields["key_features"] == nil {
		return
	}
	for name := range fields {
		if !slices.Contains(fileFields, name) {
			u[name]++
		}
	}
}

// fileFields are the fields of a product in JSON.
var fileFields = jsonFields(reflect.TypeFor[Exported]())

func jsonFields(of reflect.Type) (names []string) {
	for _, field := range reflect.VisibleFields(of) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// report reports the fields as one fault of the file.
func (u unread) report(fault func(Fault)) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(u)) {
		names = append(names, fmt.Sprintf("%.40q (in %d)", name, u[name]))
	}
	if len(names) > 0 {
		fault(Fault{Record: "products", Reason: Unread, Why: "fields that are not read: " + listed(names)})
	}
}

// product returns the record as a product, without its GTIN.
func (r record) product() (Product, error) {
	var fields struct {
		ProductName  string   `json:"product_name"`
		Brand        string   `json:"brand"`
		Category     string   `json:"category"`
		KeyFeatures  []string `json:"key_features"`
		Country      string   `json:"country"`
		Lang         string   `json:"lang"`
		Aliases      []string `json:"aliases"`
		BrandAliases []string `json:"brand_aliases"`
		Identity     Identity `json:"identity"`
	}
	if err := decodeObject(r.data, &fields); err != nil {
		return Product{}, err
	}
	p := Product{
		ProductName: strings.TrimSpace(fields.ProductName), Brand: strings.TrimSpace(fields.Brand), Category: strings.TrimSpace(fields.Category),
		KeyFeatures: withoutBlank(fields.KeyFeatures), Aliases: withoutBlank(fields.Aliases), BrandAliases: withoutBlank(fields.BrandAliases),
		Country: fields.Country, Lang: fields.Lang, Status: Imported, Source: "import",
	}
	switch {
	case p.ProductName == "":
		return p, because(NoName, "%w", inField("product_name", "is missing or empty"))
	case len(p.KeyFeatures) == 0:
		p.KeyFeatures = withoutBlank([]string{p.Brand, p.ProductName, p.Category})
	}
	if fields.Identity == ByGTIN {
		p.Identity = ByGTIN
		if err := r.setGTIN(&p); err != nil || p.GTIN == "" {
			return p, because(WrongCode, "%w", inField("gtin", "%.40s is invalid, and the record has identity gtin", r.written("gtin")))
		}
	}
	read := p
	read.KeyFeatures = p.KeyFeatures[:min(len(p.KeyFeatures), MaxFeatures)]
	return p, read.checkLengths()
}

// decodeObject decodes a JSON object. Its error names the file's fields and types, not
// those of Go.
func decodeObject(data []byte, into any) error {
	if data[0] != '{' {
		return because(NotARecord, "it is %.20s, want an object", data)
	}
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(data, into); {
	case errors.As(err, &wrong):
		return inField(wrong.Field, "is of type %s, want %s: %s", wrong.Value, jsonName(wrong.Type.String()), excerpt(data, wrong.Field))
	default:
		return err
	}
}

// excerpt returns the beginning of a field of an object, as it is written.
func excerpt(data []byte, field string) string {
	fields := map[string]json.RawMessage{}
	_ = json.Unmarshal(data, &fields)
	return fmt.Sprintf("%.40s", fields[field])
}

// jsonName returns JSON's name for the type of one of decodeObject's fields.
func jsonName(goType string) string {
	if strings.HasPrefix(goType, "[]") {
		return "a list of strings"
	}
	return goType
}

// withoutBlank returns texts without blank ones; nil if none is left.
func withoutBlank(texts []string) []string {
	if texts = slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" }); len(texts) == 0 {
		return nil
	}
	return texts
}

// checkLengths refuses texts that are too long or too many for a product. An embedding model
// or Firestore would refuse the whole request because of them.
func (p Product) checkLengths() error {
	if n := max(len(p.Aliases), len(p.BrandAliases)); n > maxOtherNames {
		return fmt.Errorf("it has %d aliases or brand_aliases, at most %d fit", n, maxOtherNames)
	}
	const one = "has a text that "
	size := 0
	for _, field := range []struct {
		name, of string
		texts    []string
	}{
		{"product_name", "", []string{p.ProductName}}, {"brand", "", []string{p.Brand}}, {"category", "", []string{p.Category}},
		{"country", "", []string{p.Country}}, {"lang", "", []string{p.Lang}},
		{"key_features", one, p.KeyFeatures}, {"aliases", one, p.Aliases}, {"brand_aliases", one, p.BrandAliases},
	} {
		for _, text := range field.texts {
			if size += len(text); size > maxTexts {
				return fmt.Errorf("its texts have more than %d bytes", maxTexts)
			}
			if n := utf8.RuneCountInString(text); n > MaxText {
				return inField(field.name, "%shas %d characters, at most %d fit: %.40q", field.of, n, MaxText, text)
			}
		}
	}
	return nil
}

// setGTIN sets p's GTIN to that of the record, which may be a JSON number.
func (r record) setGTIN(p *Product) error {
	var fields struct {
		GTIN json.RawMessage `json:"gtin"`
	}
	if err := json.Unmarshal(r.data, &fields); err != nil {
		return err
	}
	written := strings.Trim(string(fields.GTIN), `" `)
	if written == "" || written == "null" {
		return nil
	}
	gtin, ok := gs1.GTIN(written)
	if !ok {
		return because(WrongCode, "%w", inField("gtin", "%.40s is invalid (its check digit or its length is wrong); the product is imported without it", fields.GTIN))
	}
	p.GTIN = gtin
	return nil
}
