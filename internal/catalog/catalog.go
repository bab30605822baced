// Package catalog is the product index: Firestore documents with embeddings.
//
//	features → (elsewhere: embedding) → Search → Match, Match, …
//	Product → Create → a document whose ID its identity decides
//
// The package takes vectors and knows no model. A VectorSpace says which embedder made
// a vector; vectors of two spaces are never compared.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/text/unicode/norm"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

// Dimensions is the length of every embedding.
const Dimensions = 768

// MaxFeatures is how many key features a product keeps.
const MaxFeatures = 20

// collection is the Firestore collection of the products.
const collection = "products"

// Status says how far a record is trusted.
type Status string

// The statuses. Unconfirmed records come from Google Search: they are candidates
// and never decide by themselves.
const (
	Unconfirmed Status = "unconfirmed"
	Confirmed   Status = "confirmed"
	Imported    Status = "imported"
)

// An Identity says what two records of one product have in common.
type Identity string

// The identities.
const (
	ByName Identity = ""
	ByGTIN Identity = "gtin"
)

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
	Probability float64   `firestore:"probability"` // 0 to 1, of what was learnt: how sure it was when it was saved
	CreatedAt   time.Time `firestore:"created_at"`

	Embedder  string             `firestore:"embedder"` // the space's ID
	Embedding firestore.Vector32 `firestore:"embedding"`

	// Aliases are other names that are printed on it, as in another language or script,
	// and BrandAliases other names of its brand.
	Aliases      []string `firestore:"aliases,omitempty"`
	BrandAliases []string `firestore:"brand_aliases,omitempty"`
	// Identity is what the record is known by: its GTIN, if the file it comes from is
	// kept by GTIN; else its name, brand, country and language.
	Identity Identity `firestore:"identity,omitempty"`

	// What a shop says of a product that it sells, and what it is searched by. All
	// of it is optional, and nothing of what is empty is stored.
	SKU         string            `firestore:"sku,omitempty"` // the shop's own number
	Description string            `firestore:"description,omitempty"`
	Price       float64           `firestore:"price,omitempty"`     // in Currency; without one there is no price
	Currency    string            `firestore:"currency,omitempty"`  // ISO 4217
	Stock       *int              `firestore:"stock,omitempty"`     // pieces; nil is unknown
	ImageURI    string            `firestore:"image_uri,omitempty"` // gs://…, or a path beside the file that it was imported from
	Facets      map[string]string `firestore:"facets,omitempty"`    // the canonical codes that filters compare, by facet: category, color, …

	SearchEmbedding firestore.Vector32 `firestore:"search_embedding,omitempty"` // of its text, as a document to find
	ImageEmbedding  firestore.Vector32 `firestore:"image_embedding,omitempty"`  // of its picture

	NameKey  string `firestore:"name_key"`  // ProductName folded
	BrandKey string `firestore:"brand_key"` // Brand folded
	SKUKey   string `firestore:"sku_key,omitempty"`
	// AliasKeys are the Aliases folded.
	AliasKeys []string `firestore:"alias_keys,omitempty"`

	// Of what an import says of a product that may change, and of what of that is
	// embedded: while they are equal nothing is written, or embedded, again.
	RecordDigest   string `firestore:"record_digest,omitempty"`
	EmbeddedDigest string `firestore:"embedded_digest,omitempty"`

	Distance float64 `firestore:"distance,omitempty"`

	// What people said of it (Settle). No import says any of it.
	ConfirmedBy string          `firestore:"confirmed_by,omitempty" json:"-"`
	Photos      map[string]bool `firestore:"photos,omitempty" json:"-"`   // the SHA-256 of those that people said show it
	Reviewed    bool            `firestore:"reviewed,omitempty" json:"-"` // it is as reviews say
	Base        *Product        `firestore:"base,omitempty" json:"-"`     // what it was before the first of them; nil if it was not
}

// plainFields are all fields of a product but its vectors, each some 8 KiB on the
// wire and of use to nobody who has a score.
var plainFields = []string{
	"uuid", "shop", "product_name", "brand", "category", "key_features", "gtin", "country", "lang",
	"status", "source", "provenance", "probability", "created_at", "embedder", "name_key", "brand_key",
	"aliases", "brand_aliases", "identity", "sku", "sku_key", "description", "price", "currency", "stock", "image_uri", "facets",
	"confirmed_by",
}

// A Catalog is the products in one Firestore database.
type Catalog struct {
	db *firestore.Client
}

// New returns the catalogue in db.
func New(db *firestore.Client) *Catalog { return &Catalog{db: db} }

// ErrDuplicate is Create's refusal of a product that is in the catalogue.
var ErrDuplicate = errors.New("catalog: the product is in the catalogue already")

// Create stores p under the ID that its shop, embedder, name, brand, country and
// language give it, letter case and runs of spaces aside, or its GTIN in place of the
// last four where that is its Identity, so that of any number of writers one wins and the others get ErrDuplicate. It returns the ID either
// way.
func (c *Catalog) Create(ctx context.Context, p Product) (string, error) {
	if err := p.check(); err != nil {
		return "", err
	}
	id := p.id()
	_, err := c.db.Collection(collection).Doc(id).Create(ctx, p.keyed())
	if store.Exists(err) { // even if an earlier try of this call made it
		return id, ErrDuplicate
	}
	if err != nil {
		return "", fmt.Errorf("catalog: create %q: %w", p.ProductName, err)
	}
	return id, nil
}

// keyed is p with the keys that it is looked up by.
func (p Product) keyed() Product {
	p.NameKey, p.BrandKey, p.SKUKey = textfold.String(p.ProductName), textfold.String(p.Brand), textfold.String(p.SKU)
	p.AliasKeys = foldedKeys(p.Aliases)
	return p
}

func (p Product) check() error {
	switch {
	case p.ProductName == "":
		return errors.New("catalog: a product needs a product_name")
	case p.Shop == "" || p.Embedder == "":
		return fmt.Errorf("catalog: %q needs a shop and an embedder", p.ProductName)
	case len(p.Embedding) != Dimensions:
		return fmt.Errorf("catalog: the embedding of %q has %d dimensions, want %d", p.ProductName, len(p.Embedding), Dimensions)
	case p.Identity == ByGTIN && p.GTIN == "":
		return fmt.Errorf("catalog: %q is known by its GTIN and has none", p.ProductName)
	case len(p.KeyFeatures) == 0 || len(p.KeyFeatures) > MaxFeatures:
		return fmt.Errorf("catalog: %q has %d key features, want 1 to %d", p.ProductName, len(p.KeyFeatures), MaxFeatures)
	}
	for _, v := range []firestore.Vector32{p.SearchEmbedding, p.ImageEmbedding} {
		if len(v) != 0 && len(v) != Dimensions {
			return fmt.Errorf("catalog: a search vector of %q has %d dimensions, want %d or none", p.ProductName, len(v), Dimensions)
		}
	}
	return nil
}

func (p Product) id() string {
	if p.Identity == ByGTIN {
		return store.HashID(p.Shop, p.Embedder, string(ByGTIN), p.GTIN)
	}
	parts := []string{p.Shop, p.Embedder, p.ProductName, p.Brand, p.Country, p.Lang}
	for i, s := range parts {
		parts[i] = strings.ToLower(strings.Join(strings.Fields(norm.NFC.String(s)), " "))
	}
	return store.HashID(parts...)
}

// AddFeatures merges features into those of an unconfirmed product, up to
// MaxFeatures, and embeds the whole again; a record that people or an import
// vouch for is left alone. When another writer changes the record meanwhile, that
// change wins, which is no error: the features are then not learnt.
func (c *Catalog) AddFeatures(ctx context.Context, id string, features []string, embed func(context.Context, []string) ([]float32, error)) error {
	d, err := c.documents().Get(ctx, id)
	if err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	p := &d.Value
	merged := merge(p.KeyFeatures, features)
	if p.Status != Unconfirmed || len(merged) == len(p.KeyFeatures) {
		return nil
	}
	v, err := embed(ctx, merged)
	if err != nil {
		return err
	}
	p.KeyFeatures, p.Embedding = merged, v
	if _, err = c.documents().Save(ctx, d); err != nil && !errors.Is(err, store.ErrChanged) {
		return fmt.Errorf("catalog: add features to %s: %w", id, err)
	}
	return nil
}

// merge is a and those of b that fold like none of it, at most MaxFeatures.
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

func (c *Catalog) query(ctx context.Context, q store.Query) ([]Product, error) {
	docs, err := store.List[Product](ctx, q)
	if err != nil {
		return nil, fmt.Errorf("catalog: query: %w", err)
	}
	return identified(docs), nil
}

// identified are records with their IDs.
func identified(docs []store.Doc[Product]) []Product {
	var found []Product
	for _, d := range docs {
		found = append(found, *inCatalog(d))
	}
	return found
}
