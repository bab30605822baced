package expiry

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// A pack is a line of testdata/packs.tsv.
type pack struct {
	hint   Hint
	dates  []Printed
	source string
	want   string // all readings, the first first; kind; warnings
}

func packs(t testing.TB) (all []pack) {
	t.Helper()
	data, err := os.ReadFile("testdata/packs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 6 {
			t.Fatalf("packs.tsv:%d has %d columns, want 6", n+1, len(columns))
		}
		p := pack{hint: Hint{Country: columns[0], Lang: columns[1]}, source: columns[4], want: strings.Join(strings.Fields(columns[5]), " ")}
		if p.hint.Now, err = time.Parse(time.DateOnly, columns[2]); err != nil {
			t.Fatalf("packs.tsv:%d: %v", n+1, err)
		}
		if err := json.Unmarshal([]byte(columns[3]), &p.dates); err != nil {
			t.Fatalf("packs.tsv:%d: %v", n+1, err)
		}
		all = append(all, p)
	}
	return all
}

// choice returns what Choose says of dates, as packs.tsv tells it.
func choice(dates []Printed, hint Hint) string {
	d, warnings, ok := Choose(dates, hint)
	date := "-"
	if ok {
		date = d.Date
	}
	if len(d.Ambiguous) > 0 {
		date = strings.Join(d.Ambiguous, "|")
	}
	return strings.Join(strings.Fields(fmt.Sprint(date, " ", d.Kind, " ", strings.Join(warnings, " "))), " ")
}

// silent reports whether got, which is not want, has a date that nothing warns of.
func silent(got, want string) bool {
	date, _, _ := strings.Cut(got, " ")
	right, _, _ := strings.Cut(want, " ")
	return date != "-" && !strings.Contains(got, "date_") && date != right
}

// sameDate reports whether got has the date, the readings in any order after the first, the
// kind and the warnings of want.
func sameDate(got, want string) bool {
	g, w := strings.Fields(got), strings.Fields(want)
	a, b := strings.Split(g[0], "|"), strings.Split(w[0], "|")
	slices.Sort(a[1:])
	slices.Sort(b[1:])
	return slices.Equal(a, b) && slices.Equal(g[1:], w[1:])
}

// Dates as packs of many countries print them: none is wrong without a warning, and at least
// nine of ten are what a person reads.
func TestPacks(t *testing.T) {
	all := packs(t)
	right, countries := 0, map[string]bool{}
	for _, p := range all {
		countries[p.hint.Country] = true
		got := choice(p.dates, p.hint)
		if sameDate(got, p.want) {
			right++
			continue
		}
		t.Logf("%s %s %+v: %s, want %s", p.hint.Country, p.hint.Now.Format(time.DateOnly), p.dates, got, p.want)
		if silent(got, p.want) {
			t.Errorf("Choose(%+v) in %s = %s without a warning, want %s", p.dates, p.hint.Country, got, p.want)
		}
	}
	t.Logf("%d of %d right, %d countries", right, len(all), len(countries))
	if len(all) < 300 || len(countries) < 30 || 10*right < 9*len(all) {
		t.Errorf("%d of %d right in %d countries, want nine of ten of at least 300 in 30", right, len(all), len(countries))
	}
}

// With a model that swaps the labels or the kinds of a pack's dates, or gives a date a kind
// that the print beside it contradicts, no date is wrong without a warning.
func TestMisjudgedPacks(t *testing.T) {
	tried, kinds := 0, []Kind{BestBefore, UseBy, Expiry, sale, Production, packaging, harvest, otherDate}
	for _, p := range packs(t) {
		var told [][]Printed
		for i := range p.dates {
			for j := range p.dates {
				labels, kinds, both := slices.Clone(p.dates), slices.Clone(p.dates), slices.Clone(p.dates)
				labels[i].Label, labels[j].Label = p.dates[j].Label, p.dates[i].Label
				kinds[i].Kind, kinds[j].Kind = p.dates[j].Kind, p.dates[i].Kind
				both[i].Label, both[j].Label, both[i].Kind, both[j].Kind = p.dates[j].Label, p.dates[i].Label, p.dates[j].Kind, p.dates[i].Kind
				told = append(told, labels, kinds, both)
			}
			for _, kind := range kinds {
				misjudged := slices.Clone(p.dates)
				misjudged[i].Kind, misjudged[i].Beside = kind, p.dates[i].Label+"\n"+p.dates[i].Text
				unlabelled := slices.Clone(misjudged)
				unlabelled[i].Label = ""
				told = append(told, misjudged, unlabelled)
			}
		}
		for _, dates := range told {
			tried++
			if got := choice(dates, p.hint); silent(got, p.want) {
				t.Errorf("Choose(%+v) in %s = %s without a warning, want %s", dates, p.hint.Country, got, p.want)
			}
		}
	}
	t.Logf("%d misjudged", tried)
}
