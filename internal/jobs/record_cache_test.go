package jobs_test

import (
	"reflect"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/jobs"
)

// cacheable returns a success that Cached finds under key.
func cacheable(key string, tags ...string) jobs.Outcome {
	o := success("image")
	o.Result, o.CacheKey, o.Tags = []byte(`{"of":"`+key+`"}`), key, tags
	return o
}

// cached checks what is found under key: a result of a minute's age at most, or
// "" for none.
func (b bench) cached(key, want string) {
	b.Helper()
	r, age, found, err := b.store.Cached(b.Context(), key)
	if err != nil || found != (want != "") || found && (string(r.Result) != want || age < 0 || age > time.Minute) {
		b.Errorf("Cached(%q) = %s of age %v, %v, %v; want %q", key, r.Result, age, found, err, want)
	}
}

func TestRecord(t *testing.T) {
	b := open(t, jobs.Options{})
	b.ok("Record", b.store.Record(t.Context(), item, success("image"), time.Now()))
	b.ok("Record again", b.store.Record(t.Context(), item, cacheable("k", "photo"), time.Now()))
	r, err := b.store.Get(t.Context(), "a")
	if err != nil || string(r.Result) != `{"of":"k"}` || r.State != jobs.Done || !reflect.DeepEqual(r.Item, item) || r.CacheKey != "k" || r.Finished.IsZero() || r.Created.IsZero() {
		t.Errorf("Get = %+v, %v; want the second outcome", r, err)
	}
}

// An attachment is kept with its record, and lists leave it out; a rewritten outcome leaves it
// as it is.
func TestAttachment(t *testing.T) {
	b := open(t, jobs.Options{})
	of := item
	of.Attachment = []byte("small picture")
	o := cacheable("k", "photo")
	b.ok("Record", b.store.Record(t.Context(), of, o, time.Now()))
	_, changed, err := b.store.Rewrite(t.Context(), of.ID, func(o *jobs.Outcome) (bool, error) { o.Result = []byte(`{}`); return true, nil })
	if r, get := b.store.Get(t.Context(), of.ID); err != nil || get != nil || !changed || string(r.Attachment) != "small picture" {
		t.Errorf("Get = %+v, %v, %v; want the attachment", r, err, get)
	}
	list, err := b.store.List(t.Context(), jobs.Filter{})
	b.ok("List", err)
	for _, r := range append(list, b.tagged("photo")...) {
		if r.ID != of.ID || len(r.Result) == 0 || len(r.Tags) == 0 || r.Attachment != nil {
			t.Errorf("listed: %+v, want all but the attachment", r)
		}
	}
	if len(list) != 1 {
		t.Errorf("List = %d records, want 1", len(list))
	}
	of.Attachment = make([]byte, 33<<10)
	b.is("Record of a large one", b.store.Record(t.Context(), of, o, time.Now()), jobs.ErrTooLarge)
}

// A result is found by its key, whichever work finished it; of several, the newest.
func TestCached(t *testing.T) {
	b := open(t, jobs.Options{})
	b.cached("k", "")
	c := b.claim(b.store)
	b.cached("k", "")
	b.ok("Finish", c.Finish(t.Context(), cacheable("k", "photo")))
	b.cached("k", `{"of":"k"}`)
	b.cached("other", "")
	b.cached("", "")
	again := cacheable("k", "photo")
	again.Result = []byte(`{"of":"k","again":true}`)
	b.ok("Record", b.store.Record(t.Context(), named("b"), again, time.Now()))
	b.cached("k", `{"of":"k","again":true}`)
	b.ok("Record without a key", b.store.Record(t.Context(), named("c"), success("image"), time.Now()))
	b.cached("", "")
}

// A result is found for as long as it is said, by the server's clock.
func TestCachedFor(t *testing.T) {
	tests := []struct {
		name  string
		cache time.Duration
		age   time.Duration
		found bool
	}{
		{"as set up, young", 0, 29 * 24 * time.Hour, true},
		{"as set up, old", 0, 31 * 24 * time.Hour, false},
		{"an hour, young", time.Hour, 59 * time.Minute, true},
		{"an hour, old", time.Hour, 61 * time.Minute, false},
		{"never", -1, 0, false},
	}
	for _, test := range tests {
		b := open(t, jobs.Options{Cache: test.cache})
		b.ok("Record", b.store.Record(t.Context(), named("a"), cacheable("k", "photo"), time.Now()))
		_, err := b.db.Doc("work/a").Update(t.Context(), []firestore.Update{{Path: "finished_at", Value: time.Now().Add(-test.age)}})
		b.ok("Update", err)
		if _, age, found, err := b.store.Cached(t.Context(), "k"); err != nil || found != test.found {
			t.Errorf("%s: Cached = age %v, %v, %v; want found %v", test.name, age, found, err, test.found)
		}
	}
}

// A result out of the cache is not returned again, and its work not done again.
func TestRewriteOutOfTheCache(t *testing.T) {
	b := open(t, jobs.Options{})
	b.ok("Finish", b.claim(b.store).Finish(t.Context(), cacheable("korea", "photo")))
	b.ok("Record", b.store.Record(t.Context(), named("b"), cacheable("america", "photo"), time.Now()))
	b.ok("Record", b.store.Record(t.Context(), named("c"), cacheable("another", "another photo"), time.Now()))
	for range 2 {
		for _, r := range b.tagged("photo") {
			_, _, err := b.store.Rewrite(t.Context(), r.ID, func(o *jobs.Outcome) (bool, error) { o.CacheKey = ""; return true, nil })
			b.ok("Rewrite", err)
		}
	}
	b.cached("korea", "")
	b.cached("america", "")
	b.cached("another", `{"of":"another"}`)
	if _, err := b.store.Claim(t.Context(), item); ignore[*jobs.DoneError](err) != nil || err == nil {
		t.Errorf("Claim of work out of the cache = %v, want it done", err)
	}
}

func (b *bench) tagged(tag string) []jobs.Record {
	b.Helper()
	all, err := b.store.Tagged(b.Context(), tag)
	b.ok("Tagged", err)
	return all
}

// A record that is there is left as it is; one that was erased is made anew.
func TestRecordOnce(t *testing.T) {
	b := open(t, jobs.Options{})
	once := func(want string) {
		t.Helper()
		b.ok("RecordOnce", b.store.RecordOnce(t.Context(), named("a"), jobs.Outcome{Result: []byte(want)}))
	}
	is := func(want string) {
		t.Helper()
		if r, err := b.store.Get(t.Context(), named("a").ID); err != nil || string(r.Result) != want || r.State != jobs.Done {
			t.Errorf("Get = %+v, %v; want %s", r, err, want)
		}
	}
	once(`{"n":1}`)
	is(`{"n":1}`)
	once(`{"n":2}`)
	is(`{"n":1}`)
	_, err := b.store.Erase(t.Context(), named("a").ID)
	b.ok("Erase", err)
	_, err = b.store.EndErase(t.Context(), named("a").ID)
	b.ok("EndErase", err)
	once(`{"n":3}`)
	is(`{"n":3}`)
}

// Firestore drops records within a day of the time that this names.
func TestRetain(t *testing.T) {
	b := open(t, jobs.Options{Retain: 10 * 24 * time.Hour})
	b.ok("Record", b.store.Record(t.Context(), named("recorded"), success("image"), time.Now()))
	b.ok("Finish", b.claim(b.store).Finish(t.Context(), success("image")))
	for _, id := range []string{"recorded", item.ID} {
		doc, err := b.db.Doc("work/" + id).Get(t.Context())
		b.ok("Get", err)
		at, ok := doc.Data()["expires_at"].(time.Time)
		if kept := time.Until(at); !ok || kept < 10*24*time.Hour-time.Minute || kept > 10*24*time.Hour+time.Minute {
			t.Errorf("expires_at of %s = %v, want ten days from now", id, at)
		}
	}
}
