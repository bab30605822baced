package page_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
)

// Text that would be visible or run if it were treated as HTML. In a photo, assignments
// would already be taken for prompt injection.
const (
	tags    = `<b onclick>Bold <i>Tea</i></b>`
	hostile = `<img src=x onerror="document.title='owned'">`
)

func TestPhotoView(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	b.fits("the empty page")
	latte := sample(t, "03-")
	b.choose(file(t, latte.File, latte.Bytes()))
	b.shows("article h3", "Cold Brew Oat Latte")
	b.shows("article .badge", "Found on the web", "Emulated model")
	b.shows("article .features", "Steeped 18 hours")
	b.shows("article .why", "A web search names a product, with sources.")
	b.shows("article .sources", "ostrawell.example")
	b.shows("article .steps code", "image_analyzer", "rag_agent", "search_local_db", "google_search")
	b.shows("article .steps .took", "tokens")
	b.shows("#emulated_model:not([hidden])", "emulated model")
	b.shows("#status", "Cold Brew Oat Latte")
	b.shows("article .raw pre", `"product_name": "Cold Brew Oat Latte"`)
	b.until(`document.querySelector("article .photos img").naturalWidth === 600`)
	if got := eval[[]float64](b, `[...document.querySelectorAll("article meter")].map((m) => m.value)`); len(got) != 2 || got[0] != 0.95 {
		t.Errorf("the bars show %v, want two, of 0.95", got)
	}
	b.fits("the card")

	b.click("article .icon")
	b.until(`document.querySelectorAll("article").length === 0 && document.activeElement.id === "choose"`)
}

// The Enter key on the drop zone opens the file dialog.
func enterChooses(_ *testing.T, _ *whatis, b *tab) {
	b.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("file").addEventListener("click", (e) => { e.preventDefault(); document.title = "asked"; })`))
	b.do(chromedp.Focus(chromedp.CSS("#choose")))
	b.press("\r")
	b.until(`document.title === "asked"`)
}

// transfer returns JavaScript that creates a DataTransfer with a file.
func transfer(name, kind string, data []byte) string {
	return fmt.Sprintf(`(() => { const d = new DataTransfer(); d.items.add(new File([%s], %q, {type: %q})); return d; })()`, decoded(data), name, kind)
}

// decoded returns JavaScript that creates an array of the bytes of data.
func decoded(data []byte) string {
	return fmt.Sprintf(`Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))`, base64.StdEncoding.EncodeToString(data))
}

func TestDropPasteAndProblems(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	b.allow("415")
	b.allow("429")
	crackers, porridge := sample(t, "01-"), sample(t, "09-")
	b.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("zone").dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: ` + transfer("dropped.jpg", "image/jpeg", crackers.Bytes()) + `}))`))
	b.shows("article h3", "Sea Salt Oat Crackers")
	b.do(chromedp.Evaluate[chromedp.Void](`document.body.dispatchEvent(new ClipboardEvent("paste", {bubbles: true, clipboardData: ` + transfer("image.png", "image/jpeg", porridge.Bytes()) + `}))`))
	b.shows("article h3", "Apple Cinnamon Porridge")

	b.choose(file(t, "notes.txt", []byte("this is not a photo at all, but it is long enough")))
	b.shows(".problem[role=alert] code", "not_an_image")
	b.shows(".problem", "Send a photo: JPEG")
	b.fits("the problem")

	w.Gemini.SetFaults(emulated.Fault{Type: emulated.BlockedPrompt})
	b.choose(file(t, "blocked.jpg", sample(t, "05-").Bytes()))
	b.shows(".problem code", "model_blocked")
	b.until(`!document.querySelector(".problem button")`) // another attempt would end the same way
	w.Gemini.SetFaults()
	b.choose(file(t, "tea.jpg", sample(t, "05-").Bytes()))
	b.shows("article h3", "유자 보리차")
}

// Model output is shown as text everywhere; Google's suggestions are HTML without scripts.
func TestModelTextIsText(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	b.allow("Blocked script execution") // from the frame with the suggestions
	b.allow("Content Security Policy")
	answer := analyze.Analysis{
		VisibleText:   []analyze.Line{{Text: tags}, {Text: "more print to go by", Clear: true}},
		NameAsPrinted: tags, BrandAsPrinted: tags, SubBrands: []string{}, Dates: []analyze.Date{}, Category: tags,
		ImageFeatures: tags, KeyFeatures: []string{tags, "a", "b"}, ProductName: tags, Brand: tags,
		ProductNameConfidence: 0.4, BrandConfidence: 0.4, KnownProduct: analyze.Unsure, ProductsSeen: 1, Side: analyze.SideFront,
	}
	found := "It is " + hostile
	w.Gemini.Script(
		emulated.Answer{Kind: answers.KindImage, JSON: answer},
		emulated.Answer{Kind: answers.KindSearch, Text: found, Grounding: &emulated.Grounding{
			Queries:  []string{hostile},
			Chunks:   []emulated.GroundingChunk{{Web: emulated.WebSource{URI: "javascript:document.title='owned'", Title: hostile}}},
			Supports: []emulated.GroundingSupport{{Segment: emulated.Segment{End: len(found), Text: found}, Chunks: []int{0}}},
			Entry:    &emulated.SearchEntryPoint{HTML: `<b>chips</b><script>top.document.title='owned'</script>`},
		}},
		emulated.Answer{Kind: answers.KindStructure, JSON: analyze.Finding{
			Found: true, ProductName: tags, Brand: tags, Category: tags, Supported: []string{tags}, Probability: 0.8, Evidence: hostile,
		}},
	)
	b.choose(file(t, strings.ReplaceAll(`<img src=x onerror=document.title=1>.jpg`, "/", ""), sample(t, "06-").Bytes()))
	b.shows("article h3", tags)
	b.shows("article .maker", tags)
	b.shows("article .print li", tags)
	b.shows("article .sources", hostile)
	b.until(`!!document.querySelector("iframe")`)
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("iframe").scrollIntoView({ block: "center" })`))
	w.hears(b, "POST /page/suggestions", 1)
	b.until(`document.querySelector("article .photos img").complete && document.readyState === "complete"`)
	b.do(chromedp.Evaluate[chromedp.Void](`new Promise((done) => requestIdleCallback(done))`, chromedp.EvalAwaitPromise)) // wait until scripts would have run
	if got := b.count(`article [onerror], article [onclick], article b, article i, article script, article a[href^="javascript:"]`); got != 0 {
		t.Errorf("%d elements of the model's making", got)
	}
	if got := eval[string](b, `document.title`); got != "Photo · whatis" {
		t.Errorf("the title is %q: something ran", got)
	}
	if got := eval[string](b, `document.querySelector("iframe").getAttribute("sandbox")`); got != "allow-popups allow-popups-to-escape-sandbox" {
		t.Errorf("the frame of the suggestions may %q", got)
	}
}

// Options are sent, and are kept for the next time.
func TestOptionsAreKept(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	b.do(chromedp.SendKeys(chromedp.CSS("#options summary"), "\r")) // a click would miss it if what is above grows meanwhile
	b.until(`document.querySelector("#options details").open`)
	b.do(chromedp.SendKeys(chromedp.CSS("#options [name=country]"), "KR"), chromedp.SendKeys(chromedp.CSS("#options [name=lang]"), "ko\t"))
	b.fits("the options")
	tea := sample(t, "05-")
	b.choose(file(t, tea.File, tea.Bytes()))
	b.shows("article .raw pre", `"country": "KR"`)
	b.shows("article .raw pre", `"lang": "ko"`)
	b.answered()
	b.reload()
	b.until(`document.querySelector("#options [name=country]")?.value === "KR"`)
}

// Many photos are a compact list with a total and filters; keys lead from one doubtful
// result to the next and accept it. What is doubtful there is what the API says.
func TestManyPhotos(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	b.do(chromedp.Evaluate[chromedp.Void](`localStorage.setItem("whatis-by", "kim")`))
	var paths []string
	for _, s := range samples.All() {
		paths = append(paths, file(t, s.File, s.Bytes()))
	}
	b.choose(paths...)
	b.shows("#many .progress", fmt.Sprintf("%d of %[1]d photos", len(paths)))
	b.until(`[...document.querySelectorAll("#photos .line img")].every((i) => i.naturalWidth > 0 && i.naturalWidth <= 320)`) // small pictures, not whole photos
	type listed struct {
		Result struct{ ID string }
		Doubt  bool
	}
	all := eval[struct{ Results []listed }](b, `fetch("/results?limit=100").then((r) => r.json())`)
	doubtful := 0
	for _, r := range all.Results {
		if r.Doubt {
			doubtful++
		}
	}
	if doubtful < 2 {
		t.Fatalf("%d of the samples are doubtful: too few to test with", doubtful)
	}
	b.shows("#many [data-kind=doubtful]", fmt.Sprintf("Doubtful %d", doubtful))
	if got := eval[int](b, `[...document.querySelectorAll("#photos .columns")].filter((c) => c.offsetParent).length`); got != 0 {
		t.Errorf("%d cards are open in the list, want none", got)
	}
	if high := eval[int](b, `document.getElementById("photos").offsetHeight`); high > 100*len(paths) {
		t.Errorf("the list of %d photos is %d pixels high, want at most 100 for each", len(paths), high)
	}
	b.fits("the list of many photos")
	set := eval[string](b, `document.querySelector("#many .set strong").textContent`)
	if listed := eval[int](b, fmt.Sprintf(`fetch("/results?set=%s").then((r) => r.json()).then((all) => all.results.length)`, url.QueryEscape(set))); listed != len(paths) {
		t.Errorf("the set %q has %d results, want %d", set, listed, len(paths))
	}
	b.do(b.look(390, 600, "light"), chromedp.Evaluate[chromedp.Void](`scrollTo(0, document.getElementById("photos").offsetTop + 300)`))
	b.until(`(({ top, bottom }) => top >= 0 && bottom < innerHeight / 2)(document.querySelector("#many .progress").getBoundingClientRect())`) // how far it is stays in view
	b.do(b.desktop(), chromedp.Evaluate[chromedp.Void](`scrollTo(0, 0)`))
	b.click("#many [data-kind=doubtful]")
	b.until(fmt.Sprintf(`[...document.querySelectorAll("#photos article")].filter((a) => a.offsetParent).length === %d`, doubtful))
	b.until(`document.activeElement.dataset.kind === "doubtful"`)
	b.press("n")
	b.until(`document.activeElement.matches(".line[aria-expanded=true]") && document.activeElement.closest("article").querySelector(".columns").offsetParent`)
	b.fits("a doubtful result in the list")
	for range doubtful { // to one with a name: others cannot be accepted
		b.until(`document.querySelector("#photos article .columns:not([hidden]) .rv .buttons button")`)
		if b.count("#photos article .columns:not([hidden]) [data-do=accept]") > 0 {
			break
		}
		b.press("an")
	}
	b.press("a")
	b.shows("#many [data-kind=doubtful]", fmt.Sprintf("Doubtful %d", doubtful-1))
	b.press("n")
	b.until(`document.activeElement.matches(".line[aria-expanded=true]")`)
	b.press("c")
	b.shows("#photos article .rv-form", "")

	// What is asked again has not ended.
	b.allow("503")
	w.line.setAway(true)
	b.choose(paths[0])
	b.shows("#many .progress", fmt.Sprintf("%d of %[1]d photos", len(paths)+1))
	const again = `document.querySelector("#photos article .problem button:enabled")`
	b.until(again)
	if got, want := eval[string](b, again+`.click() ?? document.querySelector("#many .progress").textContent`), fmt.Sprintf("%d of %d photos", len(paths), len(paths)+1); got != want {
		t.Errorf("after one was asked again the list says %q, want %q", got, want)
	}
	b.until(again)
	w.line.setAway(false)
	b.shows("#many [data-do=again]", "Try again: 1")
	b.click("#many [data-do=again]")
	b.shows("#many .progress", fmt.Sprintf("%d of %[1]d photos", len(paths)+1))
	b.until(`document.querySelector("#many [data-do=again]").hidden`)
	b.reload()
	b.shows("#sets", set, fmt.Sprintf("(%d)", len(paths)+1))
	b.click("#sets a")
	b.shows("#results-set", set)
	b.until(fmt.Sprintf(`document.querySelectorAll("#gallery li").length === %d`, len(paths)))
}
