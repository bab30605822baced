package catalog

import (
	"errors"
	"strings"

	"example.com/whatis/internal/textfold"
)

// An Availability says whether a product can be bought. It counts, and the number of pieces beside it,
// where there is one, is only told: most shops do not count in their feeds.
type Availability string

// The availabilities. A product that is not sold out can be bought, or perhaps.
const (
	Unknown    Availability = ""
	InStock    Availability = "in_stock"
	OutOfStock Availability = "out_of_stock"
	Preorder   Availability = "preorder"
	Backorder  Availability = "backorder"
)

// String returns unknown for Unknown.
func (a Availability) String() string {
	if a == Unknown {
		return "unknown"
	}
	return string(a)
}

// availabilities are the words of feeds, of schema.org too, folded. What is made or fetched once it is
// ordered is as what is ordered while it is not there.
var availabilities = map[string]Availability{
	"instock": InStock, "limitedavailability": InStock, "onlineonly": InStock, "instoreonly": InStock, "available": InStock, "download": InStock,
	"outofstock": OutOfStock, "soldout": OutOfStock, "discontinued": OutOfStock, "reserved": OutOfStock, "unavailable": OutOfStock,
	"preorder": Preorder, "presale": Preorder, "unknown": Unknown,
	"backorder": Backorder, "madetoorder": Backorder, "ondisplaytoorder": Backorder, "availablefororder": Backorder,
}

func (p *Product) setAvailability(text string) error {
	word, known := availabilities[textfold.String(text[strings.LastIndex(text, "/")+1:])]
	if !known {
		return errors.New("is none of in_stock, out_of_stock, preorder, backorder and unknown")
	}
	p.Availability = word
	return nil
}

// stocked returns p with an availability and a number of pieces that say the same: the word counts, and
// the number where there is none.
func (p Product) stocked() Product {
	none := 0
	switch {
	case p.Availability == OutOfStock:
		p.Stock = &none
	case p.Stock == nil:
	case p.Availability == InStock && *p.Stock == 0, p.Availability == Preorder, p.Availability == Backorder:
		p.Stock = nil
	case p.Availability == Unknown && *p.Stock == 0:
		p.Availability = OutOfStock
	case p.Availability == Unknown:
		p.Availability = InStock
	}
	return p
}
