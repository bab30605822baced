package page_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	gcp "cloud.google.com/go/firestore"
	"github.com/chromedp/chromedp"

	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/jobs"
)

// reviewIn adds the review service to c.
func (w *whatis) reviewIn(t *testing.T, c *api.Config, db *gcp.Client) {
	t.Helper()
	model, space := w.model(t)
	reviews, err := app.NewReviews(db, w.intake, w.batches, model, space, "test")
	if err != nil {
		t.Fatal(err)
	}
	c.Reviews = func(context.Context) (*review.Service, error) { return reviews, nil }
	c.Forget = func(ctx context.Context, id string, photo bool) (intake.Forgotten, error) {
		return app.Forget(ctx, w.intake, reviews, w.batches, a2a.NewStore(func(context.Context) (*gcp.Client, error) { return db, nil }, jobs.Options{Retain: time.Hour}), id, photo)
	}
}

// speak enters the name of the reviewer.
func (b *tab) speak(selector string) {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{ const by = document.querySelector(%q); by.value = "kim"; by.dispatchEvent(new Event("change")); }`, selector)))
}

// doubtful analyses an unidentifiable photo twice, under two names and in two languages.
func (w *whatis) doubtful(t *testing.T) (first, second string) {
	t.Helper()
	s := sample(t, "07-")
	w.upload(t, s.File, s.Bytes())
	w.upload(t, "copy.jpg", s.Bytes())
	return w.analyse(t, s.File, "US", "en").ID, w.analyse(t, "copy.jpg", "US", "de").ID
}

// A code that is not the product's can be taken away, a category only replaced.
func TestCorrectToNoCode(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	b.do(chromedp.Evaluate[chromedp.Void](`localStorage.setItem("whatis-by", "kim")`))
	crackers := sample(t, "01-")
	b.choose(file(t, crackers.File, crackers.Bytes()))
	b.click("article [data-do=correct]")
	b.fill("article [name=category]", "")
	b.fill("article [name=gtin]", "")
	b.click("article .rv-form [type=submit]")
	b.until(`document.activeElement.name === "category" && document.activeElement.validity.valueMissing`)
	b.fill("article [name=category]", "Biscuits")
	b.click("article .rv-form [type=submit]")
	b.shows("article .rv-past", "Corrected")
	got := eval[string](b, `fetch("/results?limit=1").then((r) => r.json()).then(({ results: [{ result: r }] }) => [r.product_name, r.category, r.gtin || "no code"].join(", "))`)
	if want := "Sea Salt Oat Crackers, Biscuits, no code"; got != want {
		t.Errorf("after the correction the result is %s, want %s", got, want)
	}
}

// One key reviews a result and shows the next; another key undoes it.
func TestReviewQueue(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url+"/#review")
	b.do(chromedp.Evaluate[chromedp.Void](`localStorage.clear()`))
	b.shows("#review .empty", "Nothing to review.")
	first, second := w.doubtful(t)
	said := func(ids ...string) (n int) {
		for _, id := range ids {
			one, _ := w.line.heard("POST /results/" + id + "/review")
			n += one
		}
		return n
	}
	together := func(keys string) {
		t.Helper()
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`for (const key of %q) document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}))`, keys)))
	}
	b.reload()
	b.shows("#review header", "2 results waiting")
	b.shows("#review .rv-near", "Looks like 1 other photo")
	b.shows("#review .rv .buttons", "Name it", "No product", "Take it again")
	if n := b.count("#review [data-do=accept], #review [data-do=all]"); n != 0 {
		t.Error("an answer without a name can be accepted")
	}
	b.until(`[...document.querySelectorAll("#review img")].length === 2 && [...document.querySelectorAll("#review img")].every((i) => i.complete && i.naturalWidth > 0)`)
	if got := eval[float64](b, `document.querySelector("#review .photos img").clientWidth / document.querySelector("#review .photos").clientWidth`); got < 0.9 {
		t.Errorf("the photo takes %.2f of its column, want all of it", got)
	}
	b.fits("the queue")
	// On a small phone the photo leaves room for the verdicts.
	b.do(b.look(375, 667, "light"))
	b.until(`document.querySelector("#review .rv .buttons").getBoundingClientRect().bottom < innerHeight`)
	b.do(b.desktop())

	b.press("a") // which an answer without a name does not hear
	b.press("n")
	b.shows("#review .rv [role=alert]", "Enter your name")
	b.until(`document.activeElement.name === "by"`)
	b.speak("#review .rv-by input")
	b.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`))
	b.press("c")
	b.until(`document.activeElement.name === "product_name"`)
	b.press("\x1b")
	b.until(`!document.querySelector("#review .rv-form") && document.activeElement.dataset.do === "correct"`)
	b.press("cOnul tea") // without a pause
	b.fits("the form of a correction")
	b.press("\r")
	b.shows("#review .rv-last", "Corrected", "Onul tea")
	if name := eval[string](b, `fetch("/catalog").then((r) => r.json()).then((all) => all.records.map((r) => r.product_name).join())`); name != "Onul tea" {
		t.Errorf("the catalogue has %q, want Onul tea", name)
	}
	b.shows("#review .empty", "Nothing to review.") // the other is of the same photo
	before := said(first, second)
	together("uu")
	b.shows("#review header", "2 results waiting")
	b.until(`!document.querySelector("#review .rv-last").textContent`)
	b.press("n")
	b.shows("#review .rv-last", "Corrected", "No product in this photo")
	if n := said(first, second) - before; n != 2 {
		t.Errorf("%d verdicts were sent, want that the correction is taken back, and that there is no product", n)
	}
	named := sample(t, "08-")
	w.upload(t, named.File, named.Bytes())
	w.upload(t, "named.jpg", named.Bytes())
	both := []string{w.analyse(t, named.File, "KR", "ko").ID, w.analyse(t, "named.jpg", "KR", "en").ID}
	b.do(chromedp.Evaluate[chromedp.Void](`location.hash = "#photo"`))
	b.do(chromedp.Evaluate[chromedp.Void](`location.hash = "#review"`))
	b.shows("#review .rv-near", "Accept all 2")
	b.press("s")
	together("AAr")
	b.shows("#review .empty", "Nothing to review.")
	b.shows("#review .rv-last", "Accepted")
	if n := said(both...); n != 1 {
		t.Errorf("%d verdicts were sent, want that both are accepted, which is one for one photo", n)
	}
	// What was said is taken back one after the other.
	b.press("u")
	b.shows("#review header", "2 results waiting")
	b.shows("#review .rv-last", "No product in this photo")
	b.press("u")
	b.shows("#review header", "4 results waiting")
	b.shows("#review h3", "Unknown product")
	b.press("n")
	b.shows("#review header", "2 results waiting")
	b.press("r")
	b.shows("#review .empty", "Nothing to review.")

	// Keys that are pressed while a verdict is on its way accept and reject nothing; the form opens
	// for the next result.
	latte, seen := sample(t, "03-"), sample(t, "04-")
	for name, data := range map[string][]byte{latte.File: latte.Bytes(), seen.File: seen.Bytes(), "ginseng.jpg": append(named.Bytes(), 0)} {
		w.upload(t, name, data)
	}
	for _, name := range []string{latte.File, seen.File, "ginseng.jpg"} {
		w.analyse(t, name, "US", "en")
	}
	b.reload()
	b.shows("#review header", "2 results waiting")
	b.allow("503")
	w.line.setAway(true)
	together("ac")
	b.shows("#review .problem code", "away")
	w.line.setAway(false)
	b.press("s")
	b.until(`document.activeElement.dataset.do === "accept"`)
	if n := b.count("#review .rv-form"); n != 0 {
		t.Error("the form that was asked for with a refused verdict opens for another result")
	}
	together("acra")
	b.shows("#review header", "1 result waiting")
	b.shows("#review .rv-last", "Accepted")
	b.until(`document.activeElement.name === "product_name"`)
}

// A result has the same buttons, shows its review, and can be removed.
func TestReviewAndForgetAResult(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	id, _ := w.doubtful(t)
	b := open(t, w.url+"/#results/"+id)
	b.shows("#dialog[open] h3", "Unknown product")
	b.speak("#dialog .rv-by input")
	b.click("#dialog [data-do=reject]")
	b.shows("#dialog .rv-past", "Rejected", "by kim")
	b.shows("#gallery", "Rejected")
	b.fits("the dialog of a result that was reviewed")
	b.click("#dialog .rv-past button")
	b.shows("#dialog .rv-past", "Taken back", "What was said before")
	b.click("#dialog .rv-forget summary")
	b.click("#dialog .rv-forget .danger")
	b.shows("dialog.confirm[open]", "cannot be brought back")
	b.click("dialog.confirm .danger")
	b.shows("#dialog .rv-gone", "It is forgotten.", "The photo", "gs://uploads/07-")
	b.until(`document.querySelectorAll("#gallery li").length === 1`)
}

// A learnt record is found by words and by code, shows its sources, and can be confirmed or
// deleted.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url+"/#catalogue")
	b.shows("#records-state .empty", "The catalogue is empty.")
	s := sample(t, "03-")
	w.upload(t, s.File, s.Bytes())
	w.analyse(t, s.File, s.Country, s.Lang)
	records, err := w.FirestoreClient(t).Collection("products").Documents(t.Context()).GetAll()
	if err != nil || len(records) != 1 {
		t.Fatalf("%d records, %v; want one", len(records), err)
	}
	const page = "https://ostrawell.example/latte" // as an import leaves it
	if _, err := records[0].Ref.Update(t.Context(), []gcp.Update{{Path: "provenance", Value: gcp.ArrayUnion(page)}}); err != nil {
		t.Fatal(err)
	}
	b.reload()
	b.shows("#records li", "Cold Brew Oat Latte", "Learnt")
	b.fits("the catalogue")
	b.named("the catalogue")
	b.click("#records-imported")
	b.shows("#records-state .empty", "No record is like this.")
	b.click("#records-any")
	b.do(chromedp.SendKeys(chromedp.CSS("#records-search [name=q]"), "cold brew\r"))
	b.until(`document.querySelector("#records:not([aria-busy]) li")?.textContent.includes("Cold Brew Oat Latte")`)
	b.click("#records a")
	b.shows("#record .rv-from", "a web search", "gs://uploads/03-")
	b.shows(`#record .rv-from a[href="`+page+`"][rel~=noopener]`, page)
	b.speak("#record .rv-by input")
	b.fits("a record")
	b.click("#record .rv button:not(.danger)")
	b.shows("#record .badge", "Confirmed")
	b.shows("#record .rv-from", "kim vouches for it.")
	b.click("#record .danger")
	b.shows("dialog.confirm[open]", "It will not be learnt again.")
	b.click("dialog.confirm .danger")
	b.until(`location.hash === "#catalogue" && !document.querySelector("#records li")`)
}
