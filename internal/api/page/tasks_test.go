package page_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/spend"
)

// maxSteps is how many steps a task of docs/tasks.md may take.
const maxSteps = 4

// A walk does a task as the table tells it, from the start page.
type walk struct {
	*tab
	w     *whatis
	steps int
	said  string // the texts of what was clicked or read
}

// press clicks the element of a selector, which is a step.
func (k *walk) press(selector string) {
	k.Helper()
	k.until(fmt.Sprintf(`document.querySelector(%q)?.checkVisibility()`, selector))
	k.said += eval[string](k.tab, fmt.Sprintf(`document.querySelector(%q).innerText`, selector)) + "\n"
	k.click(selector)
	k.steps++
}

// view opens a view by its link.
func (k *walk) view(hash string) {
	k.Helper()
	link := `nav a[href="#` + hash + `"]`
	k.press(link)
	k.until(`document.querySelector('` + link + `').hasAttribute("aria-current") && ` + listening)
}

// write types words into a field, which is a step; with \r at their end they are sent.
func (k *walk) write(field, words string) {
	k.Helper()
	k.fill(field, words)
	k.steps++
}

// set chooses a value of a field, which is a step.
func (k *walk) set(field, value string) {
	k.Helper()
	k.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{ const field = document.querySelector(%q); field.value = %q; field.dispatchEvent(new Event("change", {bubbles: true})); }`, field, value)))
	k.steps++
}

// drop drops photos, which is a step.
func (k *walk) drop(photos ...[]byte) {
	k.Helper()
	var all strings.Builder
	sent := map[string]int{} // the first of each photo
	for i, data := range photos {
		first, again := sent[string(data)]
		if !again {
			first, sent[string(data)] = i, i
			fmt.Fprintf(&all, `const photo%d = %s;`, i, decoded(data))
		}
		fmt.Fprintf(&all, `d.items.add(new File([photo%d], "photo-%d.jpg", {type: "image/jpeg"}));`, first, i)
	}
	k.do(chromedp.Evaluate[chromedp.Void](`{ const d = new DataTransfer(); ` + all.String() + ` document.body.dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: d})); }`))
	k.steps++
}

const crackers = "Sea Salt Oat Crackers"

// walks are the tasks that are done on the page, by section of docs/tasks.md.
var walks = map[string]tasks{"Photos": photoTasks, "Products": productTasks, "Weather and emissions": otherTasks}

type tasks map[string]func(t *testing.T, k *walk)

var photoTasks = tasks{
	"analyse one photo": func(t *testing.T, k *walk) {
		k.drop(sample(t, "01-").Bytes())
		k.shows("article h3", crackers)
	},
	"analyse several of one product": func(t *testing.T, k *walk) {
		k.press("#options .switch")
		k.drop(sample(t, "03-").Bytes(), sample(t, "04-").Bytes())
		k.shows("article h2", "2 photos of one product")
		k.shows("article h3", "Cold Brew Oat Latte")
	},
	"analyse fifty": func(t *testing.T, k *walk) {
		fifty := slices.Repeat([][]byte{sample(t, "01-").Bytes(), sample(t, "05-").Bytes()}, 25)
		k.drop(fifty...)
		k.shows("#many .progress", "50 of 50 photos")
	},
	"analyse a bucket": func(t *testing.T, k *walk) {
		k.w.upload(t, "shelf/tea.gif", sample(t, "05-").Bytes())
		k.view("batches")
		k.write("#batches [name=prefix]", "gs://uploads/shelf/")
		k.press("#batches [type=submit]")
		k.press(".estimate button")
		k.shows("#batches header .badge", "Done")
	},
	"see why": func(t *testing.T, k *walk) {
		k.drop(sample(t, "01-").Bytes())
		k.shows("article .why", "Name and brand are sure.")
		k.said += eval[string](k.tab, `document.querySelector("article .why h4").innerText`)
		k.until(`document.querySelectorAll("article .overlay rect.line").length >= 3`)
	},
	"see why it took three calls": func(t *testing.T, k *walk) {
		latte := sample(t, "03-")
		k.w.upload(t, latte.File, latte.Bytes())
		k.w.analyse(t, latte.File, latte.Country, latte.Lang) // has it learnt
		k.drop(sample(t, "04-").Bytes())
		k.press("article details:has(.calls) > summary")
		k.until(`document.querySelectorAll("article .calls li").length === 3`)
		k.shows("article .calls", "image_analyzer", "embed", "judgement", "tokens")
	},
	"correct it": func(t *testing.T, k *walk) {
		k.drop(sample(t, "05-").Bytes())
		k.until(`document.querySelector("article .rv-by input")`)
		k.write("article .rv-by input", "kim\t")
		k.press("article [data-do=correct]")
		k.write("article [name=product_name]", "Onul tea\r")
		k.shows("article .rv-past", "Corrected")
	},
	"name what has no name": func(t *testing.T, k *walk) {
		k.w.doubtful(t)
		k.speaks()
		k.view("review")
		k.press("#review [data-do=correct]")
		k.write("#review [name=product_name]", "Onul tea\r")
		k.shows("#review .rv-last", "Corrected", "Onul tea")
	},
	"undo the last three": func(t *testing.T, k *walk) {
		named := sample(t, "08-")
		for i := range 3 {
			name := fmt.Sprintf("%d.jpg", i)
			k.w.upload(t, name, append(named.Bytes(), make([]byte, i+1)...))
			k.w.analyse(t, name, "KR", "ko")
		}
		k.speaks()
		k.view("review")
		waiting := func() int {
			return eval[int](k.tab, `parseInt(document.querySelector("#review header h2")?.textContent || "0", 10)`)
		}
		k.until(`document.querySelector("#review [data-do=accept]")`)
		before := waiting()
		for i := range 3 {
			k.tab.press("r")
			k.awaits("the next", func() bool { return waiting() == before-i-1 })
		}
		for i := range 3 {
			k.press("#review [data-do=undo]")
			k.awaits("what was said to be taken back", func() bool { return waiting() == before-2+i })
		}
	},
	"undo that": func(t *testing.T, k *walk) {
		id, _ := k.w.doubtful(t)
		k.w.review(t, id, review.Correct)
		k.speaks()
		k.view("results")
		k.press(`#gallery [data-id="` + id + `"]`)
		k.press("#dialog .rv-past button")
		k.shows("#dialog .rv-past", "Taken back")
	},
	"find the doubtful": func(t *testing.T, k *walk) {
		k.w.doubtful(t)
		k.view("review")
		k.shows("#review article", "Unknown product")
	},
	"find what expires in 30 days": func(t *testing.T, k *walk) {
		for _, prefix := range []string{"01-", "05-"} {
			s := sample(t, prefix)
			k.w.upload(t, s.File, s.Bytes())
			k.w.analyse(t, s.File, s.Country, s.Lang)
		}
		k.view("results")
		k.set("#results-order [name=order]", "expires")
		k.said += "Expires soonest"
		k.set("#results-order [name=to]", "2027-04-01")
		k.until(`[...document.querySelectorAll("#gallery .under > strong")].at(-1)?.textContent === "` + crackers + `"`)
	},
	"find the blurred photos": func(t *testing.T, k *walk) {
		k.w.Gemini.Script(seen([]analyze.Line{{Text: "Onul tea"}, {Text: "500 ml"}, {Text: "Lotte", Clear: true}}))
		k.w.upload(t, "blurred.png", grey(t, 320))
		k.w.analyse(t, "blurred.png", "US", "en")
		k.view("results")
		k.press("#filter-blurred")
		k.until(`document.querySelectorAll("#gallery li").length === 1 && document.querySelector("#gallery li").textContent.includes("blurred.png")`)
	},
	"share a result": func(t *testing.T, k *walk) {
		id, _ := k.w.doubtful(t)
		k.view("results")
		k.press(`#gallery [data-id="` + id + `"]`)
		k.press("#dialog .photos button")
		k.shows("#dialog .photos code", "/#results/"+id)
	},
	"a batch as a sheet": func(t *testing.T, k *walk) {
		k.w.upload(t, "sheet/tea.gif", sample(t, "05-").Bytes())
		made, err := k.w.batches.Create(t.Context(), batch.Request{Prefix: "gs://uploads/sheet/"})
		if err != nil {
			t.Fatal(err)
		}
		k.do(chromedp.Evaluate[chromedp.Void](`window.saved = ""; URL.createObjectURL = (blob) => { blob.text().then((t) => { saved = t; }); return "data:,"; }`))
		k.view("batches")
		k.press(`#batches a[href="#batches/` + made.ID + `"]`)
		k.shows("#batches header .badge", "Done")
		k.press(`#batches a[href="#results?set=` + made.ID + `"]`)
		k.until(`document.querySelectorAll("#gallery li").length === 1`)
		k.press("#export-csv")
		k.until(`saved.split("\r\n").length === 3 && saved.includes("2027-05-31")`)
	},
	"export last week": func(t *testing.T, k *walk) {
		k.w.doubtful(t)
		k.do(chromedp.Evaluate[chromedp.Void](`window.saved = ""; URL.createObjectURL = (blob) => { blob.text().then((t) => { saved = t; }); return "data:,"; }`))
		k.view("results")
		k.press("#export-csv")
		k.until(`saved.includes("product_name")`)
	},
	"see today's cost": func(_ *testing.T, k *walk) {
		k.press("#spend summary")
		k.shows("#spend-body", "$1.25 of $20.00.")
	},
	"stop the bill now": func(_ *testing.T, k *walk) {
		k.press("#spend summary")
		k.press("#spend-body button")
		k.shows("#spend-body", "Paid work has been paused")
	},
	"stop a batch": func(t *testing.T, k *walk) {
		k.w.upload(t, "stop/tea.gif", sample(t, "05-").Bytes())
		release := k.w.hold(t)
		made, err := k.w.batches.Create(t.Context(), batch.Request{Prefix: "gs://uploads/stop/"})
		if err != nil {
			t.Fatal(err)
		}
		k.view("batches")
		k.press(`#batches a[href="#batches/` + made.ID + `"]`)
		k.press("#batches .danger")
		k.press("dialog.confirm .danger")
		k.shows("#batches header .badge", "Cancelling")
		release()
	},
	"the same photos with a new model, and what changed": func(t *testing.T, k *walk) {
		k.w.upload(t, "twice/a.jpg", sample(t, "05-").Bytes())
		begin := func() string {
			t.Helper()
			made, err := k.w.batches.Create(t.Context(), batch.Request{Prefix: "gs://uploads/twice/", Fresh: true, Country: "US"})
			if err != nil {
				t.Fatal(err)
			}
			k.awaits("the batch to end", func() bool {
				s, err := k.w.batches.Get(t.Context(), made.ID)
				return err == nil && s.State == jobs.Done
			})
			return made.ID
		}
		before := begin()
		k.w.upload(t, "twice/a.jpg", sample(t, "01-").Bytes())
		after := begin()
		k.view("batches")
		k.press(`#batches a[href="#batches/` + after + `"]`)
		k.until(`document.querySelector("#changed")`)
		k.said += eval[string](k.tab, `document.querySelector("#changed").innerText`)
		k.set("#batches select", before)
		k.shows("#batches section:has(#changed) table", "Brindlemoor", "달여울")
		k.fits("what changed between two batches")
	},
	"send a failed one again": func(t *testing.T, k *walk) {
		k.w.Gemini.SetFaults(emulated.Fault{Type: emulated.BlockedPrompt})
		k.drop(sample(t, "09-").Bytes())
		k.shows("article .problem code", "model_blocked")
		k.w.Gemini.SetFaults()
		k.drop(sample(t, "09-").Bytes())
		k.shows("article h3", "Apple Cinnamon Porridge")
	},
}

var productTasks = tasks{
	"correct a product": func(t *testing.T, k *walk) {
		id, _ := k.w.doubtful(t)
		k.w.review(t, id, review.Correct)
		k.speaks()
		k.view("results")
		k.press(`#gallery [data-id="` + id + `"]`)
		k.press("#dialog [data-do=correct]")
		k.write("#dialog [name=product_name]", "Onul green tea\r")
		k.until(`fetch("/catalog").then((r) => r.json()).then((all) => all.records.some((r) => r.product_name === "Onul green tea"))`)
	},
	"find it by code": func(t *testing.T, k *walk) {
		s := sample(t, "03-")
		k.w.upload(t, s.File, s.Bytes())
		r := k.w.analyse(t, s.File, s.Country, s.Lang)
		k.view("catalogue")
		k.write("#records-search [name=q]", r.GTIN+"\r")
		k.shows("#records li", r.GTIN)
	},
	"search by words": func(t *testing.T, k *walk) {
		k.view("search")
		k.write("#search [name=query]", "kính mát mắt mèo màu đỏ\r")
		k.found(redCatEye(t).Name)
	},
	"by picture": func(t *testing.T, k *walk) {
		k.view("search")
		k.drop(redCatEye(t).PNG())
		k.shows("#found .badge", "By picture")
	},
	"filter by price": func(_ *testing.T, k *walk) {
		k.view("search")
		k.write("#search [name=query]", "sunglasses under 2 million\r")
		k.shows("#found .summary", "up to 2,000,000 VND")
	},
	"ask for less": func(_ *testing.T, k *walk) {
		k.view("search")
		k.write("#search [name=query]", "sunglasses\r")
		k.until(`!document.querySelector("#found[aria-busy]") && document.querySelectorAll("#found .product").length > 1`)
		k.write("#search [name=query]", "cheaper\r")
		k.shows("#found .summary", "up to")
	},
}

var otherTasks = tasks{
	"hear the weather": func(_ *testing.T, k *walk) {
		k.view("forecast")
		k.write(placeField, "Lima\r")
		k.press("#outlook .sound button")
		k.until(`document.querySelector("#outlook audio")?.duration > 0`)
	},
	"ask on": func(_ *testing.T, k *walk) {
		k.view("forecast")
		k.write(messageField, "How is the weather in Oslo?\r")
		k.shows("#talk .agent", "Right now in Oslo")
		k.until(`!document.querySelector("#say[aria-busy]")`)
		k.write(messageField, "and tomorrow?\r")
		k.shows("#talk .agent:last-child", "In Oslo expect")
	},
	"discover a country": func(_ *testing.T, k *walk) {
		k.view("discover")
		k.write("#discover [name=country]", "Uruguay")
		k.choice("sector", "waste")
		k.steps++
		k.press("#discover .buttons button")
		k.shows("#run h2", "Uruguay", "Waste")
	},
	"stop it": func(t *testing.T, k *walk) {
		release := k.w.hold(t)
		k.discovery("Kenya")
		k.press("#run .danger")
		k.press("dialog.confirm .danger")
		k.shows("#run .badge", "Stopping")
		release()
		k.shows("#run .badge", "Stopped")
	},
	"verify its records": func(_ *testing.T, k *walk) {
		k.discovery("Kenya")
		k.shows("#run header .badge", "Done")
		k.until(`document.querySelectorAll("#run .records q").length > 0 && [...document.querySelectorAll("#run .records tbody tr")].every((r) => r.querySelector("q") && r.querySelector("a[href^=http]"))`)
	},
}

// discovery begins a short run and opens it, which takes no step: it is there.
func (k *walk) discovery(country string) {
	k.Helper()
	id := eval[string](k.tab, fmt.Sprintf(`fetch("/discover", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({country: %q, sector: "waste", limits: {max_iterations: 1, max_searches: 2, max_pages: 12}})}).then((r) => r.json()).then((s) => s.id)`, country))
	k.view("discover")
	k.press(`#runs a[href="#discover/` + id + `"]`)
}

// speaks has the browser know who speaks, as after an earlier review.
func (k *walk) speaks() {
	k.Helper()
	k.do(chromedp.Evaluate[chromedp.Void](`localStorage.setItem("whatis-by", "kim")`))
}

// review says something of a result.
func (w *whatis) review(t *testing.T, id, verdict string) {
	t.Helper()
	body := fmt.Sprintf(`{"verdict":%q,"by":"kim","fields":{"product_name":"Onul tea"}}`, verdict)
	resp, err := http.Post(w.url+"/results/"+id+"/review", "application/json", strings.NewReader(body))
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("review of %s = %v, %v", id, resp, err)
	}
	resp.Body.Close()
}

var (
	heading = regexp.MustCompile(`(?m)^## (.*)$`)
	taskRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \| .* \|$`)
	control = regexp.MustCompile(`(?:^|[^*])\*([^*]+)\*(?:[^*]|$)`)
	viewed  = regexp.MustCompile(`\*\*(\w+)\*\*`)
)

// Each task of docs/tasks.md is done on the page as its table says: it takes at most four steps,
// which begin in the view that is named, and what is named to be clicked is clicked.
func TestTasksOfPhotos(t *testing.T)   { t.Parallel(); walkAll(t, "Photos") }
func TestTasksOfProducts(t *testing.T) { t.Parallel(); walkAll(t, "Products") }

// The tasks of every other section.
func TestOtherTasks(t *testing.T) {
	t.Parallel()
	for section := range walks {
		if section != "Photos" && section != "Products" {
			walkAll(t, section)
		}
	}
}

// No section of docs/tasks.md has tasks on the page that nobody walks.
func TestTasks(t *testing.T) {
	text := read(t, "../../../docs/tasks.md")
	for _, part := range heading.FindAllStringSubmatch(text, -1) {
		if table := tableOf(text, part[1]); strings.Contains(table, "on the page") && walks[part[1]] == nil {
			t.Errorf("docs/tasks.md: nobody walks the tasks of %q", part[1])
		}
	}
}

// tableOf returns what a section of a text has before its first block of code.
func tableOf(text, section string) string {
	_, after, _ := strings.Cut(text, "\n## "+section+"\n")
	inside, _, _ := strings.Cut(after, "\n## ")
	table, _, _ := strings.Cut(inside, "```")
	return table
}

// walkAll does the tasks of a section of docs/tasks.md, one after the other.
func walkAll(t *testing.T, section string) {
	t.Helper()
	more := []func(*whatis, *testing.T, *api.Config){func(_ *whatis, _ *testing.T, c *api.Config) {
		var paused *spend.Pause
		c.Pause = func(context.Context, string, bool) error { paused = &spend.Pause{At: time.Now()}; return nil }
		c.Spend = func(context.Context) (spend.Day, error) {
			return spend.Day{Day: "2026-11-25", USD: 1.25, Limit: 20, Paused: paused, Agents: []spend.Share{{Name: "analyze", USD: 1.25}}, Models: []spend.Share{}}, nil
		}
	}}
	if section != "Photos" && section != "Products" {
		more = append(more, (*whatis).forecastsIn, (*whatis).discoveriesIn)
	}
	w := serve(t, true, more...)
	if section == "Products" {
		w.shelve(t)
	}
	done := map[string]bool{}
	for _, row := range taskRow.FindAllStringSubmatch(tableOf(read(t, "../../../docs/tasks.md"), section), -1) {
		if strings.HasPrefix(row[2], "on the page") || strings.HasPrefix(row[2], "---") || strings.HasPrefix(row[2], "not there") {
			continue
		}
		do := walks[section][row[1]]
		if do == nil || done[row[1]] {
			t.Errorf("docs/tasks.md: nobody walks %q, or it is there twice", row[1])
			continue
		}
		done[row[1]] = true
		t.Run(row[1], func(t *testing.T) { w.walk(t, row[1], row[2], do) })
	}
	for task := range walks[section] {
		if !done[task] {
			t.Errorf("docs/tasks.md has no task %q in %q", task, section)
		}
	}
}

// walk does a task, and holds it to what the table says.
func (w *whatis) walk(t *testing.T, task, table string, do func(t *testing.T, k *walk)) {
	k := &walk{tab: open(t, w.url), w: w}
	k.do(chromedp.Evaluate[chromedp.Void](`localStorage.clear(); sessionStorage.clear()`))
	do(t, k)
	k.answered() // or the next walk would go on with it
	if k.steps > maxSteps || k.steps < 1 {
		t.Errorf("%s takes %d steps, want at most %d", task, k.steps, maxSteps)
	}
	if m := viewed.FindStringSubmatch(table); m != nil && m[1] != "Photo" && !strings.Contains(k.said, m[1]) {
		t.Errorf("%s begins in %s by docs/tasks.md, and clicked were %q", task, m[1], k.said)
	}
	for _, m := range control.FindAllStringSubmatch(table, -1) {
		if !strings.Contains(k.said, m[1]) {
			t.Errorf("%s: docs/tasks.md names %q, and clicked were %q", task, m[1], k.said)
		}
	}
}
