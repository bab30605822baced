package intake_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/jobs"
)

func TestObject(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	o := d.upload("a b/ㄱ?.jpg", picture(t), map[string]string{"country": "US", "lang": "en"})
	d.deliver(o)
	got, ok := d.result(o.Name)
	if !ok || got.Country != "US" || got.Lang != "en" || got.ID == "" || got.Error != "" {
		t.Errorf("result = %+v, want one of US and en with an id", got)
	}
}

func TestMetadataDefaults(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	o := d.upload("a.jpg", picture(t), map[string]string{"country": "Atlantis", "lang": "en-GB"})
	d.deliver(o)
	got, _ := d.result(o.Name)
	if got.Country != "KR" || got.Lang != "en-GB" || !slices.Contains(got.Warnings, "unknown_country") {
		t.Errorf("country %v, lang %v, warnings %v; want KR with unknown_country, and en-GB", got.Country, got.Lang, got.Warnings)
	}
}

// A permanent failure is written and acknowledged, without a model call if the photo
// itself is the cause.
func TestPermanentFaults(t *testing.T) {
	t.Parallel()
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
		{"too large", make([]byte, maxBytes+1), "", "limit is 100000", 0},
		{"blocked prompt", picture(t), emulated.BlockedPrompt, "blocked", 1},
		{"blocked answer", picture(t), emulated.BlockedAnswer, "blocked", 1},
		{"truncated", picture(t), emulated.Truncated, "truncated", 2}, // once more with twice the limit,
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newHarness(t)
			if test.fault != "" {
				d.Gemini.SetFaults(emulated.Fault{Type: test.fault})
			}
			o := d.upload("a.jpg", test.data, nil)
			d.deliver(o)
			d.wantFailed(o, test.want)
			d.wantCalls(test.calls)
		})
	}
}

// wantFailed checks that o has failed for good, with a message that contains want, in
// its record and in the bucket.
func (d *harness) wantFailed(o intake.Delivery, want string) {
	d.t.Helper()
	got, _ := d.result(o.Name)
	if got.Error != analyze.AnalysisFailed || got.Retryable == nil || *got.Retryable || !strings.Contains(got.Message, want) {
		d.t.Errorf("result = %+v, want analysis_failed for good, with %q", got, want)
	}
	if r := d.records()[o.Name]; r.State != jobs.Done || r.Error != analyze.AnalysisFailed || !r.Outcome.Index.Flag("doubt") {
		d.t.Errorf("record = %+v, want it done with analysis_failed, and in doubt", r)
	}
}

// Skipped objects get no record.
func TestSkipped(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	for name, o := range map[string]intake.Delivery{
		"folder":         delivery("uploads", "2026/", 1, nil),
		"results bucket": delivery("results", "a.jpg.json", 1, nil),
		"result":         d.upload("a.jpg.json", picture(t), map[string]string{"source_generation": "1"}),
	} {
		d.deliver(o)
		if got, ok := d.result(o.Name); ok {
			t.Errorf("%s: result = %+v, want none", name, got)
		}
	}
	d.wantCalls(0)
	if r := d.records(); len(r) != 0 {
		t.Errorf("records = %v, want none", r)
	}
}

// A deleted generation is acknowledged, and its record says so.
func TestGone(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	older := d.upload("b.jpg", picture(t), nil)
	older.Generation--
	for _, o := range []intake.Delivery{delivery("uploads", "gone.jpg", 1, nil), older} {
		for range 2 {
			d.deliver(o)
		}
		if got, ok := d.result(o.Name); ok {
			t.Errorf("%s: result = %+v, want none", o.Name, got)
		}
		if r := d.records()[o.Name]; r.State != jobs.Done || r.Error != "object_gone" || r.Attempts != 1 {
			t.Errorf("%s: record = %+v, want it done with object_gone at the first attempt", o.Name, r)
		}
	}
	d.wantCalls(0)
}

// In whatever order generations are analysed, the newest result remains.
func TestOlderGenerationNeverWins(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	older := d.upload("a.jpg", picture(t), nil)
	newer := older
	newer.Generation = d.upload("a.jpg", picture(t), nil).Generation
	var group sync.WaitGroup
	for _, o := range []intake.Delivery{newer, older, older, newer} {
		group.Go(func() {
			err := d.Object(t.Context(), o)
			for errors.Is(err, jobs.ErrBusy) { // is delivered again
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
	delete(attrs.Metadata, "sha256")
	for key, value := range want {
		if attrs.Metadata[key] != value {
			t.Errorf("metadata of the result = %v, want %v", attrs.Metadata, want)
		}
	}
	if got, _ := d.result("a.jpg"); got.Image.Generation != newer.Generation {
		t.Errorf("the result is of generation %v, want %v", got.Image.Generation, newer.Generation)
	}
}

// An object reserves no more memory than is read of it.
func TestMemory(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		size int64 // as the event says
		held int64 // bytes already reserved
		busy bool
	}{
		{"small", 1_000, 399_000, true},
		{"small, with memory", 1_000, 396_000, false},
		{"unknown", 0, 1, true},
		{"unknown, with memory", 0, 0, false},
		{"negative", -1_000, 1, true},
		{"more than is read", 5 << 30, 0, false},
		{"more than is read, without memory", 5 << 30, 600_000, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			budget := intake.MemoryFor(maxBytes)
			if test.size > maxBytes {
				budget *= 2
			}
			d := newHarness(t, func(s *setup) {
				s.intake.Memory = admission.New(admission.Config{Requests: budget, Work: 100 << 20, Queue: 0, Patience: 0})
			})
			o := d.upload("a.jpg", picture(t), nil)
			o.Size = test.size
			leave, err := d.Memory.Acquire(t.Context(), test.held)
			if err != nil {
				t.Fatal(err)
			}
			defer leave()
			var busy *admission.Busy
			if err := d.Object(t.Context(), o); errors.As(err, &busy) != test.busy {
				t.Errorf("Object of %d bytes with %d held = %v, want busy %v", test.size, test.held, err, test.busy)
			}
		})
	}
}
