// Package samples holds the project's own sample photos: invented product packs, a
// landscape and a picture too dark to read.
//
//	pictures/01-….jpg, its truth in 01-….json → Sample → what asks a model about it
//
// Each sample carries its Truth: what an honest, careful vision model would
// answer from that picture alone. Recognise finds the sample again in a
// transcoded copy, by its pixels. ProductsDB is a small catalogue to start
// with and Pages a small web to search; both hold only invented products.
// The frames of a shop and packs with codes are drawn.
package samples

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	_ "golang.org/x/image/webp"
	"golang.org/x/text/unicode/norm"
)

// Kind says what a picture shows.
type Kind string

const (
	Product    Kind = ""           // a pack of which something can be read
	NonProduct Kind = "no_product" // no product at all
	Unreadable Kind = "unreadable" // perhaps a product, too dark or blurred to read
)

// A Line is one printed line as far as it can be seen. Clear is false where
// blur, glare or a thing in front leaves doubt about a letter.
type Line struct {
	Text  string `json:"text"`
	Clear bool   `json:"clear"`
	// Box is where the line is: top, left, bottom and right in thousandths; zero where
	// nobody has measured it.
	Box [4]int `json:"box"`
}

// A Date is a printed date and the words beside it, both verbatim.
type Date struct {
	Text  string `json:"text"`
	Label string `json:"label"`
	Kind  string `json:"kind"` // as in image_analyzer's answer
}

// Truth is what an honest, careful reader answers from one picture.
type Truth struct {
	Kind Kind `json:"kind"`
	// Brand and Name are in the script of the pack. Where a part is hidden
	// they hold what can be read, or the likely reading of what is blurred.
	Brand string `json:"brand"`
	Name  string `json:"name"`
	// FullName is the product's full name if the picture hides a part, so that Name is
	// incomplete; else empty.
	FullName string `json:"full_name"`
	Category string `json:"category"` // English
	// Description is one or two sentences on what is seen; for a NonProduct
	// it is the reason why there is no product.
	Description string   `json:"description"`
	SubBrands   []string `json:"sub_brands"`
	Lines       []Line   `json:"lines"`    // top to bottom, all that can be read
	Dates       []Date   `json:"dates"`    // only those that can be read
	GTIN        string   `json:"gtin"`     // 13 digits when the whole barcode can be read, else empty
	Features    []string `json:"features"` // 8 to 20 for a Product, in the language of the pack
	// The tiers: 1.0 every character certain, 0.7–0.9 one or two unclear,
	// 0.4–0.6 largely inferred, 0.1–0.3 weak, 0 nothing.
	NameConfidence  float64 `json:"name_confidence"`
	BrandConfidence float64 `json:"brand_confidence"`
	Known           string  `json:"known"` // whether such a product exists: yes, no or unsure
	Count           int     `json:"count"` // products in the picture
}

// Is reports that a product of that brand and name is the one in the picture. It ignores
// case, spaces, punctuation, and the brand before the name.
func (t Truth) Is(brand, name string) bool {
	bare := func(name string) string {
		return cmp.Or(strings.TrimPrefix(Letters(name), Letters(t.Brand)), Letters(name))
	}
	return name != "" && Letters(brand) == Letters(t.Brand) && bare(name) == bare(cmp.Or(t.FullName, t.Name))
}

// Letters returns the letters and digits of a text, in lower case.
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

	data []byte
}

// All returns the samples in the order in which the demo uploads them. The caller may
// change the slice, but not the samples, which are shared.
func All() []*Sample { return slices.Clone(all()) }

// pictures are the photos, and beside each the JSON of what it shows.
//
//go:embed pictures
var pictures embed.FS

var all = sync.OnceValue(func() (list []*Sample) {
	for _, name := range truthsOf("[0-9]*") {
		var t struct {
			File, Country, Lang string
			Truth
		}
		readJSON(name, &t)
		list = append(list, &Sample{
			File: t.File, MIMEType: mimeTypes[filepath.Ext(t.File)], Country: t.Country, Lang: t.Lang, Truth: t.Truth,
			data: readPicture("pictures/" + t.File),
		})
	}
	return list
})

var mimeTypes = map[string]string{".jpg": "image/jpeg", ".png": "image/png", ".webp": "image/webp", ".gif": "image/gif"}

// truthsOf returns the names of the JSON files of some pictures, in order.
func truthsOf(pictureNames string) []string {
	names, err := fs.Glob(pictures, "pictures/"+pictureNames+".json")
	if err != nil {
		panic(fmt.Sprintf("samples: %v", err))
	}
	return names
}

func readJSON(name string, v any) {
	if err := json.Unmarshal(readPicture(name), v); err != nil {
		panic(fmt.Sprintf("samples: %s: %v", name, err)) // it is a file of this package
	}
}

func readPicture(name string) []byte {
	data, err := pictures.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("samples: %v", err))
	}
	return data
}

// Labelled returns a sample of given bytes, as a model receives them, with their truth.
func Labelled(file string, data []byte, t Truth) *Sample {
	return &Sample{File: file, Truth: t, data: data}
}

// Bytes returns the encoded file, which must not be changed.
func (s *Sample) Bytes() []byte { return s.data }

// Image returns the decoded picture.
func (s *Sample) Image() image.Image {
	img, _, err := image.Decode(bytes.NewReader(s.data))
	if err != nil {
		panic(fmt.Sprintf("samples: %s: %v", s.File, err))
	}
	return img
}
