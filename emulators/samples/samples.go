// Package samples draws the project's own sample photos: invented product
// packs, a landscape and a picture too dark to read.
//
//	pack (flat drawing) → lens (angle, curve) → light, blur, grain → JPEG, PNG, WebP or GIF
//
// Each sample carries its Truth: what an honest, careful vision model would
// answer from that picture alone. Recognise finds the sample again in a
// transcoded copy, by its pixels. ProductsDB is a small catalogue to start
// with and Pages a small web to search; both hold only invented products.
package samples

import (
	"cmp"
	"image"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Kind says what a picture shows.
type Kind int

const (
	Product    Kind = iota // a pack of which something can be read
	NonProduct             // no product at all
	Unreadable             // perhaps a product, too dark or blurred to read
)

// A Line is one printed line as far as it can be seen. Clear is false where
// blur, glare or a thing in front leaves doubt about a letter.
type Line struct {
	Text  string
	Clear bool
}

// A Date is a printed date and the words beside it, both verbatim.
type Date struct {
	Text, Label string
}

// Truth is what an honest, careful reader answers from one picture.
type Truth struct {
	Kind Kind
	// Brand and Name are in the script of the pack. Where a part is hidden
	// they hold what can be read, or the likely reading of what is blurred.
	Brand, Name string
	// FullName is the product's name where Name is but a part of it, as the picture
	// hides the rest; else empty.
	FullName string
	Category string // English
	// Description is one or two sentences on what is seen; for a NonProduct
	// it is the reason why there is no product.
	Description string
	SubBrands   []string
	Lines       []Line   // top to bottom, all that can be read
	Dates       []Date   // only those that can be read
	GTIN        string   // 13 digits when the whole barcode can be read, else empty
	Features    []string // 8 to 20 for a Product, in the language of the pack
	// The tiers: 1.0 every character certain, 0.7–0.9 one or two unclear,
	// 0.4–0.6 largely inferred, 0.1–0.3 weak, 0 nothing.
	NameConfidence, BrandConfidence float64
	Known                           string // whether such a product exists: yes, no or unsure
	Count                           int    // products in the picture
}

// Is reports that a product of that brand and name is the one in the picture. Case, spaces
// and punctuation count for nothing, and so does the brand before the name.
func (t Truth) Is(brand, name string) bool {
	bare := func(name string) string {
		return cmp.Or(strings.TrimPrefix(Letters(name), Letters(t.Brand)), Letters(name))
	}
	return name != "" && Letters(brand) == Letters(t.Brand) && bare(name) == bare(cmp.Or(t.FullName, t.Name))
}

// Letters is the letters and digits of a text, in lower case.
func Letters(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(text))
}

// A Sample is one picture and the truth about it.
type Sample struct {
	File, MIMEType string // MIMEType and the extension of File agree
	Country, Lang  string // of the upload: ISO 3166-1 alpha-2, ISO 639-1
	Truth          Truth

	// Of a sample with a sticker on it: the sticker, and the sample without. See
	// Attacks.
	Sticker *Sticker
	Pack    *Sample

	draw  func() *canvas
	bytes func() []byte
}

// All returns the samples in the order in which the demo uploads them. The
// slice is the caller's, the samples are shared and must not be changed.
func All() []*Sample {
	return append([]*Sample(nil), all()...)
}

var all = sync.OnceValue(func() []*Sample {
	list := []*Sample{
		crackers(), riceChips(), latte(), latteAgain(), barleyTea(),
		landscape(), darkShape(), ginseng(), porridge(),
	}
	for _, s := range list {
		s.bytes = sync.OnceValue(func() []byte { return encode(s.MIMEType, s.draw().picture) })
	}
	return list
})

// Labelled is a photo of somebody's, as a model receives its bytes, with the truth about
// it. Its picture is not drawn anew: Image panics.
func Labelled(file string, data []byte, t Truth) *Sample {
	return &Sample{File: file, Truth: t, bytes: func() []byte { return data }}
}

// Bytes returns the encoded file, the same at every run on one kind of
// processor (the rounding of floating point differs). It is drawn at the
// first call and must not be changed.
func (s *Sample) Bytes() []byte { return s.bytes() }

// Image draws the picture anew, as it is before it is encoded.
func (s *Sample) Image() image.Image { return s.draw().picture }
