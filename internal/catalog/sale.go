package catalog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/whatis/internal/money"
	"example.com/whatis/internal/textfold"
)

// maxFacets is the largest number of facets of a product.
const maxFacets = 20

// setSale sets the fields of p for products for sale, and returns their errors. Invalid
// values are left out, except unknown values of facets.
func (r record) setSale(p *Product, of Format) []error {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(r.data, &fields); err != nil {
		return []error{err}
	}
	var wrong []error
	set := func(name string, value func(text string) error) {
		text, err := plainText(fields[name])
		if err == nil && text != "" {
			err = value(text)
		}
		if err != nil {
			wrong = append(wrong, inField(name, "%.40s %w; the product is imported without it", fields[name], err))
		}
	}
	set("sku", func(text string) error { p.SKU = text; return nil })
	set("description", func(text string) error { p.Description = text; return nil })
	set("image_uri", func(text string) error { p.ImageURI = text; return nil })
	set("variant_of", func(text string) error { p.VariantOf = text; return nil })
	set("price", func(text string) error { return p.setPrice(text, string(fields["price"][:1]) != `"`, of) })
	set("currency", p.setCurrency)
	set("stock", p.setStock)
	if text, err := facetText(fields["for_sale"]); text != "" || err != nil {
		if err = cmp.Or(err, p.setForSale(text)); err != nil {
			wrong = append(wrong, inField("for_sale", "%.40s %w; the product is imported as one for sale", fields["for_sale"], err))
		}
	}
	set("availability", p.setAvailability)
	*p = p.stocked()
	if p.Currency == "" {
		p.Currency = of.Currency
	}
	if p.Currency == "" && p.Price != (Price{}) {
		wrong = append(wrong, inField("currency", "is missing, and the price has none: say which, as VND or USD; the product is imported without its price"))
	}
	if !p.Price.Known() {
		p.Price = Price{}
	}
	return append(wrong, p.setFacets(fields["facets"], of.KnownFacet)...)
}

// plainText returns a JSON string or number as text, "" for null or nothing.
func plainText(data json.RawMessage) (string, error) {
	var value any
	numbers := json.NewDecoder(bytes.NewReader(data))
	numbers.UseNumber()
	if len(data) == 0 || numbers.Decode(&value) != nil {
		return "", nil
	}
	switch value := value.(type) {
	case nil:
		return "", nil
	case json.Number:
		return value.String(), nil
	case string:
		text := strings.TrimSpace(value)
		if n := utf8.RuneCountInString(text); n > MaxText {
			return "", fmt.Errorf("has %d characters, at most %d fit", n, MaxText)
		}
		return text, nil
	}
	return "", errors.New("is no text and no number")
}

// setPrice sets the price, and the currency if the text has one.
func (p *Product) setPrice(text string, number bool, of Format) (err error) {
	if !number {
		p.Price, err = money.Style{Decimal: of.Decimal}.Read(text)
		if errors.Is(err, money.ErrNoCurrency) {
			err = nil
		}
		return err
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || n <= 0 {
		return money.ErrNoAmount
	}
	p.Amount = n
	return nil
}

func (p *Product) setCurrency(text string) error {
	code := strings.ToUpper(text)
	if !money.IsCurrency(code) {
		return errors.New("is no code of ISO 4217, as VND or USD")
	}
	p.Currency = code
	return nil
}

// forSale are the words of shops for a product that is for sale, or is not, folded.
var forSale = map[string]bool{
	"true": true, "yes": true, "y": true, "1": true, "active": true, "published": true, "visible": true, "enabled": true, "both": true, "catalog": true, "search": true, "catalogsearch": true, "shown": true,
	"false": false, "no": false, "n": false, "0": false, "inactive": false, "hidden": false, "draft": false, "archived": false, "unpublished": false, "disabled": false, "none": false, "private": false, "staging": false, "unlisted": false,
}

func (p *Product) setForSale(text string) error {
	is, known := forSale[textfold.String(text)]
	if !known {
		return errors.New("is neither true nor false, nor as active, hidden, draft or archived")
	}
	p.NotForSale = !is
	return nil
}

func (p *Product) setStock(text string) error {
	stock, err := strconv.Atoi(text)
	if err != nil || stock < 0 {
		return errors.New("is no number of pieces, as 0 or 12")
	}
	p.Stock = &stock
	return nil
}

// reservedFacet begins the names of facets that are no property of a product, and of fields that
// Firestore refuses.
const reservedFacet = "_"

// setFacets sets p's facets. A product with facets gets its brand as one too.
func (p *Product) setFacets(data json.RawMessage, known func(facet, value string) bool) (wrong []error) {
	if len(data) == 0 || string(data) == "null" {
		return nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil {
		return []error{inField("facets", "%.40s are no object; the product is imported without them", data)}
	}
	if len(given) > maxFacets {
		return []error{inField("facets", "are %d, at most %d fit; the product is imported without them", len(given), maxFacets)}
	}
	p.Facets = map[string]string{}
	for _, facet := range slices.Sorted(maps.Keys(given)) {
		value, err := facetText(given[facet])
		if err != nil {
			wrong = append(wrong, inField(fmt.Sprintf("facets.%.40s", facet), "%.40s %w; the product is imported without it", given[facet], err))
		}
		if strings.HasPrefix(facet, reservedFacet) {
			wrong = append(wrong, inField(fmt.Sprintf("facets.%.40s", facet), "begins with %s, which is reserved; the product is imported without it", reservedFacet))
			continue
		}
		if facet == "" || value == "" || len(facet) > MaxText || len(value) > MaxText {
			continue
		}
		p.Facets[facet] = value
		for one := range strings.SplitSeq(value, valueSeparator) {
			if one = strings.TrimSpace(one); !known(facet, one) {
				wrong = append(wrong, inField(fmt.Sprintf("facets.%.40s", facet), "%.40q is not in the vocabulary; it is kept as it is", one))
			}
		}
	}
	if key := textfold.Name(p.Brand); key != "" && p.Facets[brandFacet] == "" {
		p.Facets[brandFacet] = key
	}
	return wrong
}

// facetText returns the value of a facet: a text, a number, true or false, or several of them
// in a list, which are joined by vertical bars.
func facetText(data json.RawMessage) (string, error) {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		list = []json.RawMessage{data}
	}
	var values []string
	for _, one := range list {
		text, err := plainText(one)
		if string(one) == "true" || string(one) == "false" {
			text, err = string(one), nil
		}
		if err != nil {
			return "", errors.New("is no text, number or list of them")
		}
		if text != "" {
			values = append(values, text)
		}
	}
	return strings.Join(values, valueSeparator), nil
}

// Sold reports whether p is for sale: it is then searched by its text and picture.
func (p Product) Sold() bool {
	return !p.NotForSale && (p.SKU != "" || p.Description != "" || p.Price.Known() || p.Availability != Unknown || p.Stock != nil || p.ImageURI != "" || p.VariantOf != "" || len(p.Facets) > 0)
}

// embeddedPicture returns the address of the picture that is embedded: not one on the web, which
// is not read.
func (p Product) embeddedPicture() string {
	if IsWebAddress(p.ImageURI) || p.NotForSale {
		return ""
	}
	return p.ImageURI
}

// SearchText returns the text by which p is searched: name, brand, category, description,
// features and facets; "" if it is not for sale.
func (p Product) SearchText() string {
	if p.NotForSale {
		return ""
	}
	texts := append([]string{p.ProductName, p.Brand, p.Category, p.Description}, p.KeyFeatures...)
	for _, facet := range slices.Sorted(maps.Keys(p.Facets)) {
		texts = append(texts, strings.NewReplacer("_", " ", valueSeparator, " ").Replace(p.Facets[facet]))
	}
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n")
}
