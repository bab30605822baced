package api_test

import (
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
)

// resultObject returns the result of an upload in the results bucket.
func (s *service) resultObject(name string) analyze.Result {
	s.t.Helper()
	r, err := s.objects.Bucket("results").Object(name + ".json").NewReader(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return read[analyze.Result](s.t, string(data))
}

// A correction of one result is in all that there is of its photo: the objects of uploads,
// results by whatever way, and batches; and is taken back there.
func TestCorrectionArrives(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.in.Limits.MaxPixels = 1 << 20
	photo, other := samples.All()[0].Bytes(), samples.All()[4].Bytes()
	s.uploaded("a.jpg", photo)
	s.uploaded("again/b.jpg", photo)
	s.uploaded("other.jpg", other)
	_, body := s.ask("POST", "/batches", `{"prefix":"gs://uploads/"}`)
	b := "/batches/" + read[batch.Status](t, body).ID
	s.work()
	_, body = s.ask("POST", "/analyze", string(photo))
	asked := read[analyze.Result](t, body)
	if resp, body := s.ask("GET", "/results/"+asked.ID, ""); !asked.Cached || resp.StatusCode != 200 {
		t.Fatalf("GET the result of a request that the cache has answered = %s %s", resp.Status, body)
	}
	was := s.resultObject("a.jpg")

	review := `{"verdict":"correct","by":"kim","fields":{"product_name":"Mandelmilch","category":"Drinks","key_features":["almonds"],"gtin":"8801234567893","expiration_date":"2027.01.31"}}`
	s.ok(s.ask("POST", "/results/"+asked.ID+"/review", review))
	corrected := func(where string, r *analyze.Result) {
		t.Helper()
		if r.Identification == nil || r.ProductName != "Mandelmilch" || r.Category != "Drinks" || r.GTIN != "08801234567893" || r.ExpirationDate != "2027.01.31" ||
			strings.Join(r.KeyFeatures, "") != "almonds" || r.ProductNameConfidence != 1 || r.Reviewed == nil || r.Reviewed.By != "kim" || r.Reviewed.Answered == nil || r.Reviewed.Answered.ProductName != was.ProductName || len(r.Reviewed.History) != 1 {
			data, _ := json.Marshal(r)
			t.Errorf("%s: %s", where, data)
		}
	}
	for _, name := range []string{"a.jpg", "again/b.jpg"} {
		r := s.resultObject(name)
		corrected(name, &r)
		_, body := s.ask("GET", "/results/"+s.idOf(name), "")
		stored := read[struct{ Result analyze.Result }](t, body).Result
		corrected("the result of "+name, &stored)
	}
	for _, query := range []string{"", "?lang=fr", "?country=US&second_look=always&policy=strict"} {
		_, body := s.ask("POST", "/analyze"+query, string(photo))
		again := read[analyze.Result](t, body)
		if query != "" { // it has features of its own, from what is read
			again.KeyFeatures = []string{"almonds"}
		}
		again.Reviewed.Answered.ProductName = was.ProductName
		corrected("asked with "+query, &again)
	}
	summary := func() (named, outcomes string) {
		t.Helper()
		_, body := s.ask("GET", b+"/result", "")
		for _, one := range read[[]struct {
			File   string
			Result analyze.Result
		}](t, body) {
			if one.File != "gs://uploads/other.jpg" {
				named += one.Result.ProductName + ";"
			}
		}
		_, body = s.ask("GET", b+"/result?format=csv", "")
		lines, err := csv.NewReader(strings.NewReader(body)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines[1:] {
			if line[0] != "gs://uploads/other.jpg" {
				named += line[3] + ";"
			}
		}
		_, body = s.ask("GET", b, "")
		return named, fmt.Sprint(read[batch.Status](t, body).Counts)
	}
	if named, _ := summary(); named != strings.Repeat("Mandelmilch;", 4) {
		t.Errorf("the batch names %s, want the correction", named)
	}
	if r := s.resultObject("other.jpg"); r.Reviewed != nil {
		t.Errorf("the other photo is reviewed: %+v", r.Reviewed)
	}

	s.uploaded("a.jpg", other) // a newer object
	newer := s.resultObject("a.jpg")
	s.ok(s.ask("POST", "/results/"+asked.ID+"/review", `{"verdict":"reject","by":"kim"}`))
	if r := s.resultObject("a.jpg"); r.ProductName != newer.ProductName || r.Image.SHA256 != newer.Image.SHA256 {
		t.Errorf("the review of an older photo has overwritten the result of the newer one: %+v", r)
	}
	if r := s.resultObject("again/b.jpg"); r.ProductName != "" || r.Reviewed.Verdict != "reject" {
		t.Errorf("again/b.jpg is %q, %+v, want no name", r.ProductName, r.Reviewed)
	}
	if named, outcomes := summary(); named != ";;;;" || !strings.Contains(outcomes, "unidentified:2") {
		t.Errorf("the batch names %s and counts %s, want nothing", named, outcomes)
	}

	s.ok(s.ask("DELETE", "/results/"+asked.ID+"/review?by=kim", ""))
	if r := s.resultObject("again/b.jpg"); r.ProductName != "Mandelmilch" || r.Reviewed.Verdict != "correct" {
		t.Errorf("after the undo of the rejection again/b.jpg is %+v, want the correction", r.Identification)
	}
	_, body = s.ask("GET", "/results/"+asked.ID, "")
	s.ok(s.ask("DELETE", "/results/"+asked.ID+"/review?by=kim&revision="+read[struct{ Revision string }](t, body).Revision, ""))
	r := s.resultObject("again/b.jpg")
	if r.ProductName != was.ProductName || r.Category != was.Category || r.Source != was.Source || r.ExpirationDate != was.ExpirationDate || r.GTIN != was.GTIN || r.ProductNameConfidence != was.ProductNameConfidence {
		t.Errorf("after the undo again/b.jpg is %+v, want %+v", r.Identification, was.Identification)
	}
}

// Of two processes that are given reviews of one revision at once, one is told what the other
// was given, and all results say what that one said.
func TestReviewsAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.in.Limits.MaxPixels = 1 << 20
	r := s.reviewing(samples.All()[0].Bytes())
	var all sync.WaitGroup
	status := make([]int, 6)
	for i := range status {
		all.Go(func() {
			resp, _ := s.ask("POST", "/results/"+r.id+"/review", fmt.Sprintf(`{"verdict":"correct","fields":{"product_name":"Name %d"},"by":"%d","revision":%q}`, i, i, r.seen[0]))
			status[i] = resp.StatusCode
		})
	}
	all.Wait()
	given := 0
	for i, code := range status {
		if code == 200 {
			given++
			if _, body := s.ask("GET", "/results/"+r.id, ""); !strings.Contains(body, fmt.Sprintf(`"product_name": "Name %d"`, i)) {
				t.Errorf("the result is not what %d said: %s", i, body)
			}
		} else if code != 409 {
			t.Errorf("%d was answered %d", i, code)
		}
	}
	if given != 1 {
		t.Errorf("%d reviews of one revision were taken: %v", given, status)
	}
}

// corrections returns what the results topic says of corrections since the last call, by the
// IDs of the results.
func (s *service) corrections() func() map[string][]pubsub.Message {
	s.t.Helper()
	const topic = "projects/emulated/topics/results-of-reviews"
	if err := s.PubSub.CreateTopic(topic); err != nil {
		s.t.Fatal(err)
	}
	var mu sync.Mutex
	told := map[string][]pubsub.Message{}
	s.PubSub.Subscribe(topic, func(m pubsub.Message) {
		mu.Lock()
		defer mu.Unlock()
		if m.Attributes["corrected"] != "" {
			told[m.Attributes["id"]] = append(told[m.Attributes["id"]], m)
		}
	})
	s.in.Run.(*jobs.Executor[analyze.Result, *agent.Event]).Events = queue.NewTopic(s.PubSubClient(s.t).TopicAdminClient, topic)
	return func() map[string][]pubsub.Message {
		mu.Lock()
		defer mu.Unlock()
		taken := told
		told = map[string][]pubsub.Message{}
		return taken
	}
}

// The results topic gets each result of a reviewed photo once for each review, as it is then,
// and no other. A review that is sent again changes nothing and tells nothing.
func TestCorrectionsAreTold(t *testing.T) {
	t.Parallel()
	s := serve(t)
	told := s.corrections()
	photo := picture(t, 60)
	s.uploaded("a.jpg", photo)
	s.uploaded("b.jpg", photo)
	s.uploaded("other.jpg", picture(t, 61))
	ids := map[string]string{s.idOf("a.jpg"): "gs://uploads/a.jpg", s.idOf("b.jpg"): "gs://uploads/b.jpg"}
	was := s.resultObject("a.jpg").ProductName
	path := "/results/" + s.idOf("a.jpg") + "/review"
	for _, step := range []struct {
		method, path, body, corrected, revision, name string
	}{
		{"POST", path, `{"verdict":"correct","by":"kim","fields":{"product_name":"Onul tea","category":"Tea","key_features":["tea"]}}`, "correct", "1", "Onul tea"},
		{"POST", path, `{"verdict":"correct","by":"kim","fields":{"product_name":"Onul tea","category":"Tea","key_features":["tea"]}}`, "", "", ""},
		{"DELETE", path + "?by=kim", "", "undo", "2", was},
	} {
		s.ok(s.ask(step.method, step.path, step.body))
		got := told()
		if step.corrected == "" {
			if len(got) != 0 {
				t.Errorf("the same review again is told of %d results", len(got))
			}
			continue
		}
		if len(got) != len(ids) {
			t.Errorf("%s: told of %d results, want %d", step.corrected, len(got), len(ids))
		}
		for id, object := range ids {
			if len(got[id]) != 1 {
				t.Errorf("%s: %s is told %d times, want once", step.corrected, object, len(got[id]))
				continue
			}
			m := got[id][0]
			r := read[answered](t, string(m.Data))
			if m.Attributes["corrected"] != step.corrected || m.Attributes["revision"] != step.revision || m.Attributes["object"] != object || r.ID != id || r.ProductName != step.name {
				t.Errorf("%s: %v with %s (%q), want revision %s of %s and %q", step.corrected, m.Attributes, r.ID, r.ProductName, step.revision, object, step.name)
			}
		}
	}
}

// A review of an answer for several photos is of these photos together, in any order and with
// copies: asked again they have it, each by itself does not.
func TestReviewOfSeveralPhotos(t *testing.T) {
	t.Parallel()
	s := serve(t)
	front, back := picture(t, 62), picture(t, 63)
	base := base64.StdEncoding.EncodeToString
	ask := func(photos ...[]byte) answered {
		t.Helper()
		if len(photos) == 1 {
			_, body := s.ask("POST", "/analyze", string(photos[0]))
			return read[answered](t, body)
		}
		var list []map[string]string
		for _, p := range photos {
			list = append(list, map[string]string{"image": base(p)})
		}
		data, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		resp, body := s.ask("POST", "/analyze?as=one", string(data), "Content-Type", "application/json")
		s.ok(resp, body)
		return read[answered](t, body)
	}
	alone, both := ask(front), ask(front, back)
	s.ok(s.ask("POST", "/results/"+both.ID+"/review", `{"verdict":"correct","by":"kim","fields":{"product_name":"Onul tea","category":"Tea","key_features":["tea"]}}`))
	for what, photos := range map[string][][]byte{"again": {front, back}, "in another order": {back, front}, "with a copy": {front, front, back}} {
		if r := ask(photos...); r.ProductName != "Onul tea" || r.Reviewed.Verdict != "correct" || r.Reviewed.By != "kim" || r.Reviewed.Revision != 1 {
			t.Errorf("both photos %s: %q, %+v; want the correction", what, r.ProductName, r.Reviewed)
		}
	}
	if r := ask(front); r.ProductName != alone.ProductName || r.Reviewed.Verdict != "" {
		t.Errorf("one of them: %q, %+v; want what it was, %q", r.ProductName, r.Reviewed, alone.ProductName)
	}
	s.ok(s.ask("DELETE", "/results/"+both.ID+"/review?by=kim", ""))
	if r := ask(front, back); r.ProductName != both.ProductName || r.Reviewed.Verdict != "" {
		t.Errorf("after the undo: %q, %+v; want %q", r.ProductName, r.Reviewed, both.ProductName)
	}
}
