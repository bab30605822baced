package intake_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"example.com/whatis/internal/analyze/intake"
)

// Each result is logged in a line that the dashboard counts, cached or not.
func TestResultsAreLogged(t *testing.T) {
	var lines bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&lines, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	d := newHarness(t)
	o := d.upload("a.jpg", picture(t), nil)
	d.deliver(o)
	d.ask(intake.Photo{URI: o.URI(), Fresh: true})
	r := d.ask(intake.Photo{Data: picture(t)})
	type line struct {
		Msg, Object, Source string
		Cached              bool
		Took                string
	}
	var got []line
	for text := range bytes.Lines(lines.Bytes()) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatal(err)
		}
		if l.Msg == "object analysed" && l.Took != "" && l.Source != "" {
			got = append(got, line{Object: l.Object, Cached: l.Cached})
		}
	}
	want := []line{{Object: o.URI()}, {Object: o.URI()}, {Object: "sha256:" + r.Image.SHA256, Cached: true}}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("lines of results = %+v, want %+v", got, want)
	}
}
