package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/whatis/internal/gs1"
)

// MaxText is how many characters a text of an imported record may have: its name,
// its brand, each of its features.
const MaxText = 1000

// A Fault is what is wrong with one record of an imported file.
type Fault struct {
	Record  string `json:"record"`         // products[3] (counted from 0), products["12"] or, of CSV, line 5
	Code    string `json:"code,omitempty"` // the record's GTIN as it is written
	Reason  Reason `json:"reason"`
	Why     string `json:"why"`
	LeftOut bool   `json:"left_out"` // else the record is imported, less what is wrong
}

// A Reason is what kind of thing is wrong with a record.
type Reason string

// The reasons.
const (
	NotARecord Reason = "no record" // it is no object of texts
	NoName     Reason = "no name"   // and nothing else that names it
	NoFeatures Reason = "no features"
	WrongCode  Reason = "wrong code" // its length or its check digit
	Duplicate  Reason = "duplicate"  // an earlier record of the file is the same product
	WrongField Reason = "wrong field"
)

// A reasoned error says why a record is refused.
type reasoned struct {
	reason Reason
	error
}

func because(r Reason, format string, args ...any) error {
	return reasoned{r, fmt.Errorf(format, args...)}
}

// fault is err as what is wrong with the record.
func (r record) fault(err error, leftOut bool) Fault {
	f := Fault{Record: r.place, Code: r.written("gtin", "code"), Reason: WrongField, Why: err.Error(), LeftOut: leftOut}
	var why reasoned
	if errors.As(err, &why) {
		f.Reason = why.reason
	}
	return f
}

// written is the first of the fields that holds a text or a number, as it is.
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

// A Format says how a file is read.
type Format struct {
	// Columns are, for each field of a product, the column of a CSV file that holds it.
	// Columns that are called as a field are that field. It makes every file CSV.
	Columns map[string]string
	// KnownFacet tells the values that a facet may have; others are kept and told as
	// faults. nil knows all.
	KnownFacet func(facet, value string) bool
}

// ReadProducts reads the products of a file, compressed by gzip or not:
//
//   - a products_db.json as it comes: {"products": [ … ]}, {"products": {"0": …}} or a
//     bare array, of objects with product_name, brand, category, key_features and, if
//     known, gtin, country, lang, aliases and brand_aliases, and what a shop says: sku,
//     description, price, currency, stock, image_uri and facets. NaN and Infinity, which
//     Python writes, are read as null;
//   - JSON Lines of such objects;
//   - JSON Lines as Open Food Facts and its siblings export them: objects with a code;
//   - CSV, whose first line names the columns.
//
// Other fields are ignored. A record that is no product is a Fault and left out. One
// whose gtin, price or the like is wrong is a Fault too, and imported without it, but
// for a wrong code of Open Food Facts: nothing else says what the record is about. Only
// a file of another shape is an error, ErrFile, which ends the products: what came
// before it has been yielded.
func ReadProducts(r io.Reader, f Format, fault func(Fault)) iter.Seq2[Product, error] {
	if f.KnownFacet == nil {
		f.KnownFacet = func(string, string) bool { return true }
	}
	return func(yield func(Product, error) bool) {
		var seen identities
		for record, err := range recordsIn(r, f.Columns) {
			if err != nil {
				yield(Product{}, fmt.Errorf("catalog: %w", err))
				return
			}
			p, wrong, err := record.read(f.KnownFacet)
			if err == nil {
				err = seen.add(p, record.number)
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

// identities are the products of a file so far: a part of the ID of each, so that a
// hundred thousand of them take a few MB.
type identities map[uint64]int

// add is an error if an earlier record is the same product.
func (seen *identities) add(p Product, number int) error {
	id, err := strconv.ParseUint(p.id()[:16], 16, 64)
	if err != nil {
		return err
	}
	if before, known := (*seen)[id]; known && p.Identity == ByGTIN {
		return because(Duplicate, "it has the same code as products[%d]", before)
	} else if known {
		return because(Duplicate, "it is the same product as products[%d]: name, brand, country and language are equal", before)
	}
	if *seen == nil {
		*seen = identities{}
	}
	(*seen)[id] = number
	return nil
}

// read is the record as a product, and what is wrong with it otherwise. An error says
// that it is none.
func (r record) read(known func(facet, value string) bool) (p Product, wrong []error, err error) {
	if o, ok := r.openFoodFacts(); ok {
		p, err = o.product()
	} else if p, err = r.product(); err == nil {
		wrong = append(r.setSale(&p, known), r.setGTIN(&p))
	}
	return p, slices.DeleteFunc(wrong, func(err error) bool { return err == nil }), err
}

// product is the record as a product, without its GTIN.
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
		return p, because(NoName, "product_name is missing or empty")
	case len(p.KeyFeatures) == 0:
		return p, because(NoFeatures, "key_features is missing or holds no text")
	}
	p.KeyFeatures = p.KeyFeatures[:min(len(p.KeyFeatures), MaxFeatures)]
	if fields.Identity == ByGTIN {
		p.Identity = ByGTIN
		if err := r.setGTIN(&p); err != nil || p.GTIN == "" {
			return p, because(WrongCode, "gtin is none, and the record is said to be known by it")
		}
	}
	return p, p.checkLengths()
}

// decodeObject reads a JSON object, and says in the file's words why it cannot.
func decodeObject(data []byte, into any) error {
	if !utf8.Valid(data) {
		return because(NotARecord, "it holds bytes that are not UTF-8: save the file as UTF-8")
	}
	if data[0] != '{' {
		return because(NotARecord, "it is %.20s, want an object", data)
	}
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(data, into); {
	case errors.As(err, &wrong):
		return fmt.Errorf("%s is of type %s, want %s", wrong.Field, wrong.Value, jsonName(wrong.Type.String()))
	default:
		return err
	}
}

// jsonName is what JSON calls a Go type of decodeObject's fields.
func jsonName(goType string) string {
	if strings.HasPrefix(goType, "[]") {
		return "a list of strings"
	}
	return goType
}

// withoutBlank is texts without those that hold none; nil if none is left.
func withoutBlank(texts []string) []string {
	if texts = slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" }); len(texts) == 0 {
		return nil
	}
	return texts
}

// checkLengths refuses texts that no product bears, which an embedding model or
// Firestore would refuse together with all the others.
func (p Product) checkLengths() error {
	for _, field := range []struct {
		name  string
		texts []string
	}{
		{"product_name", []string{p.ProductName}}, {"brand", []string{p.Brand}}, {"category", []string{p.Category}},
		{"country", []string{p.Country}}, {"lang", []string{p.Lang}},
		{"one of key_features", p.KeyFeatures}, {"one of aliases", p.Aliases}, {"one of brand_aliases", p.BrandAliases},
	} {
		for _, text := range field.texts {
			if n := utf8.RuneCountInString(text); n > MaxText {
				return fmt.Errorf("%s has %d characters, at most %d fit", field.name, n, MaxText)
			}
		}
	}
	return nil
}

// setGTIN sets p's GTIN to that of the record. It may be written as a number.
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
		return because(WrongCode, "gtin %.40s is none (its check digit or its length is wrong); the product is imported without it", fields.GTIN)
	}
	p.GTIN = gtin
	return nil
}
