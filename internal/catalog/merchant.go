package catalog

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// An attributes holds what a feed of Google Merchant Center says of a product, by attribute;
// several texts of one that is repeated. https://support.google.com/merchants/answer/7052112 has
// the attributes. Of them these are used:
//
//	id, title, description, brand, gtin     → SKU, ProductName, Description, Brand, GTIN
//	product_type, google_product_category   → Category: the last part of the first that is text
//	price, sale_price, …_effective_date     → Price: the sale's while it lasts
//	availability, quantity                  → Availability, Stock
//	image_link, link                        → ImageURI; Provenance
//	item_group_id                           → VariantOf
//	color, size, material, pattern, gender, age_group → Facets
//	brand, title, category, mpn             → KeyFeatures
type attributes map[string][]string

// merchantFields are the fields of a product that have another name in a feed.
var merchantFields = map[string]string{
	"sku": "id", "product_name": "title", "category": "product_type", "image_uri": "image_link", "variant_of": "item_group_id", "stock": "quantity", "currency": "price",
}

// merchantFacets are the attributes that are facets. Parts of those in several are separated by
// slashes, as Red/Blue.
var (
	merchantFacets = []string{"color", "material", "size", "pattern", "gender", "age_group"}
	slashed        = []string{"color", "material"}
)

// A merchantItem is what a record of a Merchant feed has besides the fields of a product.
type merchantItem struct {
	page  string // the address of the product's page
	wrong []error
}

// isMerchantTable reports whether the first line names columns of a Merchant feed.
func isMerchantTable(r *bufio.Reader) bool {
	return firstLineNames(r, func(columns []string) bool {
		names := map[string]bool{}
		for _, column := range columns {
			names[attributeName(column)] = true
		}
		return names["id"] && names["title"] && (names["link"] || names["image_link"] || names["availability"])
	})
}

// readMerchantTable reads the rows of a Merchant feed as records.
func readMerchantTable(r *bufio.Reader, now time.Time, each func(record) bool) error {
	t, err := newTable(r)
	if err != nil {
		return err
	}
	return t.records(func(one *record, row []string) {
		a := attributes{}
		for i, text := range row[:min(len(row), len(t.header))] {
			a.add(attributeName(t.header[i]), text)
		}
		a.fill(one, now)
	}, each)
}

// attributeName returns an attribute as Google spells it: image_link for "Image link" and
// g:image_link.
func attributeName(written string) string {
	name := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(written)), "g:")
	return strings.NewReplacer(" ", "_", "-", "_").Replace(name)
}

// add adds a text unless it is blank.
func (a attributes) add(name, text string) {
	if text = strings.TrimSpace(text); text != "" {
		a[name] = append(a[name], text)
	}
}

// first returns the first text of the first attribute that has one.
func (a attributes) first(names ...string) string {
	for _, name := range names {
		if len(a[name]) > 0 {
			return a[name][0]
		}
	}
	return ""
}

// fill sets the data of a record to the product that the attributes describe, at a time.
func (a attributes) fill(one *record, now time.Time) {
	item := &merchantItem{page: a.page()}
	note := func(err error) {
		if err != nil {
			item.wrong = append(item.wrong, err)
		}
	}
	description, err := cutText(plainHTML(a.first("description", "summary", "content")))
	note(err)
	price, currency, wrong := a.price(now)
	item.wrong = append(item.wrong, wrong...)
	product := map[string]any{
		"key_features": withoutBlank([]string{a.first("brand"), a.first("title"), a.category(), a.first("mpn")}),
	}
	if facets := a.facets(); len(facets) > 0 {
		product["facets"] = facets
	}
	for field, text := range map[string]string{
		"sku": a.first("id"), "product_name": a.first("title"), "description": description, "brand": a.first("brand"), "gtin": a.first("gtin"), "category": a.category(),
		"price": price, "currency": currency, "availability": a.first("availability"), "stock": a.first("quantity"), "image_uri": a.first("image_link"), "variant_of": a.first("item_group_id"),
	} {
		if text != "" {
			product[field] = text
		}
	}
	if one.data, err = json.Marshal(product); err != nil {
		panic(fmt.Sprintf("catalog: an item of texts is no JSON: %v", err))
	}
	one.merchant = item
}

// page returns the address of the product's page, if it is one that a record may have.
func (a attributes) page() string {
	if link := a.first("link"); isWebAddress(link) && len(link) <= MaxText {
		return link
	}
	return ""
}

// category returns the last part of the shop's own category, else of Google's; of that a number
// says nothing to people.
func (a attributes) category() string {
	path := a.first("product_type")
	if _, err := strconv.Atoi(a.first("google_product_category")); err != nil {
		path = cmp.Or(path, a.first("google_product_category"))
	}
	return strings.TrimSpace(path[strings.LastIndex(path, ">")+1:])
}

// facets returns the facets, each with its values between vertical bars.
func (a attributes) facets() map[string]string {
	facets := map[string]string{}
	for _, name := range merchantFacets {
		var values []string
		for _, text := range a[name] {
			if slices.Contains(slashed, name) {
				text = strings.ReplaceAll(text, "/", valueSeparator)
			}
			values = append(values, strings.Split(text, valueSeparator)...)
		}
		if values = withoutBlank(trimmed(values)); len(values) > 0 {
			facets[name] = strings.Join(values, valueSeparator)
		}
	}
	return facets
}

// price returns the price at a time: that of a sale while it lasts.
func (a attributes) price(now time.Time) (amount, currency string, wrong []error) {
	read := func(name string) (amount, currency string) {
		text := a.first(name)
		amount, currency = priced(text)
		if currency == "" && text != "" {
			wrong = append(wrong, inField(name, "%.40q is not as 15.00 USD; it is not read", text))
		}
		return amount, currency
	}
	amount, currency = read("price")
	sale, of := read("sale_price")
	lasts, err := a.onSale(now)
	if err != nil {
		wrong = append(wrong, err)
	}
	if sale != "" && lasts {
		return sale, of, wrong
	}
	return amount, currency, wrong
}

// saleTimes are the forms of the ends of a sale, in ISO 8601.
var saleTimes = []string{"2006-01-02T15:04Z0700", "2006-01-02T15:04:05Z0700", time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly}

// onSale reports whether the time is within the dates of the sale; without dates it is.
func (a attributes) onSale(now time.Time) (bool, error) {
	dates := a.first("sale_price_effective_date")
	if dates == "" {
		return true, nil
	}
	from, to, _ := strings.Cut(dates, "/")
	begin, err := saleTime(from)
	if err == nil {
		var end time.Time
		if end, err = saleTime(to); err == nil {
			return !now.Before(begin) && now.Before(end), nil
		}
	}
	return false, inField("sale_price_effective_date", "%.80q is not as 2026-11-24T11:07+0100/2026-11-29T23:07+0100; the price without the sale counts", dates)
}

// saleTime parses an end of a sale; without a time zone it is in UTC.
func saleTime(text string) (at time.Time, err error) {
	for _, form := range saleTimes {
		if at, err = time.Parse(form, strings.TrimSpace(text)); err == nil {
			return at, nil
		}
	}
	return at, err
}

// isWebAddress reports whether a text is an address on the web.
func isWebAddress(text string) bool {
	return strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")
}

// plainHTML returns a text without the tags of HTML that feeds have in descriptions.
func plainHTML(text string) string {
	if !strings.ContainsAny(text, "<&") {
		return text
	}
	var b strings.Builder
	for z := html.NewTokenizer(strings.NewReader(text)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(b.String()), " ")
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			b.WriteByte(' ')
		}
	}
}

// cutText returns the first MaxText characters of a description, to the end of a word, and an
// error if there are more.
func cutText(text string) (string, error) {
	n := utf8.RuneCountInString(text)
	if n <= MaxText {
		return text, nil
	}
	kept := string([]rune(text)[:MaxText])
	if end := strings.LastIndexAny(kept, " \n\t"); end > len(kept)/2 {
		kept = kept[:end]
	}
	return kept, because(Cut, "%w", inField("description", "has %d characters: the first %d are kept", n, utf8.RuneCountInString(kept)))
}

// attribute returns a field of a product as Merchant feeds call it.
func attribute(field string) string {
	return cmp.Or(merchantFields[field], strings.TrimPrefix(field, facetField))
}
