package page_test

import (
	"bytes"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/whatis/emulators/samples"
)

var update = flag.Bool("update", false, "write the screenshots of docs/screenshots anew")

// folder is where the documentation finds its pictures.
const folder = "../../../docs/screenshots"

// maxPicture bounds a picture, in bytes: they are in everybody's clone.
const maxPicture = 250_000

// TestScreenshots holds the documentation's pictures to their size; with -update
// it takes them, of the real page and the drawn samples.
func TestScreenshots(t *testing.T) {
	if *update {
		takePictures(t)
		takeSearch(t)
		takeDiscovery(t)
	}
	for _, name := range []string{"page-light.png", "page-dark.png", "page-phone.png", "page-search.png", "page-discover.png"} {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatalf("%v (-update takes the pictures)", err)
		}
		if _, err := png.Decode(bytes.NewReader(data)); err != nil || len(data) > maxPicture {
			t.Errorf("%s: %d bytes, %v; want a PNG of at most %d", name, len(data), err, maxPicture)
		}
	}
}

func takePictures(t *testing.T) {
	w := serve(t, false)
	b := open(t, w.url)
	crackers := sample(t, "01-")
	b.do(b.look(1080, 1180, "light"))
	b.choose(file(t, "oat-crackers.jpg", crackers.Bytes()))
	b.shows("article .overlay span", "GTIN 0"+crackers.Truth.GTIN)
	b.shows("#status", "Sea Salt Oat Crackers")
	b.take("page-light.png")

	for _, s := range samples.All() {
		w.upload(t, s.File, s.Bytes())
		w.analyse(t, s.File, s.Country, s.Lang)
	}
	b.do(b.look(1080, 590, "dark"))
	b.click(`nav a[href="#results"]`)
	b.until(`[...document.querySelectorAll("#gallery img")].filter((i) => i.complete && i.naturalWidth > 0).length >= 4`)
	b.take("page-dark.png")

	b.do(b.look(390, 844, "light"))
	b.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll("#gallery a")].find((a) => a.textContent.includes("유자")).click()`))
	b.shows("#dialog[open] h3", "유자 보리차")
	b.until(`document.querySelector("#dialog img").complete`)
	b.take("page-phone.png")
}

// takeSearch takes that of the search.
func takeSearch(t *testing.T) {
	_, b := shop(t)
	b.do(b.look(1080, 900, "light"))
	b.ask("cat-eye or round sunglasses under 2,000,000 VND, not black")
	b.until(`!document.querySelector("#found[aria-busy]") && document.querySelectorAll("#found .product").length > 5`)
	b.until(`[...document.querySelectorAll("#found img")].slice(0, 6).every((i) => i.complete && i.naturalWidth > 0)`)
	b.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`))
	b.take("page-search.png")
}

// takeDiscovery takes that of what a discovery found.
func takeDiscovery(t *testing.T) {
	_, b := seek(t)
	b.do(b.look(1080, 1330, "light"))
	b.begin("country", "Argentina", "sector", "stationary_energy")
	b.shows("#run header .badge", "Done")
	b.click("#run .verdict.right")
	b.until(pressed("right"))
	b.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`))
	b.take("page-discover.png")
}

// take keeps a picture of what is in the window.
func (b *tab) take(name string) {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`, chromedp.EvalAwaitPromise)) // it is drawn
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		b.Fatal(err)
	}
	var small bytes.Buffer // the browser is in a hurry when it compresses
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, calmed(picture)); err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), small.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
}

// calmed is m without the two lowest bits of each colour, which nobody sees and
// which are mostly the grain of photos.
func calmed(m image.Image) image.Image {
	out := image.NewRGBA(m.Bounds())
	draw.Draw(out, out.Rect, m, out.Rect.Min, draw.Src)
	for i, v := range out.Pix {
		out.Pix[i] = v&^3 | v>>6
	}
	return out
}
