package page_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	emulated "example.com/whatis/emulators/gemini"
)

// A stream that is cut is requested once more, from where it was cut.
func TestCutStream(t *testing.T) {
	t.Parallel()
	w := serve(t, false)
	b := open(t, w.url)
	b.allow("net::ERR_")
	w.line.cut("/analyze", 1, 4)
	crackers, latte := sample(t, "01-"), sample(t, "03-")
	b.choose(file(t, crackers.File, crackers.Bytes()))
	b.shows("article h3", "Sea Salt Oat Crackers")
	if n, last := w.line.heard("POST /analyze"); n != 2 || last == "" {
		t.Errorf("the page asked %d times, from %q; want 2, from an event", n, last)
	}
	if got := eval[int](b, `[...document.querySelectorAll(".steps code")].filter((c) => c.textContent === "image_analyzer").length`); got != 1 {
		t.Errorf("the steps show image_analyzer %d times, want once", got)
	}

	w.line.cut("/analyze", 2, 4)
	w.Gemini.SetFaults(emulated.Fault{Type: emulated.Latency, Delay: time.Second}) // so that more events follow each cut
	b.choose(file(t, latte.File, latte.Bytes()))
	b.shows(".problem code", "cut")
	b.click(".problem button")
	b.shows("article h3", "Cold Brew Oat Latte")
}

// A stream that is refused for good is asked for ever more seldom, one that was open soon.
func refusedStream(t *testing.T, _ *whatis, b *tab) {
	b.allow("501")
	got := eval[[]float64](b, `import("/page/stream.js").then(({ listen }) => new Promise((done) => {
		const waits = [];
		const sources = [];
		window.EventSource = class extends EventSource { constructor(path) { super(path); sources.push(this); } };
		window.setTimeout = (again, ms) => {
			waits.push(ms / 1000);
			queueMicrotask(() => {
				if (waits.length === 7) sources.at(-1).dispatchEvent(new Event("open"));
				if (waits.length === 8) done(waits);
				else again();
			});
		};
		listen("/batches/none/events", {});
	}))`)
	if want := []float64{2, 4, 8, 16, 32, 60, 60, 2}; !slices.Equal(got, want) {
		t.Errorf("it waits %v seconds, want %v", got, want)
	}
}

// A run leads from the form to its records, although its stream is cut.
func discoverView(t *testing.T, w *whatis, b *tab) {
	b.shows("#runs", "No runs yet")
	b.fits("the form of discoveries")
	release := w.hold(t)
	b.choice("sector", "waste")
	b.begin(append([]string{"country", "Argentina"}, little...)...)
	b.until(`location.hash.startsWith("#discover/")`)
	b.shows("#run h2", "Argentina", "Waste")
	b.shows("#run .badge", "Working")
	b.shows("#run .doing", "Waiting for its first step")
	b.fits("a run that has just begun")
	b.allow("net::ERR_")
	stream := eval[string](b, `"/" + location.hash.slice(1)`)
	w.hears(b, "GET "+stream, 2) // or the stream that is cut would be the one before the reload
	w.line.cut(stream, 1, 2)     // the events of the first step are lost
	b.reload()
	b.shows("#run .badge", "Working")
	release()
	b.shows("#run .log .what", "Planner", "Researcher")
	b.shows("#run header .badge", "Done")
	if n, _ := w.line.heard("GET " + stream); n != 5 {
		t.Errorf("the page asked for the run %d times, want twice, each time with its stream, and for the one that was cut again", n)
	}
	r := w.outcome(t, b)
	b.shows("#status", "The run has ended: Done")
	b.shows("#run .records .proof strong a", r.Items[0].Name)
	for i, item := range r.Items {
		b.until(fmt.Sprintf(`document.querySelectorAll("#run .records q")[%d]?.textContent === %q`, i, item.Quote))
	}
	if got := b.count("#run .log .done"); got != len(r.Log) {
		t.Errorf("the log has %d decisions, want all %d", got, len(r.Log))
	}
	if got := b.count("#run .queries li"); got != len(r.Plan.Queries) || got < 5 {
		t.Errorf("the plan has %d queries, want %d", got, len(r.Plan.Queries))
	}
	if got := b.count("#run .gates:not(.unread) li"); got != len(r.Dropped) {
		t.Errorf("%d are shown as left out, want %d", got, len(r.Dropped))
	}
	if got := b.count("#run .unread li"); got != len(r.NotRead) {
		t.Errorf("%d are shown as not read, want %d", got, len(r.NotRead))
	}
	b.shows("#run .features", "Credibility "+r.Review.CredibilityScore, "Completeness "+r.Review.CompletenessScore)
	b.shows("#run .warnings", "emulated_web", "The web that was searched is emulated")
	b.until(`document.querySelectorAll("#run .coverage tbody tr").length > 0 && document.querySelectorAll("#run .coverage .published").length > 0`)
	b.do(chromedp.Evaluate[chromedp.Void](`for (const d of document.querySelectorAll("#run details")) d.open = true`))
	b.fits("a result")
	for _, format := range []string{"JSON", "CSV"} {
		if !eval[bool](b, fmt.Sprintf(`fetch([...document.querySelectorAll("#run a.button")].find((a) => a.textContent === %q).href).then((r) => r.text()).then((t) => t.includes(%q))`, format, r.Items[0].DuplicateKey)) {
			t.Errorf("the %s does not have the first record", format)
		}
	}
	b.click(`#run a[href="#discover"]`)
	b.shows("#runs li", "Argentina", "Waste", "Done")
	b.fits("the list of runs")
}

// A run is stopped only after confirmation, and its results so far remain. A stream that is
// refused at first is retried.
func stopDiscovery(t *testing.T, w *whatis, b *tab) {
	release := w.hold(t)
	b.choice("mode", "city")
	b.begin("city", "Rosario, AR")
	b.shows("#run .badge", "Working")
	b.allow("503")
	w.line.cut(eval[string](b, `"/" + location.hash.slice(1)`), 1, 0)
	b.reload()
	b.click("#run .danger")
	b.shows("dialog.confirm[open]", "Stop this run?")
	b.press("\x1b")
	b.until(`!document.querySelector("dialog.confirm")`)
	b.click("#run .danger")
	b.click("dialog.confirm .danger")
	b.shows("#run .badge", "Stopping")
	b.until(`!document.querySelector("#run .danger")`)
	release()
	b.shows("#run .badge", "Stopped")
	b.shows("#run", "Nothing that could be proven was found.", "no_locode")
	b.fits("a run that was stopped")
}
