package gemini

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/whatis/docs"
)

func TestModelTableIsWhole(t *testing.T) {
	for name, m := range knownModels.Models {
		if m.For != generating && m.For != embedding && m.For != speaking {
			t.Errorf("%s is for %q", name, m.For)
		}
		if len(m.Locations) == 0 && m.VertexEnds.IsZero() {
			t.Errorf("%s is nowhere, and not retired", name)
		}
		for _, location := range m.Locations {
			if !slices.Contains([]string{"global", "us", "eu", "region"}, location) {
				t.Errorf("%s is at %q", name, location)
			}
		}
		for i, p := range m.Prices {
			if p.Input <= 0 || m.For != embedding && p.Output <= 0 {
				t.Errorf("%s: price %+v, want none of 0", name, p)
			}
			if i == 0 != p.From.IsZero() || i > 0 && !p.From.After(m.Prices[i-1].From.Time) {
				t.Errorf("%s: price %d is from %v: want the first from ever, and each later than the one before", name, i, p.From)
			}
		}
	}
	for _, name := range []string{lite, judge, "gemini-embedding-2", "gemini-embedding-001", "gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-3.8-flash-lite-tts"} {
		if len(knownModels.Models[name].Prices) == 0 {
			t.Errorf("%s has no price", name)
		}
	}
	if got := slices.Sorted(maps.Keys(knownModels.Facts)); !slices.Equal(got, []string{"ends", "flex", "free", "locations", "prices", "regional"}) {
		t.Errorf("facts = %q", got)
	}
	for name, f := range knownModels.Facts {
		if f.Read.IsZero() || f.Of == "" || len(f.By) == 0 {
			t.Errorf("%s: when was it read, what is it, and who said so? %+v", name, f)
		}
	}
}

// Facts that were read more than 90 days ago fail the nightly run (WHATIS_FACTS), which is for whoever
// maintains this. A build of an older commit must not fail because time has passed.
func TestFactsAge(t *testing.T) {
	newest := time.Time{}
	for _, f := range knownModels.Facts {
		if f.Read.After(newest) {
			newest = f.Read.Time
		}
	}
	if old := OldFacts(newest.AddDate(0, 0, 91)); len(old) != len(knownModels.Facts) || !strings.Contains(old[0], "ends, read on 20") || !strings.Contains(old[0], "ai.google.dev") {
		t.Errorf("after 91 days old = %q, want all, with their day and pages", old)
	}
	old := OldFacts(time.Now())
	switch {
	case len(old) == 0:
	case os.Getenv("WHATIS_FACTS") != "":
		t.Errorf("read again, and correct internal/gemini/models.json:\n%s", strings.Join(old, "\n"))
	default:
		t.Logf("older than 90 days:\n%s", strings.Join(old, "\n"))
	}
}

func TestDocsModels(t *testing.T) {
	var table strings.Builder
	table.WriteString("| model | USD per million tokens, in / out | on Vertex AI at | flex | gone from | free requests |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(knownModels.Models)) {
		m := knownModels.Models[name]
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s | %s | %s |\n", name, m.priceText(), m.whereText(), yes(m.Flex), m.endsText(), m.freeText())
	}
	docs.Section(t, "prices.md", "models", table.String())
	table.Reset()
	for _, name := range []string{"prices", "flex", "regional", "locations", "ends", "free"} {
		f := knownModels.Facts[name]
		fmt.Fprintf(&table, "- **%s**, read on %s: %s. %s.\n", name, f.Read.Format(time.DateOnly), f.Of, strings.Join(f.By, "; "))
	}
	docs.Section(t, "prices.md", "facts", table.String())
}

func (m known) priceText() string {
	var all []string
	for _, p := range m.Prices {
		text := strconv.FormatFloat(p.Input, 'f', 2, 64)
		if p.Image > 0 {
			text += fmt.Sprintf(" (images %.2f)", p.Image)
		}
		if p.Output > 0 {
			text += fmt.Sprintf(" / %.2f", p.Output)
		}
		if !p.From.IsZero() {
			text = "from " + p.From.Format(time.DateOnly) + " " + text
		}
		all = append(all, text)
	}
	return orNone(strings.Join(all, ", "))
}

func (m known) whereText() string {
	text := strings.Join(m.Locations, ", ")
	return orNone(strings.ReplaceAll(text, "region", "single regions"))
}

func (m known) endsText() string {
	var all []string
	if !m.GeminiAPIEnds.IsZero() {
		all = append(all, m.GeminiAPIEnds.Format(time.DateOnly)+" (Gemini API)")
	}
	if !m.VertexEnds.IsZero() {
		all = append(all, m.VertexEnds.Format(time.DateOnly)+" (Vertex AI)")
	}
	return orNone(strings.Join(all, ", "))
}

func (m known) freeText() string {
	switch {
	case m.FreePerMinute > 0:
		return fmt.Sprintf("%d a minute, %d a day", m.FreePerMinute, m.FreePerDay)
	case m.FreePerDay > 0:
		return fmt.Sprintf("%d a day", m.FreePerDay)
	}
	return "–"
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "–"
}

func orNone(text string) string {
	if text == "" {
		return "–"
	}
	return text
}
