package page_test

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/firestore"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/catalog"
)

// shop opens the view of the catalogue over a shop with some frames.
func shop(t *testing.T) (*whatis, *tab) {
	t.Helper()
	w := serve(t, false)
	w.shelve(t)
	b := open(t, w.url+"/#search")
	b.shows("#facets legend", "Colour", "Shape")
	return w, b
}

// What the view of the search does, in one shop.
func TestSearch(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	w.shelve(t)
	w.does(t, "#search", parts{
		{"goes on", searchGoesOn}, {"abandoned", searchAbandoned}, {"view", searchView}, {"browse", browse},
		{"by picture", searchByPicture}, {"answers", searchAnswers}, {"show more", showMore},
	})
}

// ask types words and presses Enter.
func (b *tab) ask(words string) {
	b.Helper()
	b.until(listening)
	b.fill("#search [name=query]", words+"\r")
}

// found waits for products of which the first has that name.
func (b *tab) found(name string) {
	b.Helper()
	b.until(fmt.Sprintf(`!document.querySelector("#found[aria-busy]") && document.querySelector("#found .product strong")?.textContent === %q`, name))
}

// redCatEye returns the only pair of red cat-eye sunglasses.
func redCatEye(t *testing.T) samples.Frame {
	t.Helper()
	all := shelved()
	i := slices.IndexFunc(all, func(f samples.Frame) bool {
		return f.Color == "red" && f.Shape == "cat_eye" && f.Category == "sunglasses"
	})
	if i < 0 {
		t.Fatal("there are no red cat-eye sunglasses")
	}
	return all[i]
}

// Words that others take the place of at once change nothing of what these go on with.
func searchAbandoned(t *testing.T, w *whatis, b *tab) {
	b.ask("sunglasses for men")
	b.shows("#found .summary", "found")
	w.Gemini.SetFaults(emulated.Fault{Type: emulated.Latency, Kind: answers.KindIntent, Delay: time.Second, Times: 1})
	b.ask("red glasses for women please")
	time.Sleep(300 * time.Millisecond) // a call is recorded when it ends
	b.ask("black frames for men please")
	b.shows("#found .summary", "black")
	time.Sleep(1500 * time.Millisecond) // the first would have been answered
	b.do(chromedp.Evaluate[chromedp.Void](`const sort = document.querySelector("#sort"); sort.value = "price_up"; sort.dispatchEvent(new Event("change"))`))
	b.shows("#found .summary", "cheapest first")
	if summary := eval[string](b, `document.querySelector("#found .summary").textContent`); !strings.Contains(summary, "black") || strings.Contains(summary, "women") {
		t.Errorf("in another order: %s; want what was asked last", summary)
	}
}

// Words in the field go on with what was found before; another order, filters and more products
// are of the same words, and ask no model. Whoever leaves the page is forgotten.
func searchGoesOn(t *testing.T, w *whatis, b *tab) {
	first := func() float64 {
		t.Helper()
		b.until(`!document.querySelector("#found[aria-busy]") && document.querySelector("#found .product")`)
		return eval[float64](b, `fetch("/products/" + document.querySelector("#found .product a").dataset.id).then((r) => r.json()).then((p) => p.price)`)
	}
	b.ask("sunglasses")
	before := first()
	b.ask("cheaper")
	b.shows("#found .summary", "up to")
	if now := first(); now >= before {
		t.Errorf("the first that is cheaper than %v costs %v", before, now)
	}
	asked := len(w.Gemini.Calls())
	b.click("#in-stock")
	b.until(`!document.querySelector("#found[aria-busy]")`)
	b.do(chromedp.Evaluate[chromedp.Void](`const sort = document.querySelector("#sort"); sort.value = "price_down"; sort.dispatchEvent(new Event("change"))`))
	b.until(`!document.querySelector("#found[aria-busy]")`)
	b.shows("#found .summary", "up to")
	if dearest := first(); dearest >= before {
		t.Errorf("the dearest that is cheaper than %v costs %v", before, dearest)
	}
	if more := len(w.Gemini.Calls()) - asked; more != 0 {
		t.Errorf("the same words in another order took %d calls of a model, want none", more)
	}
	b.reload()
	kept := w.FirestoreClient(t).Collection("sessions")
	b.awaits("the conversation is forgotten, as the page was left", func() bool {
		left, err := kept.Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		return len(left) == 0
	})
	b.ask("cheaper")
	b.shows("#found .summary", "We do not have this")

	// What the conversation could not keep is said again. Searches that the page has left behind are kept before.
	b.until(`!document.querySelector("#found[aria-busy]")`)
	known, since := -1, time.Now()
	b.awaits("no search is kept any more", func() bool {
		left, err := kept.Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(left) != known {
			known, since = len(left), time.Now()
		}
		return time.Since(since) > 500*time.Millisecond
	})
	w.Firestore.Fail(firestore.Fault{Method: "Commit", Code: codes.PermissionDenied})
	b.ask("blue frames")
	b.shows("#found", "could not keep this search")
	b.do(chromedp.Evaluate[chromedp.Void](`sort.value = "price_up"; sort.dispatchEvent(new Event("change"))`))
	b.until(`!document.querySelector("#found[aria-busy]") && document.querySelectorAll("#found .product").length > 1 &&
		[...document.querySelectorAll("#found .product .features")].every((f) => f.textContent.includes("blue"))`)
}

func searchView(t *testing.T, _ *whatis, b *tab) {
	b.shows("#found .empty", "drop a picture")
	b.fits("the empty search")
	wanted := redCatEye(t)
	b.ask("kính mát mắt mèo màu đỏ")
	b.found(wanted.Name)
	b.shows("#found .badge", "Search", "By words", "Emulated model")
	b.shows("#found .product .features", "mắt mèo")
	b.shows("#status", "Tìm thấy")
	b.shows("#found .folded summary", "6 steps")
	b.shows("#emulated_model:not([hidden])", "emulated model")
	b.until(`document.querySelector("#found .product img").naturalWidth === 320`)
	b.fits("what was found")

	// A chip filters, and pressing it again removes the filter.
	b.ask("frames")
	b.until(`!document.querySelector("#found[aria-busy]") && document.querySelectorAll("#found .product").length === 12`)
	b.click(`#facets fieldset:nth-of-type(3) .chip:nth-of-type(1)`)
	b.shows("#facets .chip[aria-pressed=true]", "black")
	b.until(`!document.querySelector("#found[aria-busy]") && [...document.querySelectorAll("#found .product .features")].every((f) => f.textContent.includes("black"))`)
	b.click(`#facets .chip[aria-pressed=true]`)
	b.until(`document.querySelectorAll("#facets .chip[aria-pressed=true]").length === 0 && !document.querySelector("#found[aria-busy]")`)

	// Search for similar products, without the words.
	b.click("#found .product button")
	b.shows("#search-by .by", "More like")
	b.until(`!document.querySelector("#found[aria-busy]") && document.querySelectorAll("#found .product").length > 3`)
	b.click("#search-by button")
	b.until(`document.querySelectorAll("#search-by .by").length === 0`)
}

// Filters search without words, and of one facet several values may be chosen.
func browse(t *testing.T, _ *whatis, b *tab) {
	const chip = `#facets fieldset:nth-of-type(3) .chip[data-code=%s]`
	press := func(code string, among ...string) {
		t.Helper()
		b.click(fmt.Sprintf(chip, code))
		b.until(fmt.Sprintf(`document.querySelectorAll("#facets .chip[aria-pressed=true]").length === %d && !document.querySelector("#found[aria-busy]") && document.querySelectorAll("#found .product").length > 0 &&
			[...document.querySelectorAll("#found .product .features")].every((f) => /%s/.test(f.textContent))`, len(among), strings.Join(among, "|")))
	}
	const red, blue = "red", "blue"
	press(red, "red")
	press(blue, "red", "blue")
	press(red, "blue")
	b.click(fmt.Sprintf(chip, blue))
	b.shows("#found .empty", "drop a picture")
}

// A dropped picture is searched together with the words in the field.
func searchByPicture(t *testing.T, _ *whatis, b *tab) {
	wanted := redCatEye(t)
	var picture bytes.Buffer
	if err := jpeg.Encode(&picture, wanted.Picture(samples.View{Width: 420, Turn: 6, Scale: 0.8, Background: 0xE9DFC9}), nil); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Evaluate[chromedp.Void](`document.body.dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: ` + transfer("mine.jpg", "image/jpeg", picture.Bytes()) + `}))`))
	b.shows("#search-by .by", "mine.jpg")
	b.shows("#found .badge", "By picture")
	b.until(`[...document.querySelectorAll("#found .product strong")].some((s) => s.textContent === "` + wanted.Name + `")`)
	b.ask("sunglasses")
	b.shows("#found .badge", "By words and picture")
	b.found(wanted.Name)
	b.shows("#found .score small", "picture 0.")
	b.fits("a search by words and picture")

	b.allow("400")
	b.do(chromedp.Evaluate[chromedp.Void](`document.body.dispatchEvent(new ClipboardEvent("paste", {bubbles: true, clipboardData: ` + transfer("notes.txt", "text/plain", []byte("no picture")) + `}))`))
	b.shows("#found .problem[role=alert] code", "bad_search")
}

// Each intent shows its answer beside the products, and a product its record.
func searchAnswers(t *testing.T, _ *whatis, b *tab) {
	wanted := redCatEye(t)
	b.ask("tell me about " + wanted.Name)
	b.shows("#found .badge", "One product")
	b.shows("#found .card dl", wanted.SKU)
	b.ask(fmt.Sprintf("compare %s and %s", shelved()[0].SKU, shelved()[1].SKU))
	b.shows("#found .badge", "Comparison")
	b.shows("#found .compare tr.differ", shelved()[0].Name)
	b.fits("a comparison")
	b.ask("what is titanium?")
	b.shows("#found .badge", "The shop’s notes")
	b.shows("#found blockquote", "itanium")
	b.ask("how many products by color?")
	b.shows("#found .stats", "black")
	b.fits("counts")
	b.ask("is " + wanted.Name + " in stock?")
	b.shows("#found .stocks", wanted.Name)
	b.ask("tell me a joke")
	b.until(`document.querySelectorAll("#found > .found > .chips .chip").length === 3`)
	b.fits("suggestions")
	b.click("#found > .found > .chips .chip")
	b.until(`document.querySelectorAll("#found .product").length > 0`)

	b.click("#found .product a")
	b.shows("#dialog[open] dl", "SKU")
	b.fits("a product")
	b.click("#dialog .icon")
	b.until(`!document.querySelector("#dialog[open]") && location.hash === "#search?q=round+glasses" && document.activeElement.dataset.id !== undefined`)

	// Words, filters and order are in the address, and there after a reload and by Back.
	b.click("#facets .chip")
	b.until(`location.hash.includes("filters=") && !document.querySelector("#found[aria-busy]")`)
	found := eval[string](b, `document.querySelector("#found .summary").textContent`)
	b.reload()
	b.shows("#found .summary", found)
	b.until(`document.querySelector("#facets .chip").ariaPressed === "true"`)
	b.do(chromedp.Evaluate[chromedp.Void](`history.back()`))
	b.until(`location.hash === "#search?q=round+glasses" && document.querySelector("#facets .chip").ariaPressed === "false" && !document.querySelector("#found[aria-busy]")`)
}

// While the first import into a shop is under way a bar says how far it is, and the search follows.
func TestSearchOfAShopThatIsFilled(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	products := catalog.New(w.FirestoreClient(t))
	if err := products.Fill(t.Context(), "test", 374); err != nil {
		t.Fatal(err)
	}
	b := open(t, w.url)
	b.allow("503")
	b.visit("search")
	b.shows("#found > .progress", "0 of 374")
	b.fits("a shop that is being filled")
	w.shelve(t)
	if err := products.Filled(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	b.until(`document.querySelectorAll("#facets .chip").length > 0 && !document.querySelector("#found > .progress")`)
}

// A view of what a service does not have says so.
func off(_ *testing.T, _ *whatis, b *tab) {
	b.allow("404")
	b.allow("400")
	for _, view := range []struct{ hash, at, says, form string }{
		{"search", "#found .problem", "import its catalogue", ""},
		{"forecast", "#outlook .empty", "OPENWEATHER_API_KEY", "#forecast"},
		{"discover", "#run .empty", "TASKS_TOPIC", "#discover"},
	} {
		b.visit(view.hash)
		b.shows(view.at, view.says)
		if view.form != "" {
			b.until(fmt.Sprintf(`!document.querySelector(%q).offsetParent`, view.form))
		}
		b.fits(view.hash + " that is off")
	}
}

// An order does without words. "Show more" stands beside how many of all are shown, goes on behind these,
// keeps the focus, and tells how many came; beside the filters stands how many products each would leave.
func showMore(t *testing.T, _ *whatis, b *tab) {
	all := shelved()
	choose := func(selector, value string) {
		t.Helper()
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{ const e = document.querySelector(%q); if (e.type === "checkbox") e.click(); else { e.value = %q; e.dispatchEvent(new Event("change", {bubbles: true})); } }`, selector, value)))
	}
	shows := func(n int) {
		t.Helper()
		b.until(fmt.Sprintf(`!document.querySelector("#found[aria-busy]") && document.querySelectorAll("#found .product").length === %d`, n))
	}
	choose("#sort", "price_up")
	shows(12)
	b.shows("#found .centre .quiet", fmt.Sprintf("12 of %d", len(all)))
	for n := 24; n < len(all)+12; n += 12 {
		b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#found .centre button").focus()`), chromedp.SendKeys(chromedp.CSS("#found .centre button"), "\r"))
		shows(min(n, len(all)))
		b.shows("#status", fmt.Sprintf("more, %d in all", min(n, len(all))))
		if n < len(all) {
			b.shows("#found .centre .quiet", fmt.Sprintf("%d of %d", n, len(all)))
		}
		want := `document.activeElement === document.querySelector("#found .centre button")`
		if n >= len(all) {
			want = fmt.Sprintf(`!document.querySelector("#found .centre button") && document.activeElement === document.querySelectorAll("#found .product a")[%d]`, n-12)
		}
		b.until(want)
	}
	b.until(fmt.Sprintf(`new Set([...document.querySelectorAll("#found .product a")].map((a) => a.dataset.id)).size === %d`, len(all)))
	b.fits("all products")

	inStock := 0
	red := map[bool]int{}
	for _, f := range all {
		if f.Stock > 0 {
			inStock++
		}
		if f.Color == "red" && f.Stock > 0 {
			red[f.Category == "sunglasses"]++
		}
	}
	choose("#in-stock", "")
	b.shows("#found .summary", "in stock")
	const chip = `#facets fieldset:nth-of-type(3) .chip[data-code=red]`
	b.click(chip)
	shows(min(12, red[true]+red[false]))
	b.until(fmt.Sprintf(`[...document.querySelectorAll("#facets fieldset:nth-of-type(1) .chip small")].map((s) => s.textContent.trim()).includes("(%d)")`, red[true]))
	b.until(`document.querySelectorAll("#facets .chip.none").length > 0`)
	b.click(chip)
	choose("#in-stock", "")
	shows(12)
	choose("#sort", "")
	b.shows("#found .empty", "drop a picture")
	b.until(`document.querySelectorAll("#facets .chip.none").length === 0`)
}

// Of the variants of a product one is shown, with links to the others.
func TestVariants(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	if err := w.Storage.CreateBucket("pictures"); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	pictures := map[string][]byte{}
	for i, color := range []string{"black", "red", "gold"} {
		uri := "gs://pictures/" + color + ".png"
		pictures[uri] = shelved()[i].PNG()
		w.Put(t, "pictures", color+".png", pictures[uri])
		fmt.Fprintf(&file, `{"sku":"A-%s","product_name":"Aria","brand":"Lunavelle","key_features":["frames"],"price":1000,"currency":"VND","stock":%d,"image_uri":%q,"facets":{"category":"frames","color":%q}}`+"\n",
			color, i, uri, color)
	}
	w.importFile(t, &file, pictures)
	b := open(t, w.url+"/#search")
	b.shows("#facets legend", "Colour")
	b.ask("gold frames")
	b.found("Aria")
	b.shows("#found .variants", "Also in", "black (sold out)", "red")
	b.until(`document.querySelectorAll("#found .product").length === 1 && document.querySelectorAll("#found .variants a").length === 2`)
	b.fits("variants")
	b.click("#found .variants li:nth-of-type(3) a")
	b.shows("#dialog dl", "A-red")
}
