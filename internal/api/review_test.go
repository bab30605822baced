package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
)

// reviewProbes returns the probes of reviews, of removing results and of the catalogue.
func (s *service) reviewProbes() []probe {
	s.t.Helper()
	s.uploaded("reviewed.jpg", picture(s.t, 50))
	_, body := s.ask("GET", "/results", "")
	r, none := "/results/"+read[listing](s.t, body).Results[0].ID, "/results/"+strings.Repeat("0", 32)
	correct := `{"verdict":"correct","fields":{"product_name":"Onul tea","brand":"Lotte","category":"Tea"},"by":"kim"}`
	id := s.corrected("corrected.jpg", 51, correct).Records[0].ID
	other := s.corrected("other.jpg", 52, strings.Replace(correct, "Onul tea", "Onul green tea", 1)).Records[0].ID
	s.past(r[len("/results/"):])
	c, gone := "/catalog/"+id, "/catalog/"+strings.Repeat("0", 32)
	return []probe{
		{"GET", "/results", "/results?order=doubt", "", 200, nil},
		{"GET", "/results", "/results?order=doubt&source=image", "", 422, nil},
		{"GET", "/results/{id}/review", r + "/review", "", 404, nil},
		{"POST", "/results/{id}/review", r + "/review", correct, 200, nil},
		{"POST", "/results/{id}/review", r + "/review", `{"verdict":"accept"`, 400, nil},
		{"POST", "/results/{id}/review", r + "/review", `{"verdict":"accept","stars":5}`, 400, nil},
		{"POST", "/results/{id}/review", r + "/review", correct, 403, []string{"Sec-Fetch-Site", "cross-site"}},
		{"POST", "/results/{id}/review", none + "/review", correct, 404, nil},
		{"POST", "/results/{id}/review", r + "/review", strings.Repeat(" ", 1e5) + correct, 413, nil},
		{"POST", "/results/{id}/review", r + "/review", `{"verdict":"accept"}`, 422, nil},
		{"GET", "/results/{id}/review", r + "/review", "", 200, nil},
		{"DELETE", "/results/{id}/review", r + "/review?by=kim", "", 200, nil},
		{"DELETE", "/results/{id}/review", r + "/review", "", 422, nil},
		{"DELETE", "/results/{id}/review", none + "/review?by=kim", "", 404, nil},
		{"DELETE", "/results/{id}", r + "?photo=maybe", "", 422, nil},
		{"DELETE", "/results/{id}", r + "?photo=true", "", 200, nil},
		{"DELETE", "/results/{id}", none, "", 404, nil},
		{"GET", "/results/{id}/acts", r + "/acts", "", 200, nil},
		{"GET", "/results/{id}/acts", "/results/0/acts", "", 404, nil},
		{"GET", "/catalog", "/catalog", "", 200, nil},
		{"GET", "/catalog", "/catalog?q=onul", "", 200, nil},
		{"GET", "/catalog", "/catalog?status=mine", "", 422, nil},
		{"GET", "/catalog", "/catalog?after=x", "", 400, nil},
		{"GET", "/catalog", "/catalog?limit=0", "", 422, nil},
		{"GET", "/catalog", "/catalog?shop=none&status=rejected", "", 200, nil},
		{"GET", "/catalog-stats", "/catalog-stats", "", 200, nil},
		{"GET", "/catalog-stats", "/catalog-stats?shop=none", "", 200, nil},
		{"GET", "/catalog-export", "/catalog-export", "", 200, nil},
		{"GET", "/catalog-export", "/catalog-export?status=mine", "", 422, nil},
		{"GET", "/catalog/{id}", c, "", 200, nil},
		{"GET", "/catalog/{id}", gone, "", 404, nil},
		{"POST", "/catalog/{id}/confirm", c + "/confirm", `{"by":"kim"}`, 200, nil},
		{"POST", "/catalog/{id}/confirm", c + "/confirm", `{}`, 422, nil},
		{"POST", "/catalog/{id}/confirm", c + "/confirm", `[]`, 400, nil},
		{"POST", "/catalog/{id}/confirm", gone + "/confirm", `{"by":"kim"}`, 404, nil},
		{"POST", "/catalog-imports", "/catalog-imports?diff=true&currency=EUR&name=a.csv", "name,sku,price,note\nTea,T,3,x\n,U,1,\nMilk,M,2 apples,\n", 200, csvBody},
		{"POST", "/catalog-imports", "/catalog-imports?diff=true", "a,b\n1,2\n", 422, csvBody},
		{"POST", "/catalog-imports", "/catalog-imports?diff=true&currency=euros", "name\nTea\n", 422, csvBody},
		{"POST", "/catalog-imports", "/catalog-imports", "name\nTea\n", 501, csvBody},
		{"POST", "/catalog-prune", "/catalog-prune?currency=EUR&name=a.csv&of=a-*.csv", "name,sku,price,note\nTea,T,3,x\n,U,1,\n", 200, csvBody},
		{"POST", "/catalog-prune", "/catalog-prune?of=%5B", "name,sku\nTea,T\n", 422, csvBody},
		{"POST", "/catalog-reembed", "/catalog-reembed?from=emulated-embedding&to=gemini-embedding-2", "", 202, nil},
		{"POST", "/catalog-index", "/catalog-index?shop=none", "", 202, nil},
		{"GET", "/catalog-imports/{id}", "/catalog-imports/" + strings.Repeat("a", 32), "", 200, nil},
		{"GET", "/catalog-imports/{id}", "/catalog-imports/" + strings.Repeat("0", 32), "", 404, nil},
		{"GET", "/catalog", "/catalog?brand=lotte", "", 200, nil},
		{"GET", "/catalog", "/catalog?gtin=none&status=confirmed", "", 200, nil},
		{"GET", "/catalog", "/catalog?brand=lotte&gtin=none", "", 422, nil},
		{"GET", "/catalog", "/catalog?q=tea&gtin=none", "", 200, nil},
		{"GET", "/catalog", "/catalog?brand=lotte&q=tea", "", 422, nil},
		{"GET", "/catalog", "/catalog?gtin=1", "", 422, nil},
		{"GET", "/catalog-export", "/catalog-export?format=csv", "", 200, nil},
		{"GET", "/catalog-export", "/catalog-export?format=xml", "", 422, nil},
		{"POST", "/catalog-brands/rename", "/catalog-brands/rename", `{"from":"lotte","to":"Lotte Foods","by":"kim"}`, 200, nil},
		{"POST", "/catalog-brands/rename", "/catalog-brands/rename", `{"from":"lotte","by":"kim"}`, 422, nil},
		{"POST", "/catalog-brands/rename", "/catalog-brands/rename", `{"from":`, 400, nil},
		{"POST", "/catalog/{id}/merge", c + "/merge", `{"into":"` + id + `","by":"kim"}`, 422, nil},
		{"POST", "/catalog/{id}/merge", gone + "/merge", `{"into":"` + id + `","by":"kim"}`, 404, nil},
		{"POST", "/catalog/{id}/merge", c + "/merge", `[]`, 400, nil},
		{"POST", "/catalog/{id}/merge", "/catalog/" + other + "/merge", `{"into":"` + id + `","by":"kim"}`, 200, nil},
		{"PATCH", "/catalog/{id}", c, `{"hidden":true,"category":"Tea","by":"kim"}`, 200, nil},
		{"PATCH", "/catalog/{id}", c, `{"gtin":"123","by":"kim"}`, 422, nil},
		{"PATCH", "/catalog/{id}", c, `{"price":3}`, 400, nil},
		{"PATCH", "/catalog/{id}", c, strings.Repeat(" ", 1e5) + `{}`, 413, nil},
		{"PATCH", "/catalog/{id}", gone, `{"hidden":true,"by":"kim"}`, 404, nil},
		{"DELETE", "/catalog/{id}", c, "", 200, nil},
		{"DELETE", "/catalog/{id}", c, "", 404, nil},
		{"GET", "/catalog/{id}/acts", c + "/acts", "", 200, nil},
		{"GET", "/catalog/{id}/acts", "/catalog/0/acts", "", 404, nil},
	}
}

var csvBody = []string{"Content-Type", "text/csv"}

// A review as clients see it.
type said struct {
	Verdict string                        `json:"verdict"`
	Records []struct{ ID, Status string } `json:"records"`
	History []struct{ Verdict string }    `json:"history"`
}

// corrected analyses and reviews an upload.
func (s *service) corrected(name string, width int, review string) said {
	s.t.Helper()
	s.uploaded(name, picture(s.t, width))
	resp, body := s.ask("POST", "/results/"+s.idOf(name)+"/review", review)
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("review of %s = %s, %s", name, resp.Status, body)
	}
	return read[said](s.t, body)
}

// An answer that names no product cannot be accepted; that the photo shows none can be said.
func TestReviewOfNoName(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.uploaded("nameless.jpg", picture(t, 60))
	result := "/results/" + s.idOf("nameless.jpg")
	for said, want := range map[string]string{
		`{"verdict":"accept","by":"kim"}`:                                               "names no product: send correct with product_name",
		`{"verdict":"correct","fields":{"no_product":true,"brand":"Lotte"},"by":"kim"}`: "has no_product and other fields",
	} {
		if resp, body := s.ask("POST", result+"/review", said); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, want) {
			t.Errorf("%s = %s, %s; want 422, %s", said, resp.Status, body, want)
		}
	}
	before, _ := s.ask("GET", result, "")
	if resp, body := s.ask("POST", result+"/review", `{"verdict":"correct","fields":{"no_product":true},"by":"kim"}`); resp.StatusCode != http.StatusOK || before.StatusCode != http.StatusOK {
		t.Fatalf("that there is no product = %s, %s", resp.Status, body)
	}
	for _, want := range []string{"Unable to identify product image", "A person"} {
		if _, body := s.ask("GET", result, ""); !strings.Contains(strings.ToLower(body), strings.ToLower(want)) {
			t.Errorf("the result of a photo without a product says %s, want %s", body, want)
		}
	}
}

// idOf returns the ID of the newest result of an upload.
func (s *service) idOf(name string) string {
	s.t.Helper()
	_, body := s.ask("GET", "/results?limit=100", "")
	for _, l := range read[listing](s.t, body).Results {
		if l.File == "gs://uploads/"+name {
			return l.ID
		}
	}
	s.t.Fatalf("no result of %s: %s", name, body)
	return ""
}

// past changes the time of a result to a minute ago.
func (s *service) past(id string) {
	s.t.Helper()
	_, err := s.FirestoreClient(s.t).Doc("work/"+id).Update(s.t.Context(), []firestore.Update{{Path: "finished_at", Value: time.Now().Add(-time.Minute)}})
	if err != nil {
		s.t.Fatal(err)
	}
}

// An answer as clients see it.
type answered struct {
	ID          string   `json:"id"`
	ProductName string   `json:"product_name"`
	Brand       string   `json:"brand"`
	Source      string   `json:"source"`
	Cached      bool     `json:"cached"`
	Warnings    []string `json:"warnings"`
	Decision    struct{ Row int }
	RAG         struct{ Probability float64 } `json:"rag_confidence"`
	Reviewed    struct {
		Verdict, By string
		Revision    int64
	}
}

// The next request for the same photo gets the reviewed answer and, once the review is
// undone, that of the models.
func TestNextQuerySeesTheCorrection(t *testing.T) {
	t.Parallel()
	s := serve(t)
	photo := string(picture(t, 60))
	ask := func() answered {
		t.Helper()
		_, body := s.ask("POST", "/analyze", photo)
		return read[answered](t, body)
	}
	first := ask()
	if again := ask(); !again.Cached {
		t.Errorf("the same photo again = %+v, want the cached result", again)
	}
	_, queue := s.ask("GET", "/results?order=doubt", "")
	if l := read[listing](t, queue).Results; len(l) != 1 || l[0].ID != first.ID {
		t.Errorf("the queue is %s, want the one doubtful result", queue)
	}
	began := time.Now()
	resp, body := s.ask("POST", "/results/"+first.ID+"/review", `{"verdict":"correct","fields":{"product_name":"Onul tea","brand":"Lotte","category":"Tea","gtin":"8801234567893"},"by":"kim"}`)
	now := ask()
	if resp.StatusCode != 200 || now.ProductName != "Onul tea" || now.Brand != "Lotte" || now.Source != "local_db" || now.RAG.Probability != 1 || !now.Cached || now.Reviewed.By != "kim" {
		t.Fatalf("review = %s %s; then the photo is %+v, want Onul tea", resp.Status, body, now)
	}
	if took := time.Since(began); took > 20*time.Second { // 2 s on a machine ten times faster
		t.Errorf("the next query saw the correction after %v", took)
	}
	if _, queue = s.ask("GET", "/results?order=doubt", ""); len(read[listing](t, queue).Results) != 0 {
		t.Errorf("the queue is %s, want nothing", queue)
	}
	record := "/catalog/" + read[said](t, body).Records[0].ID
	_, body = s.ask("GET", record, "")
	if c := read[map[string]any](t, body); c["gtin"] != "08801234567893" || c["confirmed_by"] != "kim" || c["before"] != "new" || !strings.Contains(body, "result:"+first.ID) {
		t.Errorf("GET %s = %s", record, body)
	}
	if resp, body := s.ask("DELETE", "/results/"+first.ID+"/review?by=lee", ""); resp.StatusCode != 409 || !strings.Contains(body, "review_superseded") || !strings.Contains(body, "Onul tea") {
		t.Errorf("undo of what lee has not seen = %s %s, want 409 with what stands", resp.Status, body)
	}
	resp, _ = s.ask("GET", "/results/"+first.ID, "")
	if resp, body := s.ask("DELETE", "/results/"+first.ID+"/review?by=lee", "", "If-Match", resp.Header.Get("ETag")); resp.StatusCode != 200 || len(read[said](t, body).History) != 1 {
		t.Errorf("undo = %s %s", resp.Status, body)
	}
	if now = ask(); now.ProductName == "Onul tea" || now.Cached {
		t.Errorf("after the undo the photo is %+v", now)
	}
}

// A code that is not the product's is corrected to none, in the result and in the catalogue.
func TestCorrectToNoGTIN(t *testing.T) {
	t.Parallel()
	type product struct {
		Name string `json:"product_name"`
		GTIN string `json:"gtin"`
	}
	s := serve(t)
	s.corrected("a.jpg", 70, `{"verdict":"correct","fields":{"product_name":"Onul tea","category":"Tea","gtin":"8801234567893"},"by":"kim"}`)
	result := "/results/" + s.idOf("a.jpg")
	resp, body := s.ask("GET", result, "")
	if got := read[struct{ Result product }](t, body).Result; got.GTIN != "08801234567893" {
		t.Fatalf("the result is %+v, want the code in it", got)
	}
	etag := resp.Header.Get("ETag")
	if resp, body = s.ask("POST", result+"/review", `{"verdict":"correct","fields":{"gtin":" "},"by":"kim"}`, "If-Match", etag); resp.StatusCode != 200 {
		t.Fatalf("correct to no code = %s %s", resp.Status, body)
	}
	tea := product{Name: "Onul tea"}
	_, body = s.ask("GET", result, "")
	if got := read[struct{ Result product }](t, body).Result; got != tea {
		t.Errorf("the result is %+v, want the tea without a code", got)
	}
	_, body = s.ask("GET", "/catalog?status=confirmed", "")
	if got := read[struct{ Records []product }](t, body).Records; !slices.Equal(got, []product{tea}) {
		t.Errorf("the catalogue has %+v, want the tea without a code", got)
	}
}

// A Forgotten answer as clients see it.
type forgotten struct {
	ID      string    `json:"id"`
	At      time.Time `json:"forgotten_at"`
	Results []string  `json:"results"`
	Removed []string  `json:"removed"`
	Stays   []struct{ What, Where string }
}

func (f forgotten) stays() (all []string) {
	for _, s := range f.Stays {
		all = append(all, s.What)
	}
	slices.Sort(all)
	return all
}

func TestForgetAnUpload(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.corrected("a.jpg", 70, `{"verdict":"correct","fields":{"product_name":"Onul tea","category":"Tea"},"by":"kim"}`)
	id := s.idOf("a.jpg")
	attrs, err := s.objects.Bucket("uploads").Object("a.jpg").Attrs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := intake.Delivery{Object: intake.Object{ObjectRef: blob.ObjectRef{Bucket: "uploads", Name: "a.jpg", Generation: attrs.Generation}}}
	if resp, body := s.ask("DELETE", "/results/"+id, ""); resp.StatusCode != 409 || !strings.Contains(body, "result_busy") {
		t.Errorf("DELETE of what was finished just now = %s %s, want 409", resp.Status, body)
	}
	s.past(id)
	resp, body := s.ask("DELETE", "/results/"+id, "")
	f := read[forgotten](t, body)
	if resp.StatusCode != 200 || f.At.IsZero() || !slices.Equal(f.stays(), []string{"photo", "record"}) || !slices.Contains(f.Removed, "gs://results/a.jpg.json") {
		t.Fatalf("DELETE = %s %s", resp.Status, body)
	}
	for range 2 { // delivered again
		if o, err := s.in.Run.Deliver(t.Context(), s.in.Job(t.Context(), d)); err != nil || len(o.Result) > 0 {
			t.Errorf("delivered again: %s, %v; want it acknowledged without a result", o.Result, err)
		}
	}
	d.Replay = true
	if o, err := s.in.Run.Deliver(t.Context(), s.in.Job(t.Context(), d)); err != nil || len(o.Result) > 0 {
		t.Errorf("replayed: %s, %v; want it acknowledged without a result", o.Result, err)
	}
	for _, path := range []string{"", "/photo", "/review"} {
		if resp, body := s.ask("GET", "/results/"+id+path, ""); resp.StatusCode != 404 {
			t.Errorf("GET %s of what is forgotten = %s %s, want 404", path, resp.Status, body)
		}
	}
	if _, err := s.objects.Bucket("results").Object("a.jpg.json").Attrs(t.Context()); err == nil {
		t.Error("the object of the result is still there")
	}
	snap, err := s.FirestoreClient(t).Doc("work/" + id).Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := json.Marshal(snap.Data()); strings.Contains(string(data), "a.jpg") || strings.Contains(string(data), "sha256") {
		t.Errorf("the tombstone says %s", data)
	}
	if resp, body := s.ask("GET", "/catalog/"+c.Records[0].ID, ""); resp.StatusCode != 200 {
		t.Errorf("the record = %s %s, want it to stay", resp.Status, body)
	}
	resp, body = s.ask("DELETE", "/results/"+id+"?photo=true", "")
	if again := read[forgotten](t, body); resp.StatusCode != 200 || len(again.Removed)+len(again.Stays) != 0 || !again.At.Equal(f.At) {
		t.Errorf("DELETE again = %s %s", resp.Status, body)
	}
}

// A result that is being written is not removed.
func TestForgetWhileItIsWorkedOn(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := strings.Repeat("a", 32)
	c, err := s.in.Work.Claim(t.Context(), jobs.Item{ID: id, Kind: "upload", Subject: "a.jpg"})
	if err != nil {
		t.Fatal(err)
	}
	if resp, body := s.ask("DELETE", "/results/"+id, ""); resp.StatusCode != 409 || !strings.Contains(body, "result_busy") {
		t.Errorf("DELETE = %s %s, want 409 result_busy", resp.Status, body)
	}
	if err := c.Release(t.Context(), jobs.Waiting); err != nil {
		t.Fatal(err)
	}
	if resp, body := s.ask("DELETE", "/results/"+id, ""); resp.StatusCode != 200 {
		t.Errorf("DELETE of what waits = %s %s, want 200", resp.Status, body)
	}
}

func TestForgetAPhotoOfABatch(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for i := range 3 {
		s.upload(fmt.Sprintf("%d.jpg", i), picture(t, 80+i))
	}
	_, body := s.ask("POST", "/batches", `{"prefix":"gs://uploads/","dedupe":true}`)
	b := "/batches/" + read[batch.Status](t, body).ID
	s.work()
	id := s.idOf("1.jpg")
	resp, body := s.ask("DELETE", "/results/"+id, "")
	if f := read[forgotten](t, body); resp.StatusCode != 200 || !slices.Contains(f.Removed, "batch item") || !slices.Equal(f.stays(), []string{"photo"}) {
		t.Fatalf("DELETE = %s %s", resp.Status, body)
	}
	for _, path := range []string{"/result", "/result?format=csv", "/events"} {
		if _, body := s.ask("GET", b+path, ""); strings.Contains(body, id) || strings.Contains(path, "result") && strings.Count(body, "forgotten") == 0 {
			t.Errorf("GET %s says %s", path, body)
		}
	}
	if _, body = s.ask("GET", b, ""); read[batch.Status](t, body).Ended != 3 {
		t.Errorf("the batch is %s, want three photos ended", body)
	}
}
