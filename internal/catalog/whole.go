package catalog

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/whatis/internal/spreadsheet"
	"example.com/whatis/internal/store"
)

// pageOfAll is how many records All reads per query.
const pageOfAll = 300

// All returns every record of a shop that has vectors in a space, "" for any, ordered by ID, without
// vectors. Tombstones have none.
func (c *Catalog) All(ctx context.Context, shop, space string) iter.Seq2[Product, error] {
	if space == "" {
		return c.each(ctx, c.products(shop).Where("status", "in", living))
	}
	return c.each(ctx, c.in(shop, space))
}

// Tombstones returns what is left of a shop's rejected records, ordered by ID.
func (c *Catalog) Tombstones(ctx context.Context, shop string) iter.Seq2[Product, error] {
	return c.each(ctx, c.products(shop).Where("status", "==", Rejected))
}

// Exported returns all records and Tombstones with a status, "" for any.
func (c *Catalog) Exported(ctx context.Context, shop string, status Status) iter.Seq2[Product, error] {
	return func(yield func(Product, error) bool) {
		for _, all := range []iter.Seq2[Product, error]{c.All(ctx, shop, ""), c.Tombstones(ctx, shop)} {
			for p, err := range all {
				if (err != nil || status == "" || p.Status == status) && !yield(p, err) || err != nil {
					return
				}
			}
		}
	}
}

// each returns the records of a query, ordered by ID.
func (c *Catalog) each(ctx context.Context, of firestore.Query) iter.Seq2[Product, error] {
	return func(yield func(Product, error) bool) {
		of := of.OrderBy(firestore.DocumentID, firestore.Asc).Select(wholeFields...).Limit(pageOfAll)
		for page := of; ; {
			docs, err := store.List[Product](ctx, page)
			if err != nil {
				yield(Product{}, fmt.Errorf("catalog: query: %w", err))
				return
			}
			found := identified(docs)
			for i, p := range found {
				if p.updated = docs[i].Updated; !yield(p, nil) {
					return
				}
			}
			if len(found) < pageOfAll {
				return
			}
			page = of.StartAfter(found[len(found)-1].ID)
		}
	}
}

// wholeFields are all fields of a record except its vectors.
var wholeFields = fieldsIn(reflect.TypeFor[Product]())

// fieldsIn returns the names under which Firestore has the fields of a struct, except vectors and
// the distance to one.
func fieldsIn(of reflect.Type) (fields []string) {
	for i := range of.NumField() {
		if of.Field(i).Anonymous {
			fields = append(fields, fieldsIn(of.Field(i).Type)...)
		}
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("firestore"), ",")
		vector := of.Field(i).Type == reflect.TypeFor[firestore.Vector32]() || of.Field(i).Type == reflect.TypeFor[[]byte]()
		if name != "" && name != "-" && name != "distance" && !vector {
			fields = append(fields, name)
		}
	}
	return fields
}

// An Exported is a record as a line of a file. An import of the line restores the record: with its
// status and source, its probability, and what reviews said of it. A tombstone has little more than
// its ID.
type Exported struct {
	ID           string   `json:"id"`
	UUID         string   `json:"uuid,omitempty"`
	Shop         string   `json:"shop"`
	ProductName  string   `json:"product_name"`
	Brand        string   `json:"brand"`
	Category     string   `json:"category"`
	KeyFeatures  []string `json:"key_features"`
	GTIN         string   `json:"gtin,omitempty"`
	Identity     Identity `json:"identity,omitempty"`
	Country      string   `json:"country,omitempty"`
	Lang         string   `json:"lang,omitempty"`
	Aliases      []string `json:"aliases,omitempty"`
	BrandAliases []string `json:"brand_aliases,omitempty"`
	SKU          string   `json:"sku,omitempty"`
	Description  string   `json:"description,omitempty"`
	Price
	ForSale      *bool             `json:"for_sale,omitempty"` // false or left out
	Hidden       bool              `json:"hidden,omitempty"`   // by its owner
	Availability Availability      `json:"availability,omitempty"`
	Stock        *int              `json:"stock,omitempty"`
	ImageURI     string            `json:"image_uri,omitempty"`
	VariantOf    string            `json:"variant_of,omitempty"`
	Facets       map[string]string `json:"facets,omitempty"`
	Status       Status            `json:"status"`
	Source       string            `json:"source"`
	Provenance   []string          `json:"provenance,omitempty"`
	Probability  float64           `json:"probability,omitempty"`
	CreatedAt    time.Time         `json:"created_at"`
	ImportedAt   time.Time         `json:"imported_at,omitzero"`
	RecordDigest string            `json:"record_digest,omitempty"` // of the row that it was imported from

	ConfirmedBy       string    `json:"confirmed_by,omitempty"`
	ConfirmedVerified bool      `json:"confirmed_verified,omitempty"`
	Reviewed          bool      `json:"reviewed,omitempty"` // what it is is as reviews say
	NoGTIN            bool      `json:"no_gtin,omitempty"`  // they say that it has none
	Photos            []string  `json:"photos,omitempty"`   // SHA-256 of photos that show it according to reviews
	Before            *Exported `json:"before,omitempty"`   // the record without reviews
}

// Export returns p as a line of a file.
func (p Product) Export() Exported {
	e := Exported{
		ID: p.ID, UUID: p.UUID, Shop: p.Shop, ProductName: p.ProductName, Brand: p.Brand, Category: p.Category, KeyFeatures: p.KeyFeatures,
		GTIN: p.GTIN, Identity: p.Identity, Country: p.Country, Lang: p.Lang, Aliases: p.Aliases, BrandAliases: p.BrandAliases,
		SKU: p.SKU, Description: p.Description, Price: p.Price, Hidden: p.Hidden, Availability: p.Availability, Stock: p.Stock, ImageURI: p.ImageURI, VariantOf: p.VariantOf, Facets: p.Facets,
		Status: p.Status, Source: p.Source, Provenance: p.Provenance, Probability: p.Probability,
		CreatedAt: p.CreatedAt, ImportedAt: p.ImportedAt, RecordDigest: p.RecordDigest,
		ConfirmedBy: p.ConfirmedBy, ConfirmedVerified: p.ConfirmedVerified, Reviewed: p.Reviewed, NoGTIN: p.NoGTIN,
	}
	if p.NotForSale {
		e.ForSale = new(bool)
	}
	for _, photo := range slices.Sorted(maps.Keys(p.Photos)) {
		if p.Photos[photo] {
			e.Photos = append(e.Photos, photo)
		}
	}
	if p.Base != nil {
		before := p.Base.Export()
		e.Before = &before
	}
	return e
}

// WriteCSV writes the records of a shop with a status, "" for any, as a table that an import reads, without what is
// left of rejected ones. It reads the shop twice: the first line names all facets.
func (c *Catalog) WriteCSV(ctx context.Context, w io.Writer, shop string, status Status) error {
	facets := map[string]bool{}
	for p, err := range c.All(ctx, shop, "") {
		if err != nil {
			return err
		}
		for name := range p.Facets {
			facets[name] = true
		}
	}
	names := slices.Sorted(maps.Keys(facets))
	head := append([]string{"id", "status"}, columnNames()...)
	for _, name := range names {
		head = append(head, facetField+name)
	}
	table := spreadsheet.NewWriter(w, head...)
	for p, err := range c.All(ctx, shop, "") {
		if err != nil {
			return err
		}
		if status != "" && p.Status != status {
			continue
		}
		row := p.csvRow()
		for _, name := range names {
			row = append(row, p.Facets[name])
		}
		if err := table.Row(row...); err != nil {
			return err
		}
	}
	return table.Flush()
}

// csvRow returns the fields of p in the order of columnNames, behind its ID and its status.
func (p Product) csvRow() []string {
	price, forSale, stock := "", "", ""
	if p.Price.Known() {
		price = strconv.FormatFloat(p.Amount, 'f', -1, 64)
	}
	if p.NotForSale {
		forSale = "false"
	}
	if p.Stock != nil {
		stock = strconv.Itoa(*p.Stock)
	}
	return []string{p.ID, string(p.Status), p.ProductName, p.Brand, p.Category, strings.Join(p.KeyFeatures, "|"), p.GTIN, p.Country, p.Lang,
		strings.Join(p.Aliases, "|"), strings.Join(p.BrandAliases, "|"), p.SKU, p.Description, price, p.Currency, forSale, string(p.Availability), stock, p.ImageURI, p.VariantOf}
}

// Stats are the numbers of a shop's records.
type Stats struct {
	Records     int64            `json:"records"` // without tombstones
	WithoutGTIN int64            `json:"without_gtin"`
	ByStatus    map[Status]int64 `json:"by_status"`
	ByEmbedder  map[string]int64 `json:"by_embedder"` // by model; a record that is being moved counts twice
}

// Stats counts the records of a shop. Firestore counts; no record is read.
func (c *Catalog) Stats(ctx context.Context, shop string) (Stats, error) {
	s := Stats{ByStatus: map[Status]int64{}, ByEmbedder: map[string]int64{}}
	for _, status := range append(slices.Clone(living), Rejected) {
		n, err := c.counted(ctx, c.products(shop).Where("status", "==", status))
		if err != nil {
			return Stats{}, err
		}
		if s.ByStatus[status] = n; status != Rejected {
			s.Records += n
		}
	}
	for model := range spaces {
		space, _ := VectorSpaceOf(model)
		n, err := c.counted(ctx, c.in(shop, space.ID()))
		if err != nil {
			return Stats{}, err
		}
		if n > 0 {
			s.ByEmbedder[model] = n
		}
	}
	n, err := c.counted(ctx, c.products(shop).Where("status", "in", living).Where("gtin", "==", ""))
	s.WithoutGTIN = n
	return s, err
}

// counted returns how many documents a query matches.
func (c *Catalog) counted(ctx context.Context, of firestore.Query) (int64, error) {
	result, err := of.NewAggregationQuery().WithCount("n").Get(ctx)
	if err != nil {
		return 0, fmt.Errorf("catalog: count: %w", err)
	}
	n, ok := result["n"].(*firestorepb.Value)
	if !ok {
		return 0, fmt.Errorf("catalog: count: the answer is %T, want a number", result["n"])
	}
	return n.GetIntegerValue(), nil
}
