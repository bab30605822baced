package page_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
)

// seen returns a model's answer for the crackers, with the box of each line.
func seen(lines []analyze.Line, dates ...analyze.Date) emulated.Answer {
	return emulated.Answer{Kind: answers.KindImage, JSON: analyze.Analysis{
		VisibleText: lines, NameAsPrinted: "Sea Salt Oat Crackers", BrandAsPrinted: "Hollowfield", SubBrands: []string{}, Dates: append([]analyze.Date{}, dates...),
		Category: "Crackers", ImageFeatures: "A box.", KeyFeatures: []string{"sea salt", "oat", "crackers"}, ProductName: "Sea Salt Oat Crackers", Brand: "Hollowfield",
		ProductNameConfidence: 0.95, BrandConfidence: 0.95, KnownProduct: analyze.Yes, ProductsSeen: 1, Side: analyze.SideFront,
	}}
}

// lines returns a brand and a name with boxes, and more lines without.
func lines(photo int, more ...string) []analyze.Line {
	all := []analyze.Line{
		{Text: "Hollowfield", Clear: true, Box: analyze.Box{0, 100, 80, 400}, Photo: photo},
		{Text: "Sea Salt Oat Crackers", Clear: true, Box: analyze.Box{120, 100, 300, 980}, Photo: photo},
	}
	for _, text := range more {
		all = append(all, analyze.Line{Text: text, Clear: true, Photo: photo})
	}
	return all
}

// drawn lists the boxes on the photos of an article or dialog, as "class x y width height".
const drawn = `[...document.querySelectorAll("%s .overlay")].flatMap((o) => [...o.querySelectorAll("rect.line")].map((r) => [r.parentNode.classList[1], ...["x", "y", "width", "height"].map((a) => r.getAttribute(a))].join(" "))).join("\n")`

// fitting is the distance in pixels between overlay and photo.
const fitting = `Math.max(...[...document.querySelectorAll("%s .overlay")].map((o) => { const a = o.getBoundingClientRect(), b = o.parentNode.querySelector("img").getBoundingClientRect(); return Math.max(...["top", "left", "width", "height"].map((k) => Math.abs(a[k] - b[k]))) + (b.height < 40 ? 99 : 0); }))`

// boxes checks the boxes on the photos of an article or dialog.
func (b *tab) boxes(within string, want ...string) {
	b.Helper()
	b.until(fmt.Sprintf(`[...document.querySelectorAll("%s img")].every((i) => i.complete)`, within))
	if got := eval[string](b, fmt.Sprintf(drawn, within)); got != strings.Join(want, "\n") {
		b.Errorf("the boxes on %s are\n%s\nwant\n%s", within, got, strings.Join(want, "\n"))
	}
	if apart := eval[float64](b, fmt.Sprintf(fitting, within)); apart > 1 {
		b.Errorf("the boxes on %s are %.1f pixels beside the photo", within, apart)
	}
}

const (
	nameBox  = "of-product_name 100 120 880 180"
	brandBox = "of-brand 100 0 300 80"
	dateBox  = "of-expiration_date 600 800 300 50"
)

// While the model writes, its lines are outlined and the printed name stands above the steps; the
// result takes their place.
func TestSeenAsItIsRead(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	w.Gemini.SetPace(emulated.Pace{FirstToken: 100 * time.Millisecond, PerSecond: 60})
	w.Gemini.Script(seen(lines(0)))
	crackers := sample(t, "06-")
	b.choose(file(t, crackers.File, crackers.Bytes()))
	b.shows("article .glimpse", "Hollowfield · Sea Salt Oat Crackers")
	b.boxes("article", "of-line 100 0 300 80", "of-line 100 120 880 180")
	b.shows("article .glimpse h3", "Sea Salt Oat Crackers")
	if n := b.count("article .evidence"); n > 0 {
		t.Errorf("there are %d results while the model writes", n)
	}
	b.fits("the card of a photo that is being read")
	b.shows("article .evidence li", "Sea Salt Oat Crackers", "Hollowfield")
	b.boxes("article", nameBox, brandBox)
	if n := b.count("article .glimpse"); n > 0 {
		t.Error("what was seen before the result stays")
	}
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	w.Gemini.Script(seen(lines(0, "BEST BEFORE 31.12.2027"), analyze.Date{Text: "31.12.2027", Label: "BEST BEFORE", Kind: "best_before", Box: analyze.Box{800, 600, 850, 900}}))
	crackers := sample(t, "01-") // its barcode can be read in the photo
	b.choose(file(t, crackers.File, crackers.Bytes()))
	b.shows("article .evidence li", "Sea Salt Oat Crackers", "Hollowfield", "BEST BEFORE 31.12.2027", "9520011000017")
	if got := eval[string](b, fmt.Sprintf(drawn, "article")); !strings.HasPrefix(got, strings.Join([]string{nameBox, brandBox, dateBox, "of-gtin "}, "\n")) {
		t.Errorf("the boxes are\n%s\nwant the name, the brand, the date and the barcode", got)
	}
	b.shows("article .overlay .of-gtin span", "GTIN 09520011000017")
	b.shows("article dl", "Best before", "31 December 2027", "to the day", "printed")
	b.fits("the card with evidence")

	// Pointing at a row, or focusing it, highlights its box.
	const lit = `[...document.querySelectorAll(".overlay g.lit")].map((g) => g.classList[1]).join(" ")`
	b.do(chromedp.Focus(chromedp.CSS("article .evidence .of-brand button")))
	b.until(lit + ` === "of-brand"`)
	b.press("\t")
	b.until(lit + ` === "of-expiration_date"`)
	b.shows("article .of-brand button", "Brand Hollowfield, at the top left of the photo")

	b.do(chromedp.Focus(chromedp.CSS("article .evidence input")))
	b.press(" ")
	b.until(`document.querySelector("article .overlay").checkVisibility() === false`)
	b.answered()
	b.reload()
	w.Gemini.Script(seen(lines(0)))
	b.choose(file(t, "tall.png", grey(t, tall)))
	b.until(`document.querySelector("article .overlay")?.checkVisibility() === false`)
	b.click("article .evidence .switch")
	b.until(`document.querySelector("article .overlay").checkVisibility()`)
	b.boxes("article", nameBox, brandBox)
	const clipped = `[...document.querySelectorAll(".overlay span")].filter((s) => { const a = s.getBoundingClientRect(), o = s.closest(".overlay").getBoundingClientRect(); return a.left < o.left || a.right > o.right + 1; }).map((s) => s.textContent)`
	if got := eval[[]string](b, clipped); len(got) > 0 {
		t.Errorf("the labels %q reach beyond the photo", got)
	}
}

// tall is the height of a photo that a card cannot show at full width.
const tall = 2400

// grey returns a photo without anything on it, 300 pixels wide.
func grey(t *testing.T, height int) []byte {
	t.Helper()
	var data bytes.Buffer
	if err := png.Encode(&data, image.NewGray(image.Rect(0, 0, 300, height))); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// With several photos each box is drawn on its own photo, although the models got a
// duplicate photo only once. Ambiguous boxes are not drawn.
func TestEvidenceOnSeveralPhotos(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	front, back := sample(t, "01-"), file(t, "back.png", grey(t, tall))
	all := lines(2, "GTIN 9520015000051")
	all[1].Photo = 1
	all = append(all, analyze.Line{Text: "EXP 05/06/2027", Clear: true, Box: analyze.Box{800, 600, 850, 900}}) // on an unknown photo
	w.Gemini.Script(seen(all, analyze.Date{Text: "05/06/2027", Label: "EXP", Kind: "expiry"}))
	b.click("#options .switch")
	b.choose(file(t, front.File, front.Bytes()), file(t, "again.jpg", front.Bytes()), back)
	b.shows("article dl", "3, of one product", "09520011000017, 09520015000051", "6 May 2027 or 5 June 2027")
	const frames = `[...document.querySelectorAll("article .frame")].map((f) => [...f.querySelectorAll("g.mark")].map((g) => g.classList[1]).join(" ")).join("|")`
	if got := eval[string](b, frames); !strings.HasPrefix(got, "of-product_name") || !strings.HasSuffix(got, "||of-brand") {
		t.Errorf("the photos have the boxes %q, want the name on the first and the brand on the last", got)
	}
	b.shows("article .evidence .of-brand", "photo 3")
	b.shows("article .evidence .of-expiration_date.nowhere", "EXP 05/06/2027")
	b.fits("the card of several photos")
}

// The gallery's dialog draws on the stored photo, which has another size.
func TestEvidenceInTheDialog(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	w.Gemini.Script(seen(lines(0)))
	w.upload(t, "tall.png", grey(t, tall))
	r := w.analyse(t, "tall.png", "US", "en")
	b := open(t, w.url+"/#results/"+r.ID)
	b.shows("#dialog[open] .evidence li", "Hollowfield")
	b.boxes("#dialog", nameBox, brandBox)
	b.fits("the dialog with evidence")
}

func expiryInWords(t *testing.T, _ *whatis, b *tab) {
	tests := []struct{ result, want string }{
		{`{}`, ``},
		{`{"expiration_date":"2027.03.14"}`, `Expires: 2027.03.14`},
		{`{"expiry":{"raw":"14 MAR 27","date":"2027-03-14","precision":"day","kind":"best_before"}}`, `Best before: 14 March 2027 to the day; printed 14 MAR 27`},
		{`{"expiry":{"raw":"03/27","date":"2027-03","precision":"month","kind":"use_by"}}`, `Use by: March 2027 to the month; printed 03/27`},
		{`{"expiry":{"raw":"2027","date":"2027","precision":"year","kind":""}}`, `Dated: 2027 to the year; printed 2027`},
		{`{"expiry":{"raw":"5/6/27","date":"2027-06-05","precision":"day","kind":"expiry","ambiguous":["2027-06-05","2027-05-06"]}}`, `Expires: 5 June 2027 or 6 May 2027 it can be read either way; printed 5/6/27`},
		{`{"expiry":{"raw":"x","date":"2027-01-31","precision":"day","kind":"expiry","period":"P1Y6M","computed":true}}`, `Expires: 31 January 2027 to the day; computed from the day of production and 1 year 6 months`},
		{`{"expiry":{"raw":"12M","date":"","precision":"","kind":"period_after_opening","period":"P12M"}}`, `Once opened: 12 months printed 12M`},
	}
	for _, test := range tests {
		got := eval[string](b, fmt.Sprintf(`import("/page/dates.js").then((m) => (m.expiry(%s) || []).map((e) => e.textContent || e).join(": "))`, test.result))
		if got != test.want {
			t.Errorf("the expiry of %s is %q, want %q", test.result, got, test.want)
		}
	}
}
