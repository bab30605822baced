package page_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/whatis/emulators/samples"
)

// axe returns the source of axe-core, from npm.
func axe(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/axe")); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Fatal("WHATIS_NPM is set, and there is no npm")
	}
	c := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund")
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return read(t, filepath.Join(folder, "node_modules/axe-core/axe.min.js"))
}

// violations returns the violations that axe-core finds, one per line.
const violations = `axe.run(document, {resultTypes: ["violations"], rules: Object.fromEntries(%s.map((id) => [id, {enabled: false}]))}).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" ") + " " + (n.any[0]?.message || n.all[0]?.message || n.none[0]?.message || v.help))))`

// accessible checks the view by the rules of axe-core, at phone and desktop width, in light
// and dark, but for the rules that are named.
func (b *tab) accessible(view string, but ...string) {
	b.Helper()
	rules, err := json.Marshal(append([]string{}, but...))
	if err != nil {
		b.Fatal(err)
	}
	b.do(chromedp.Evaluate[chromedp.Void](`for (const d of document.querySelectorAll("main section:not([hidden]) details")) d.open = true`))
	for _, width := range []int64{390, 1440} {
		for _, scheme := range []string{"light", "dark"} {
			b.do(b.look(width, 900, scheme))
			for _, found := range eval[[]string](b, fmt.Sprintf(violations, rules)) {
				b.Errorf("%s, %s, %d pixels wide: %s", view, scheme, width, found)
			}
		}
	}
	b.do(b.desktop())
}

// visit opens a view.
func (b *tab) visit(hash string) {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`location.hash = %q`, hash)))
}

// axe-core finds no violations in any view, empty or filled, in any language. Needs
// WHATIS_NPM=1.
func TestAxe(t *testing.T) {
	t.Parallel()
	if os.Getenv("WHATIS_NPM") == "" {
		t.Skip("WHATIS_NPM=1 holds the page to axe-core from npm")
	}
	source := axe(t)
	w := serve(t, true, (*whatis).forecastsIn, (*whatis).discoveriesIn, (*whatis).samplesIn)
	w.shelve(t)
	b := open(t, w.url)
	b.allow("Failed to execute 'postMessage' on 'DOMWindow'") // axe asks the sandboxed frame of suggestions
	b.do(chromedp.Evaluate[chromedp.Void](`localStorage.clear(); sessionStorage.clear()`), chromedp.Evaluate[chromedp.Void](source))
	b.shows("#samples button", "")
	b.accessible("the start")
	for _, hash := range []string{"search", "forecast", "discover", "results", "review", "catalogue", "batches"} {
		b.visit(hash)
		b.until(fmt.Sprintf(`!document.querySelector("#view-%s").hidden && !document.querySelector("#view-%[1]s [aria-busy]")`, hash))
		b.accessible("the empty view of " + hash)
	}
	w.fill(t, b)
	first, _ := w.doubtful(t)
	for hash, shown := range map[string]string{"results": "#gallery li", "results/" + first: "#dialog[open] h3", "review": "#review article", "catalogue": "#records li"} {
		b.visit(hash)
		b.shows(shown, "")
		b.accessible(hash)
	}
	b.visit("photo")
	b.shows("article h3", "")
	b.accessible("the answer to a photo")
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("article [data-do=correct]").click(); localStorage.setItem("whatis-by", "kim"); document.querySelector("article .rv-by input").value = "kim"`))
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("article [data-do=correct]").click()`))
	b.shows("article .rv-form", "")
	b.accessible("the form of a correction")
	w.severalAnswers(t, b)
	w.aRecord(t, b)
	for _, lang := range []string{"ko", "vi"} {
		b.inLanguage(lang)
		b.until(fmt.Sprintf(`document.documentElement.lang === %q && document.querySelector("#samples button") !== null`, lang))
		b.do(chromedp.Evaluate[chromedp.Void](source))
		b.accessible("the start in " + lang)
	}
	b.do(chromedp.Evaluate[chromedp.Void](`localStorage.clear()`), chromedp.Navigate(w.url+"/docs/"))
	b.until(`document.querySelectorAll(".opblock").length > 10`)
	b.do(chromedp.Evaluate[chromedp.Void](source))
	b.accessible("the documentation of the API", "nested-interactive") // Swagger UI puts a button to copy into each summary
}

// severalAnswers checks a few cards below each other, and many as a list with one open.
func (w *whatis) severalAnswers(t *testing.T, b *tab) {
	t.Helper()
	var files []string
	for _, s := range samples.All()[1:5] {
		files = append(files, file(t, s.File, s.Bytes()))
	}
	b.choose(files...)
	b.until(`document.querySelectorAll("article h3").length === 5`)
	b.accessible("several answers")
	for _, s := range samples.All()[5:] {
		files = append(files, file(t, s.File, s.Bytes()))
	}
	b.choose(files[4:]...)
	b.until(`document.querySelectorAll("article h3").length === 9`)
	b.click("#many [data-do=next]")
	b.accessible("many answers, one of them open")
}

// aRecord checks a record of the catalogue.
func (w *whatis) aRecord(t *testing.T, b *tab) {
	t.Helper()
	b.visit("catalogue")
	b.click("#records a")
	b.shows("#record h2", "")
	b.accessible("a record")
}

// fill uses every agent once and checks each answer's accessibility.
func (w *whatis) fill(t *testing.T, b *tab) {
	t.Helper()
	b.visit("photo")
	b.click("#samples button")
	b.shows("article h3", "Sea Salt Oat Crackers")
	b.visit("search")
	b.ask("red cat-eye sunglasses")
	b.shows("#found .product", "")
	b.accessible("what a search found")
	b.visit("forecast")
	b.enter(placeField, "Seoul")
	b.shows("#outlook article", "")
	b.enter(messageField, "How is the weather in Lima?")
	b.until(`!document.querySelector("#say[aria-busy]") && document.querySelectorAll("#talk li").length >= 2`)
	b.accessible("a forecast")
	b.visit("discover")
	b.begin(append([]string{"country", "Kenya", "sector", "waste"}, little...)...)
	b.shows("#run header .badge", "Done")
	b.until(`document.querySelectorAll("#run .records tbody tr").length > 0`)
	b.accessible("a discovery")
	w.upload(t, "shelf/one.jpg", sample(t, "05-").Bytes())
	made := eval[string](b, `fetch("/batches", {method: "POST", headers: {"Content-Type": "application/json"}, body: `+encoded(t, `{"prefix":"gs://uploads/shelf/"}`)+`}).then((r) => r.json()).then((s) => s.id)`)
	b.visit("batches/" + made)
	b.shows("#batches header .badge", "Done")
	b.accessible("a batch")
}

// encoded returns s as a JavaScript string.
func encoded(t *testing.T, s string) string {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
