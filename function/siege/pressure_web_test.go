package siege

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
)

// A large drawn web has more than 1,000 addresses, more than 100 of them files that are read.
// Four discoveries on it, with high limits and at once, keep the instance that does them below
// 300 MB; and those that wait for a model that does not answer are cancelled within 2 s.
func TestLargeWeb(t *testing.T) {
	long(t)
	web, err := site.Start(site.Options{Drawn: true, Seed: 1, Publishers: 20, Scale: 9, PerSecond: 1000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	files := 0
	for _, address := range web.Pages() {
		if slices.Contains([]string{".csv", ".pdf", ".xlsx", ".zip", ".json"}, path.Ext(address)) {
			files++
		}
	}
	if pages := len(web.Pages()) - files; pages < 1000 || files < 100 {
		t.Fatalf("the web has %d pages and %d files, want 1,000 and 100", pages, files)
	}
	w := emulate.Start(t, emulate.Firestore, emulate.PerfectModel, emulate.Storage, emulate.PubSub)
	place := web.Places()[0].Name
	api, task := discoverers(t, w, "FETCH_ALLOW="+web.Allow(), "BRAVE_SEARCH_BASE_URL="+web.SearchURL(), "BRAVE_SEARCH_API_KEY="+web.Token(), "EMULATED_WEB="+place,
		"MAX_ITERATIONS=20", "MAX_MODEL_CALLS=1000", "MAX_USD_PER_RUN=50", "RESULTS_PER_QUERY=20")
	peak := task.watchMemory(t)
	request, err := json.Marshal(discover.Request{Country: place, Sector: site.DrawnSector(1)})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	var runs []string
	for range 4 {
		runs = append(runs, api.begin(t, string(request)))
	}
	for _, id := range runs {
		r := api.discovered(t, id)
		read := 0
		for _, s := range r.Sources {
			if s.Object != "" && path.Ext(s.URL) != "" {
				read++
			}
		}
		t.Logf("%s: %d sources, %d files read, %d records, %d calls: %s", id, len(r.Sources), read, len(r.Items), r.Calls, r.Action)
		if len(r.Sources) < 200 || read < 20 || len(r.Items) < 50 {
			t.Errorf("%d sources, %d files read, %d records: too little to say much of memory", len(r.Sources), read, len(r.Items))
		}
	}
	t.Logf("%d pages and %d files, %d requests in %v; at most %.0f MB", len(web.Pages())-files, files, len(web.Requests()), time.Since(begin).Round(time.Second), peak())
	if most := peak(); most > 300 {
		t.Errorf("the instance took %.0f MB, want 300 at most", most)
	}

	// A model that does not answer delays no cancel, whatever it was asked.
	short := fmt.Sprintf(`{"country":%q,"sector":%q,"limits":{"max_iterations":1,"max_searches":1,"max_pages":5}}`, place, site.DrawnSector(1))
	for phase, kind := range map[discover.Phase]gemini.Kind{"planner": answers.KindSearchPlan, "researcher": answers.KindRelevance, "raw_review": answers.KindScreen, "extractor": answers.KindExtract, "reviewer": answers.KindReview} {
		w.Gemini.SetFaults(gemini.Fault{Type: gemini.TimeOut, Kind: kind})
		id := api.begin(t, short)
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if at := api.status(t, id).Phase; at == phase || at == "" && phase == "planner" {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("the discovery does not come to the %s", phase)
			}
		}
		time.Sleep(time.Second) // until the model is asked
		t.Logf("%s:", phase)
		api.cancel(t, id)
	}
}
