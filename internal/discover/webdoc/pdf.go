package webdoc

import (
	"cmp"
	"math"
	"strings"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
)

// pageText returns the text of a page in the order in which it is shown.
func pageText(p pdf.Page) string {
	t := pdfText{pdfState: pdfState{to: upright}, line: upright}
	fonts, saved := map[string]pdfFont{}, []pdfState(nil)
	if p.V.Key("Contents").Kind() == pdf.Null {
		return ""
	}
	pdf.Interpret(p.V.Key("Contents"), func(stack *pdf.Stack, operator string) {
		args, numbers := make([]pdf.Value, stack.Len()), [6]float64{}
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
			if i < len(numbers) {
				numbers[i] = args[i].Float64()
			}
		}
		n := len(args)
		switch operator {
		case "q":
			saved = append(saved, t.pdfState)
		case "Q":
			if last := len(saved) - 1; last >= 0 {
				t.pdfState, saved = saved[last], saved[:last]
			}
		case "cm":
			t.to = matrix(numbers).times(t.to)
		case "Tf":
			if n == 2 {
				name := args[0].Name()
				if _, known := fonts[name]; !known {
					fonts[name] = fontOf(p.Font(name))
				}
				t.font, t.size = fonts[name], numbers[1]
			}
		case "Tc":
			t.apart = numbers[0]
		case "TL":
			t.leading = numbers[0]
		case "BT":
			t.line, t.width = upright, 0
		case "Tm":
			t.line, t.width = numbers, 0
		case "Td":
			t.move(numbers[0], numbers[1])
		case "TD":
			t.leading = -numbers[1]
			t.move(numbers[0], numbers[1])
		case "T*", "'", `"`:
			t.move(0, -t.leading)
		case "BDC", "BMC": // a part of the page, which may say what is to be read in its place
			switch {
			case t.replaced > 0:
				t.replaced++
			case n == 2 && args[1].Key("ActualText").Kind() == pdf.String:
				t.actual, t.replaced = args[1].Key("ActualText").Text(), 1
			}
		case "EMC":
			t.replaced = max(0, t.replaced-1)
		}
		if n > 0 && t.font.decoder != nil && strings.Contains(` Tj TJ ' " `, " "+operator+" ") {
			t.show(args[n-1])
		}
	})
	return strings.TrimSpace(blankLines.ReplaceAllString(strings.ReplaceAll(t.String(), "\t", " "), "\n"))
}

// A matrix moves, turns and scales as those of PDF do.
type matrix [6]float64

var upright = matrix{1, 0, 0, 1, 0, 0}

func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// narrowest is the width of the narrowest space between words, in sizes of the font.
const narrowest = 0.15

// A pdfState is what PDF saves and restores.
type pdfState struct {
	to                   matrix // from the units of the content to the page
	font                 pdfFont
	size, apart, leading float64 // of the font, between letters, between lines
}

// A pdfText is the text of a page as far as it is read.
type pdfText struct {
	strings.Builder
	pdfState
	line     matrix  // where the line begins
	width    float64 // of what is shown on it
	x, y     float64 // where the last text ends on the page
	actual   string  // the text of the marked content, until it is written
	replaced int     // how many marked contents are open since the one with its text
}

func (t *pdfText) move(x, y float64) {
	t.line, t.width = matrix{1, 0, 0, 1, x, y}.times(t.line), 0
}

// show writes a string, or strings with gaps between them: in a new line if it is not on that of the text
// before it, as a new word if there is a space between them.
func (t *pdfText) show(v pdf.Value) {
	switch {
	case v.Kind() == pdf.String && t.Len() < maxChars:
		at := t.line.times(t.to)
		scale := math.Hypot(at[0], at[1])
		dx, dy := at[4]+at[0]*t.width-t.x, at[5]+at[1]*t.width-t.y
		along, across, size := (dx*at[0]+dy*at[1])/scale, (dy*at[0]-dx*at[1])/scale, scale*math.Abs(t.size)
		switch {
		case math.Abs(across) > size/2 || along < -size:
			t.WriteString("\n")
		case along > size*narrowest && !strings.HasSuffix(t.String(), " "):
			t.WriteString(" ")
		}
		if t.replaced == 0 {
			t.actual = t.font.decoder.Decode(v.RawString())
		}
		t.WriteString(t.actual)
		t.actual = ""
		t.width += t.size*t.font.width(v.RawString()) + t.apart*float64(len(v.RawString())/t.font.bytes)
		t.x, t.y = at[4]+at[0]*t.width, at[5]+at[1]*t.width
	case v.Kind() == pdf.Integer || v.Kind() == pdf.Real:
		t.width -= t.size * v.Float64() / 1000
	}
	for i := range v.Len() {
		t.show(v.Index(i))
	}
}

// A pdfFont has the letters and the widths of a font's codes, of which each has that many bytes.
type pdfFont struct {
	decoder pdf.TextEncoding
	widths  map[int]float64 // in sizes of the font
	usual   float64         // of those that are not in widths
	bytes   int
}

func (f pdfFont) width(codes string) (sum float64) {
	if len(f.widths) == 0 && len(codes) == 1 {
		return 0.9 // a letter whose width is unknown is hardly wider
	}
	for ; len(codes) >= f.bytes; codes = codes[f.bytes:] {
		code := int(codes[0])
		if f.bytes == 2 {
			code = code<<8 | int(codes[1])
		}
		if width, known := f.widths[code]; known {
			sum += width
		} else {
			sum += f.usual
		}
	}
	return sum
}

// fontOf reads a font. The library knows the letters of all but those fonts that have an encoding of
// their own beside a table of the letters of its codes.
func fontOf(font pdf.Font) pdfFont {
	f := pdfFont{font.Encoder(), map[int]float64{}, 0.5, 1}
	if font.V.Key("Encoding").Kind() == pdf.Dict && font.V.Key("ToUnicode").Kind() == pdf.Stream {
		f.decoder = lettersOf(font.V)
	}
	unit := cmp.Or(font.V.Key("FontMatrix").Index(0).Float64(), 0.001)
	if font.V.Key("Subtype").Name() != "Type0" {
		for i, all := 0, font.V.Key("Widths"); i < min(all.Len(), 256); i++ {
			f.widths[font.FirstChar()+i] = all.Index(i).Float64() * unit
		}
		return f
	}
	below := font.V.Key("DescendantFonts").Index(0)
	f.bytes, f.usual = 2, cmp.Or(below.Key("DW").Float64(), 1000)*unit
	all := below.Key("W") // of one code and those behind it, or from one code to another
	for i := 0; i+1 < all.Len(); {
		first, next := int(all.Index(i).Int64()), all.Index(i+1)
		if next.Kind() == pdf.Array {
			for j := range next.Len() {
				f.widths[first+j] = next.Index(j).Float64() * unit
			}
			i += 2
			continue
		}
		for code := max(first, 0); code <= min(int(next.Int64()), 0xffff); code++ {
			f.widths[code] = all.Index(i+2).Float64() * unit
		}
		i += 3
	}
	return f
}

// A letters has the texts of codes of one byte.
type letters map[byte]string

func (l letters) Decode(codes string) string {
	var b strings.Builder
	for _, code := range []byte(codes) {
		b.WriteString(l[code])
	}
	return b.String()
}

// lettersOf reads the table of a font's letters.
func lettersOf(font pdf.Value) letters {
	l := letters{}
	add := func(code byte, text string, further int) {
		var units []uint16
		for ; len(text) > 1; text = text[2:] {
			units = append(units, uint16(text[0])<<8|uint16(text[1]))
		}
		if len(units) > 0 {
			units[len(units)-1] += uint16(further)
		}
		l[code] = string(utf16.Decode(units))
	}
	pdf.Interpret(font.Key("ToUnicode"), func(stack *pdf.Stack, operator string) {
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		step := map[string]int{"endbfchar": 2, "endbfrange": 3}[operator]
		for ; step > 0 && len(args) >= step; args = args[step:] {
			from, to, text := args[0].RawString(), args[step-2].RawString(), args[step-1]
			if len(from) != 1 || len(to) != 1 {
				continue
			}
			for i := range int(to[0]) - int(from[0]) + 1 {
				if text.Kind() == pdf.Array {
					add(from[0]+byte(i), text.Index(i).RawString(), 0)
				} else {
					add(from[0]+byte(i), text.RawString(), i)
				}
			}
		}
		if operator == "findresource" {
			stack.Push(font) // which "begin" needs, and nothing reads
		}
	})
	return l
}
