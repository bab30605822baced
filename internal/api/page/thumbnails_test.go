package page_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/photo"
)

// A photo that is sent has its picture and its name in the results, also after a reload; what
// is kept of it is a thumbnail, which goes with it.
func TestThumbnailOfAPhoto(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	crackers := sample(t, "01-")
	b.choose(file(t, crackers.File, crackers.Bytes()))
	b.shows("article h3", "Sea Salt Oat Crackers")
	b.answered()
	b.do(chromedp.Navigate(w.url + "/#results"))
	b.reload()
	b.shows("#gallery li", crackers.File)
	b.until(`document.querySelector("#gallery img")?.naturalWidth > 0`)
	if width := eval[int](b, `document.querySelector("#gallery img").naturalWidth`); width > 320 {
		t.Errorf("the thumbnail is %d pixels wide, want 320 at most", width)
	}
	list, _, err := w.intake.List(t.Context(), intake.Filter{})
	if err != nil || len(list) != 1 {
		t.Fatalf("List = %d results, %v", len(list), err)
	}
	kept, err := w.intake.Thumbnail(t.Context(), list[0].ID, 1)
	if clean, unclean := photo.CleanThumbnail(kept); err != nil || unclean != nil || !bytes.Equal(clean, kept) {
		t.Errorf("what is kept has %d bytes, %v, %v; want a thumbnail without metadata", len(kept), err, unclean)
	}
	b.click("#gallery a")
	b.shows("#dialog-title", crackers.File)
	b.until(`document.querySelector("#dialog img")?.naturalWidth > 0`)
	b.fits("a result with its thumbnail")
	b.click("#dialog .rv-forget summary")
	b.click("#dialog .rv-forget .danger")
	b.click("dialog.confirm .danger")
	b.shows("#dialog .rv-gone", "It is forgotten.", "Nothing of it stays.")
	if data, err := w.intake.Thumbnail(t.Context(), list[0].ID, 1); err == nil {
		t.Errorf("of a forgotten photo %d bytes are kept", len(data))
	}
}

// The review shows what has a picture first, and says why another has none.
func TestReviewWithoutPictures(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	unseen, seen := sample(t, "07-"), sample(t, "08-")
	w.intake.KeepThumbnails = false
	if _, err := w.intake.Photo(t.Context(), intake.Photo{Data: unseen.Bytes()}, nil); err != nil {
		t.Fatal(err)
	}
	w.upload(t, seen.File, seen.Bytes())
	if r := w.analyse(t, seen.File, seen.Country, seen.Lang); !r.Doubtful() {
		t.Skipf("%s is not in doubt any more", seen.File)
	}
	b := open(t, w.url+"/#review")
	b.shows("#review header", "2 results waiting")
	b.shows("#review .photos", seen.File)
	b.until(`document.querySelector("#review .photos img")?.naturalWidth > 0`)
	b.click("#review [data-do=skip]")
	b.shows("#review .photos", "sent without a thumbnail")
	b.fits("a review without a picture")
}

// large returns a PNG of noise that is too large to be sent as it is.
func large(t *testing.T) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 1700, 1500))
	rand.NewChaCha8([32]byte{}).Read(m.Pix)
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 0xff
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, m); err != nil || b.Len() < 7_000_000 {
		t.Fatalf("%d bytes, %v", b.Len(), err)
	}
	return b.Bytes()
}

// A photo above 7 MB is made smaller in the browser; another goes as it is, as its bytes are
// what it is known by.
func TestLargePhotosShrink(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	b.choose(file(t, "large.png", large(t)))
	b.shows("article .raw pre", `"mime_type": "image/jpeg"`, `"file": "large.png"`, `"width": 1700`)
	m := image.NewGray(image.Rect(0, 0, 300, 200))
	var small bytes.Buffer
	if err := png.Encode(&small, m); err != nil {
		t.Fatal(err)
	}
	b.choose(file(t, "small.png", small.Bytes()))
	b.shows("article .raw pre", `"mime_type": "image/png"`, photo.NewUpload(small.Bytes()).SHA256)
}

// closing is true if the browser would ask before it closes the page.
const closing = `!dispatchEvent(new Event("beforeunload", {cancelable: true}))`

// While a photo is sent the page shows how much of it is, and a closed tab asks first. It says
// that it is sent when it is.
func TestUploadProgress(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	latte := sample(t, "03-")
	b.choose(file(t, latte.File, latte.Bytes()))
	b.shows("article h3", "Cold Brew Oat Latte")
	if eval[bool](b, closing) {
		t.Error("the browser asks before it closes a page that sends nothing")
	}
	b.limit(lineSpeed{Latency: 1, Download: -1, Upload: 20_000})
	tea := sample(t, "05-")
	b.do(chromedp.Evaluate[chromedp.Void](`window.seen = new Set(); new MutationObserver(() => { const p = document.querySelector("article progress"); if (p) seen.add("sending"); if (/Sent\./.test(document.querySelector("article .body").innerText)) seen.add(p ? "both" : "sent"); if (p?.value > 0 && p.value < 1) seen.add("under way"); }).observe(document.body, {subtree: true, childList: true, attributes: true})`))
	b.choose(file(t, tea.File, tea.Bytes()))
	b.until(`document.querySelector("article progress")`)
	b.until(closing)
	b.until(`seen.has("under way")`)
	b.limit(lineSpeed{Latency: 0, Download: -1, Upload: -1})
	b.shows("article h3", "유자 보리차")
	if seen := eval[string](b, `[...seen].sort().join(" ")`); seen != "sending sent under way" {
		t.Errorf("the page said %q; want that it is under way, and then that it is sent", seen)
	}
	if eval[bool](b, closing) {
		t.Error("the browser asks before it closes a page that has sent its photos")
	}
}

// A photo that does not get through is sent once more by itself, and then on demand.
func TestSentOnceMore(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	b.allow("net::ERR_INTERNET_DISCONNECTED")
	latte, tea := sample(t, "03-"), sample(t, "05-")
	b.choose(file(t, latte.File, latte.Bytes())) // which loads all that sending needs
	b.shows("article h3", "Cold Brew Oat Latte")
	offline := lineSpeed{Offline: true, Download: -1, Upload: -1}
	b.limit(offline)
	b.do(chromedp.Evaluate[chromedp.Void](`window.failed = 0; { const send = XMLHttpRequest.prototype.send; XMLHttpRequest.prototype.send = function (...a) { this.addEventListener("error", () => failed++); return send.apply(this, a); }; }`))
	b.choose(file(t, tea.File, tea.Bytes()))
	b.until(`failed === 1`)
	b.limit(lineSpeed{Download: -1, Upload: -1})
	b.shows("article h3", "유자 보리차")

	b.limit(offline)
	crackers := sample(t, "01-")
	b.choose(file(t, crackers.File, crackers.Bytes()))
	b.shows("article .problem code", "unreachable")
	if got := eval[int](b, `failed`); got != 3 {
		t.Errorf("it was tried %d times, want twice", got-1)
	}
	b.limit(lineSpeed{Download: -1, Upload: -1})
	b.click("article .problem button")
	b.shows("article h3", "Sea Salt Oat Crackers")
}

// inStore counts what this browser keeps of questions.
const inStore = `new Promise((done) => { const r = indexedDB.open("whatis"); r.onsuccess = () => { const db = r.result; if (!db.objectStoreNames.contains("running")) return done(0); const c = db.transaction("running").objectStore("running").count(); c.onsuccess = () => { db.close(); done(c.result); }; }; })`

// answered waits until this browser keeps no question: a reload would ask it again.
func (b *tab) answered() {
	b.Helper()
	b.until(fmt.Sprintf(`%s.then((n) => n === 0)`, inStore))
}

// A page that is reloaded comes back to what it has no answer to yet, and keeps nothing of what
// it has.
func TestReloadGoesOn(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	b.allow("net::ERR_")
	latte, tea := sample(t, "03-"), sample(t, "05-")
	b.choose(file(t, latte.File, latte.Bytes()))
	b.shows("article h3", "Cold Brew Oat Latte")
	b.answered()
	w.Gemini.SetFaults(emulated.Fault{Type: emulated.Latency, Delay: 2 * time.Second})
	b.choose(file(t, tea.File, tea.Bytes()))
	b.until(fmt.Sprintf(`%s.then((n) => n === 1)`, inStore))
	b.until(`!(` + closing + `)`) // all is sent, and nobody is asked
	b.reload()
	b.shows("article h2", tea.File)
	b.shows("article h3", "유자 보리차")
	if got := b.count("article"); got != 1 {
		t.Errorf("%d cards came back, want the one that was running", got)
	}
	b.answered()
}
