package trace_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"example.com/whatis/internal/trace"
)

const (
	id     = "0af7651916cd43dd8448eb211c80319c"
	other  = "1af7651916cd43dd8448eb211c80319c"
	ours   = "00-" + id + "-b7ad6b7169203331-01"
	theirs = "00-" + other + "-b7ad6b7169203331-00"
)

func TestOf(t *testing.T) {
	tests := []struct{ traceparent, google, want string }{
		{"", "", ""},
		{ours, "", ours},
		{ours, other + "/7;o=1", ours},
		{"", id + "/255;o=1", "00-" + id + "-00000000000000ff-01"},
		{"", id + "/18446744073709551615;o=0", "00-" + id + "-ffffffffffffffff-00"},
		{"", strings.ToUpper(id) + "/255", "00-" + id + "-00000000000000ff-00"},
		{"nonsense", id + "/255", "00-" + id + "-00000000000000ff-00"},
		{"00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01", "", ""},
		{"", id, ""},
		{"", id + "/0;o=1", ""},
		{"", id + "/-1", ""},
		{"", "zz" + id[2:] + "/1", ""},
		{"", "/;", ""},
	}
	for _, test := range tests {
		h := http.Header{}
		h.Set("traceparent", test.traceparent)
		h.Set("X-Cloud-Trace-Context", test.google)
		if got := trace.Of(h); got != test.want {
			t.Errorf("Of(%q, %q) = %q, want %q", test.traceparent, test.google, got, test.want)
		}
	}
}

func TestOfEvent(t *testing.T) {
	message := func(attribute string) string {
		return `{"message":{"attributes":{"googclient_traceparent":"` + attribute + `"},"data":"eA=="}}`
	}
	tests := []struct {
		extension any
		data      string
		want      string
	}{
		{nil, `{}`, ""},
		{nil, message(theirs), theirs},
		{nil, message("x"), ""},
		{nil, `googclient_traceparent, but no JSON`, ""},
		{ours, message(theirs), ours},
		{7, message(theirs), theirs},
		{"x", `{}`, ""},
	}
	for _, test := range tests {
		if got := trace.OfEvent(test.extension, []byte(test.data)); got != test.want {
			t.Errorf("OfEvent(%v, %s) = %q, want %q", test.extension, test.data, got, test.want)
		}
	}
}

func TestHandlerNamesTheEvent(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(trace.Handler(slog.NewJSONHandler(&b, nil), "p")).With("k", "v")
	log.InfoContext(trace.WithEvent(t.Context(), "7"), "hello")
	if want := `"k":"v","event":"7"}`; !strings.HasSuffix(b.String(), want+"\n") {
		t.Errorf("the line of an event is %s, want it to end in %s", &b, want)
	}
}

func TestHandler(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(trace.Handler(slog.NewJSONHandler(&b, nil), "p")).With("k", "v")
	for traceparent, want := range map[string]string{
		ours: `"k":"v","logging.googleapis.com/trace":"projects/p/traces/` + id + `","logging.googleapis.com/spanId":"b7ad6b7169203331","logging.googleapis.com/trace_sampled":true}`,
		"":   `"k":"v"}`,
	} {
		b.Reset()
		ctx, end := trace.Serve(t.Context(), "x", traceparent)
		log.InfoContext(ctx, "hello")
		end(nil)
		if !strings.HasSuffix(b.String(), want+"\n") {
			t.Errorf("the line of %q is %s, want it to end in %s", traceparent, &b, want)
		}
	}
}

// Without an exporter spans cost nothing, even if the caller records the trace.
func TestOffCostsNothing(t *testing.T) {
	plain := http.Header{}
	in, _ := trace.Serve(context.Background(), "x", ours)
	n := testing.AllocsPerRun(100, func() {
		_, endAll := trace.Serve(context.Background(), "x", trace.Of(plain))
		defer endAll(nil)
		inner, end := trace.Start(in, "y")
		if trace.Recorded(inner) {
			trace.Note(inner, "k", "v")
		}
		end(nil)
	})
	if n != 0 {
		t.Errorf("%v allocations for two spans, want none", n)
	}
}
