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

// A naming is the product that a result names.
type naming struct {
	catalog.Product                  // as in the result
	record          *catalog.Product // in the catalogue; nil if there is none
}

// plan returns the statements that stand once r is given, and the product that they confirm,
// with a vector unless its record keeps its own; nil if they confirm none.
func (d *Service) plan(ctx context.Context, s Subject, r Request, before document) ([]statement, *catalog.Product, error) {
	standing := before.withoutLast()
	if r.Verdict != Undo {
		st, err := d.statement(ctx, s, r)
		if err != nil {
			return nil, nil, err
		}
		standing = before.with(st)
	}
	c, _ := document{Standing: standing}.confirming()
	if c == nil || c.Confirmed == nil {
		return standing, nil, nil
	}
	p := *c.Confirmed
	p.ID = c.Confirms
	err := d.embed(ctx, &p, before)
	return standing, &p, err
}

// statement returns what r says of the product of s.
func (d *Service) statement(ctx context.Context, s Subject, r Request) (st statement, err error) {
	st = statement{Verdict: r.Verdict, By: r.By, Verified: r.Verified, Fields: r.Fields.text(), Named: nameOf(s.Product), Nothing: s.Nothing && r.Verdict != Correct}
	n, err := d.naming(ctx, s)
	if err != nil {
		return st, err
	}
	switch named := n.ProductName != ""; {
	case s.Failed && r.Verdict != Correct:
		return st, refuse("is of a photo that could not be analysed: send correct with product_name and category, or have it analysed again")
	case r.Verdict == Reject && named:
		st.Rejects = n.ID
	case r.Verdict == Accept && named:
		st.confirm(s, n.known())
	case r.Verdict == Correct:
		return st, d.correct(ctx, s, n, *r.Fields, &st)
	}
	return st, nil // otherwise there is no product, or several are possible
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
	id := n.Identify()
	if id == n.ID {
		return n, nil
	}
	found, err := d.record(ctx, id)
	if found != nil || n.ID == "" {
		n.ID, n.record = id, found // s.Record may have moved to another vector space
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

// correct has st confirm the product with the corrected fields. If that is another product,
// the record learnt for the wrong one is rejected.
func (d *Service) correct(ctx context.Context, s Subject, n naming, fields Fields, st *statement) error {
	p := fields.correct(n.known())
	another := p.Identify() != n.known().Identify()
	if another {
		p = fields.correct(n.Product)
		p.ID = p.Identify()
		record, err := d.record(ctx, p.ID)
		if err != nil {
			return err
		}
		if record != nil {
			p = fields.correct(*record)
		}
	}
	if p.ProductName == "" {
		return refuse("names no product, and the result names none: send product_name too")
	}
	st.confirm(s, p)
	if another && n.record != nil && n.ID != p.ID {
		st.Rejects = n.ID
	}
	return nil
}

func withoutEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}

// confirm has st confirm p.
func (st *statement) confirm(s Subject, p catalog.Product) {
	if len(p.KeyFeatures) == 0 {
		p.KeyFeatures = withoutEmpty(p.ProductName, p.Brand, p.Category)
	}
	p.KeyFeatures = p.KeyFeatures[:min(len(p.KeyFeatures), catalog.MaxFeatures)]
	if p.CreatedAt.IsZero() {
		p.UUID, p.CreatedAt, p.Source = uuid.NewString(), time.Now().UTC(), "review"
	}
	p.Provenance = withoutEmpty("result:"+s.ID, s.Where)
	p.Base, p.Photos, p.Reviewed, p.Facets, p.Embedding = nil, nil, false, nil, nil
	p.ConfirmedBy, p.ConfirmedVerified = st.By, st.Verified
	st.Confirms, st.Confirmed = p.ID, &p
}

// embed gives p a vector unless its record has the same features. That of before is used if
// its features are equal.
func (d *Service) embed(ctx context.Context, p *catalog.Product, before document) error {
	record, err := d.record(ctx, p.ID)
	if err != nil || record != nil && slices.Equal(record.KeyFeatures, p.KeyFeatures) {
		return err
	}
	if old := before.Product; old != nil && len(old.Embedding) > 0 && slices.Equal(old.KeyFeatures, p.KeyFeatures) {
		p.Embedding = old.Embedding
		return nil
	}
	p.Embedding, err = d.Embed(ctx, p.KeyFeatures)
	return err
}
