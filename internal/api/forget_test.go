package api_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	gcp "cloud.google.com/go/firestore"
	"cloud.google.com/go/storage"
	protocol "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/uuid"
	"google.golang.org/api/iterator"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/session"
)

// A photo that came in by every way there is leaves nothing when one of its results is
// forgotten: no hash, no file name, no word. What stays of it, a record of the catalogue,
// is named.
func TestForgetEverywhere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file   string
		sample int
		record bool // a record of the catalogue stays
		review string
	}{
		{"clear", 0, false, ""},
		{"learnt from the web", 2, true, ""},
		{"corrected", 0, true, `{"verdict":"correct","fields":{"product_name":"Zimtkringel","category":"Biscuits"},"by":"Quentin Ruiz"}`},
		{"rejected", 0, false, `{"verdict":"reject","by":"Quentin Ruiz"}`},
	} {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && !tt.record {
				t.Skip("one way more through the same code, which takes eleven seconds under the race detector")
			}
			s := remembering(t)
			s.in.Limits.MaxPixels = 1 << 20
			photo, other := samples.All()[tt.sample].Bytes(), samples.All()[4].Bytes()
			first := s.everyWay(photo, other)
			before := s.leftOf(first, photo)
			if len(before) < 16 {
				t.Fatalf("the photo is in %q only: not every way works", before)
			}
			if tt.review != "" {
				if resp, body := s.ask("POST", "/results/"+first.ID+"/review", tt.review); resp.StatusCode != 200 {
					t.Fatalf("review = %s %s", resp.Status, body)
				}
			}
			resp, body := s.ask("DELETE", "/results/"+first.ID+"?photo=true", "")
			f := read[forgotten](t, body)
			if resp.StatusCode != 200 {
				t.Fatalf("DELETE = %s %s", resp.Status, body)
			}
			var named []string
			for _, stay := range f.Stays {
				if id, is := strings.CutPrefix(stay.Where, "/catalog/"); is {
					named = append(named, "words in products/"+id, "words in acts/"+id, "a person in acts/"+id)
					for _, result := range append(f.Results, f.ID) { // which product was confirmed, under one of them
						named = append(named, "words in reviews/"+result)
					}
				}
			}
			if (len(named) > 0) != tt.record {
				t.Errorf("what stays is %+v, want a record: %v", f.Stays, tt.record)
			}
			for _, where := range s.leftOf(first, photo) {
				if !slices.Contains(named, where) {
					t.Errorf("left: %s", where)
				}
			}
			for _, result := range s.results() {
				if result.Image == nil || result.Image.SHA256 == first.Image.SHA256 {
					t.Errorf("the result %s is still listed", result.ID)
				}
			}
			if len(s.results()) == 0 {
				t.Error("the results of the other photo are gone too")
			}
		})
	}
}

// secretName is in the name of every file with the photo.
const secretName = "quixotic"

// thumbnailOf returns a thumbnail that no photo of these tests has.
func thumbnailOf(t *testing.T) []byte { return picture(t, 77) }

// everyWay has a photo analysed by every way there is, with another one beside it, and
// returns the first result.
func (s *service) everyWay(photo, other []byte) analyze.Result {
	s.t.Helper()
	s.upload(secretName+".jpg", photo)
	s.upload("folder/"+secretName+"-2.jpg", photo)
	s.upload("folder/other.jpg", other)
	attrs, err := s.objects.Bucket("uploads").Object(secretName + ".jpg").Attrs(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	d := intake.Delivery{Object: intake.Object{ObjectRef: blob.ObjectRef{Bucket: "uploads", Name: secretName + ".jpg", Generation: attrs.Generation}, Size: attrs.Size}}
	o, err := s.in.Run.Deliver(s.t.Context(), s.in.Job(s.t.Context(), d))
	if err != nil {
		s.t.Fatal(err)
	}
	first := read[analyze.Result](s.t, string(o.Result))
	s.past(first.ID)
	for _, way := range []struct{ path, body, contentType string }{
		{"/analyze", `{"image":"` + base64.StdEncoding.EncodeToString(photo) + `","file":"` + secretName + `.jpg","thumbnail":"` + base64.StdEncoding.EncodeToString(thumbnailOf(s.t)) + `"}`, "application/json"},
		{"/analyze", string(photo), "image/jpeg"},
		{"/analyze?country=FR&second_look=always", string(photo), "image/jpeg"},
		{"/analyze", `{"uri":"gs://uploads/` + secretName + `.jpg","fresh":true}`, "application/json"},
	} {
		s.ok(s.ask("POST", way.path, way.body, "Content-Type", way.contentType))
	}
	for _, fields := range [][][2]string{{{"as", "one"}}, nil} {
		body, contentType := form(s.t, append(fields, [2]string{secretName + ".jpg", string(photo)}, [2]string{"other.jpg", string(other)})...)
		s.ok(s.ask("POST", "/analyze", body, "Content-Type", contentType))
	}
	s.ok(s.ask("POST", "/analyze?lang=fr", string(photo), "Content-Type", "image/jpeg", "Accept", "text/event-stream"))
	s.ok(s.ask("POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"analyze_image","arguments":{"image":%q,"country":"DE"}}}`,
		base64.StdEncoding.EncodeToString(photo)), "Content-Type", "application/json", "Accept", "application/json, text/event-stream"))
	for _, immediately := range []bool{false, true} {
		for version, client := range s.clients() {
			named := protocol.NewRawPart(photo)
			named.Filename = secretName + ".jpg"
			m := protocol.NewMessage(protocol.MessageRoleUser, named, protocol.NewFileURLPart("gs://uploads/"+secretName+".jpg", "image/jpeg"))
			request := &protocol.SendMessageRequest{Message: m, Config: &protocol.SendMessageConfig{ReturnImmediately: immediately}}
			if _, err := client.SendMessage(s.t.Context(), request); err != nil {
				s.t.Fatalf("A2A %s: %v", version, err)
			}
		}
		s.work()
	}
	s.searches(photo)
	s.groups()
	for _, request := range []string{
		`{"prefix":"gs://uploads/","dedupe":true}`, `{"prefix":"gs://uploads/folder/"}`,
		`{"prefix":"gs://uploads/","group":"folder"}`, `{"prefix":"gs://uploads/","group":"barcode","lang":"de"}`,
	} {
		_, body := s.ask("POST", "/batches", request)
		id := read[batch.Status](s.t, body).ID
		s.work()
		if _, body = s.ask("GET", "/batches/"+id, ""); read[batch.Status](s.t, body).State != "done" {
			s.t.Fatalf("the batch %s", body)
		}
	}
	return first
}

// remembering returns searching with searches that belong to conversations.
func remembering(t *testing.T) *service {
	t.Helper()
	s := searching(t)
	s.search.Sessions = session.New(s.FirestoreClient(t), session.Options{})
	return s
}

// searches searches by a photo, in conversations of each protocol.
func (s *service) searches(photo []byte) {
	s.t.Helper()
	image := base64.StdEncoding.EncodeToString(photo)
	resp, body := s.ask("POST", "/search", fmt.Sprintf(`{"image":%q,"session":"new"}`, image), "Content-Type", "application/json")
	s.ok(resp, body)
	id := read[struct{ Session string }](s.t, body).Session
	if id == "" {
		s.t.Fatalf("the search begins no conversation: %.300s", body)
	}
	s.ok(s.ask("POST", "/search", fmt.Sprintf(`{"image":%q,"query":"red ones like this","session":%q}`, image, id), "Content-Type", "application/json"))
	s.ok(s.ask("POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_products","arguments":{"image":%q,"session":"new"}}}`, image),
		"Content-Type", "application/json", "Accept", "application/json, text/event-stream"))
	for version, client := range s.clients() {
		named := protocol.NewRawPart(photo)
		named.Filename = secretName + ".jpg"
		m := protocol.NewMessage(protocol.MessageRoleUser, named)
		m.ContextID, m.Metadata = uuid.NewString(), map[string]any{"skill": "search"}
		if _, err := client.SendMessage(s.t.Context(), &protocol.SendMessageRequest{Message: m}); err != nil {
			s.t.Fatalf("A2A %s: %v", version, err)
		}
	}
}

// groups has the photo analysed as one of a group, of uploads and of batches.
func (s *service) groups() {
	s.t.Helper()
	s.in.GroupQuiet = time.Millisecond
	for _, by := range []string{intake.ByFolder, intake.ByBarcode} {
		attrs, err := s.objects.Bucket("uploads").Object("folder/"+secretName+"-2.jpg").Update(s.t.Context(), storage.ObjectAttrsToUpdate{Metadata: map[string]string{"group": by}})
		if err != nil {
			s.t.Fatal(err)
		}
		d := intake.Delivery{Object: intake.Object{ObjectRef: blob.ObjectRef{Bucket: "uploads", Name: attrs.Name, Generation: attrs.Generation}, Size: attrs.Size, Metadata: attrs.Metadata}}
		g, err := s.in.Grouped(s.t.Context(), d)
		for errors.Is(err, jobs.ErrBusy) { // until nothing has come for a while
			time.Sleep(s.in.GroupQuiet)
			g, err = s.in.Grouped(s.t.Context(), d)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		o, err := s.in.Run.Deliver(s.t.Context(), s.in.Job(s.t.Context(), g))
		if err != nil {
			s.t.Fatal(err)
		}
		s.past(read[analyze.Result](s.t, string(o.Result)).ID)
	}
}

// ok fails the test unless an answer is 200.
func (s *service) ok(resp *http.Response, body string) {
	s.t.Helper()
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s: %s %.300s", resp.Request.Method, resp.Request.URL.Path, resp.Status, body)
	}
}

func (s *service) results() (all []analyze.Result) {
	_, body := s.ask("GET", "/results?limit=100", "")
	for _, one := range read[struct {
		Results []struct{ Result analyze.Result }
	}](s.t, body).Results {
		all = append(all, one.Result)
	}
	return all
}

// leftOf returns the places with a trace of a photo, a word of its result or the person who
// reviewed it, as "words in products/x".
func (s *service) leftOf(r analyze.Result, photo []byte) (left []string) {
	s.t.Helper()
	words := []string{"Zimtkringel"}
	if r.Identification != nil {
		words = append(append(words, r.ProductName), r.KeyFeatures...)
	}
	if r.GTIN != "" {
		words = append(words, r.GTIN)
	}
	secrets := map[string][]string{
		"a trace":  {secretName, r.Image.SHA256, base64.StdEncoding.EncodeToString(photo)[:100], jsonText(s.t, string(thumbnailOf(s.t)))},
		"words":    words,
		"a person": {"Quentin"},
	}
	look := func(place, text string) {
		for kind, all := range secrets {
			if slices.ContainsFunc(all, func(secret string) bool { return strings.Contains(text, secret) }) {
				left = append(left, kind+" in "+place)
			}
		}
	}
	for _, d := range s.everyDocument(nil, s.FirestoreClient(s.t).Collections(s.t.Context())) {
		fields, err := json.Marshal(plain(d.Data()))
		if err != nil {
			s.t.Fatal(err)
		}
		_, path, _ := strings.Cut(d.Ref.Path, "/documents/")
		look(path, path+string(fields))
	}
	for _, bucket := range []string{"uploads", "results"} {
		objects := s.objects.Bucket(bucket).Objects(s.t.Context(), nil)
		for o, err := objects.Next(); err != iterator.Done; o, err = objects.Next() {
			if err != nil {
				s.t.Fatal(err)
			}
			r, err := s.objects.Bucket(bucket).Object(o.Name).NewReader(s.t.Context())
			if err != nil {
				s.t.Fatal(err)
			}
			data, err := io.ReadAll(r)
			if err != nil {
				s.t.Fatal(err)
			}
			look("gs://"+bucket+"/"+o.Name, o.Name+fmt.Sprint(o.Metadata)+string(data))
		}
	}
	return left
}

// jsonText returns s as JSON writes it, without its quotes.
func jsonText(t *testing.T, s string) string {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(data), `"`)
}

// plain returns a value of a document with bytes as text.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			v[name] = plain(value)
		}
	case []any:
		for i, value := range v {
			v[i] = plain(value)
		}
	case []byte:
		return string(v)
	case gcp.Vector32, gcp.Vector64, *gcp.DocumentRef, time.Time:
		return nil
	}
	return v
}

// everyDocument appends the documents of collections, and of those below them.
func (s *service) everyDocument(all []*gcp.DocumentSnapshot, collections *gcp.CollectionIterator) []*gcp.DocumentSnapshot {
	s.t.Helper()
	in, err := collections.GetAll()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range in {
		docs, err := c.Documents(s.t.Context()).GetAll()
		if err != nil {
			s.t.Fatal(err)
		}
		for _, d := range docs {
			all = s.everyDocument(append(all, d), d.Ref.Collections(s.t.Context()))
		}
	}
	return all
}
