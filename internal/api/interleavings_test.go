package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/catalog"
)

// Two people say things of one photo in every order that matters. Each row says what the
// result of the photo says then, which records the catalogue has, and how the photo is
// answered when it is asked for with other options. W is what the models
// read, and have learnt by another photo, M and K are corrections, - is no name.
//
// A step is a person, what they do, and of which revision: that which stands, unless the step
// names how many acts its writer had seen, as @0, or none. Number 409, 404 or 422 ends a step
// that is refused.
func TestInterleavings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		steps   string
		photo   string
		records string
		next    string
	}{
		{"kim accept", "W accept", "W confirmed", "W"},
		{"kim correct M", "M correct", "M confirmed, W rejected", "M"},
		{"kim reject", "- reject", "W rejected", "- rejected_before"},
		{"kim accept; kim undo", "W", "W unconfirmed", "W"},
		{"kim correct M; kim undo", "W", "W unconfirmed", "W"},
		{"kim reject; kim undo", "W", "W unconfirmed", "W"},

		// of what somebody else has changed since
		{"kim accept; lee reject @0 409", "W accept", "W confirmed", "W"},
		{"kim correct M; lee reject @0 409", "M correct", "M confirmed, W rejected", "M"},
		{"kim correct M; ask; lee reject @0 409", "M correct", "M confirmed, W rejected", "M"},
		{"kim accept; lee reject none 409", "W accept", "W confirmed", "W"},
		{"kim correct M; lee correct K @0 409", "M correct", "M confirmed, W rejected", "M"},
		{"kim correct M; lee reject; kim undo @1 409", "- reject", "M confirmed, W rejected", "- rejected_before"},

		// knowing what the other said
		{"kim accept; lee reject", "- reject", "W confirmed", "- rejected_before"},
		{"kim correct M; lee reject", "- reject", "M confirmed, W rejected", "- rejected_before"},
		{"kim correct M; lee correct K", "K correct", "K confirmed, W rejected", "K"},
		{"kim reject; lee accept 422", "- reject", "W rejected", "- rejected_before"},
		{"kim reject; lee correct M", "M correct", "M confirmed, W rejected", "M"},
		{"kim reject; lee correct W", "W correct", "W confirmed", "W"},
		{"kim reject; kim correct M none", "M correct", "M confirmed, W rejected", "M"},

		// what the other said stands again
		{"kim correct M; lee reject; lee undo", "M correct", "M confirmed, W rejected", "M"},
		{"kim correct M; lee reject; kim undo; kim undo", "W", "W unconfirmed", "W"},
		{"kim correct M; lee correct K; lee undo", "M correct", "M confirmed, W rejected", "M"},
		{"kim accept; lee accept; kim undo", "W accept", "W confirmed", "W"},
		{"kim reject; lee reject; lee undo", "- reject", "W rejected", "- rejected_before"},
		{"kim correct M; kim undo; lee reject", "- reject", "W rejected", "- rejected_before"},
		{"kim accept; kim undo; kim undo 404", "W", "W unconfirmed", "W"},

		// sent again, as after an interruption
		{"kim correct M @0; kim correct M @0; kim correct M none", "M correct", "M confirmed, W rejected", "M"},
		{"kim reject @0; kim undo @1; kim undo @1", "W", "W unconfirmed", "W"},

		// forgotten
		{"kim correct M; lee forget; kim correct K @1 404", "gone", "M confirmed, W rejected", "M"}, // by the code on the pack, which is in the record
		{"kim reject; lee forget", "gone", "W rejected", "W"},
		{"kim accept; lee reject; lee forget", "gone", "W confirmed", "W"},
	} {
		t.Run(tt.steps, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			s.in.Limits.MaxPixels = 1 << 20
			r := s.reviewing(samples.All()[0].Bytes())
			for step := range strings.SplitSeq(tt.steps, "; ") {
				r.do(step)
			}
			if got := r.says(); got != tt.photo {
				t.Errorf("the photo is %q, want %q", got, tt.photo)
			}
			if got := r.records(); got != tt.records {
				t.Errorf("the records are %q, want %q", got, tt.records)
			}
			if got := r.next(); got != tt.next {
				t.Errorf("with other options it is %q, want %q", got, tt.next)
			}
			if got := r.queue(); got && !strings.HasPrefix(tt.photo, "W") && tt.photo != "gone" {
				t.Error("it waits for a review")
			}
		})
	}
}

// A reviewing is one photo and the people who review its result.
type reviewing struct {
	*service
	photo string
	id    string
	wrong string   // W
	seen  []string // the revisions so far
}

func (s *service) reviewing(photo []byte) *reviewing {
	s.t.Helper()
	r := &reviewing{service: s, photo: string(photo)}
	_, body := s.ask("POST", "/analyze", r.photo)
	first := read[answered](s.t, body)
	if first.ProductName == "" || first.Source != "image" {
		s.t.Fatalf("the photo is %s, want a product that is read", body)
	}
	vector := make([]float32, catalog.Dimensions)
	vector[0] = 1
	_, err := catalog.New(s.FirestoreClient(s.t)).Create(s.t.Context(), catalog.Product{
		UUID: uuid.NewString(), Shop: "test", ProductName: first.ProductName, Brand: first.Brand, Category: "Snacks", KeyFeatures: []string{"learnt"}, Country: "KR", Lang: "ko",
		Status: catalog.Unconfirmed, Probability: 0.8, Source: "google_search", CreatedAt: time.Now(), Vectors: catalog.Vectors{Embedder: s.in.Pipeline.Space.ID(), Embedding: vector},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	r.id, r.wrong = first.ID, first.ProductName
	r.seen = []string{r.revision()}
	return r
}

// revision returns that of the result, "" if there is none.
func (r *reviewing) revision() string {
	resp, _ := r.ask("GET", "/results/"+r.id, "")
	return strings.Trim(resp.Header.Get("ETag"), `"`)
}

// short returns a name as the table has it.
func (r *reviewing) short(name string) string {
	short, known := map[string]string{r.wrong: "W", "Mandelmilch": "M", "Kokoswasser": "K", "": "-"}[name]
	if !known {
		return name
	}
	return short
}

func (r *reviewing) long(short string) string {
	return map[string]string{"W": r.wrong, "M": "Mandelmilch", "K": "Kokoswasser"}[short]
}

// do has a person do something.
func (r *reviewing) do(step string) {
	r.t.Helper()
	words, want, revision, name := strings.Fields(step), 200, r.revision(), ""
	for _, word := range words[min(2, len(words)):] {
		switch {
		case word == "none":
			revision = ""
		case word[0] == '@':
			revision = r.seen[word[1]-'0']
		case word == "409":
			want = 409
		case word == "404":
			want = 404
		case word == "422":
			want = 422
		default:
			name = r.long(word)
		}
	}
	switch words[len(words[:min(2, len(words))])-1] {
	case "ask":
		r.ok(r.ask("POST", "/analyze?second_look=always", r.photo))
		return
	case "forget":
		r.ok(r.ask("DELETE", "/results/"+r.id+"?by="+words[0], ""))
		return
	}
	said := map[string]any{"verdict": words[1], "by": words[0], "revision": revision}
	if name != "" {
		said["fields"] = map[string]string{"product_name": name}
	}
	body, err := json.Marshal(said)
	if err != nil {
		r.t.Fatal(err)
	}
	resp, answer := r.ask("POST", "/results/"+r.id+"/review", string(body))
	if resp.StatusCode != want {
		r.t.Fatalf("%s = %s %s, want %d", step, resp.Status, answer, want)
	}
	if now := r.revision(); !slices.Contains(r.seen, now) {
		r.seen = append(r.seen, now)
	}
}

// says returns what the stored result says.
func (r *reviewing) says() string {
	resp, body := r.ask("GET", "/results/"+r.id, "")
	if resp.StatusCode == 404 {
		return "gone"
	}
	l := read[struct {
		Verdict string
		Result  answered
	}](r.t, body)
	return strings.TrimSpace(r.short(l.Result.ProductName) + " " + l.Verdict)
}

// records returns the records of the catalogue with their statuses, tombstones too.
func (r *reviewing) records() string {
	docs, err := r.FirestoreClient(r.t).Collection("products").Documents(r.t.Context()).GetAll()
	if err != nil {
		r.t.Fatal(err)
	}
	var all []string
	for _, d := range docs {
		data := d.Data()
		name, _ := data["product_name"].(string)
		if base, ok := data["base"].(map[string]any); ok && name == "" {
			name, _ = base["product_name"].(string)
		}
		all = append(all, fmt.Sprint(r.short(name), " ", data["status"]))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// next returns how the photo is answered when asked with other options.
func (r *reviewing) next() string {
	_, body := r.ask("POST", "/analyze?second_look=always&policy=strict", r.photo)
	a := read[answered](r.t, body)
	name := r.short(a.ProductName)
	if slices.Contains(a.Warnings, "rejected_before") {
		name += " rejected_before"
	}
	return name
}

// queue reports whether a result of the photo waits for a review.
func (r *reviewing) queue() bool {
	_, body := r.ask("GET", "/results?order=doubt", "")
	return len(read[listing](r.t, body).Results) > 0
}

// What people say of a photo while it is analysed with other options stands in that result too,
// although nobody had said anything when the work began, or something else.
func TestReviewWhileItIsWorkedOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		before, slow string // what was said before, and the model that is asked while more is said
		begun        func(*service) bool
	}{
		{"", "emulated-image", func(s *service) bool { return s.Firestore.Calls()["BatchWrite"] > 0 }}, // with which the work begins
		{"kim reject", "emulated-judge", func(s *service) bool { // the catalogue is searched when it has read what was said
			return slices.ContainsFunc(s.Gemini.Calls(), func(c gemini.Call) bool { return c.Kind == gemini.KindEmbed })
		}},
	} {
		s := serve(t)
		s.in.Limits.MaxPixels = 1 << 20
		r := s.reviewing(samples.All()[0].Bytes())
		if tt.before != "" {
			r.do(tt.before)
		}
		s.Gemini.SetFaults(gemini.Fault{Type: gemini.Latency, Model: tt.slow, Delay: 2 * time.Second})
		s.Gemini.ResetCalls()
		s.Firestore.ResetCalls()
		answer := make(chan string)
		go func() {
			_, body := s.ask("POST", "/analyze?country=DE", r.photo)
			answer <- body
		}()
		for !tt.begun(s) {
			time.Sleep(time.Millisecond)
		}
		r.do("kim correct M")
		if r.id = read[answered](t, <-answer).ID; r.says() != "M correct" {
			t.Errorf("after %q the result that was made meanwhile is %q, want %q", tt.before, r.says(), "M correct")
		}
	}
}
