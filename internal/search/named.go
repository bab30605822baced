package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/photo/barcode"
	"example.com/whatis/internal/textfold"
)

// maxNames is the largest number of names that are looked up.
const maxNames = 12

// exactly returns the products whose name, SKU or number the request contains. It looks up,
// in this order: the codes in the picture if they are always read, the whole query, what the
// model considers a name, and runs of words that end with a digit.
func (p *Pipeline) exactly(ctx context.Context, s *state) ([]catalog.Product, error) {
	var names []string
	if s.picture != nil && p.ReadCodes == barcode.Always {
		var err error
		if names, err = p.gtins(ctx, s); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
	}
	if s.query != "" {
		names = slices.Concat(names, []string{s.query}, s.understanding.Products, runs(s.query))
	}
	return p.ofNames(ctx, s, names)
}

// coded adds the products whose codes are in the picture to those that the request names. No
// model says where it sees a code. So codes are read if the picture has no vector: the model
// saw nothing in it that the shop sells, or takes no pictures, or gave no answer. They are also
// read if nobody says what the shop does not sell.
func (p *Pipeline) coded(ctx context.Context, s *state) error {
	if s.picture == nil {
		return nil
	}
	defer s.picture.Release()
	if s.imageVector != nil && len(s.shop.vocabulary.Pictures.Other) > 0 || p.ReadCodes != barcode.WhenSeen {
		return nil
	}
	codes, err := p.gtins(ctx, s)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	found, err := p.ofNames(ctx, s, codes)
	if err != nil {
		return err
	}
	for _, one := range s.exact {
		if !slices.ContainsFunc(found, func(o catalog.Product) bool { return o.ID == one.ID }) {
			found = append(found, one)
		}
	}
	s.exact = found
	return nil
}

// ofNames returns the products that have one of the first maxNames names, SKUs or numbers, in
// the order of these, and of those with the same name first what is wanted and not sold out.
func (p *Pipeline) ofNames(ctx context.Context, s *state, names []string) ([]catalog.Product, error) {
	names = names[:min(len(names), maxNames)]
	var gtins []string
	for _, name := range names {
		if gtin, ok := gs1.GTIN(name); ok {
			gtins = append(gtins, gtin)
		}
	}
	found, err := s.shop.index.Named(ctx, s.Shop, names, gtins)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	place := func(one catalog.Product) int {
		return slices.IndexFunc(names, func(name string) bool { return called(name, one) })
	}
	conditions := s.conditions()
	slices.SortStableFunc(found, func(a, b catalog.Product) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(s.misses(conditions, a), s.misses(conditions, b)))
	})
	return found, nil
}

// called reports whether a text is the name, the SKU or the GTIN of a product.
func called(text string, one catalog.Product) bool {
	key := textfold.Name(text)
	gtin, _ := gs1.GTIN(text)
	return key == textfold.Name(one.ProductName) || key == textfold.Name(one.SKU) || gtin != "" && gtin == one.GTIN
}

// namesUnknown reports whether the model has read a name that no product has.
func (s *state) namesUnknown() bool {
	return slices.ContainsFunc(s.understanding.Products, func(name string) bool {
		return !slices.ContainsFunc(s.exact, func(one catalog.Product) bool { return called(name, one) })
	})
}

// runs returns the runs of up to three words that end with a digit: EW-1001, Aria 100.
func runs(query string) (names []string) {
	words := textfold.NameWords(query)
	for _, n := range []int{2, 1, 3} {
		for i := n; i <= len(words); i++ {
			if strings.ContainsAny(words[i-1], "0123456789") && (n > 1 || len(words[i-1]) >= 4) {
				names = append(names, strings.Join(words[i-n:i], " "))
			}
		}
	}
	return names
}
