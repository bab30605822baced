// Package catalog is the product index: Firestore documents with embeddings.
//
//	features → embedding, made by the caller → Search → Match, Match, …
//	Product → Create → a document whose ID its identity decides
//
// The package takes vectors and calls no model. A VectorSpace names the embedder of a
// vector; vectors of different spaces are never compared.
package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/money"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

// Dimensions is the length of every embedding.
const Dimensions = 768

// MaxFeatures is the largest number of key features of a product.
const MaxFeatures = 20

// collection is the Firestore collection of the products.
const collection = "products"

// Status says how far a record is trusted.
type Status string

// The statuses. Unconfirmed records were found with Google Search: they are candidates and
// never decide a result alone.
const (
	Unconfirmed Status = "unconfirmed"
	Confirmed   Status = "confirmed"
	Imported    Status = "imported"
)

// A Price is what a product costs, if that is known.
type Price = money.Money

// A Product is one record of the catalogue.
type Product struct {
	ID          string    `firestore:"-"`
	UUID        string    `firestore:"uuid"`
	Shop        string    `firestore:"shop"`
	ProductName string    `firestore:"product_name"`
	Brand       string    `firestore:"brand"`
	Category    string    `firestore:"category"`
	KeyFeatures []string  `firestore:"key_features"`
	GTIN        string    `firestore:"gtin"` // GTIN-14, or empty
	Country     string    `firestore:"country"`
	Lang        string    `firestore:"lang"`
	Status      Status    `firestore:"status"`
	Source      string    `firestore:"source"`      // image, google_search or import
	Provenance  []string  `firestore:"provenance"`  // where it comes from: URIs
	Probability float64   `firestore:"probability"` // 0 to 1, for learnt records: the probability when it was stored
	CreatedAt   time.Time `firestore:"created_at"`

	// Its vectors, in at most two spaces (In). A product that is to be stored has them in Vectors.
	Vectors
	SecondVectors

	// Aliases are other names that are printed on the product, as in another language or
	// script. BrandAliases are other names of its brand.
	Aliases      []string `firestore:"aliases,omitempty"`
	BrandAliases []string `firestore:"brand_aliases,omitempty"`
	// Identity says what identifies the record: of an imported one its SKU or its GTIN, of
	// all others its name, brand, country and language.
	Identity Identity `firestore:"identity,omitempty"`
	// ImportedAt is when an import last wrote the record.
	ImportedAt time.Time `firestore:"imported_at,omitempty" json:"-"`
	// ClaimedBy is the import that last had the record, and the product of its file: no other product
	// of that file is taken for it.
	ClaimedBy string `firestore:"claimed_by,omitempty" json:"-"`

	// Data of a product for sale, and what it is searched by. All of it is optional, and
	// empty values are not stored.
	SKU         string `firestore:"sku,omitempty"` // the shop's article number
	Description string `firestore:"description,omitempty"`
	Price
	// NotForSale says that it is hidden or inactive in the shop: the record is kept, photos of it are
	// recognized, and no search finds it.
	NotForSale   bool              `firestore:"not_for_sale,omitempty" json:",omitempty"`
	Hidden       bool              `firestore:"hidden,omitempty" json:"-"` // by its owner: it is not for sale, whatever a file says
	Availability Availability      `firestore:"availability,omitempty"`
	Stock        *int              `firestore:"stock,omitempty"`                        // pieces; nil means unknown
	ImageURI     string            `firestore:"image_uri,omitempty"`                    // gs://…, https://…, or a path relative to the imported file
	VariantOf    string            `firestore:"variant_of,omitempty" json:",omitempty"` // equal for variants of one product
	Facets       map[string]string `firestore:"facets,omitempty"`                       // the codes that filters compare, by facet: category, color, …

	NameKey  string `firestore:"name_key"`  // ProductName folded
	BrandKey string `firestore:"brand_key"` // Brand folded
	SKUKey   string `firestore:"sku_key,omitempty"`
	// AliasKeys are the Aliases folded.
	AliasKeys []string `firestore:"alias_keys,omitempty"`

	// Digests of the data in an import that may change, and of the part that is embedded.
	// While they are equal, nothing is written or embedded again.
	RecordDigest   string `firestore:"record_digest,omitempty"`
	EmbeddedDigest string `firestore:"embedded_digest,omitempty"`

	Distance float64 `firestore:"distance,omitempty"`

	// What reviews said about it (Settle). Imports set only Base, beside what is offered.
	ConfirmedBy string `firestore:"confirmed_by,omitempty" json:"-"`
	// ConfirmedVerified is whether the service knew who that was.
	ConfirmedVerified bool            `firestore:"confirmed_verified,omitempty" json:"-"`
	Photos            map[string]bool `firestore:"photos,omitempty" json:"-"`   // the SHA-256 of photos that show it according to reviews
	Reviewed          bool            `firestore:"reviewed,omitempty" json:"-"` // what it is is as reviews say
	NoGTIN            bool            `firestore:"no_gtin,omitempty" json:"-"`  // they say that it has none
	Base              *Product        `firestore:"base,omitempty" json:"-"`     // the record without reviews, and without its vectors; nil if there was none

	pictured bool      // if its picture is on the web, it is fetched
	derived  bool      // the Identity follows from the other fields of a file
	updated  time.Time // when the record that All has read was last written
	row      string    // the ID of the row of a file, where the record is not named as that
	restored *restored // of the line of an export; nil for other records
}

// A document is a record as Firestore has it, and when it was last written: Firestore says so with each
// write but of vectors and notes.
type document struct {
	Product
	ChangedAt time.Time `firestore:"changed_at,serverTimestamp"`
}

// plainFields are all fields of a product except its vectors, which take about 8 KiB each
// and are not needed besides the score.
var plainFields = []string{
	"uuid", "shop", "product_name", "brand", "category", "key_features", "gtin", "country", "lang",
	"status", "source", "provenance", "probability", "created_at", "embedder", "embedder_b", "name_key", "brand_key",
	"aliases", "brand_aliases", "identity", "sku", "sku_key", "description", "price", "currency", "not_for_sale", "hidden", "availability", "stock", "image_uri", "variant_of", "facets",
	"confirmed_by", "confirmed_verified", "imported_at",
}

// A Catalog is the products in a Firestore database.
type Catalog struct {
	db    *firestore.Client
	large largeBrands
}

// New returns the catalogue in db.
func New(db *firestore.Client) *Catalog { return &Catalog{db: db} }

// ErrDuplicate is Create's error for a product that is already in the catalogue.
var ErrDuplicate = errors.New("catalog: the product is in the catalogue already")

// Create stores p and returns its ID, which is derived from its shop, name,
// brand, country and language, ignoring case and repeated spaces; if its Identity is the
// GTIN or the SKU, that replaces the last four. Of several writers of the same product one succeeds;
// the others get the ID with ErrDuplicate.
func (c *Catalog) Create(ctx context.Context, p Product) (string, error) {
	if err := p.check(); err != nil {
		return "", err
	}
	id := p.id()
	_, err := c.db.Collection(collection).Doc(id).Create(ctx, document{Product: p.keyed()})
	if store.Exists(err) { // even if an earlier try of this call created it
		return id, ErrDuplicate
	}
	if err != nil {
		return "", fmt.Errorf("catalog: create %q: %w", p.ProductName, err)
	}
	return id, nil
}

// keyed returns p with what follows from its fields set: its look-up keys, and its vectors as bytes
// in the fields of their space.
func (p Product) keyed() Product {
	p = p.stocked()
	if p.Vectors.Embedder != "" && suffixOf(p.Vectors.Embedder) != "" {
		p.Vectors, p.SecondVectors = Vectors{}, SecondVectors(p.Vectors)
	}
	for _, v := range p.bothVectors() {
		v.SearchBytes, v.ImageBytes = packed(v.SearchEmbedding), packed(v.ImageEmbedding)
	}
	p.NameKey, p.BrandKey, p.SKUKey = textfold.Name(p.ProductName), textfold.Name(p.Brand), textfold.Name(p.SKU)
	p.AliasKeys = foldedKeys(p.Aliases)
	return p
}

func (p Product) check() error {
	switch {
	case p.ProductName == "":
		return errors.New("catalog: a product needs a product_name")
	case p.Shop == "" || p.Vectors.Embedder == "":
		return fmt.Errorf("catalog: %q needs a shop and an embedder", p.ProductName)
	case len(p.Vectors.Embedding) != Dimensions:
		return fmt.Errorf("catalog: the embedding of %q has %d dimensions, want %d", p.ProductName, len(p.Vectors.Embedding), Dimensions)
	case p.Identity == ByGTIN && p.GTIN == "":
		return fmt.Errorf("catalog: %q is known by its GTIN and has none", p.ProductName)
	case len(p.KeyFeatures) == 0 || len(p.KeyFeatures) > MaxFeatures:
		return fmt.Errorf("catalog: %q has %d key features, want 1 to %d", p.ProductName, len(p.KeyFeatures), MaxFeatures)
	}
	for _, v := range []firestore.Vector32{p.Vectors.SearchEmbedding, p.Vectors.ImageEmbedding} {
		if len(v) != 0 && len(v) != Dimensions {
			return fmt.Errorf("catalog: a search vector of %q has %d dimensions, want %d or none", p.ProductName, len(v), Dimensions)
		}
	}
	return nil
}

// id returns the ID of p.
func (p Product) id() string {
	if p.restored != nil {
		return p.restored.id
	}
	return cmp.Or(p.row, p.identifyingHash())
}

// AddFeatures merges features into those of an unconfirmed product, up to MaxFeatures, and
// embeds all of them again. Records confirmed by people or imports are not changed. If
// another writer changes the record meanwhile, AddFeatures does nothing and returns no
// error.
func (c *Catalog) AddFeatures(ctx context.Context, id string, features []string, by Embedder) error {
	d, err := documentsOf(c).Get(ctx, id)
	if err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	p := &d.Value.Product
	merged := merge(p.KeyFeatures, features)
	if p.Status != Unconfirmed || len(merged) == len(p.KeyFeatures) {
		return nil
	}
	v, err := by.Embed(ctx, merged)
	if err != nil {
		return err
	}
	p.KeyFeatures = merged
	p.setEmbedding(by.Space.ID(), v)
	if _, err = documentsOf(c).Save(ctx, d); err != nil && !errors.Is(err, store.ErrChanged) {
		return fmt.Errorf("catalog: add features to %s: %w", id, err)
	}
	return nil
}

// merge returns a, followed by the texts of b that fold to none in a, at most MaxFeatures.
func merge(a, b []string) []string {
	merged := slices.Clone(a)
	for _, f := range b {
		same := func(s string) bool { return textfold.String(s) == textfold.String(f) }
		if len(merged) < MaxFeatures && !slices.ContainsFunc(merged, same) {
			merged = append(merged, f)
		}
	}
	return merged
}

func (c *Catalog) products(shop string) firestore.Query {
	return c.db.Collection(collection).Where("shop", "==", shop)
}

// in returns the query for the records of a shop that have vectors in a space.
func (c *Catalog) in(shop, space string) firestore.Query {
	return c.products(shop).Where(fieldIn(space, "embedder"), "==", space)
}

func (c *Catalog) query(ctx context.Context, q store.Query) ([]Product, error) {
	docs, err := store.List[Product](ctx, q)
	if err != nil {
		return nil, fmt.Errorf("catalog: query: %w", err)
	}
	return identified(docs), nil
}

// identified returns the records with their IDs set.
func identified(docs []store.Doc[Product]) []Product {
	found := make([]Product, len(docs))
	for i := range docs {
		found[i], found[i].ID = docs[i].Value, docs[i].ID
	}
	return found
}
