package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
)

// digests returns hashes of all data that an import has about p, and of the part that is
// embedded.
func (p Product) digests() (record, embedded string) {
	embedded = p.embeddedDigest()
	p.RecordDigest, p.EmbeddedDigest = "", ""
	p.ID, p.UUID, p.CreatedAt, p.Status, p.Provenance = "", "", time.Time{}, "", nil
	if p.derived { // as it was before records were identified by it
		p.Identity = ByName
	}
	data, _ := json.Marshal(p)
	return store.HashID(string(data)), embedded
}

func (p Product) embeddedDigest() string {
	return store.HashID(strings.Join(p.KeyFeatures, " "), p.SearchText(), p.embeddedPicture())
}

// embed sets the vectors of products, of which some are stored. Tombstones have none. A picture on the web that was
// fetched from the same address before is not fetched again: its vector stays.
func (im Import) embed(ctx context.Context, products []Product, stored map[string]storedProduct) error {
	var texts, documents []string
	var all, sold []*Product
	pictured := map[string]*Picture{} // by address: variants share one
	var pictures []*Picture
	for i := range products {
		p := &products[i]
		if p.Status == Rejected {
			continue
		}
		all, texts = append(all, p), append(texts, strings.Join(p.KeyFeatures, " "))
		if im.EmbedDocuments != nil && p.Sold() {
			sold, documents = append(sold, p), append(documents, p.SearchText())
		}
		before := stored[p.id()]
		hash, web := before.pictureIn(p.Vectors.Embedder), IsWebAddress(p.ImageURI)
		switch {
		case im.EmbedImages == nil || p.NotForSale || p.ImageURI == "":
		case web && hash != "" && before.ImageURI == p.ImageURI:
			p.Vectors.ImageHash = hash
		case web && !p.pictured:
		default:
			one := pictured[p.ImageURI]
			if one == nil {
				one = &Picture{URI: p.ImageURI, Hash: hash}
				pictured[p.ImageURI], pictures = one, append(pictures, one)
			} else if one.Hash != hash {
				one.Hash = ""
			}
			one.of = append(one.of, p)
		}
	}
	if err := im.embedTexts(ctx, all, texts); err != nil {
		return err
	}
	if err := im.embedDocuments(ctx, sold, documents); err != nil {
		return err
	}
	return im.embedImages(ctx, pictures)
}

func (im Import) embedTexts(ctx context.Context, products []*Product, texts []string) error {
	if len(products) == 0 {
		return nil
	}
	vectors, err := im.Embed(ctx, texts)
	if err != nil {
		return fmt.Errorf("catalog: embed %d products: %w", len(products), err)
	}
	for i, p := range products {
		p.Vectors.Embedding = vectors[i]
	}
	return nil
}

func (im Import) embedDocuments(ctx context.Context, sold []*Product, documents []string) error {
	if len(sold) == 0 {
		return nil
	}
	vectors, err := im.EmbedDocuments(ctx, documents)
	if err != nil {
		return fmt.Errorf("catalog: embed the texts of %d products: %w", len(sold), err)
	}
	for i, p := range sold {
		p.Vectors.SearchEmbedding = vectors[i]
	}
	return nil
}

// embedImages sets the vectors of product pictures. A product with an unusable picture gets none; the next import
// tries again.
func (im Import) embedImages(ctx context.Context, pictures []*Picture) error {
	if len(pictures) == 0 {
		return nil
	}
	if err := im.EmbedImages(ctx, pictures); err != nil {
		return fmt.Errorf("catalog: embed %d pictures: %w", len(pictures), err)
	}
	for _, picture := range pictures {
		for i, p := range picture.of {
			p.Vectors.ImageEmbedding, p.Vectors.ImageHash = picture.Vector, picture.Hash
			if picture.Fault == nil {
				continue
			}
			p.Vectors.ImageHash, p.RecordDigest, p.EmbeddedDigest = "", "", ""
			if im.Fault != nil && i == 0 {
				im.Fault(Fault{Record: fmt.Sprintf("%.60q", p.ProductName), Code: p.GTIN, Reason: WrongField,
					Why: fmt.Sprintf("image_uri %.200s: %v; the product is imported without it", p.ImageURI, picture.Fault)})
			}
		}
	}
	return nil
}

// change updates the products that the catalogue already has, and embeds those again whose
// text or picture changed. It returns how many it updated. A record that another writer
// changed meanwhile is left as it is.
func (im Import) change(ctx context.Context, products []Product, stored map[string]storedProduct) (updated int, err error) {
	var same, other, rejected []Product
	for _, p := range products {
		if before := stored[p.id()]; p.Status == Rejected {
			rejected = append(rejected, p)
		} else if before.EmbeddedDigest == p.EmbeddedDigest && before.embedded(p) && before.Status != Unconfirmed {
			same = append(same, p)
		} else {
			other = append(other, p)
		}
	}
	if err := im.embed(ctx, other, stored); err != nil {
		return 0, err
	}
	if updated, err = im.bury(ctx, rejected, stored); err != nil {
		return updated, err
	}
	var changes []change
	for _, p := range append(same, other...) {
		before := stored[p.id()]
		changes = append(changes, change{before.ID, p.keyed().updates(), []firestore.Precondition{firestore.LastUpdateTime(before.UpdateTime)}})
	}
	n, err := im.Catalog.changeAll(ctx, changes)
	return updated + n, err
}

// A change is made to a record if its conditions hold, and if there is the record.
type change struct {
	id         string
	fields     []firestore.Update
	conditions []firestore.Precondition
}

// changeAll makes many changes, and returns how many. A write whose response was lost counts as another
// writer's.
func (c *Catalog) changeAll(ctx context.Context, all []change) (made int, err error) {
	return writeAll(ctx, c.db, all, func(writer *firestore.BulkWriter, one change) (*firestore.BulkWriterJob, error) {
		return writer.Update(c.db.Collection(collection).Doc(one.id), one.fields, one.conditions...)
	}, func(one change, failed error) error {
		if store.Gone(failed) || len(one.conditions) > 0 && store.Conflict(failed) {
			return nil
		}
		return fmt.Errorf("catalog: change %s: %w", one.id, failed)
	})
}

// updates returns the fields of p that an import sets, with the vectors it has.
func (p Product) updates() []firestore.Update {
	updates := []firestore.Update{
		{Path: "product_name", Value: p.ProductName}, {Path: "name_key", Value: p.NameKey},
		{Path: "brand", Value: p.Brand}, {Path: "brand_key", Value: p.BrandKey},
		{Path: "category", Value: p.Category}, {Path: "key_features", Value: p.KeyFeatures}, {Path: "gtin", Value: p.GTIN},
		{Path: "country", Value: p.Country}, {Path: "lang", Value: p.Lang},
		{Path: "status", Value: p.Status}, {Path: "source", Value: p.Source}, {Path: "provenance", Value: p.Provenance},
	}
	set := func(path string, empty bool, value any) {
		if empty {
			value = firestore.Delete
		}
		updates = append(updates, firestore.Update{Path: path, Value: value})
	}
	set("identity", p.Identity == ByName, p.Identity)
	set("imported_at", p.ImportedAt.IsZero(), p.ImportedAt)
	set("claimed_by", p.ClaimedBy == "", p.ClaimedBy)
	set("aliases", len(p.Aliases) == 0, p.Aliases)
	set("alias_keys", len(p.AliasKeys) == 0, p.AliasKeys)
	set("brand_aliases", len(p.BrandAliases) == 0, p.BrandAliases)
	set("sku", p.SKU == "", p.SKU)
	set("sku_key", p.SKUKey == "", p.SKUKey)
	set("description", p.Description == "", p.Description)
	set("price", !p.Price.Known(), p.Amount)
	set("currency", p.Currency == "", p.Currency)
	set("not_for_sale", !p.NotForSale, p.NotForSale)
	set("availability", p.Availability == Unknown, p.Availability)
	set("stock", p.Stock == nil, p.Stock)
	set("image_uri", p.ImageURI == "", p.ImageURI)
	set("variant_of", p.VariantOf == "", p.VariantOf)
	set("facets", len(p.Facets) == 0, p.Facets)
	set("changed_at", false, firestore.ServerTimestamp)
	set("record_digest", p.RecordDigest == "", p.RecordDigest)
	set("base", p.Base == nil, p.Base)
	set("probability", p.Probability == 0, p.Probability)
	if p.restored != nil {
		set("hidden", !p.Hidden, p.Hidden)
		set("uuid", false, p.UUID)
		set("created_at", false, p.CreatedAt)
		set("confirmed_by", p.ConfirmedBy == "", p.ConfirmedBy)
		set("confirmed_verified", !p.ConfirmedVerified, p.ConfirmedVerified)
		set("reviewed", !p.Reviewed, p.Reviewed)
		set("no_gtin", !p.NoGTIN, p.NoGTIN)
		set("photos", len(p.Photos) == 0, p.Photos)
	}
	if len(p.Vectors.Embedding)+len(p.SecondVectors.Embedding) > 0 {
		updates = append(updates, p.vectorUpdates("")...)
		updates = append(updates, p.vectorUpdates("_b")...)
		set("embedded_digest", p.EmbeddedDigest == "", p.EmbeddedDigest)
	}
	return updates
}

// vectorUpdates returns the fields of p with that ending for vectors.
func (p Product) vectorUpdates(suffix string) (updates []firestore.Update) {
	v := p.Vectors
	if suffix != "" {
		v = Vectors(p.SecondVectors)
	}
	for field, value := range map[string]any{
		"embedder": v.Embedder, "embedding": v.Embedding, "search_embedding": v.SearchEmbedding, "image_embedding": v.ImageEmbedding,
		"search_bytes": v.SearchBytes, "image_bytes": v.ImageBytes, "image_hash": v.ImageHash,
	} {
		if v.ImageHash != "" && len(v.ImageEmbedding) == 0 && (field == "image_embedding" || field == "image_bytes") {
			continue // the picture is as before
		}
		if reflect.ValueOf(value).Len() == 0 {
			value = firestore.Delete
		}
		updates = append(updates, firestore.Update{Path: field + suffix, Value: value})
	}
	return updates
}
