package review

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gs1"
)

// A plan is the effect of a review on the catalogue.
type plan struct {
	confirms, rejects string           // IDs of products
	product           *catalog.Product // the product to confirm; without a vector if the record keeps its own
}

// A naming is the product that a result names.
type naming struct {
	catalog.Product                  // as in the result
	record          *catalog.Product // in the catalogue; nil if there is none
}

// plan returns the effect of r on the product of s.
func (d *Service) plan(ctx context.Context, s Subject, r Request, before document) (plan, error) {
	n, err := d.naming(ctx, s)
	if err != nil {
		return plan{}, err
	}
	switch named := n.ProductName != ""; {
	case r.Verdict == Undo:
		return plan{}, nil
	case s.Failed && r.Verdict != Correct:
		return plan{}, refuse("is of a photo that could not be analysed: send correct with product_name and category, or have it analysed again")
	case r.Verdict == Reject && named:
		return plan{rejects: n.ID}, nil
	case r.Verdict == Accept && named:
		return d.confirm(ctx, s, n.known(), n.record == nil, before)
	case r.Verdict != Correct:
		return plan{}, nil // there is no product, or several are possible
	}
	return d.correct(ctx, s, n, *r.Fields, before)
}

// naming looks up the product that a result names.
func (d *Service) naming(ctx context.Context, s Subject) (n naming, err error) {
	n.Product = s.Product
	if gtin, ok := gs1.GTIN(n.GTIN); !ok || gs1.Restricted(gtin) {
		n.GTIN = ""
	}
	n.Shop, n.Embedder = d.Shop, d.Space.ID()
	if n.ID = s.Record; n.ID != "" {
		if n.record, err = d.record(ctx, n.ID); err != nil || n.record != nil {
			return n, err
		}
	}
	id, err := d.Catalog.IDOf(ctx, n.Product)
	if err != nil || id == n.ID {
		return n, err
	}
	found, err := d.record(ctx, id)
	if found != nil || n.ID == "" {
		n.ID, n.record = id, found // s.Record may have moved
	}
	return n, err
}

// known returns the catalogue's record, with the GTIN of the result if it has none, or else
// the product in the result.
func (n naming) known() catalog.Product {
	if n.record == nil {
		return n.Product
	}
	p := *n.record
	p.GTIN = cmp.Or(p.GTIN, n.GTIN)
	return p
}

// record returns a record of the catalogue; nil if there is none.
func (d *Service) record(ctx context.Context, id string) (*catalog.Product, error) {
	p, err := d.Catalog.Record(ctx, d.Shop, id)
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, nil
	}
	return &p, err
}

// correct confirms the product with the corrected fields. If that is another product, the
// record learnt for the wrong one is rejected.
func (d *Service) correct(ctx context.Context, s Subject, n naming, fields Fields, before document) (plan, error) {
	record, p := n.record, fields.correct(n.known())
	another := p.Identify() != n.known().Identify()
	if another {
		p = fields.correct(n.Product)
		var err error
		if p.ID, err = d.Catalog.IDOf(ctx, p); err != nil {
			return plan{}, err
		}
		if record, err = d.record(ctx, p.ID); err != nil {
			return plan{}, err
		}
		if record != nil {
			p = fields.correct(*record)
		}
	}
	if p.ProductName == "" {
		return plan{}, refuse("names no product, and the result names none: send product_name too")
	}
	plan, err := d.confirm(ctx, s, p, record == nil || !slices.Equal(record.KeyFeatures, p.KeyFeatures), before)
	if another && n.record != nil {
		plan.rejects = n.ID
	}
	return plan, err
}

func withoutEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}

// confirm returns the plan that confirms p. If p needs a vector, that of before is used if
// the features are equal.
func (d *Service) confirm(ctx context.Context, s Subject, p catalog.Product, embed bool, before document) (plan, error) {
	if len(p.KeyFeatures) == 0 {
		p.KeyFeatures = withoutEmpty(p.ProductName, p.Brand, p.Category)
	}
	p.KeyFeatures = p.KeyFeatures[:min(len(p.KeyFeatures), catalog.MaxFeatures)]
	if old := before.Product; embed && old != nil && len(old.Embedding) > 0 && slices.Equal(old.KeyFeatures, p.KeyFeatures) {
		p.Embedding, embed = old.Embedding, false
	}
	if embed {
		v, err := d.Embed(ctx, p.KeyFeatures)
		if err != nil {
			return plan{}, err
		}
		p.Embedding = v
	}
	if p.CreatedAt.IsZero() {
		p.UUID, p.CreatedAt, p.Source = uuid.NewString(), time.Now().UTC(), "review"
	}
	p.Provenance = withoutEmpty("result:"+s.ID, s.Where)
	p.Base, p.Photos, p.Reviewed, p.Facets = nil, nil, false, nil
	return plan{confirms: p.ID, product: &p}, nil
}
