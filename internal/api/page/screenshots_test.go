package page_test

import (
	"bytes"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/HugoSmits86/nativewebp"
	"github.com/chromedp/chromedp"

	"example.com/whatis/emulators/samples"
)

var update = flag.Bool("update", false, "write the screenshots of docs/screenshots anew")

// folder is the folder of the documentation's pictures.
const folder = "../../../docs/screenshots"

// maxPicture is the largest picture, in bytes: every clone contains them.
const maxPicture = 300_000

// pictures are the pictures in the documentation, by view, width and scheme.
var pictures = []string{
	"page-start-1440-light.png", "page-start-390-dark.png", "page-photo-1440-light.png", "page-photo-390-light.png", "page-results-820-dark.png",
	"page-search-1440-light.png", "page-weather-820-light.png", "page-discover-1440-dark.png", "page-review-390-light.png",
}

// TestScreenshots checks the size of the documentation's pictures; with -update it takes
// them from the real page with the samples.
func TestScreenshots(t *testing.T) {
	if *update {
		takeFirst(t)
		takeResults(t)
		takeSearch(t)
		takeWeather(t)
		takeDiscovery(t)
		takeMoving(t)
	}
	if data, err := os.ReadFile(filepath.Join(folder, moving)); err != nil || len(data) > 1_000_000 || !bytes.Contains(data[:min(len(data), 64)], []byte("ANIM")) {
		t.Errorf("%s: %d bytes, %v; want a moving WebP of at most 1 MB (-update takes it)", moving, len(data), err)
	}
	for _, name := range pictures {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatalf("%v (-update takes the pictures)", err)
		}
		if _, err := png.Decode(bytes.NewReader(data)); err != nil || len(data) > maxPicture {
			t.Errorf("%s: %d bytes, %v; want a PNG of at most %d", name, len(data), err, maxPicture)
		}
	}
}

// takeFirst takes the start view in English and Korean, and the answer to a sample.
func takeFirst(t *testing.T) {
	w := serve(t, false, (*whatis).allSamplesIn)
	b := open(t, w.url)
	const loaded = `((all) => all.length > 5 && all.every((i) => i.complete && i.naturalWidth > 0))([...document.querySelectorAll("#samples img")])`
	b.until(loaded)
	b.shot("page-start-1440-light.png", 1000)
	b.shot("page-start-820-dark.png", 1000)
	b.inLanguage("ko")
	b.shows("#title-photo", "제품은")
	b.until(loaded)
	b.shot("page-start-390-dark.png", 1100)
	b.inLanguage("vi")
	b.shows("#title-photo", "Sản phẩm")
	b.shot("page-start-390-light.png", 1100)
	b.inLanguage("en")
	b.click("#samples button")
	b.shows("article .overlay span", "GTIN 0"+sample(t, "01-").Truth.GTIN)
	b.shows("#status", "Sea Salt Oat Crackers")
	b.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`))
	b.shot("page-photo-1440-light.png", 1180)
	b.shot("page-photo-820-dark.png", 1180)
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("article").scrollIntoView()`))
	b.shot("page-photo-390-light.png", 1100)
}

// takeResults takes the results of all samples, and the review of a doubtful one.
func takeResults(t *testing.T) {
	w := serve(t, false)
	b := open(t, w.url)
	for _, s := range samples.All() {
		w.upload(t, s.File, s.Bytes())
		w.analyse(t, s.File, s.Country, s.Lang)
	}
	b.visit("results")
	b.until(`[...document.querySelectorAll("#gallery img")].filter((i) => i.complete && i.naturalWidth > 0).length >= 4`)
	for _, name := range []string{"page-results-820-dark.png", "page-results-390-light.png", "page-results-1440-light.png"} {
		b.shot(name, 900)
	}
	b.visit("review")
	b.until(`document.querySelector("#review article img")?.naturalWidth > 0`)
	b.shot("page-review-390-light.png", 1000)
	b.shot("page-review-1440-dark.png", 1000)
}

// takeSearch takes the view of the search.
func takeSearch(t *testing.T) {
	_, b := shop(t)
	b.do(b.look(1440, 900, "light"))
	b.ask("cat-eye or round sunglasses under 2,000,000 VND, not black")
	b.until(`!document.querySelector("#found[aria-busy]") && document.querySelectorAll("#found .product").length > 5`)
	b.until(`[...document.querySelectorAll("#found img")].slice(0, 6).every((i) => i.complete && i.naturalWidth > 0)`)
	b.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`))
	b.shot("page-search-1440-light.png", 900)
	b.shot("page-search-390-dark.png", 900)
	b.visit("catalogue")
	b.shows("#records li", "")
	b.shot("page-catalogue-390-light.png", 900)
}

// takeWeather takes a forecast with its history.
func takeWeather(t *testing.T) {
	_, b := sky(t)
	b.enter(placeField, "Seoul")
	b.shows("#outlook article", "")
	b.enter(messageField, "How is the weather in Lima?")
	b.until(`!document.querySelector("#say[aria-busy]") && document.querySelectorAll("#talk li").length >= 2`)
	b.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur(); scrollTo(0, 0)`))
	b.shot("page-weather-820-light.png", 1100)
	b.shot("page-weather-390-dark.png", 1100)
	b.shot("page-weather-1440-dark.png", 1000)
}

// takeDiscovery takes the result of a discovery.
func takeDiscovery(t *testing.T) {
	_, b := seek(t)
	b.begin("country", "Argentina", "sector", "stationary_energy")
	b.shows("#run header .badge", "Done")
	b.click("#run .verdict.right")
	b.until(pressed("right"))
	b.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`))
	b.shot("page-discover-1440-dark.png", 1330)
	b.shot("page-discover-390-light.png", 1330)
}

var frame = regexp.MustCompile(`-(\d+)-(light|dark)\.png$`)

// shot takes a picture with the width and scheme in its name. Pictures that the
// documentation does not show are written to WHATIS_SHOTS.
func (b *tab) shot(name string, height int64) {
	b.Helper()
	m := frame.FindStringSubmatch(name)
	width, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	into := folder
	if !slices.Contains(pictures, name) {
		if into = os.Getenv("WHATIS_SHOTS"); into == "" {
			return
		}
	}
	b.do(b.look(width, height, m[2]))
	b.take(filepath.Join(into, name))
}

// moving is the picture on the README's first screen: a photo, its answer, where it was read, and a search.
const moving = "page.webp"

// takeMoving takes it.
func takeMoving(t *testing.T) {
	film := &nativewebp.Animation{}
	show := func(b *tab, milliseconds uint) {
		t.Helper()
		film.Images = append(film.Images, calmed(b.picture()))
		film.Durations, film.Disposals = append(film.Durations, milliseconds), append(film.Disposals, 0)
	}
	const width, height = 1000, 720
	w := serve(t, false, (*whatis).allSamplesIn)
	b := open(t, w.url)
	b.do(b.look(width, height, "light"))
	b.until(`((all) => all.length > 5 && all.every((i) => i.complete && i.naturalWidth > 0))([...document.querySelectorAll("#samples img")])`)
	show(b, 2000)
	b.click("#samples button")
	b.shows("article .overlay span", "GTIN 0"+sample(t, "01-").Truth.GTIN)
	b.shows("#status", "Sea Salt Oat Crackers")
	b.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur(); document.querySelector("article").scrollIntoView()`))
	show(b, 3500)
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("article details.why, article details").open = true; document.querySelector("article details.why, article details").scrollIntoView()`))
	show(b, 3500)
	_, b = shop(t)
	b.do(b.look(width, height, "light"))
	b.ask("cat-eye or round sunglasses under 2,000,000 VND, not black")
	b.until(`!document.querySelector("#found[aria-busy]") && document.querySelectorAll("#found .product").length > 5`)
	b.until(`[...document.querySelectorAll("#found img")].slice(0, 6).every((i) => i.complete && i.naturalWidth > 0)`)
	b.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`))
	show(b, 4000)
	var out bytes.Buffer
	if err := nativewebp.EncodeAll(&out, film, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, moving), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// picture returns a picture of the window.
func (b *tab) picture() image.Image {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`, chromedp.EvalAwaitPromise)) // wait until it is drawn
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		b.Fatal(err)
	}
	return picture
}

// take stores a picture of the window.
func (b *tab) take(path string) {
	b.Helper()
	picture := b.picture()
	var small bytes.Buffer // the browser compresses badly
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, calmed(picture)); err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, small.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
}

// calmed returns m without the two lowest bits of each colour, which are invisible and
// mostly noise of photos.
func calmed(m image.Image) image.Image {
	out := image.NewRGBA(m.Bounds())
	draw.Draw(out, out.Rect, m, out.Rect.Min, draw.Src)
	for i, v := range out.Pix {
		out.Pix[i] = v&^3 | v>>6
	}
	return out
}
