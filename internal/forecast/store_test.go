package forecast

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gcs "cloud.google.com/go/storage"
	"google.golang.org/api/option"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/store"
)

// A reads notes which objects are read, and how many lists are asked for.
type reads struct {
	mu      sync.Mutex
	objects map[string]int
	lists   int
}

func (c *reads) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	if r.Method == http.MethodGet {
		if r.URL.Query().Has("prefix") {
			c.lists++
		} else {
			c.objects[r.URL.Path]++
		}
	}
	c.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

// taken returns the counts since it was called last.
func (c *reads) taken() (objects, lists int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.objects {
		objects += n
	}
	lists = c.lists
	c.objects, c.lists = map[string]int{}, 0
	return objects, lists
}

// A cached forecast that an instance has answered with is not read again, but what others do
// to it is seen: audio that is made, facts that are replaced, a forecast that is deleted.
func TestHitsReadNoObjectTwice(t *testing.T) {
	h := open(t, nil)
	count := &reads{objects: map[string]int{}}
	client, err := gcs.NewClient(t.Context(), option.WithEndpoint(h.Storage.Endpoint()), option.WithHTTPClient(&http.Client{Transport: count}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	p := another(t, h.World, func(c *Config) { c.Objects = blob.New(client) })
	made, err := h.Run(t.Context(), Request{City: "Da Nang"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := strings.NewReplacer(textName, factsName, ".txt", ".json").Replace(made.TextFile)
	facts, _, err := h.store.objects.Read(t.Context(), blob.ObjectRef{Bucket: "results", Name: file}, maxKept)
	if err != nil {
		t.Fatal(err)
	}
	speak := func() { // in another instance
		if res, err := h.Run(t.Context(), Request{City: "Da Nang", Audio: true}, nil); err != nil || res.AudioFile == "" {
			t.Fatalf("with audio = %+v, %v", res, err)
		}
	}
	replace := func() {
		if err := h.store.write(t.Context(), file, "application/json", bytes.Replace(facts, []byte(`"tone":"`), []byte(`"tone":"very `), 1)); err != nil {
			t.Fatal(err)
		}
	}
	remove := func() {
		if err := h.objects.Bucket("results").Object(made.TextFile).Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		about, city    string
		before         func()
		objects, lists int
		check          func(Result) bool
	}{
		{"the first", "Da Nang", nil, 1, 1, func(r Result) bool { return r.Text == made.Text && r.AudioFile == "" }},
		{"again", "Da Nang", nil, 0, 1, func(r Result) bool { return r.Text == made.Text }},
		{"by coordinates", "16.0544,108.2022", nil, 1, 2, func(r Result) bool { return r.Place.Name == "Da Nang" }},
		{"by coordinates again", "16.0544,108.2022", nil, 0, 2, func(r Result) bool { return r.Place.Name == "Da Nang" }},
		{"spoken meanwhile", "Da Nang", speak, 0, 1, func(r Result) bool { return r.AudioFile != "" }},
		{"replaced meanwhile", "Da Nang", replace, 1, 1, func(r Result) bool { return r.tone == "very "+made.tone }},
		{"deleted meanwhile", "Da Nang", remove, -1, -1, func(r Result) bool { return !r.Cached }},
	} {
		if test.before != nil {
			test.before()
		}
		count.taken()
		res, err := p.Run(t.Context(), Request{City: test.city}, nil)
		if err != nil || !test.check(res) {
			t.Errorf("%s: Run = %+v, %v", test.about, res, err)
		}
		if objects, lists := count.taken(); test.objects >= 0 && (objects != test.objects || lists != test.lists) {
			t.Errorf("%s: %d objects were read and %d lists, want %d and %d", test.about, objects, lists, test.objects, test.lists)
		}
	}
}

// The forecasts of a city come in pages, those of one second in the order of their names.
func TestPageOf(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	list := func() []listed {
		return []listed{{which: "a", at: at.Add(time.Hour)}, {which: "a", at: at}, {which: "b", at: at}, {which: "a", at: at.Add(-time.Hour)}}
	}
	for limit := 1; limit < 6; limit++ {
		var all []listed
		for after := ""; ; {
			page, next, err := pageOf(list(), after, limit)
			if err != nil || len(page) > limit {
				t.Fatalf("a page of %d behind %q = %v, %v", limit, after, page, err)
			}
			all = append(all, page...)
			if next == "" {
				break
			}
			after = next
		}
		if !slices.Equal(all, list()) {
			t.Errorf("pages of %d are %v, want %v", limit, all, list())
		}
	}
	if _, _, err := pageOf(list(), "nowhere", 1); !errors.Is(err, store.ErrCursor) {
		t.Errorf("behind nowhere = %v, want %v", err, store.ErrCursor)
	}
	if page, next, err := pageOf(nil, "", 1); len(page) > 0 || next != "" || err != nil {
		t.Errorf("a page of nothing = %v, %q, %v", page, next, err)
	}
}
