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

// plan returns the statements that stand once r is given, and the product that they confirm; nil if
// they confirm none. What the catalogue will embed for it is embedded now, while nothing is stored.
func (d *Service) plan(ctx context.Context, s Subject, r Request, before document, by catalog.Embedder) ([]statement, *catalog.Product, error) {
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
	record, err := d.record(ctx, c.Confirms)
	if err == nil && (record == nil || !slices.Equal(record.KeyFeatures, c.Confirmed.KeyFeatures)) {
		_, err = by.Embed(ctx, c.Confirmed.KeyFeatures)
	}
	return standing, c.Confirmed, err
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
	case r.Verdict == Accept && !named && !s.Nothing:
		return st, refuse(`accepts an answer that names no product: send correct with product_name, correct with %s if the photo shows none, or reject`, noProduct)
	case r.Verdict == Correct && r.Fields.NoProduct:
		if st.Nothing = true; named {
			st.Rejects = n.ID
		}
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
	n.Shop = d.Shop
	if n.ID = s.Record; n.ID != "" {
		if n.record, err = d.record(ctx, n.ID); err != nil || n.record != nil {
			return n, err
		}
	}
	id, found, err := d.named(ctx, n.Product)
	if found != nil || n.ID == "" {
		n.ID, n.record = id, found // s.Record may be gone
	}
	return n, err
}

// named returns the record of a product by its name, and its ID; if there is none, the ID that it gets.
func (d *Service) named(ctx context.Context, p catalog.Product) (id string, record *catalog.Product, err error) {
	id = p.Identify()
	if record, err = d.record(ctx, id); err != nil || record != nil || p.ProductName == "" {
		return id, record, err
	}
	called, err := d.Catalog.Called(ctx, p)
	if err != nil || called == "" {
		return id, nil, err
	}
	record, err = d.record(ctx, called)
	return called, record, err
}

// known returns the catalogue's record, with the GTIN of the result if it has none and nobody has
// said so, or else the product in the result.
func (n naming) known() catalog.Product {
	if n.record == nil {
		return n.Product
	}
	p := *n.record
	if !p.NoGTIN {
		p.GTIN = cmp.Or(p.GTIN, n.GTIN)
	}
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
// the record learnt for the wrong one is rejected; with another GTIN it is the same.
func (d *Service) correct(ctx context.Context, s Subject, n naming, fields Fields, st *statement) error {
	p := fields.correct(n.known())
	named := p
	named.GTIN = n.known().GTIN
	another := named.Identify() != n.known().Identify()
	if another {
		p = fields.correct(n.Product)
		id, record, err := d.named(ctx, p)
		if err != nil {
			return err
		}
		if p.ID = id; record != nil {
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

// confirm has st confirm p: what it is, not what is offered.
func (st *statement) confirm(s Subject, p catalog.Product) {
	is := catalog.Product{
		ID: p.ID, UUID: p.UUID, CreatedAt: p.CreatedAt, Shop: p.Shop, Source: p.Source, Country: p.Country, Lang: p.Lang,
		ProductName: p.ProductName, Brand: p.Brand, Category: p.Category, GTIN: p.GTIN, NoGTIN: p.NoGTIN, Aliases: p.Aliases, BrandAliases: p.BrandAliases,
		KeyFeatures: p.KeyFeatures, Provenance: withoutEmpty("result:"+s.ID, s.Where), ConfirmedBy: st.By, ConfirmedVerified: st.Verified,
	}
	if len(is.KeyFeatures) == 0 {
		is.KeyFeatures = withoutEmpty(p.ProductName, p.Brand, p.Category)
	}
	is.KeyFeatures = is.KeyFeatures[:min(len(is.KeyFeatures), catalog.MaxFeatures)]
	if is.CreatedAt.IsZero() {
		is.UUID, is.CreatedAt, is.Source = uuid.NewString(), time.Now().UTC(), "review"
	}
	st.Confirms, st.Confirmed = p.ID, &is
}
