package intake_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/jpeg"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gcs "cloud.google.com/go/storage"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/intake"
	"example.com/whatis/internal/load"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/recall"
	"example.com/whatis/internal/work"
)

func TestMain(m *testing.M) {
	os.Setenv("GOOGLE_API_KEY", "emulated")
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// desk is an intake over emulators.
type desk struct {
	*emulate.World
	*intake.Intake
	t       *testing.T
	objects *gcs.Client
	work    *work.Store
}

// lease is how long a claim holds in the tests.
const lease = 300 * time.Millisecond

func newDesk(t *testing.T) *desk {
	t.Helper()
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini, emulate.Storage)
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	stamp, err := catalog.StampOf("emulated-embedding")
	if err != nil {
		t.Fatal(err)
	}
	db := w.FirestoreClient(t)
	pipeline, err := analyze.New(analyze.Config{
		Gemini: model, Catalog: catalog.New(db), Stamp: stamp, Shop: "test",
		Models: analyze.Models{Image: "emulated-image", Judge: "emulated-judge"},
	})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{World: w, t: t, objects: w.StorageClient(t), work: work.New(db, work.Options{Lease: lease})}
	d.Intake, err = intake.New(intake.Config{
		Pipeline: pipeline, Objects: blob.New(d.objects), Work: d.work, Recall: recall.New(db), Memory: load.New(100<<20, 100, time.Second), Results: "results", Readable: []string{"uploads"},
		Defaults: intake.Options{Country: "KR", Lang: "ko"}, Limits: photo.Limits{MaxBytes: 100_000},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// upload puts an object into the upload bucket and returns it as an event names
// it.
func (d *desk) upload(name string, data []byte, metadata map[string]string) intake.Delivery {
	d.t.Helper()
	w := d.objects.Bucket("uploads").Object(name).NewWriter(d.t.Context())
	w.Metadata = metadata
	if _, err := w.Write(data); err != nil {
		d.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		d.t.Fatal(err)
	}
	return delivery("uploads", name, w.Attrs().Generation, metadata)
}

func delivery(bucket, name string, generation int64, metadata map[string]string) intake.Delivery {
	return intake.Delivery{Object: intake.Object{Origin: blob.Origin{Bucket: bucket, Name: name, Generation: generation}, Metadata: metadata}}
}

// result is the result of an object, as it stands in the bucket.
func (d *desk) result(name string) (map[string]any, bool) {
	d.t.Helper()
	r, err := d.objects.Bucket("results").Object(name + ".json").NewReader(d.t.Context())
	if errors.Is(err, gcs.ErrObjectNotExist) {
		return nil, false
	}
	if err != nil {
		d.t.Fatal(err)
	}
	defer r.Close()
	var fields map[string]any
	if err := json.NewDecoder(r).Decode(&fields); err != nil {
		d.t.Fatal(err)
	}
	return fields, true
}

func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestObject(t *testing.T) {
	d := newDesk(t)
	o := d.upload("a b/ㄱ?.jpg", picture(t), map[string]string{"country": "US", "lang": "en"})
	if err := d.Object(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	got, ok := d.result(o.Name)
	if !ok || got["country"] != "US" || got["lang"] != "en" || got["id"] == "" {
		t.Errorf("result = %v, want one of US and en with an id", got)
	}
	// The same delivery again costs nothing.
	before := len(d.Gemini.Calls())
	if err := d.Object(t.Context(), o); err != nil || len(d.Gemini.Calls()) != before {
		t.Errorf("the second delivery = %v, with %d more calls; want none", err, len(d.Gemini.Calls())-before)
	}
}

func TestMetadataDefaults(t *testing.T) {
	d := newDesk(t)
	o := d.upload("a.jpg", picture(t), map[string]string{"country": "Atlantis", "lang": "en-GB"})
	if err := d.Object(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	got, _ := d.result(o.Name)
	warnings, _ := got["warnings"].([]any)
	if got["country"] != "KR" || got["lang"] != "en-GB" || !slices.Contains(warnings, any("unknown_country")) {
		t.Errorf("country %v, lang %v, warnings %v; want KR with unknown_country, and en-GB", got["country"], got["lang"], warnings)
	}
}

// What can never succeed is written and acknowledged, without a model call where
// the photo itself is at fault.
func TestPermanentFaults(t *testing.T) {
	tests := []struct {
		name  string
		data  []byte
		fault emulated.FaultType
		want  string // in the message
		calls int
	}{
		{"empty", nil, "", "no bytes", 0},
		{"text", []byte("this is a text, not a photo"), "", "text", 0},
		{"cut", picture(t)[:200], "", "", 0},
		{"too large", make([]byte, 100_001), "", "limit is 100000", 0},
		{"blocked prompt", picture(t), emulated.BlockedPrompt, "blocked", 1},
		{"blocked answer", picture(t), emulated.BlockedAnswer, "blocked", 1},
		{"truncated", picture(t), emulated.Truncated, "truncated", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			if test.fault != "" {
				d.Gemini.SetFaults(emulated.Fault{Type: test.fault})
			}
			o := d.upload("a.jpg", test.data, nil)
			if err := d.Object(t.Context(), o); err != nil {
				t.Fatalf("Object = %v, want it acknowledged", err)
			}
			got, _ := d.result(o.Name)
			message, _ := got["message"].(string)
			if got["error"] != "analysis_failed" || got["retryable"] != false || !strings.Contains(message, test.want) {
				t.Errorf("result = %v, want analysis_failed for good, with %q", got, test.want)
			}
			if n := len(d.Gemini.Calls()); n != test.calls {
				t.Errorf("%d model calls, want %d", n, test.calls)
			}
		})
	}
}

// What may succeed later is an error and leaves no result; the next delivery
// then has one.
func TestPassingFaults(t *testing.T) {
	for _, fault := range []emulated.FaultType{
		emulated.RateLimited, emulated.DailyQuota, emulated.Internal, emulated.Unavailable, emulated.Cut, emulated.Gone,
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.Gemini.SetFaults(emulated.Fault{Type: fault, Delay: 10 * time.Second, Times: 1})
			o := d.upload("a.jpg", picture(t), nil)
			if err := d.Object(t.Context(), o); err == nil {
				t.Error("Object = nil, want an error that has it delivered again")
			}
			if got, ok := d.result(o.Name); ok {
				t.Errorf("result = %v, want none yet", got)
			}
			if n := len(d.Gemini.Calls()); n != 1 {
				t.Errorf("%d model calls in one delivery, want 1", n)
			}
			if err := d.Object(t.Context(), o); err != nil {
				t.Errorf("the second delivery: %v", err)
			}
			if got, ok := d.result(o.Name); !ok || got["error"] != nil {
				t.Errorf("result = %v, want one", got)
			}
		})
	}
}

func TestSkipped(t *testing.T) {
	d := newDesk(t)
	of := func(bucket, name string, metadata map[string]string) intake.Delivery {
		return delivery(bucket, name, 1, metadata)
	}
	for name, o := range map[string]intake.Delivery{
		"folder":          of("uploads", "2026/", nil),
		"results bucket":  of("results", "a.jpg.json", nil),
		"result":          d.upload("a.jpg.json", picture(t), map[string]string{"source_generation": "1"}),
		"gone":            of("uploads", "gone.jpg", nil),
		"gone generation": func() intake.Delivery { o := d.upload("b.jpg", picture(t), nil); o.Generation--; return o }(),
	} {
		if err := d.Object(t.Context(), o); err != nil || len(d.Gemini.Calls()) != 0 {
			t.Errorf("%s: Object = %v with %d calls, want it acknowledged without", name, err, len(d.Gemini.Calls()))
		}
		if got, ok := d.result(o.Name); ok {
			t.Errorf("%s: result = %v, want none", name, got)
		}
	}
}

// Whatever the order in which generations are worked on, the newest stands.
func TestOlderGenerationNeverWins(t *testing.T) {
	d := newDesk(t)
	older := d.upload("a.jpg", picture(t), nil)
	newer := older
	newer.Generation = d.upload("a.jpg", picture(t), nil).Generation
	var group sync.WaitGroup
	for _, o := range []intake.Delivery{newer, older, older, newer} {
		group.Go(func() {
			err := d.Object(t.Context(), o)
			for errors.Is(err, work.ErrBusy) { // is delivered again
				time.Sleep(time.Millisecond)
				err = d.Object(t.Context(), o)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	attrs, err := d.objects.Bucket("results").Object("a.jpg.json").Attrs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"source_bucket": "uploads", "source_object": "a.jpg", "source_generation": strconv.FormatInt(newer.Generation, 10)}
	if !maps.Equal(attrs.Metadata, want) {
		t.Errorf("metadata of the result = %v, want %v", attrs.Metadata, want)
	}
	got, _ := d.result("a.jpg")
	if of, _ := got["image"].(map[string]any); of["generation"] != want["source_generation"] {
		t.Errorf("the result is of generation %v, want %v", of["generation"], want["source_generation"])
	}
}

func TestPhoto(t *testing.T) {
	d := newDesk(t)
	o := d.upload("a.jpg", picture(t), nil)
	tests := []struct {
		name string
		p    intake.Photo
		want error
	}{
		{"bytes", intake.Photo{Data: picture(t)}, nil},
		{"uri", intake.Photo{URI: o.URI()}, nil},
		{"options", intake.Photo{Data: picture(t), Options: intake.Options{Country: "us", Lang: "EN", Policy: "strict", SecondLook: "never"}}, nil},
		{"country", intake.Photo{Data: picture(t), Options: intake.Options{Country: "Korea"}}, intake.ErrOption},
		{"country of none", intake.Photo{Data: picture(t), Options: intake.Options{Country: "001"}}, intake.ErrOption},
		{"lang", intake.Photo{Data: picture(t), Options: intake.Options{Lang: "korean!"}}, intake.ErrOption},
		{"policy", intake.Photo{Data: picture(t), Options: intake.Options{Policy: "lax"}}, intake.ErrOption},
		{"second look", intake.Photo{Data: picture(t), Options: intake.Options{SecondLook: "maybe"}}, intake.ErrOption},
		{"no gs uri", intake.Photo{URI: "https://example.com/a.jpg"}, intake.ErrOption},
		{"folder uri", intake.Photo{URI: "gs://uploads/a/"}, intake.ErrOption},
		{"another bucket", intake.Photo{URI: "gs://results/a.jpg.json"}, intake.ErrForbidden},
		{"missing", intake.Photo{URI: "gs://uploads/b.jpg"}, blob.ErrNotFound},
	}
	for _, test := range tests {
		r, err := d.Photo(t.Context(), test.p, nil)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: Photo = %v, want %v", test.name, err, test.want)
		}
		if err == nil && (r.ID == "" || r.Image.SHA256 == "" || r.Image.URI != test.p.URI) {
			t.Errorf("%s: Photo = %+v, want an id and the image", test.name, r)
		}
	}
}

// Somebody waits, so a passing fault is tried again at once.
func TestPhotoIsTriedThreeTimes(t *testing.T) {
	d := newDesk(t)
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.Unavailable, Kind: emulated.KindImage, Times: 2})
	if _, err := d.Photo(t.Context(), intake.Photo{Data: picture(t)}, nil); err != nil {
		t.Errorf("Photo after two faults = %v, want a result", err)
	}
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.Unavailable, Kind: emulated.KindImage, Times: 3})
	var e *gemini.Error
	if _, err := d.Photo(t.Context(), intake.Photo{Data: picture(t), Fresh: true}, nil); !errors.As(err, &e) || e.Kind != gemini.Unavailable {
		t.Errorf("Photo after three faults = %v, want unavailable", err)
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := intake.New(intake.Config{}); err == nil {
		t.Error("New of nothing = nil error, want one")
	}
	d := newDesk(t)
	c := d.Config
	c.Defaults.Lang = "?"
	if _, err := intake.New(c); !errors.Is(err, intake.ErrOption) {
		t.Errorf("New with lang ? = %v, want %v", err, intake.ErrOption)
	}
}

func TestEvents(t *testing.T) {
	const resource = `{"bucket":"uploads","name":"a.jpg","generation":"1700000000000001","metadata":{"lang":"en"}}`
	const numeric = `{"bucket":"uploads","name":"a.jpg","generation":1700000000000001}`
	message := func(attributes, data string) string {
		encoded, _ := json.Marshal([]byte(data))
		return `{"message":{"attributes":` + attributes + `,"data":` + string(encoded) + `}}`
	}
	read := map[string]func([]byte) (intake.Object, error){
		"resource": intake.FromResource,
		"message":  func(data []byte) (intake.Object, error) { d, err := intake.FromMessage(data); return d.Object, err },
	}
	tests := []struct {
		form, in string
		ok       bool
	}{
		{"resource", resource, true},
		{"resource", numeric, true},
		{"resource", `{"bucket":"uploads","name":"a.jpg"}`, false},
		{"resource", `{"bucket":"uploads","generation":"1"}`, false},
		{"resource", `{"name":"a.jpg","generation":"1"}`, false},
		{"resource", `{"bucket":"uploads","name":"a.jpg","generation":"1e3"}`, false},
		{"resource", `{"bucket":"uploads","name":"a.jpg","generation":-1}`, false},
		{"resource", ``, false},
		{"message", message(`{"eventType":"OBJECT_FINALIZE"}`, resource), true},
		{"message", message(`{}`, resource), true},
		{"message", message(`{"eventType":"OBJECT_DELETE"}`, resource), false},
		{"message", message(`{"eventType":"OBJECT_FINALIZE"}`, "not json"), false},
		{"message", `{"message":{"data":"%"}}`, false},
		{"message", `[]`, false},
	}
	for _, test := range tests {
		o, err := read[test.form]([]byte(test.in))
		if (err == nil) != test.ok || err != nil && !errors.Is(err, intake.ErrNoObject) {
			t.Errorf("%s %s = %v, want ok %v", test.form, test.in, err, test.ok)
		}
		if err == nil && (o.URI() != "gs://uploads/a.jpg" || o.Generation != 1700000000000001) {
			t.Errorf("%s %s = %+v, want gs://uploads/a.jpg of 1700000000000001", test.form, test.in, o)
		}
	}
}

// A delivery whose instance is going away is not finished on the quiet.
func TestObjectCancelled(t *testing.T) {
	d := newDesk(t)
	o := d.upload("a.jpg", picture(t), nil)
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.TimeOut})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := d.Object(ctx, o); err == nil {
		t.Error("Object = nil, want an error")
	}
	if got, ok := d.result(o.Name); ok {
		t.Errorf("result = %v, want none", got)
	}
}
