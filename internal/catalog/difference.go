package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// An Effect is what an import does with a product of a file.
type Effect string

// The effects.
const (
	WouldAdd    Effect = "new"
	WouldChange Effect = "changed"
	WouldRename Effect = "renamed"   // changed, its name too
	WouldKeep   Effect = "kept"      // the record differs, and is trusted more than the file
	WouldLeave  Effect = "undecided" // several records may be the product's: it is left out
	Same        Effect = "same"
)

// A Difference is what an import would do with one product of a file, compared with the catalogue.
type Difference struct {
	What        Effect   `json:"what"`
	Records     []string `json:"records,omitempty"` // the ID of its record; of an undecided one all that are possible
	ProductName string   `json:"product_name"`
	SKU         string   `json:"sku,omitempty"`
	GTIN        string   `json:"gtin,omitempty"`
	Fields      []Field  `json:"fields,omitempty"` // what would change
	Why         string   `json:"why,omitempty"`    // it is kept or undecided
}

// A Field is a field of a record that would change, as JSON; null is no value.
type Field struct {
	Name   string          `json:"field"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// compare tells the differences of some products, and counts what an import would do.
func (im Import) compare(ctx context.Context, d decisions, done *Imports) error {
	var ids []string
	for _, p := range d.changed {
		ids = append(ids, d.stored[p.id()].ID)
	}
	before, err := im.Catalog.fetch(ctx, ids, plainFields)
	if err != nil {
		return err
	}
	for _, p := range d.fresh {
		im.Differ(p.difference(WouldAdd))
	}
	for _, p := range d.changed {
		record := before[d.stored[p.id()].ID]
		what := p.difference(WouldChange, record.ID)
		if record.ProductName != p.ProductName {
			what.What = WouldRename
		}
		if what.Fields = record.fieldsOther(p); len(what.Fields) == 0 && p.pictured {
			what.Why = "its picture is to be fetched"
		}
		im.Differ(what)
	}
	for _, p := range d.known {
		record := d.stored[p.id()]
		what := p.difference(Same, record.ID)
		if why := record.keeps(p); why != "" {
			what.What, what.Why = WouldKeep, why
		}
		im.Differ(what)
	}
	for _, one := range d.undecided {
		what := one.difference(WouldLeave, idsOf(one.possible)...)
		what.Why = one.why()
		im.Differ(what)
	}
	done.New, done.Changed, done.Known, done.LeftOut = done.New+len(d.fresh), done.Changed+len(d.changed), done.Known+len(d.known), done.LeftOut+len(d.undecided)
	return nil
}

func (p Product) difference(what Effect, records ...string) Difference {
	return Difference{What: what, Records: records, ProductName: p.ProductName, SKU: p.SKU, GTIN: p.GTIN}
}

// keeps says why the record is not changed by p, from a file, which has other data; "" if it is equal.
func (before storedProduct) keeps(p Product) string {
	switch {
	case p.restored != nil && before.equal, p.restored == nil && before.Status != Rejected && before.RecordDigest == p.RecordDigest:
		return ""
	case before.Status == Rejected:
		return "people have rejected it"
	case before.Reviewed:
		return "people have reviewed it"
	case p.restored != nil:
		return "it is trusted more than the exported record"
	case before.Status == Confirmed:
		return "it is confirmed: --status confirmed changes it"
	case before.Status == Unconfirmed:
		return "it was learnt, and the row has no sku and no gtin: --status confirmed changes it"
	}
	return ""
}

// importedFields are the fields of an Exported that an import changes, in this order.
var importedFields = []string{
	"product_name", "brand", "category", "key_features", "gtin", "sku", "price", "currency", "for_sale", "availability", "stock", "description", "image_uri",
	"variant_of", "facets", "aliases", "brand_aliases", "country", "lang", "status",
}

// fieldsOther returns the fields in which after differs from p.
func (p Product) fieldsOther(after Product) (other []Field) {
	a, b := p.exportedFields(), after.exportedFields()
	for _, name := range importedFields {
		if !bytes.Equal(a[name], b[name]) {
			other = append(other, Field{name, a.value(name), b.value(name)})
		}
	}
	return other
}

// A fields is an object of JSON.
type fields map[string]json.RawMessage

func (p Product) exportedFields() (f fields) {
	data, err := json.Marshal(p.Export())
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		panic(fmt.Sprintf("catalog: a record is no JSON: %v", err))
	}
	return f
}

// value returns the value of a field that is not empty; otherwise null.
func (f fields) value(name string) json.RawMessage {
	if v := f[name]; v != nil && string(v) != `""` {
		return v
	}
	return json.RawMessage("null")
}
