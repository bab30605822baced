package page_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
)

func TestGallery(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url+"/#results")
	b.shows(".empty", "No results yet.")
	for _, prefix := range []string{"01-", "03-", "07-"} {
		s := sample(t, prefix)
		w.upload(t, s.File, s.Bytes())
		w.analyse(t, s.File, s.Country, s.Lang)
	}
	b.do(chromedp.Evaluate[chromedp.Void](`document.dispatchEvent(new Event("visibilitychange"))`)) // trigger the next poll
	b.until(`document.querySelectorAll("#gallery li").length === 3`)
	b.until(`[...document.querySelectorAll("#gallery img")].filter((i) => i.complete && i.naturalWidth > 0 && i.naturalWidth <= 320).length === 3`)
	b.shows("#gallery li:first-child", "Not identified", "Doubtful")
	b.fits("the gallery")

	b.click("#filter-google_search")
	b.until(`document.querySelectorAll("#gallery li").length === 1`)
	b.shows("#gallery li", "Cold Brew Oat Latte", "Found on the web")
	b.click("#filter-unidentified")
	b.until(`document.querySelectorAll("#gallery li").length === 1`)
	b.shows("#gallery li", "Unknown product", "Not identified")
	b.click("#filter-doubtful")
	b.until(`document.querySelectorAll("#gallery li").length === 1`)
	b.click("#filter-local_db")
	b.shows(".empty", "No result of this kind yet.")
	b.click("#filter-image")
	b.shows("#gallery li", "Sea Salt Oat Crackers")

	b.do(chromedp.Focus(chromedp.CSS("#gallery a")))
	b.press("\r")
	b.shows("#dialog[open] h3", "Sea Salt Oat Crackers")
	b.until(`location.hash.startsWith("#results/")`)
	b.fits("the dialog")
	b.press("\x1b")
	b.until(`!document.getElementById("dialog").open && location.hash === "#results?show=image" && document.activeElement === document.querySelector("#gallery a")`)
}

// What is shown has an address: words, filters and order are there after a reload and by Back.
func TestResultsHaveAnAddress(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	for _, s := range samples.All()[:5] {
		w.upload(t, s.File, s.Bytes())
		w.analyse(t, s.File, s.Country, s.Lang)
	}
	b := open(t, w.url+"/#results?show=image")
	shown := func(want ...string) {
		t.Helper()
		b.until(fmt.Sprintf(`[...document.querySelectorAll("#gallery .under > strong")].map((s) => s.textContent).join("|") === %q`, strings.Join(want, "|")))
	}
	const tea, oats, latte = "유자 보리차", "Sea Salt Oat Crackers", "Cold Brew Oat Latte"
	shown(tea, oats)
	b.until(`document.querySelector("#filter-image").ariaPressed === "true"`)
	b.do(chromedp.Evaluate[chromedp.Void](`{ const order = document.querySelector("#results-order [name=order]"); order.value = "expires"; order.dispatchEvent(new Event("change", {bubbles: true})); }`))
	shown(oats, tea)
	b.fill("#results-search [name=q]", "oat")
	shown(oats)
	b.until(`location.hash === "#results?show=image&order=expires&q=oat"`)
	b.click("#gallery a")
	b.shows("#dialog[open] h3", oats)
	b.reload()
	b.shows("#dialog[open] h3", oats)
	b.press("\x1b")
	b.until(`location.hash === "#results?show=image&order=expires&q=oat"`)
	shown(oats)
	b.fits("results by their expiry")
	b.click("#filter-all")
	shown(oats)
	b.do(chromedp.Evaluate[chromedp.Void](`history.back()`))
	b.until(`document.querySelector("#filter-image").ariaPressed === "true" && location.hash.includes("show=image")`)
	b.click("#export button:last-child")
	b.shows("#export", "order=expires")
	b.click(`nav a[href="#results"]`)
	b.until(`document.querySelectorAll("#gallery li").length === 5`)
}

// The views have addresses, and the browser's back button works.
func routes(_ *testing.T, _ *whatis, b *tab) {
	b.until(`document.title === "Photo · whatis"`)
	b.click(`nav a[href="#results"]`)
	b.until(`document.title === "Results · whatis" && document.querySelector("nav [aria-current]").textContent === "Results"`)
	b.click(`nav a[href="#batches"]`)
	b.allow("501")
	b.shows("#batches .empty", "TASKS_TOPIC")
	b.fits("batches that are off")
	b.do(chromedp.Evaluate[chromedp.Void](`history.back()`))
	b.until(`document.title === "Results · whatis"`)
}

func TestBatchView(t *testing.T) {
	t.Parallel()
	w := serve(t, true)
	for _, prefix := range []string{"01-", "05-", "06-"} {
		s := sample(t, prefix)
		w.upload(t, "shelf/"+s.File, s.Bytes())
	}
	w.upload(t, "shelf/broken.jpg", sample(t, "01-").Bytes()[:5000])
	b := open(t, w.url+"/#batches")
	b.shows("#batches", "No batches yet")
	b.do(chromedp.SendKeys(chromedp.CSS("[name=prefix]"), "gs://uploads/shelf/"), chromedp.SendKeys(chromedp.CSS("#batches [name=lang]"), "en"))
	b.fits("the form of batches")
	b.click("#batches [type=submit]")
	b.shows(".estimate", "4 photos", "Estimated cost")
	b.click(".estimate button")
	b.until(`location.hash.startsWith("#batches/")`)
	b.shows("#batches header .badge", "Done")
	b.shows("#batches .progress", "4 of 4 photos")
	b.shows("#batches .counts", "from the photo", "no product", "failed")
	b.until(`document.querySelector("#batches .bill dt").textContent === "Cost"`) // no more "so far"
	b.shows("#batches .failures", "broken.jpg")
	b.until(`document.querySelectorAll("#batches tbody tr").length === 4`)
	b.until(`[...document.querySelectorAll("#batches tbody img")].length === 3 && [...document.querySelectorAll("#batches tbody img")].every((i) => i.naturalWidth > 0)`) // not of what failed
	b.until(`[...document.querySelectorAll("#batches tbody td")].every((cell) => getComputedStyle(cell).display === "table-cell")`)
	b.fits("the batch")
	for _, format := range []string{"JSON", "CSV"} {
		text := eval[string](b, fmt.Sprintf(`fetch([...document.querySelectorAll("#batches a.button")].find((a) => a.textContent === %q).href).then((r) => r.text())`, format))
		if !strings.Contains(text, "gs://uploads/shelf/01-oat-crackers.jpg") {
			t.Errorf("the %s of the batch is %.200q", format, text)
		}
	}
	b.click(`#batches a[href="#batches"]`)
	b.shows("#batches .list li", "gs://uploads/shelf/", "4 photos", "Done")
	b.fits("the list of batches")
}

// The form asks for one result for the photos of a folder.
func TestBatchOfFolders(t *testing.T) {
	t.Parallel()
	w := serve(t, true)
	for i, prefix := range []string{"01-", "05-", "06-"} {
		w.upload(t, fmt.Sprintf("shelf/%d/%s.jpg", i/2, prefix), sample(t, prefix).Bytes())
	}
	b := open(t, w.url+"/#batches")
	b.shows("#batches", "No batches yet")
	b.do(chromedp.SendKeys(chromedp.CSS("[name=prefix]"), "gs://uploads/shelf/"), chromedp.SetValue(chromedp.CSS("#batches [name=group]"), "folder"))
	b.click("#batches [type=submit]")
	b.shows(".estimate", "3 photos", "Estimated cost")
	before, _ := w.line.heard("POST /batches")
	b.do(chromedp.Evaluate[chromedp.Void](`{ const start = document.querySelector(".estimate button"); start.click(); start.click(); }`))
	b.until(`location.hash.startsWith("#batches/")`)
	b.shows("#batches header .badge", "Done")
	b.until(`document.querySelectorAll("#batches tbody tr").length === 2`)
	b.shows("#batches .progress", "2 of 2 results")
	if now, _ := w.line.heard("POST /batches"); now != before+1 {
		t.Errorf("the batch was begun %d times, want once", now-before)
	}
}

// A batch is cancelled only after confirmation. A stream that is refused at first is retried.
func TestCancelBatch(t *testing.T) {
	t.Parallel()
	w := serve(t, true)
	for _, prefix := range []string{"01-", "05-"} {
		s := sample(t, prefix)
		w.upload(t, s.File, s.Bytes())
	}
	release := w.hold(t)
	made, err := w.batches.Create(t.Context(), batch.Request{Prefix: "gs://uploads/"})
	if err != nil {
		t.Fatal(err)
	}
	w.line.cut("/batches/"+made.ID+"/events", 1, 0)
	b := open(t, w.url+"/#batches/"+made.ID)
	b.allow("503")
	b.shows("#batches .progress", "0 of 2 photos")
	b.click("#batches .danger")
	b.shows("dialog.confirm[open]", "Cancel this batch? 2 photos will not be analysed.")
	b.until(`document.activeElement.textContent === "Keep it"`)
	b.fits("the confirmation")
	b.press("\r")
	b.until(`!document.querySelector("dialog.confirm")`)
	b.click("#batches .danger")
	b.press("\x1b")
	b.until(`!document.querySelector("dialog.confirm")`)
	if n, _ := w.line.heard("DELETE /batches/" + made.ID); n != 0 {
		t.Errorf("the page cancelled %d times without being told to", n)
	}
	b.click("#batches .danger")
	b.click("dialog.confirm .danger")
	b.shows("#batches header .badge", "Cancelling")
	b.until(`!document.querySelector("#batches .danger")`)
	release()
	b.shows("#batches header .badge", "Cancelled")
	b.shows("#batches .counts", "cancelled 2")
	b.shows("#status", "The batch has ended: Cancelled")
}

// The gallery shows a page of results, and older ones on request.
func TestOlderResults(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	const number, page = 26, 24
	for i := range number {
		w.Gemini.Script(seen(lines(0)))
		var data bytes.Buffer
		if err := png.Encode(&data, image.NewGray(image.Rect(0, 0, 100+i, 20))); err != nil {
			t.Fatal(err)
		}
		if _, err := w.intake.Photo(t.Context(), intake.Photo{Data: data.Bytes()}, nil); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, w.url+"/#results")
	b.until(fmt.Sprintf(`document.querySelectorAll("#gallery li").length === %d`, page))
	b.shows("#gallery .no-photo[aria-label]", "")
	b.click("#more")
	b.until(fmt.Sprintf(`document.querySelectorAll("#gallery li").length === %d && document.getElementById("more").hidden`, number))
	if got := eval[int](b, `new Set([...document.querySelectorAll("#gallery a")].map((a) => a.dataset.id)).size`); got != number {
		t.Errorf("the gallery shows %d results, want %d different ones", got, number)
	}

	b.reload()
	b.until(fmt.Sprintf(`document.querySelectorAll("#gallery li").length === %d`, number)) // as before
	b.click(`nav a[href="#results"]`)
	b.until(fmt.Sprintf(`document.querySelectorAll("#gallery li").length === %d`, page))
	b.do(chromedp.Evaluate[chromedp.Void](`{
		const { fetch } = window;
		window.older = 0;
		window.fetch = (url, init) => { older += /after=/.test(url); return fetch(url, init); };
		const { q } = document.getElementById("results-search").elements;
		for (const words of ["s", "sa", "salt"]) { q.value = words; q.dispatchEvent(new Event("input")); }
	}`))
	b.until(fmt.Sprintf(`document.querySelectorAll("#gallery li").length === %d`, number))
	if got := eval[int](b, `older`); got != 1 {
		t.Errorf("while somebody typed, the older results were asked for %d times, want once", got)
	}
	b.click("#filter-image") // which all are
	b.until(`older === 2`)
	b.until(fmt.Sprintf(`document.querySelectorAll("#gallery li").length === %d`, number))
}

// late holds up the answers to requests whose address matches a pattern, until answer().
func (b *tab) late(pattern string) {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const { fetch } = window;
		window.late = "";
		window.fetch = async (url, init) => {
			if (!new RegExp(%q).test(url)) return fetch(url, init);
			late = "asked";
			await new Promise((answer) => { window.answer = answer; });
			const answer = await fetch(url, init);
			setTimeout(() => { late = "answered"; }, 20); // the page has read it then
			return answer;
		};
	}`, pattern)))
}

// answer lets the answer through that is held up, and waits until the page has it.
func (b *tab) answer() {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`answer()`))
	b.until(`late === "answered"`)
}

// An estimate that comes when the form has changed is not shown: the batch that it offers to
// start would be another.
func TestLateEstimate(t *testing.T) {
	t.Parallel()
	w := serve(t, true)
	crackers := sample(t, "01-")
	w.upload(t, "shelf/"+crackers.File, crackers.Bytes())
	b := open(t, w.url+"/#batches")
	b.shows("#batches", "No batches yet")
	b.fill("[name=prefix]", "gs://uploads/shelf/")
	b.late("/batches$")
	b.click("#batches [type=submit]")
	b.until(`late === "asked"`)
	b.fill("[name=prefix]", "gs://uploads/")
	b.answer()
	if got := b.count(".estimate button"); got != 0 {
		t.Error("the estimate of what the form was before is shown")
	}
}

// An answer that comes when its view was left changes nothing.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	b := open(t, serve(t, true, (*whatis).discoveriesIn).url)
	b.allow("404")
	b.allow("400") // there is no shop
	b.late("/none$")
	for view, opened := range map[string]string{"results": "#dialog[open]", "search": "#dialog[open]", "catalogue": "#record > *", "batches": "#batches .problem", "discover": "#run > *"} {
		b.visit(view)
		b.visit(view + "/none")
		b.until(`late === "asked"`)
		b.visit(view)
		b.answer()
		if got := b.count(opened); got != 0 {
			t.Errorf("what %s were asked for before it was left is shown", view)
		}
	}
}

// A browser that cannot show HEIC says so, and no boxes are drawn.
func TestHEIC(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	b.allow("415")
	w.Gemini.Script(seen(lines(0)))
	b.choose(file(t, "IMG_1.heic", heic()))
	b.shows("article h3", "Sea Salt Oat Crackers")
	b.until(`document.querySelector("article .no-photo[role=img]")?.ariaLabel === "IMG_1.heic, which cannot be shown"`)
	b.shows("article .evidence .nowhere", "Hollowfield")
	b.until(`!document.querySelector("article .overlay, article .evidence input, article .evidence button")`)
	b.fits("the card of a HEIC")

	w.Gemini.Script(seen(lines(0)))
	w.upload(t, "IMG_1.heic", heic())
	r := w.analyse(t, "IMG_1.heic", "KR", "ko")
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`location.hash = "#results/%s"`, r.ID)))
	b.shows("#dialog[open] h3", "Sea Salt Oat Crackers")
	b.until(`document.querySelector("#dialog .no-photo")?.ariaLabel === "Sea Salt Oat Crackers, which cannot be shown"`)
	b.until(`!document.querySelector("#dialog .overlay, #dialog .evidence button")`)
}

// heic returns the boxes of a picture of 64 × 48 pixels (ISO/IEC 23008-12).
func heic() []byte {
	box := func(kind string, parts ...string) string {
		body := strings.Join(parts, "")
		return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))) + kind + body
	}
	head, none := box("ftyp", "heic", "\x00\x00\x00\x00", "heic"), "\x00\x00\x00\x00"
	at := string(binary.BigEndian.AppendUint32(nil, uint32(len(head)+8)))
	return []byte(head + box("mdat", strings.Repeat("P", 40)) + box("meta", none,
		box("hdlr", none, none, "pict", strings.Repeat("\x00", 13)),
		box("pitm", none, "\x00\x01"),
		box("iinf", none, "\x00\x01", box("infe", "\x02\x00\x00\x00", "\x00\x01", "\x00\x00", "hvc1", "\x00")),
		box("iloc", none, "\x44\x00", "\x00\x01", "\x00\x01", "\x00\x00", "\x00\x01", at, "\x00\x00\x00\x28"),
		box("iprp", box("ipco", box("ispe", none, "\x00\x00\x00\x40", "\x00\x00\x00\x30")), box("ipma", none, "\x00\x00\x00\x01", "\x00\x01", "\x01\x01"))))
}

// The lists of batches and of discoveries go on until the last of them. These discoveries end at
// once, as the emulated web has no such place.
func TestOlderRuns(t *testing.T) {
	t.Parallel()
	w := serve(t, true, (*whatis).discoveriesIn)
	s := sample(t, "05-")
	w.upload(t, s.File, s.Bytes())
	const number, page = 23, 20
	for range number {
		if _, err := w.batches.Create(t.Context(), batch.Request{Prefix: "gs://uploads/"}); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, w.url) // or a list that is shown before the one that is asked for would be clicked
	begun := eval[[]int](b, fmt.Sprintf(`Promise.all(Array.from({length: %d}, () => fetch("/discover", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({country: "Uruguay", sector: "waste"})}).then((r) => r.status)))`, number))
	if slices.Max(begun) > http.StatusAccepted {
		t.Fatalf("the discoveries were answered with %v", begun)
	}
	for view, list := range map[string]string{"batches": "#batches .list", "discover": "#runs .list"} {
		b.visit(view)
		b.until(fmt.Sprintf(`document.querySelectorAll("%s li").length === %d`, list, page))
		b.click(list + " + p button")
		b.until(fmt.Sprintf(`document.querySelectorAll("%s li").length === %d && !document.querySelector("%[1]s + p button") && document.activeElement === document.querySelectorAll("%[1]s a")[%[3]d]`, list, number, page))
		if got := eval[int](b, fmt.Sprintf(`new Set([...document.querySelectorAll("%s a")].map((a) => a.hash)).size`, list)); got != number {
			t.Errorf("%s shows %d different runs, want %d", view, got, number)
		}
	}
}
