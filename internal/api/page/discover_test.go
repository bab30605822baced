package page_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/whatis/internal/discover"
)

// What the view of discoveries does.
func TestDiscover(t *testing.T) {
	t.Parallel()
	serve(t, false, (*whatis).discoveriesIn).does(t, "#discover", parts{
		{"view", discoverView}, {"marks", marks}, {"hostile", hostileDiscovery}, {"stop", stopDiscovery}, {"refusals", discoverRefusals},
	})
}

// A record is marked with the keyboard, and the mark is still there after reloading. The
// next run leaves out what was marked wrong and says so, and this can be undone.
func marks(t *testing.T, w *whatis, b *tab) {
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
	b.shows("#run [aria-labelledby=title-changes]", "Nothing has changed.")
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
func discoverRefusals(t *testing.T, w *whatis, b *tab) {
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

// A run for another place ends at once. Everything in a result is shown as text, and its
// links lead only to the web.
func hostileDiscovery(t *testing.T, w *whatis, b *tab) {
	b.begin("country", "Uruguay", "sector", "waste")
	b.shows("#run .doing", "The emulated web has no such place.")
	b.shows("#run", "Nothing that could be proven was found.")
	const html, script = `<img src="/x" onerror="document.title = 1"><script>document.title = 1</script>`, "javascript:document.title=1"
	r := w.outcome(t, b)
	r.Items = []discover.StructuredDataItem{{
		Name: html, URL: script, Subsector: html, Granularity: html, Publisher: html, PublisherKind: html, Quote: html, Where: html, DuplicateKey: "1",
		Files: []discover.File{{URL: script, Format: html}, {URL: "http://files.example/data.csv", Format: "csv"}}, Also: []discover.Identity{{URL: script, Quote: html}, {URL: "data:text/html,x"}},
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
