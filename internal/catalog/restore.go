package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

// A restored is where an exported record was.
type restored struct {
	id     string
	shop   string
	digest string // of the file that it was imported from
}

// exported returns the record as the line of an export, which has the ID of a record, its shop and
// its status.
func (r record) exported() (e Exported, ok bool) {
	if !bytes.Contains(r.data, []byte(`"shop"`)) || json.Unmarshal(r.data, &e) != nil {
		return e, false
	}
	return e, e.Shop != "" && idForm.MatchString(e.ID) && (slices.Contains(living, e.Status) || e.Status == Rejected)
}

// restored returns the line of an export as the record that it was.
func (e Exported) restored() (Product, error) {
	p := e.product()
	if e.Before != nil && e.Before.Before != nil {
		return p, errors.New("before has a before of its own")
	}
	p.restored = &restored{id: e.ID, shop: e.Shop, digest: e.RecordDigest}
	if p.Status == Rejected {
		p = Product{ID: p.ID, Shop: p.Shop, Status: Rejected, Reviewed: p.Reviewed, Base: p.Base, restored: p.restored}
	} else if err := p.checkRestored(); err != nil {
		return p, err
	}
	if p.Base == nil {
		return p, nil
	}
	if err := p.Base.checkRestored(); err != nil {
		return p, fmt.Errorf("before: %w", err)
	}
	return p, nil
}

// checkRestored refuses a record that people have spoilt in its export.
func (p Product) checkRestored() error {
	gtin, ok := gs1.GTIN(p.GTIN)
	switch {
	case p.ProductName == "":
		return because(NoName, "product_name is missing or empty")
	case len(p.KeyFeatures) == 0 || len(p.KeyFeatures) > MaxFeatures:
		return because(NoFeatures, "key_features are %d, want 1 to %d", len(p.KeyFeatures), MaxFeatures)
	case p.GTIN != "" && (!ok || gtin != p.GTIN):
		return because(WrongCode, "gtin %.40q is invalid (14 digits, the last is the check digit)", p.GTIN)
	case p.Identity == ByGTIN && p.GTIN == "" || p.Identity == BySKU && p.SKU == "":
		return because(WrongCode, "identity is %s, and the record has none", p.Identity)
	case p.Price != Price{} && !p.Price.Known() || p.Stock != nil && *p.Stock < 0 || availabilities[textfold.String(string(p.Availability))] != p.Availability || len(p.Facets) > maxFacets+1:
		return errors.New("price, currency, availability, stock or facets are wrong")
	case p.Probability < 0 || p.Probability > 1:
		return errors.New("probability is not between 0 and 1")
	}
	for photo := range p.Photos {
		if !photoHash.MatchString(photo) {
			return fmt.Errorf("photos has %.80q, which is no SHA-256", photo)
		}
	}
	others, size := []string{p.SKU, p.Description, p.ImageURI, p.VariantOf, p.Source, p.UUID, p.ConfirmedBy, p.RecordDigest}, 0
	for _, address := range p.Provenance {
		size += len(address)
	}
	for facet, value := range p.Facets {
		if others = append(others, facet, value); facet == "" || strings.HasPrefix(facet, reservedFacet) {
			return fmt.Errorf("facets has %.40q, which is no name: want one that does not begin with %s", facet, reservedFacet)
		}
	}
	for _, text := range others {
		if size += len(text); utf8.RuneCountInString(text) > MaxText || size > maxTexts {
			return fmt.Errorf("a text is longer than %d characters, or all are longer than %d bytes", MaxText, maxTexts)
		}
	}
	return p.checkLengths()
}

// photoHash matches the hashes of photos, which are keys in Firestore.
var photoHash = regexp.MustCompile(`^[0-9a-f]{1,64}$`)

// restoredIn returns a restored record with all fields set but its vectors. In the shop of its export it
// keeps its ID; elsewhere it gets the one of its identity.
func (im Import) restoredIn(p Product) Product {
	from, at := *p.restored, *p.restored
	if p.Shop = im.Shop; p.Status != Rejected {
		p.Vectors.Embedder = im.Space.ID()
	}
	if p.Base != nil {
		base := *p.Base
		base.Shop = im.Shop
		base.RecordDigest, base.EmbeddedDigest = base.digestsAfter(from.shop, base.RecordDigest)
		p.Base = &base
	}
	if from.shop != im.Shop {
		at.id = p.elsewhere()
	}
	p.restored, p.ID = &at, at.id
	p.RecordDigest, p.EmbeddedDigest = p.digestsAfter(from.shop, from.digest)
	return p
}

// elsewhere returns the ID of a restored record in another shop; that of a tombstone
// follows from what was rejected.
func (p Product) elsewhere() string {
	switch {
	case p.Status != Rejected:
		return p.identifyingHash()
	case p.Base != nil:
		return p.Base.identifyingHash()
	}
	return p.restored.id
}

// digestsAfter returns the digests of a record that was exported from a shop. Its RecordDigest is
// that of the file's row only while the record is as in the file; one that people changed in the
// export gets none, so that the next import of the file looks at it.
func (p Product) digestsAfter(shop, exported string) (record, embedded string) {
	row := p
	row.Probability = 0
	_, embedded = p.digests()
	for _, derived := range []bool{true, false} {
		row.Shop, row.derived = shop, derived && p.Identity != ByName
		if before, _ := row.digests(); before == exported {
			row.Shop = p.Shop
			record, _ = row.digests()
			return record, embedded
		}
	}
	if p.Reviewed { // its fields are those of reviews
		return exported, embedded
	}
	return "", embedded
}

// readWhole reads the records that restored ones may change, which are compared in all fields.
func (im Import) readWhole(ctx context.Context, products []Product, stored map[string]storedProduct) error {
	var ids []string
	for _, p := range products {
		if before, known := stored[p.id()]; known && p.restored != nil {
			ids = append(ids, before.ID)
		}
	}
	whole, err := im.Catalog.fetch(ctx, ids, wholeFields)
	if err != nil {
		return err
	}
	for _, p := range products {
		if before, known := stored[p.id()]; known && p.restored != nil {
			record := whole[before.ID]
			before.equal = record.exportedAs(before.ID) == p.exportedAs(before.ID)
			stored[p.id()] = before
		}
	}
	return nil
}

// exportedAs returns p as the line of an export, with that ID.
func (p Product) exportedAs(id string) string {
	p.ID = id
	data, err := json.Marshal(p.Export())
	if err != nil {
		panic(fmt.Sprintf("catalog: a record is no JSON: %v", err))
	}
	return string(data)
}

// yieldsTo reports whether p, restored, may replace the record: it is not equal, and is trusted no
// less. What people have said since the export stands.
func (before storedProduct) yieldsTo(p Product) bool {
	switch {
	case before.equal, before.Reviewed, before.Status == Rejected:
		return false
	case p.Status == Rejected:
		return before.Status == Unconfirmed
	case before.Status == Confirmed:
		return p.Status == Confirmed
	}
	return before.Status == Unconfirmed || p.Status != Unconfirmed
}

// bury replaces records by restored tombstones, which have none of their fields.
func (im Import) bury(ctx context.Context, tombstones []Product, stored map[string]storedProduct) (changed int, err error) {
	for _, p := range tombstones {
		before, buried := stored[p.id()], false
		_, err := documentsOf(im.Catalog).Change(ctx, before.ID, func(d *store.Doc[document]) error {
			if buried = d.Exists && d.Value.Status == Unconfirmed && !d.Value.Reviewed; buried {
				replace(d, &p)
			}
			return nil
		})
		if err != nil {
			return changed, fmt.Errorf("catalog: restore %s: %w", before.ID, err)
		}
		if buried {
			changed++
		}
	}
	return changed, nil
}

// product returns e as a record without vectors.
func (e Exported) product() Product {
	p := Product{
		ID: e.ID, UUID: e.UUID, Shop: e.Shop, ProductName: e.ProductName, Brand: e.Brand, Category: e.Category, KeyFeatures: e.KeyFeatures,
		GTIN: e.GTIN, Identity: e.Identity, Country: e.Country, Lang: e.Lang, Aliases: e.Aliases, BrandAliases: e.BrandAliases,
		SKU: e.SKU, Description: e.Description, Price: e.Price, NotForSale: e.ForSale != nil && !*e.ForSale, Hidden: e.Hidden, Availability: e.Availability, Stock: e.Stock, ImageURI: e.ImageURI, VariantOf: e.VariantOf, Facets: e.Facets,
		Status: e.Status, ConfirmedBy: e.ConfirmedBy, ConfirmedVerified: e.ConfirmedVerified, Source: e.Source, Provenance: e.Provenance,
		Probability: e.Probability, CreatedAt: e.CreatedAt.Truncate(time.Microsecond), ImportedAt: e.ImportedAt.Truncate(time.Microsecond),
		Reviewed: e.Reviewed, NoGTIN: e.NoGTIN, RecordDigest: e.RecordDigest,
	}
	for _, photo := range e.Photos {
		if p.Photos == nil {
			p.Photos = map[string]bool{}
		}
		p.Photos[photo] = true
	}
	p = p.stocked()
	if e.Before != nil {
		base := e.Before.product()
		p.Base = &base
	}
	return p
}
