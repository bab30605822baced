package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	gcs "cloud.google.com/go/storage"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"

	emulated "example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/jobs"
)

func TestBatch(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for i := range 3 {
		s.upload(fmt.Sprintf("shop/%d.jpg", i), picture(t, 40+i))
	}
	s.upload("shop/broken.jpg", []byte("no photo"))

	resp, body := s.ask("POST", "/batches", `{"prefix":"gs://uploads/shop/","dry_run":true}`)
	if got := read[batch.Status](t, body); resp.StatusCode != 200 || got.Number != 4 || got.ID != "" || resp.Header.Get("Location") != "" {
		t.Errorf("a dry run = %s, %s; want 200 and 4 photos", resp.Status, body)
	}
	resp, body = s.ask("POST", "/batches", `{"prefix":"gs://uploads/shop/","lang":"en"}`)
	made := read[batch.Status](t, body)
	at := "/batches/" + made.ID
	if resp.StatusCode != 202 || made.ID == "" || resp.Header.Get("Location") != at {
		t.Fatalf("POST /batches = %s, %s, %s; want 202 with its place", resp.Status, resp.Header, body)
	}
	s.work()
	_, body = s.ask("GET", at, "")
	if got := read[batch.Status](t, body); got.State != jobs.Done || got.Ended != 4 || got.Counts[batch.ItemFailed] != 1 || len(got.Failures) != 1 {
		t.Errorf("GET %s = %s, want it done with one failure", at, body)
	}
	_, body = s.ask("GET", "/batches", "")
	if got := read[struct{ Batches []batch.Status }](t, body).Batches; len(got) != 1 || got[0].ID != made.ID {
		t.Errorf("GET /batches = %s, want the one", body)
	}
	resp, body = s.ask("DELETE", at, "")
	if got := read[batch.Status](t, body); resp.StatusCode != 202 || got.State != jobs.Done {
		t.Errorf("DELETE of one that is done = %s, %s; want 202 and nothing changed", resp.Status, body)
	}
	s.checkResults(at)
}

// checkResults checks the results of the batch at a path as JSON and CSV.
func (s *service) checkResults(at string) {
	s.t.Helper()
	resp, body := s.ask("GET", at+"/result", "")
	var files []string
	for _, one := range read[[]struct {
		File   string
		Result map[string]any
	}](s.t, body) {
		files = append(files, one.File)
		if one.Result["lang"] != "en" {
			s.t.Errorf("the result of %s is %v, want lang en", one.File, one.Result)
		}
	}
	want := []string{"gs://uploads/shop/0.jpg", "gs://uploads/shop/1.jpg", "gs://uploads/shop/2.jpg", "gs://uploads/shop/broken.jpg"}
	if !slices.Equal(files, want) || !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		s.t.Errorf("GET %s/result = %q, %s; want %q", at, files, resp.Header, want)
	}
	resp, body = s.ask("GET", at+"/result?format=csv", "")
	if n := strings.Count(strings.TrimSpace(body), "\n"); n != 4 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/csv") {
		s.t.Errorf("GET %s/result?format=csv = %s, %d lines after the first; want 4\n%s", at, resp.Header, n, body)
	}
}

func TestBatchEvents(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for i := range 3 {
		s.upload(fmt.Sprintf("%d.jpg", i), picture(t, 40+i))
	}
	_, body := s.ask("POST", "/batches", `{"prefix":"gs://uploads/"}`)
	at := "/batches/" + read[batch.Status](t, body).ID + "/events"
	done := make(chan []event)
	go func() { done <- s.streamed("GET", at, "") }()
	s.work()
	all := <-done
	files := map[string]int{}
	for _, e := range all {
		if e.kind == "item" {
			files[read[batch.Item](t, e.data).File]++
		}
	}
	last := read[batch.Status](t, all[len(all)-1].data)
	if len(files) != 3 || files["gs://uploads/0.jpg"] != 1 || all[len(all)-1].kind != "end" || last.State != jobs.Done || last.Ended != 3 {
		t.Fatalf("the events are %v, want each photo once and the end", all)
	}
	if got := kinds(all); !slices.Contains(got, "progress") {
		t.Errorf("the events are %q, want progress among them", got)
	}
	place := all[len(all)-1].id
	if again := s.streamed("GET", at, "", "Last-Event-ID", place); slices.Contains(kinds(again), "item") {
		t.Errorf("after %s: %v, want no photo again", place, again)
	}
	if resp, body := s.ask("GET", at, "", "Last-Event-ID", "nowhere"); resp.StatusCode != 400 || !strings.Contains(body, "bad_cursor") {
		t.Errorf("after nowhere: %s, %s; want 400 bad_cursor", resp.Status, body)
	}
	var items []event // of a batch that has ended: each has a place of its own
	for _, e := range s.streamed("GET", at, "") {
		if e.kind == "item" {
			items = append(items, e)
		}
	}
	for i, e := range items {
		n := 0
		for _, again := range s.streamed("GET", at, "", "Last-Event-ID", e.id) {
			if again.kind == "item" {
				n++
			}
		}
		if n != len(items)-1-i {
			t.Errorf("after photo %d of %d: %d photos, want those that come behind", i, len(items), n)
		}
	}
}

// A cancelled batch is reported at once, although no photo ends.
func TestBatchEventsOfACancelledBatch(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.upload("a.jpg", picture(t, 40))
	_, body := s.ask("POST", "/batches", `{"prefix":"gs://uploads/"}`)
	at := "/batches/" + read[batch.Status](t, body).ID
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	resp, err := http.DefaultClient.Do(s.request("GET", at+"/events", "").WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	until := func(kind string, state jobs.State) {
		t.Helper()
		all := events(t, resp.Body, func(e event) bool { return e.kind == kind })
		if len(all) == 0 || all[len(all)-1].kind != kind || read[batch.Status](t, all[len(all)-1].data).State != state {
			t.Fatalf("the events are %v, want %s %s at their end", all, kind, state)
		}
	}
	until("progress", jobs.Expanding)
	resp2, body := s.ask("DELETE", at, "")
	if got := read[batch.Status](t, body); resp2.StatusCode != 202 || got.State != jobs.Cancelling {
		t.Errorf("DELETE %s = %s, %s; want 202 and that it is being cancelled", at, resp2.Status, body)
	}
	until("progress", jobs.Cancelling)
	s.work()
	until("end", jobs.Cancelled)
}

// A response that breaks off must not look complete to the client.
func TestBatchResultThatBreaksOff(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.upload("0.jpg", picture(t, 40))
	_, body := s.ask("POST", "/batches", `{"prefix":"gs://uploads/"}`)
	id := read[batch.Status](t, body).ID
	s.work()
	s.summaryLost(id)
	broken := emulated.Fault{Method: "RunQuery", Code: codes.PermissionDenied, Times: 1 << 20}
	s.Firestore.Fail(broken)
	if resp, body := s.ask("GET", "/batches/"+id+"/result", ""); resp.StatusCode < 500 {
		t.Errorf("a short result that cannot be read = %s, %.200s; want an error", resp.Status, body)
	}
	s.Firestore.ClearFaults()
	items, long := s.FirestoreClient(t).BulkWriter(t.Context()), strings.Repeat("long", 200_000)
	for i := range 200 { // more than are read at once, and than fit between the two while the client does not read
		description := "short"
		if i < 25 {
			description = long
		}
		item := s.FirestoreClient(t).Doc(fmt.Sprintf("batches/%s/items/%06d", id, i+1))
		if _, err := items.Create(item, map[string]any{"index": i + 1, "file": "gs://uploads/x", "outcome": "no_product", "result": `{"description":"` + description + `"}`}); err != nil {
			t.Fatal(err)
		}
	}
	items.End()
	for _, format := range []string{"json", "csv"} {
		resp, err := http.DefaultClient.Do(s.request("GET", "/batches/"+id+"/result?format="+format, ""))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		_, err = io.ReadFull(resp.Body, make([]byte, 1000)) // the first photos were read
		s.Firestore.Fail(broken)
		if text, cut := io.ReadAll(resp.Body); err != nil || cut == nil || resp.StatusCode != 200 {
			t.Errorf("a %s whose last photo cannot be read = %s, %v, %d bytes with their end; want them cut", format, resp.Status, err, len(text))
		}
		s.Firestore.ClearFaults()
	}
}

// summaryLost deletes the summary of a batch, so that its result is read from its items.
func (s *service) summaryLost(id string) {
	s.t.Helper()
	results := s.objects.Bucket("results")
	for objects := results.Objects(s.t.Context(), &gcs.Query{Prefix: "batches/" + id + "/result"}); ; {
		o, err := objects.Next()
		if errors.Is(err, iterator.Done) {
			return
		}
		if err == nil {
			err = results.Object(o.Name).Delete(s.t.Context())
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

func TestBatchesRefuse(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.upload("a.txt", []byte("no photo"))
	tests := []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"POST", "/batches", "", 400, "bad_body"},
		{"POST", "/batches", "x", 400, "bad_body"},
		{"POST", "/batches", `{"prefix":7}`, 400, "bad_body"},
		{"POST", "/batches", `{"prefix":"gs://uploads/","colour":"red"}`, 400, "bad_body"},
		{"POST", "/batches", `{"prefix":"gs://uploads/"} x`, 400, "bad_body"},
		{"POST", "/batches", `{"prefix":"` + strings.Repeat("a", 100_000) + `"}`, 413, "too_many_bytes"},
		{"POST", "/batches", `{}`, 422, "bad_option"},
		{"POST", "/batches", `{"prefix":"gs://uploads/","sample":0}`, 422, "bad_option"},
		{"POST", "/batches", `{"prefix":"gs://uploads/","lang":"klingon!"}`, 422, "bad_option"},
		{"POST", "/batches", `{"prefix":"gs://uploads/"}`, 422, "no_photos"},
		{"POST", "/batches", `{"prefix":"gs://secrets/"}`, 403, "bucket_not_allowed"},
		{"GET", "/batches/20260101-000000-abcdefgh", "", 404, "batch_not_found"},
		{"GET", "/batches/a%2Fitems", "", 404, "batch_not_found"},
		{"DELETE", "/batches/nothing", "", 404, "batch_not_found"},
		{"GET", "/batches/nothing/result", "", 404, "batch_not_found"},
		{"GET", "/batches/nothing/result?format=xml", "", 422, "bad_option"},
		{"GET", "/batches/nothing/events", "", 404, "batch_not_found"},
	}
	for _, test := range tests {
		resp, body := s.ask(test.method, test.path, test.body)
		fields := read[map[string]any](t, body)
		if resp.StatusCode != test.status || fields["code"] != test.code {
			t.Errorf("%s %s %.60s = %s, %v; want %d %s", test.method, test.path, test.body, resp.Status, fields, test.status, test.code)
		}
		checkProblem(t, test.path+" "+test.body[:min(len(test.body), 60)], resp, fields)
	}
}
