package accuracy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
)

// shots are ten answers at a confidence, of which so many are right.
func shots(right int, sure float64, cost float64) (all []Shot) {
	for i := range 10 {
		l := Label{File: string(rune('a'+i)) + ".jpg", Name: Accepted{"Oat Crackers"}}
		said := "Rye Crackers"
		if i < right {
			said = "Oat Crackers"
		}
		r := answer(said, "", sure)
		r.CostUSD, r.ModelCalls.Generate = cost, 1
		all = append(all, shotOf(l, r, time.Duration(i+1)*time.Millisecond))
	}
	return all
}

func TestFigures(t *testing.T) {
	down := shotOf(Label{File: "z.jpg", Name: Accepted{"X"}}, analyze.Result{}.Failed("down", true), time.Second)
	f := FiguresOf(append(shots(8, 0.95, 0.01), down))
	name := f.Fields[1]
	if f.Photos != 11 || f.Failed != 1 || f.AllRight != 8 || name.Field != Name || name.Right != 8 || name.Wrong != 2 || name.Missing != 1 {
		t.Errorf("FiguresOf = %+v, want 8 of 11 right, 2 wrong, 1 missing and failed", f)
	}
	if math.Abs(f.CostUSD-0.1) > 1e-9 || f.Calls.Generate != 10 || f.P50MS != 6 || f.P95MS != 1000 {
		t.Errorf("FiguresOf = $%v, %d calls, p50 %v, p95 %v; want 0.1, 10, 6 and 1000", f.CostUSD, f.Calls.Generate, f.P50MS, f.P95MS)
	}
	if want := []SourceMix{{"image", 10, 10, 8}, {"failed", 1, 1, 0}}; !slices.Equal(f.Sources, want) {
		t.Errorf("the sources are %v, want %v", f.Sources, want)
	}
}

// The interval is Wilson's, whose values for 8 of 10 and 10 of 10 are well known.
func TestWilson(t *testing.T) {
	for _, test := range []struct {
		right, n  int
		low, high float64
	}{{8, 10, 0.490, 0.943}, {10, 10, 0.722, 1}, {0, 10, 0, 0.278}, {0, 0, 0, 1}} {
		if low, high := Wilson(test.right, test.n); math.Abs(low-test.low) > 0.001 || math.Abs(high-test.high) > 0.001 {
			t.Errorf("Wilson(%d, %d) = %.3f to %.3f, want %.3f to %.3f", test.right, test.n, low, high, test.low, test.high)
		}
	}
}

func TestCalibration(t *testing.T) {
	// Ten at 0.95 of which 8 are right, ten at 0.35 of which 5 are: |0.95−0.8|/2 + |0.35−0.5|/2.
	c := CalibrationOf(Name, append(shots(8, 0.95, 0), shots(5, 0.35, 0)...))
	if c.Answers != 20 || math.Abs(c.ECE-0.15) > 1e-9 || len(c.Bins) != 2 {
		t.Fatalf("CalibrationOf = %+v, want an error of 0.15 of 20 answers in two bins", c)
	}
	if b := c.Bins[0]; b.From != 0.3 || b.Answers != 10 || math.Abs(b.Claimed-0.35) > 1e-9 || b.Right != 0.5 {
		t.Errorf("the lower bin is %+v, want ten claimed at 0.35, half of them right", b)
	}
	if sure := CalibrationOf(Name, shots(10, 1, 0)); sure.ECE != 0 || sure.Bins[0].From != 0.9 {
		t.Errorf("CalibrationOf of certainty that is right = %+v, want no error, in the last bin", sure)
	}
	left := shotOf(Label{File: "a.jpg", Name: Accepted{""}}, answer("", "", 0.9), 0)
	if none := CalibrationOf(Name, []Shot{left}); none.Answers != 0 {
		t.Errorf("CalibrationOf of an answer left open = %+v, want none", none)
	}
}

// made is when the reports of these tests were.
var made = time.Unix(0, 0)

func reportOf(s Settings, shots []Shot) Report {
	return NewReport(made, "here", "photos", []Measure{Measured(s, shots)})
}

func TestCompare(t *testing.T) {
	seed := Settings{Policy: "seed"}
	before := reportOf(seed, shots(8, 0.8, 0.01))
	tests := []struct {
		name string
		now  Report
		want []string // in the regressions, one each
	}{
		{"the same", before, nil},
		{"better", reportOf(seed, shots(9, 0.9, 0.01)), nil},
		{"one less", reportOf(seed, shots(7, 0.7, 0.01)), []string{"product_name is 0.7, was 0.8: h.jpg"}},
		{"less, and surer of it", reportOf(seed, shots(7, 0.9, 0.01)), []string{"product_name is", "calibration error is 0.2, was 0"}},
		{"dearer by a tenth", reportOf(seed, shots(8, 0.8, 0.011)), nil},
		{"dearer", reportOf(seed, shots(8, 0.8, 0.0112)), []string{"USD a photo is 0.0112, was 0.01"}},
	}
	for _, test := range tests {
		c, err := Compare(before, test.now, 0.02)
		if err != nil || len(c.Regressions) != len(test.want) {
			t.Errorf("%s: Compare = %q, %v; want %q", test.name, c.Regressions, err, test.want)
			continue
		}
		for i, want := range test.want {
			if !strings.Contains(c.Regressions[i], want) {
				t.Errorf("%s: Compare = %q, want %q in it", test.name, c.Regressions[i], want)
			}
		}
	}
	if c, err := Compare(before, reportOf(seed, shots(7, 0.8, 0.01)), 0.15); err != nil || len(c.Regressions) > 0 {
		t.Errorf("Compare within the tolerance = %q, %v; want nothing worse", c.Regressions, err)
	}
}

// Only what is alike is compared, and what is not is told.
func TestCompareUnlike(t *testing.T) {
	seed := Settings{Policy: "seed"}
	before := reportOf(seed, shots(8, 0.8, 0))
	other := shots(8, 0.8, 0)
	other[0].Label.Name = Accepted{"Another"}
	if c, err := Compare(before, reportOf(seed, other), 0); err != nil || len(c.Skipped) != 1 || !strings.Contains(c.Skipped[0], "1 photos that the earlier report has not") {
		t.Errorf("Compare with a changed label = %q, %v; want it skipped", c.Skipped, err)
	}
	if _, err := Compare(before, reportOf(Settings{Policy: "strict"}, other), 0); !errors.Is(err, errNothingCompared) {
		t.Errorf("Compare of other settings = %v, want %v", err, errNothingCompared)
	}
	emulated := shots(8, 0.8, 0)
	emulated[0].Warnings = []string{"emulated_model"}
	if c, err := Compare(reportOf(seed, emulated), before, 0); err == nil || len(c.Skipped) != 1 || !strings.Contains(c.Skipped[0], "were emulated, these are real") {
		t.Errorf("Compare of an emulated report with another = %q, %v; want an error, and why", c.Skipped, err)
	}
	photos := []Photo{{Label: other[0].Label}}
	if err := before.Comparable([]Settings{seed}, photos); !errors.Is(err, errNothingCompared) {
		t.Errorf("Comparable with no common label = %v, want %v", err, errNothingCompared)
	}
}

// The page holds the photos that went wrong, and nothing of them as markup.
func TestHTML(t *testing.T) {
	s := samples.All()[0]
	photo := func(file string, data []byte) Photo {
		return Photo{Label: Label{File: file, Name: Accepted{`<b>"Oat"</b>`}}, Data: func() ([]byte, error) { return data, nil }}
	}
	photos := []Photo{photo(`a"><script>.jpg`, s.Bytes()), photo("torn.jpg", []byte("none"))}
	var all []Shot
	for _, p := range photos {
		all = append(all, shotOf(p.Label, answer(`</td><script>alert(1)</script>`, "", 0.9), 0))
	}
	var page bytes.Buffer
	if err := reportOf(Settings{}, all).WriteHTML(&page, photos, &Comparison{Regressions: []string{"<i>worse</i>"}}); err != nil {
		t.Fatal(err)
	}
	got := page.String()
	for _, want := range []string{`src="data:image/jpeg;base64,`, "&lt;script&gt;alert(1)", "&lt;b&gt;&#34;Oat&#34;&lt;/b&gt;", "no picture:", "&lt;i&gt;worse", "default-src 'none'", "2 photos went wrong"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %q:\n%s", want, got)
		}
	}
	for _, not := range []string{"<script", "<b>", "<i>", "http://", "https://", "ZgotmplZ"} {
		if strings.Contains(got, not) {
			t.Errorf("the page has %q:\n%s", not, got)
		}
	}
}

// A photo that is not answered fails alone.
func TestRun(t *testing.T) {
	photos := []Photo{{Label: Label{File: "a.jpg", Name: Accepted{"Oat"}}}, {Label: Label{File: "b.jpg", Name: Accepted{"Oat"}}}}
	var done atomic.Int32
	got, err := Run(t.Context(), photos, Settings{}, 2, func(_ context.Context, p Photo, _ Settings) (Answered, error) {
		if p.File == "a.jpg" {
			return Answered{}, errors.New("it is down")
		}
		raw, err := json.Marshal(answer("Oat", "", 1))
		return Answered{Result: raw}, err
	}, func(Shot) { done.Add(1) })
	if err != nil || done.Load() != 2 || got[0].Why != "it is down" || got[0].Source != failed || len(got[1].Wrong()) != 0 {
		t.Errorf("Run = %+v, %v, %d told; want the first failed and the second right", got, err, done.Load())
	}
}
