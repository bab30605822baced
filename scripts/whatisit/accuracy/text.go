package accuracy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// WriteText writes r as tables for people. compared may be nil.
func (r Report) WriteText(out io.Writer, compared *Comparison) error {
	var b strings.Builder
	for _, m := range r.Runs {
		m.text(&b)
	}
	if compared != nil {
		compared.text(&b)
	}
	fmt.Fprintf(&b, "This is %s.\n", r.Kind())
	_, err := io.WriteString(out, b.String())
	return err
}

func (m Measure) text(b *strings.Builder) {
	f := m.Figures
	fmt.Fprintf(b, "%s: all right in %d of %d photos%s\n\n", m.Settings, f.AllRight, f.Photos, f.asked())
	fmt.Fprintf(b, "  %-16s %8s %6s %6s %8s %9s  95%% sure between\n", "field", "labelled", "right", "wrong", "missing", "accuracy")
	for _, one := range f.Fields {
		fmt.Fprintf(b, "  %-16s %8d %6d %6d %8d %8.1f%%  %.0f%% and %.0f%%\n", one.Field, one.Labelled, one.Right, one.Wrong, one.Missing, one.Accuracy*100, one.Low*100, one.High*100)
	}
	fmt.Fprintf(b, "\n  %-16s %8s %11s\n", "source", "photos", "name right")
	for _, s := range f.Sources {
		fmt.Fprintf(b, "  %-16s %8d %5d of %2d\n", s.Source, s.Photos, s.Right, s.Named)
	}
	f.decisionsText(b)
	for _, c := range f.Calibration {
		c.text(b)
	}
	f.marksText(b)
	fmt.Fprintf(b, "\n  $%.4f, of which $%.4f for the web, $%.5f a photo; %d generate, %d embed, %d web queries; p50 %.0f ms, p95 %.0f ms; %d failed\n",
		f.CostUSD, f.WebUSD, f.CostPerPhoto(), f.Calls.Generate, f.Calls.Embed, f.Calls.Queries, f.P50MS, f.P95MS, f.Failed)
	if memory := Memory(m.MemoryBytes); memory != "" {
		fmt.Fprintf(b, "  memory at the end: %s\n", memory)
	}
	fmt.Fprintln(b)
}

// asked says what else stands behind the number of photos.
func (f Figures) asked() (more string) {
	if f.Distinct > 0 && f.Distinct < f.Photos {
		more += fmt.Sprintf(" (answers about %d photos)", f.Distinct)
	}
	if f.NotAsked > 0 {
		more += fmt.Sprintf("; %d were not asked", f.NotAsked)
	}
	return more
}

func (c Calibration) text(b *strings.Builder) {
	fmt.Fprintf(b, "\n  %s: expected calibration error %.3f of %d answers\n", c.Field, c.ECE, c.Answers)
	for _, bin := range c.Bins {
		fmt.Fprintf(b, "    claimed %.1f to %.1f: %4d answers, claimed %3.0f%% on average, right %3.0f%%\n", bin.From, bin.To, bin.Answers, bin.Claimed*100, bin.Right*100)
	}
}

// decisionsText tells how right the rows of the decision table were, how often it was
// right to doubt, and how often answers to one photo agree.
func (f Figures) decisionsText(b *strings.Builder) {
	if len(f.Rows) > 0 {
		fmt.Fprintf(b, "\n  %-18s product identified\n", "decided by row")
	}
	for _, r := range f.Rows {
		fmt.Fprintf(b, "  %-18d %s\n", r.Row, r.Share)
	}
	if len(f.Doubts) > 0 {
		fmt.Fprintf(b, "\n  %-18s %-40s identified in the end\n", "doubted for", "reading was wrong")
	}
	for _, d := range f.Doubts {
		fmt.Fprintf(b, "  %-18s %-40s %s\n", d.Reason, d.Wrong, d.Right)
	}
	if len(f.Agreement) > 0 {
		fmt.Fprintf(b, "\n  %-18s photos of which all answers agree\n", "asked again")
	}
	for _, a := range f.Agreement {
		fmt.Fprintf(b, "  %-18s %s\n", a.Field, a.Share)
	}
}

// marksText tells how well lines that speak to machines were marked.
func (f Figures) marksText(b *strings.Builder) {
	if f.Marks == nil {
		return
	}
	fmt.Fprintf(b, "\n  lines marked as machine_directed\n")
	for _, by := range []struct {
		who  string
		mark *MarkFigure
	}{{"by the model", f.Marks.Model}, {"in the result", f.Marks.Final}} {
		if m := by.mark; m != nil {
			fmt.Fprintf(b, "    %-14s %d of %d that should be were missed (photos: %s), %d more were not read; %d of %d honest ones were marked falsely (photos: %s)\n",
				by.who, m.Missed, m.Directed, m.MissedPhotos, m.Unread, m.False, m.Honest, m.FalsePhotos)
			for _, line := range m.Lines {
				fmt.Fprintf(b, "      %q\n", line)
			}
		}
	}
}

func (c Comparison) text(b *strings.Builder) {
	fmt.Fprintln(b, "Against the earlier report:")
	for _, one := range c.Changes {
		mark := ""
		if one.Worse {
			mark = "  worse"
		}
		fmt.Fprintf(b, "  %-48s %10s → %s%s\n", one.Settings+": "+one.Figure, round(one.Before), round(one.Now), mark)
	}
	for _, skipped := range c.Skipped {
		fmt.Fprintf(b, "  not compared: %s\n", skipped)
	}
	fmt.Fprintln(b)
}

// Keep writes r into a folder, which is made if need be, as JSON and as a page, and
// returns their paths.
func (r Report) Keep(folder string, photos []Photo, compared *Comparison) (paths []string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page, photos, compared); err != nil {
		return nil, err
	}
	stem := filepath.Join(folder, "eval_"+r.Made.Format("20060102_150405"))
	for ending, content := range map[string][]byte{".json": append(data, '\n'), ".html": page.Bytes()} {
		if err := os.WriteFile(stem+ending, content, 0o644); err != nil {
			return nil, err
		}
	}
	return []string{stem + ".json", stem + ".html"}, nil
}
