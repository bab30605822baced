package page_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/whatis/internal/discover"
)

// A run leads from the form to its records, although its stream is cut.
func TestDiscoverView(t *testing.T) {
	t.Parallel()
	w, b := seek(t)
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

// A record is marked with the keyboard, and the mark is still there after reloading. The
// next run leaves out what was marked wrong and says so, and this can be undone.
func TestMarks(t *testing.T) {
	t.Parallel()
	w, b := seek(t)
	b.begin(append([]string{"country", "Kenya", "sector", "waste"}, little...)...)
	b.shows("#run header .badge", "Done")
	first := w.outcome(t, b).Items[0]
	b.do(chromedp.SendKeys(chromedp.CSS("#run .marker input"), "Ana"), chromedp.Focus(chromedp.CSS("#run .verdict.right")))
	b.press("\r")
	b.until(pressed("right"))
	b.press("\t ")
	b.until(pressed("wrong"))
	b.shows("#status", "is marked wrong")
	b.reload()
	b.until(pressed("wrong"))
	b.shows("#run .marks", "by Ana")
	if m := w.outcome(t, b).Items[0].Mark; m == nil || m.Verdict != "wrong" || m.By != "Ana" {
		t.Errorf("the service knows the mark %+v, want wrong, by Ana", m)
	}
	b.fits("a record that is marked")

	b.click("#run .buttons button")
	b.shows("#run .changes dd", first.Name)
	b.shows("#run .changes dt", "Gone")
	b.shows("#run .gates summary", "Marked wrong by a person")
	b.do(chromedp.Evaluate[chromedp.Void](`for (const d of document.querySelectorAll("#run .gates details")) d.open = true`))
	b.shows("#run .gates li", first.URL)
	b.click("#run .gates .verdict")
	b.until(pressed("right"))
	b.fits("what was left out")
}

// pressed checks that only the first buttons with a verdict are pressed.
func pressed(verdict string) string {
	return fmt.Sprintf(`document.querySelector("#run [aria-pressed=true]")?.value === %q && document.querySelectorAll("#run [aria-pressed=true]").length === 1`, verdict)
}

// Errors of a request are shown beside the field, and ambiguous places as buttons.
func TestDiscoverRefusals(t *testing.T) {
	t.Parallel()
	w, b := seek(t)
	b.allow("400")
	b.allow("409")
	w.hold(t)
	for _, test := range []struct {
		fields      []string
		field, says string
	}{
		{nil, "country", "no place"},
		{[]string{"country", "Nowhereland"}, "sector", "no sector"},
		{[]string{"sector", "waste"}, "country", "send its English name"},
		{[]string{"country", "Kenya", "max_searches", "100000"}, "max_searches", "send 1 to"},
	} {
		b.begin(test.fields...)
		b.shows(fmt.Sprintf("#discover label:has([name=%s][aria-invalid=true]) .refusal", test.field), test.says)
		b.until(fmt.Sprintf(`document.activeElement.name === %q`, test.field))
	}
	b.fits("a refusal")
	b.choice("mode", "region")
	b.begin("country", "", "region", "Punjab", "max_searches", "1")
	b.shows("#discover-outcome .chip", "IN-PB", "PK-PB")
	b.fits("namesakes of a region")
	b.click("#discover-outcome .chip")
	b.shows("#run h2", "Punjab")
	if got := w.asked(t, b).Region; got != "IN-PB Punjab" && got != "PK-PB Punjab" {
		t.Errorf("the run is of the region %q, want that of the button", got)
	}
	b.click(`#run a[href="#discover"]`)
	b.choice("mode", "city")
	b.begin("city", "Punjab", "sector", "")
	b.shows("#discover-outcome .chip", "IN-PB")
	b.click("#discover-outcome .chip")
	b.shows("#run h2", "Punjab", "All sectors")
	if got := w.asked(t, b).City; got != "Punjab, IN" && got != "Punjab, PK" {
		t.Errorf("the run is of the city %q, want that of the button", got)
	}
}

// A run is stopped only after confirmation, and its results so far remain. A stream that is
// refused at first is retried.
func TestStopDiscovery(t *testing.T) {
	t.Parallel()
	w, b := seek(t)
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

// A run for another place ends at once. Everything in a result is shown as text, and its
// links lead only to the web.
func TestHostileDiscovery(t *testing.T) {
	t.Parallel()
	w, b := seek(t)
	b.begin("country", "Uruguay", "sector", "waste")
	b.shows("#run .doing", "The emulated web has no such place.")
	b.shows("#run", "Nothing that could be proven was found.")
	const html, script = `<img src="/x" onerror="document.title = 1"><script>document.title = 1</script>`, "javascript:document.title=1"
	r := w.outcome(t, b)
	r.Items = []discover.StructuredDataItem{{
		Name: html, URL: script, Subsector: html, Granularity: html, Publisher: html, Tier: html, Quote: html, Where: html, DuplicateKey: "1",
		Files: []discover.File{{URL: script, Format: html}, {URL: "http://files.example/data.csv", Format: "csv"}}, Also: []string{script, "data:text/html,x"},
	}}
	r.Dropped = []discover.Dropped{{URL: script, Record: html, Gate: html, Reason: html}}
	r.Absent = []discover.Absence{{URL: script, Sector: html, Subsector: html, Key: "NE", Quote: html}}
	r.Grid = discover.Grid{Years: []int{2020}, Rows: []discover.Row{{Sector: html, Subsector: html, Cells: []string{html}}}}
	r.Plan.Queries = []discover.SearchQuery{{Query: html, Language: html, Rank: 1, TargetType: html, Status: html}}
	r.Log = []discover.Decision{{Agent: html, Action: html, Reason: html}}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	w.Put(t, "results", "discoveries/"+r.ID+"/result.json", data)
	b.reload()
	for _, part := range []string{".records strong", ".records q", ".coverage th", ".gates li", ".queries li", ".log li"} {
		b.shows("#run "+part, html)
	}
	if got := b.count(`#run img, #run script, #run a:not([href^="#discover"], [href^="/discover/"], [href="http://files.example/data.csv"][rel~=noreferrer][rel~=noopener])`); got != 0 {
		t.Errorf("the result has %d elements or links of its own", got)
	}
	if got := b.count(`#run .file a[href="http://files.example/data.csv"]`); got != 1 {
		t.Errorf("the file is linked %d times, want once", got)
	}
}

// Without discovery the view says so.
func TestDiscoverOff(t *testing.T) {
	t.Parallel()
	b := open(t, serve(t, false).url+"/#discover")
	b.allow("404")
	b.shows("#run .empty", "TASKS_TOPIC")
	b.until(`!document.querySelector("#discover").offsetParent`)
	b.fits("no discoveries")
}
