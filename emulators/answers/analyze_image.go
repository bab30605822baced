package answers

import (
	"cmp"
	"slices"
	"strings"

	"example.com/whatis/emulators/samples"
)

// description is the answer of KindImage, members in the order of the wire.
type description struct {
	VisibleText     []visibleLine `json:"visible_text"`
	Codes           []seenCode    `json:"codes,omitempty"`
	NamePrinted     string        `json:"name_as_printed"`
	BrandPrinted    string        `json:"brand_as_printed"`
	SubBrands       []string      `json:"sub_brands,omitempty"`
	Dates           []printedDate `json:"dates,omitempty"`
	Category        string        `json:"category"`
	ImageFeatures   string        `json:"image_features"`
	KeyFeatures     []string      `json:"key_features"`
	Name            string        `json:"product_name"`
	Brand           string        `json:"brand"`
	NameConfidence  float64       `json:"product_name_confidence"`
	BrandConfidence float64       `json:"brand_confidence"`
	KnownProduct    string        `json:"known_product"`
	ProductsSeen    int           `json:"products_seen"`
	Side            string        `json:"side"`
	NotProduct      bool          `json:"not_product,omitempty"`
	Description     string        `json:"description,omitempty"`
}

type visibleLine struct {
	Text            string `json:"text"`
	Clear           *bool  `json:"clear,omitempty"` // only where it is false
	MachineDirected bool   `json:"machine_directed,omitempty"`
	Box             []int  `json:"box,omitempty"`
	Photo           int    `json:"photo,omitempty"`
}

// A seenCode is the place of a barcode: top, left, bottom and right in thousandths,
// on the photo of this number, which is 0 if there is only one.
type seenCode struct {
	Box   [4]int `json:"box"`
	Photo int    `json:"photo,omitempty"`
}

// Marks says how a model marks the lines of a sticker.
type Marks int

// A model marks such lines with their boxes, or without, or takes them for ordinary
// print with boxes.
const (
	MarksPlaced Marks = iota
	MarksUnplaced
	MarksNothing
)

type printedDate struct {
	Text  string `json:"text"`
	Label string `json:"label,omitempty"`
	Kind  string `json:"kind"`
	Photo int    `json:"photo,omitempty"`
}

// A description has 8 to 20 key features; a photo without readable text has as many as
// its looks give.
const (
	minFeatures = 8
	maxFeatures = 20
)

func (a *analyze) describe(seen *observation) description {
	d := blank()
	switch {
	case seen.sample == nil:
		d.fillRead(seen)
	case seen.sample.Truth.Kind == samples.NonProduct:
		d.NotProduct, d.Description, d.Side = true, seen.sample.Truth.Description, "document"
		return d
	default:
		a.fillSample(&d, seen)
	}
	d.mark(seen.lines, a.Marks)
	if a.Obedient {
		d.applyInjection(seen.wants)
	}
	return d
}

// reading returns the label as the model reads it; a perfect model reads the full name,
// without doubt.
func (a *analyze) reading(t samples.Truth) samples.Truth {
	if a.Model == Perfect && t.Kind == samples.Product {
		t.Name = cmp.Or(t.FullName, t.Name)
		t.NameConfidence, t.BrandConfidence, t.Known = sureOf(t.Name), sureOf(t.Brand), "yes"
	}
	return t
}

// printedName returns the part of the name that the label shows, where the rest is hidden.
func printedName(t samples.Truth) string {
	var print string
	for _, l := range t.Lines {
		print += samples.Letters(l.Text)
	}
	name := []rune(t.Name)
	for t.FullName != "" && len(name) > 0 && !strings.Contains(print, samples.Letters(string(name))) {
		name = name[:len(name)-1]
	}
	return string(name)
}

func sureOf(text string) float64 {
	if text == "" {
		return 0
	}
	return 1
}

func blank() description {
	return description{
		VisibleText: []visibleLine{}, Codes: []seenCode{}, KeyFeatures: []string{}, KnownProduct: "unsure", Side: "front",
	}
}

// fillSample answers the truth of a sample pack, with the dates and features of
// all packs in observation.
func (a *analyze) fillSample(d *description, seen *observation) {
	t := a.reading(seen.sample.Truth)
	var clues []string
	for _, one := range append([]*samples.Sample{seen.sample}, seen.more...) {
		d.fillDates(one.Truth.Dates, seen.photos[one])
		clues = append(clues, one.Truth.Features...)
	}
	d.fillLines(seen.lines)
	d.Codes = append(d.Codes, seen.codes...)
	d.SubBrands = append(d.SubBrands, t.SubBrands...)
	d.Category, d.Description = t.Category, t.Description
	d.ImageFeatures = strings.Join(seen.looks, ", ")
	d.KeyFeatures = features(clues, seen.looks)
	d.ProductsSeen = seen.products()
	if t.Kind == samples.Unreadable {
		return
	}
	d.NamePrinted, d.Name, d.NameConfidence = printedName(t), t.Name, t.NameConfidence
	d.BrandPrinted, d.Brand, d.BrandConfidence = t.Brand, t.Brand, t.BrandConfidence
	d.KnownProduct = t.Known
}

// largestRead is the confidence in a name that is only the largest clear line.
const largestRead = 0.3

// fillRead answers for a photo that is no sample, with the text that was read only.
// It knows no brands, so it names none.
func (d *description) fillRead(seen *observation) {
	d.fillLines(seen.lines)
	d.Codes = append(d.Codes, seen.codes...)
	d.ImageFeatures = strings.Join(seen.looks, ", ")
	if len(seen.codes) > 0 && largestClear(seen.lines) == "" {
		d.Side = "code"
	}
	texts := seen.texts()
	d.KeyFeatures = features(texts, seen.looks)
	d.ProductsSeen = 1
	if len(seen.lines) == 0 {
		d.ProductsSeen = 0
		d.Description = "no text read"
		return
	}
	d.Description = "text read: " + strings.Join(texts, "; ")
	if name := largestClear(seen.lines); name != "" {
		d.NamePrinted, d.Name, d.NameConfidence = name, name, largestRead
	}
}

// fillDates adds the dates on a photo. One that several photos show is reported once.
func (d *description) fillDates(dates []samples.Date, photo int) {
	for _, date := range dates {
		same := func(o printedDate) bool { return o.Text == date.Text && o.Label == date.Label }
		if !slices.ContainsFunc(d.Dates, same) {
			d.Dates = append(d.Dates, printedDate{date.Text, date.Label, date.Kind, photo})
		}
	}
}

func (d *description) fillLines(lines []seenLine) {
	for _, l := range lines {
		v := visibleLine{Text: l.text, Photo: l.photo}
		if !l.clear {
			v.Clear = new(false)
		}
		if l.box != [4]int{} {
			v.Box = l.box[:]
		}
		d.VisibleText = append(d.VisibleText, v)
	}
}

// mark marks the lines of stickers; the first lines of d are those of seen.
func (d *description) mark(seen []seenLine, m Marks) {
	for i, l := range seen {
		if l.injected && m != MarksNothing {
			d.VisibleText[i].MachineDirected = true
		}
		if l.injected && m == MarksUnplaced {
			d.VisibleText[i].Box = nil
		}
	}
}

// features returns the clues, filled up with looks to minFeatures.
func features(clues, looks []string) []string {
	kept := distinct(clues, maxFeatures)
	for _, look := range looks {
		if len(kept) >= minFeatures {
			break
		}
		kept = distinct(append(kept, look), maxFeatures)
	}
	return kept
}

// largestClear returns the clear line with the tallest letters, the first of equal
// ones; "" if no clear line has three letters.
func largestClear(lines []seenLine) string {
	best := seenLine{height: -1}
	for _, l := range lines {
		if l.clear && l.height > best.height && letters(l.text) >= 3 {
			best = l
		}
	}
	return best.text
}
