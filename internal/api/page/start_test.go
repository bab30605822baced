package page_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/api/page"
	"example.com/whatis/internal/photo"
)

// samplesIn adds two of the samples to the page.
func (w *whatis) samplesIn(t *testing.T, c *api.Config) {
	t.Helper()
	w.allSamplesIn(t, c)
	for _, s := range samples.All()[2:] {
		delete(c.Samples, s.File)
	}
}

// allSamplesIn adds all samples.
func (w *whatis) allSamplesIn(t *testing.T, c *api.Config) {
	t.Helper()
	c.Samples = page.Samples{}
	for _, s := range samples.All() {
		c.Samples[s.File] = s.Bytes
	}
}

// A part is what a view does, beside others over one service.
type part struct {
	name string
	does func(t *testing.T, w *whatis, b *tab)
}

type parts []part

// does does parts one after the other, each in a tab that begins at hash.
func (w *whatis) does(t *testing.T, hash string, all parts) {
	t.Helper()
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) { p.does(t, w, open(t, w.url+"/"+hash)) })
	}
}

// What the page does before it has photos of its own.
func TestStart(t *testing.T) {
	t.Parallel()
	serve(t, false, (*whatis).samplesIn).does(t, "", parts{
		{"stays", startStays}, {"language", languageOfThePage}, {"translated problem", translatedProblem}, {"menu", menu},
		{"routes", routes}, {"enter chooses", enterChooses}, {"off", off}, {"a refused stream", refusedStream},
		{"why", why}, {"local model", localModel}, {"titles", titles}, {"expiry in words", expiryInWords}, {"a sample", sampleClick},
	})
}

// One click on a sample shows its answer, which can be reviewed there.
func sampleClick(_ *testing.T, _ *whatis, b *tab) {
	b.do(chromedp.Evaluate[chromedp.Void](`localStorage.removeItem("whatis-by")`))
	b.until(`[...document.querySelectorAll("#samples img")].filter((i) => i.complete && i.naturalWidth > 0).length === 2`)
	b.fits("the start")
	b.click("#samples button")
	b.shows("article h3", "Sea Salt Oat Crackers")
	b.until(`["product_name", "brand", "expiration_date", "gtin"].every((field) => document.querySelector("article .overlay .of-" + field + " rect.line"))`)
	b.click("article [data-do=accept]")
	b.shows("article .rv-below", "Enter your name first")
	b.until(`document.activeElement === document.querySelector("article .rv-by input")`)
	b.do(chromedp.SendKeys(chromedp.CSS("article .rv-by input"), "kim"))
	b.click("article [data-do=accept]")
	b.shows("article .rv-past", "Accepted", "by kim")
	b.click("article .rv-past button")
	b.shows("article .rv-past", "Taken back", "by kim")
}

// The sample beside the drop zone is answered without a call, shows what the service says of it,
// and leaves the room to the photos.
func TestAnsweredSample(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	s := sample(t, "01-")
	r, err := w.intake.Photo(t.Context(), intake.Photo{Data: s.Bytes(), Options: intake.Options{Country: s.Country, Lang: s.Lang}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.InferenceTime, r.TokenUsage, r.ID = "", analyze.TokenUsage{}, ""
	r.Image.SHA256 = ""
	answered, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	f, err := photo.NewUpload(s.Bytes()).Inspect(photo.Limits{MaxSent: photo.MaxThumbnail})
	if err != nil {
		t.Fatal(err)
	}
	small, err := f.Thumbnail(400)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"answered.json": answered, "answered.jpg": small} {
		file := filepath.Join("assets", name)
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := read(t, file); got != string(want) {
			t.Errorf("%s is not what the service says of %s (-update writes it)", file, s.File)
		}
	}
	calls := len(w.Gemini.Calls())
	b := open(t, w.url)
	b.shows("#answered h3", r.ProductName)
	b.shows("#answered", r.Brand, "no model is called")
	b.until(`document.querySelectorAll("#answered .overlay rect.line").length >= 3 && document.querySelector("#answered img").naturalWidth > 0`)
	b.fits("the start with an answered sample")
	if got := len(w.Gemini.Calls()); got != calls {
		t.Errorf("showing it took %d calls of models", got-calls)
	}
	b.choose(file(t, s.File, s.Bytes()))
	b.shows("article h3", r.ProductName)
	b.until(`!document.getElementById("answered").checkVisibility()`)
}

// The start has room for what comes after it: nothing moves by as much as a line of text.
func startStays(t *testing.T, _ *whatis, b *tab) {
	const at = `document.querySelector("#options summary").getBoundingClientRect().top + document.getElementById("welcome").getBoundingClientRect().top`
	for _, lang := range []string{"en", "ko", "vi"} {
		b.inLanguage(lang)
		b.until(`document.querySelector("#answered h3") && document.querySelector("#samples button")`)
		for _, width := range []int64{1440, 1180, 768, 390} {
			b.do(b.look(width, 900, "light"))
			if moved := eval[float64](b, `(() => { const last = `+at+`, kept = ["#answered-body", "#samples ul"].map((s) => document.querySelector(s)).map((e) => [e, [...e.children]]);
				kept.forEach(([e]) => e.replaceChildren()); const first = `+at+`; kept.forEach(([e, all]) => e.append(...all)); return Math.abs(last - first); })()`); moved > 24 {
				t.Errorf("in %s at %d pixels the start moves by %.0f pixels", lang, width, moved)
			}
		}
	}
}

// The page appears in the chosen language, its layout fits each, and the choice is kept.
func languageOfThePage(_ *testing.T, _ *whatis, b *tab) {
	for lang, title := range map[string]string{"ko": "이 사진의 제품은 무엇일까요?", "vi": "Sản phẩm trong ảnh này là gì?"} {
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{ const s = document.getElementById("lang"); s.value = %q; s.dispatchEvent(new Event("change")); }`, lang)))
		b.shows("#title-photo", title)
		b.until(fmt.Sprintf(`document.documentElement.lang === %q && document.querySelectorAll("#samples button").length === 2`, lang))
		b.fits("the start in " + lang)
		b.do(b.look(1101, 740, "light")) // the smallest width with all views in one line
		if got := eval[int](b, `document.querySelector("body > header").offsetHeight`); got > 100 {
			b.Errorf("in %s the header is %d pixels high on a screen of 1101, want one line", lang, got)
		}
	}
	b.do(forgetful)
	b.reload()
	b.shows("#title-photo", "What is the product in this photo?")
}

// A problem is said in the language of the page, and then in the service's words.
func translatedProblem(t *testing.T, _ *whatis, b *tab) {
	b.allow("415")
	b.inLanguage("vi")
	b.until(`document.documentElement.lang === "vi" && ` + listening)
	b.choose(file(t, "notes.txt", []byte("this is not a photo at all, but it is long enough")))
	b.shows(".problem strong", "Tệp không phải là hình.")
	b.shows(".problem code", "not_an_image")
	b.shows(".problem [lang=en]", "the file looks like text")
	b.fits("a problem in Vietnamese")
}

// The CSV of results says unidentified, as lists do.
func TestExportUnidentified(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	w.doubtful(t)
	b := open(t, w.url+"/#results")
	b.until(`document.querySelectorAll("#gallery li").length === 2`)
	b.do(chromedp.Evaluate[chromedp.Void](`window.saved = []; URL.createObjectURL = (blob) => { blob.text().then((t) => saved.push(t)); return "data:,"; }`))
	b.click("#export-csv")
	b.until(`saved.length === 1`)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(eval[string](b, `saved[0]`), "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("the CSV is %q, %v", rows, err)
	}
	for _, row := range rows[1:] {
		if got := row[slices.Index(rows[0], "source")]; got != "unidentified" || !strings.HasPrefix(row[slices.Index(rows[0], "file")], "gs://uploads/") {
			t.Errorf("the CSV says %q of the source, in %q; want unidentified, and its file", got, row)
		}
	}
}

// On a phone the views are behind a menu button, which also closes the menu.
func menu(_ *testing.T, _ *whatis, b *tab) {
	b.do(b.look(390, 844, "light"))
	b.until(`document.getElementById("nav").checkVisibility() === false`)
	b.click("#menu")
	b.until(`document.getElementById("nav").checkVisibility() && document.getElementById("menu").ariaExpanded === "true"`)
	b.do(chromedp.Focus(chromedp.CSS("#nav a")))
	b.press("\x1b")
	b.until(`!document.getElementById("nav").checkVisibility() && document.activeElement.id === "menu"`)
	b.click("#menu")
	b.click(`#nav a[href="#results"]`)
	b.until(`document.title === "Results · whatis" && !document.getElementById("nav").checkVisibility()`)
}

// Results can be searched by any of their words, and exported as shown.
func TestSearchAndExportResults(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	for _, prefix := range []string{"01-", "03-", "05-"} {
		s := sample(t, prefix)
		w.upload(t, s.File, s.Bytes())
		w.analyse(t, s.File, s.Country, s.Lang)
	}
	b := open(t, w.url)
	if !eval[bool](b, `document.getElementById("export").hidden`) {
		t.Error("there are buttons to export results before there are results, which move when they come")
	}
	b.visit("results")
	b.until(`document.querySelectorAll("#gallery li").length === 3`)
	b.do(chromedp.SendKeys(chromedp.CSS("#results-search [name=q]"), "보리차"))
	b.until(`document.querySelectorAll("#gallery li").length === 1`)
	b.shows("#gallery li", "유자 보리차")
	b.do(chromedp.Evaluate[chromedp.Void](`window.saved = []; URL.createObjectURL = (blob) => { blob.text().then((t) => saved.push(t)); return "data:,"; }`))
	b.click("#export-csv")
	b.until(`saved.length === 1`)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(eval[string](b, `saved[0]`), "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 2 || rows[0][4] != "product_name" || rows[1][4] != "유자 보리차" {
		t.Errorf("the CSV is %q, %v; want a header and the tea", rows, err)
	}
	b.do(chromedp.Evaluate[chromedp.Void](`{ const q = document.querySelector("#results-search [name=q]"); q.value = ""; q.dispatchEvent(new Event("input")); }`))
	b.until(`document.querySelectorAll("#gallery li").length === 3`)
	b.click("#export-json")
	b.until(`saved.length === 2`)
	if got := eval[int](b, `JSON.parse(saved[1]).length`); got != 3 {
		t.Errorf("the JSON has %d results, want 3", got)
	}
	b.do(chromedp.SendKeys(chromedp.CSS("#results-search [name=q]"), "nothing is called so"))
	b.shows("#gallery-state", "No result holds these words.")
}
