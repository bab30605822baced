package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/whatis/internal/gs1"
)

// MaxText is how many characters a text of an imported record may have: its name,
// its brand, each of its features.
const MaxText = 1000

// A Fault is what is wrong with one record of an imported file.
type Fault struct {
	Record  string // products[3] (counted from 0) or products["12"]
	Why     string
	LeftOut bool // else the record is imported, less what is wrong
}

// ReadProducts reads a products_db.json as it comes: {"products": [ … ]},
// {"products": {"0": …}}, a bare array or JSON Lines, of objects with product_name,
// brand, category, key_features and, if known, gtin, country and lang, and what a
// shop says: sku, description, price, currency, stock, image_uri and facets. Other
// fields are ignored, and NaN and Infinity, which Python writes, are read as null.
//
// A record that is no product is a Fault and left out. One whose gtin, price or
// the like is wrong is a Fault too, and imported without it. Only a file of another
// shape is an error, ErrFile, which ends the products: what came before it has
// been yielded.
func ReadProducts(r io.Reader, fault func(Fault)) iter.Seq2[Product, error] {
	return readProducts(r, func(string, string) bool { return true }, fault)
}

// readProducts is ReadProducts that also reports the values of facets that are not
// known; they are kept as they are given.
func readProducts(r io.Reader, known func(facet, value string) bool, fault func(Fault)) iter.Seq2[Product, error] {
	return func(yield func(Product, error) bool) {
		first := map[string]string{} // the record that has an identity first
		for record, err := range recordsIn(r) {
			if err != nil {
				yield(Product{}, fmt.Errorf("catalog: %w", err))
				return
			}
			p, err := record.product()
			if before := first[p.id()]; err == nil && before != "" {
				err = fmt.Errorf("it is the same product as %s: name, brand, country and language are equal", before)
			}
			if err != nil {
				fault(Fault{record.place, err.Error(), true})
				continue
			}
			first[p.id()] = record.place
			for _, wrong := range append(record.setSale(&p, known), record.setGTIN(&p)) {
				if wrong != nil {
					fault(Fault{record.place, wrong.Error(), false})
				}
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}

// product is the record as a product, without its GTIN.
func (r record) product() (Product, error) {
	var fields struct {
		ProductName string   `json:"product_name"`
		Brand       string   `json:"brand"`
		Category    string   `json:"category"`
		KeyFeatures []string `json:"key_features"`
		Country     string   `json:"country"`
		Lang        string   `json:"lang"`
	}
	if err := decodeObject(r.data, &fields); err != nil {
		return Product{}, err
	}
	p := Product{
		ProductName: strings.TrimSpace(fields.ProductName), Brand: strings.TrimSpace(fields.Brand), Category: strings.TrimSpace(fields.Category),
		KeyFeatures: withoutBlank(fields.KeyFeatures),
		Country:     fields.Country, Lang: fields.Lang, Status: Imported, Source: "import",
	}
	switch {
	case p.ProductName == "":
		return p, errors.New("product_name is missing or empty")
	case len(p.KeyFeatures) == 0:
		return p, errors.New("key_features is missing or holds no text")
	}
	p.KeyFeatures = p.KeyFeatures[:min(len(p.KeyFeatures), MaxFeatures)]
	return p, p.checkLengths()
}

// decodeObject reads a JSON object, and says in the file's words why it cannot.
func decodeObject(data []byte, into any) error {
	if !utf8.Valid(data) {
		return errors.New("it holds bytes that are not UTF-8: save the file as UTF-8")
	}
	if data[0] != '{' {
		return fmt.Errorf("it is %.20s, want an object", data)
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

// withoutBlank is features without those that hold no text.
func withoutBlank(features []string) []string {
	return slices.DeleteFunc(features, func(f string) bool { return strings.TrimSpace(f) == "" })
}

// checkLengths refuses texts that no product bears, which an embedding model or
// Firestore would refuse together with all the others.
func (p Product) checkLengths() error {
	texts := append([]string{p.ProductName, p.Brand, p.Category, p.Country, p.Lang}, p.KeyFeatures...)
	for i, text := range texts {
		name := []string{"product_name", "brand", "category", "country", "lang", "one of key_features"}[min(i, 5)]
		if n := utf8.RuneCountInString(text); n > MaxText {
			return fmt.Errorf("%s has %d characters, at most %d fit", name, n, MaxText)
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
		return fmt.Errorf("gtin %.40s is none (its check digit or its length is wrong); the product is imported without it", fields.GTIN)
	}
	p.GTIN = gtin
	return nil
}
