package intake_test

import (
	"strings"
	"testing"

	"google.golang.org/api/iterator"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/jobs"
)

// An upload whose result cannot have a name fails before anything is paid, writes
// nothing and is listed.
func TestNamesWithoutAResult(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1020)
	tests := []struct {
		name string
		want string // in the message; "" is analysed
	}{
		{long[:1019], ""},
		{long, "1 more than Cloud Storage takes"},
		{"batches.jpg", ""},
		{"my/batches/a.jpg", ""},
		{"batches/20261121-080000-0123abcd/manifest", `begins with "batches/"`},
		{"batches/a.jpg", `begins with "batches/"`},
		{"catalog/products_db", `begins with "catalog/"`},
		{"discoveries/20261121-080000-0123abcd/result", `begins with "discoveries/"`},
		{"forecasts/kr-seoul/metric-now-ko/forecast_facts_2026-11-23_080000", `begins with "forecasts/"`},
		{"scraped_content/KE/waste/20261121-080000-0123abcd/0a", `begins with "scraped_content/"`},
		{"forecasts.jpg", ""},
		{"Scraped_content/a.jpg", ""},
	}
	for _, test := range tests {
		t.Run(test.name[:min(len(test.name), 30)], func(t *testing.T) {
			t.Parallel()
			d := newHarness(t)
			o := d.upload(test.name, picture(t), nil)
			d.deliver(o)
			d.deliver(o)
			list, _, err := d.List(t.Context(), intake.Filter{Error: "analysis_failed"})
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" {
				if got, ok := d.result(o.Name); !ok || got.Error != "" || len(list) != 0 {
					t.Errorf("result = %+v, listed as failed %v; want an identification", got, list)
				}
				return
			}
			d.wantCalls(0)
			if len(list) != 1 || !strings.Contains(list[0].Public.Message, test.want) {
				t.Errorf("listed as failed: %+v, want one with %q", list, test.want)
			}
			if o, err := d.objects.Bucket("results").Objects(t.Context(), nil).Next(); err != iterator.Done {
				t.Errorf("in the results bucket: %+v, %v; want nothing", o, err)
			}
		})
	}
}

// A batch takes photos of any name: it writes no result objects for them.
func TestBatchTakesAnyName(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	o := d.upload("batches/a.jpg", picture(t), nil)
	o.Batch = "b"
	if got, err := d.Item(t.Context(), o); err != nil || got.Error != "" {
		t.Errorf("Item = %+v, %v; want an identification", got, err)
	}
}

// A foreign object with the name of the result stays, and the event is acknowledged:
// the result is listed.
func TestForeignObject(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.Put(t, "results", "a.jpg.json", []byte(`{"product_name":"mine"}`))
	o := d.upload("a.jpg", picture(t), nil)
	d.deliver(o)
	d.deliver(o)
	d.wantWork(o.Name, jobs.Done, 1)
	if got, _ := d.result(o.Name); got.ProductName != "mine" {
		t.Errorf("in the place of the result stands %+v, want what stood there", got)
	}
}

// Photos of another bucket than that of uploads are dropped.
func TestForeignBucket(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	if err := d.Storage.CreateBucket("private"); err != nil {
		t.Fatal(err)
	}
	o := d.upload("a.jpg", picture(t), nil)
	o.Bucket = "private"
	d.deliver(o)
	if r := d.records(); len(r) != 0 {
		t.Errorf("records = %v, want none", r)
	}
}

// Only photos that are given up are published to the topic of failures.
func TestFailuresAreTold(t *testing.T) {
	t.Parallel()
	failures, messages := subscribe(t, "failures")
	d := newHarness(t, func(s *setup) { s.intake.Failures = failures })
	lost, bad, good := d.upload("lost.jpg", picture(t), nil), d.upload("bad.jpg", []byte("text"), nil), d.upload("good.jpg", shade(t, 9), nil)
	inBatch := lost
	inBatch.Batch = "b1"
	d.failFor(lost, 4)
	for _, o := range []intake.Delivery{lost, bad, good} {
		d.deliver(o)
	}
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.Gone})
	for range 5 {
		_, _ = d.Item(t.Context(), inBatch)
	}
	var got []string
	for _, m := range messages.take() {
		got = append(got, m.Attributes["object"]+" "+m.Attributes["batch"])
		if m.Attributes["id"] == "" || m.Attributes["generation"] == "" || !strings.Contains(string(m.Data), `"analysis_failed"`) {
			t.Errorf("message %s %v, want the result, its id and its generation", m.Data, m.Attributes)
		}
	}
	if want := "gs://uploads/lost.jpg ,gs://uploads/lost.jpg b1"; strings.Join(got, ",") != want {
		t.Errorf("told of %q, want %q", got, want)
	}
}
