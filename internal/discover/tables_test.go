package discover

import (
	"embed"
	"strings"
	"testing"

	"example.com/whatis/internal/discover/webdoc"
)

//go:embed testdata/gates/*.tsv
var gateTables embed.FS

// gateRows returns the rows of a table, each with its number of fields.
func gateRows(t *testing.T, name string, fields int) (rows [][]string) {
	t.Helper()
	data, err := gateTables.ReadFile("testdata/gates/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.Split(line, "\t")
		if len(row) != fields || strings.TrimSpace(row[fields-1]) == "" {
			t.Fatalf("%s: %q has %d fields, want %d and a provenance", name, line, len(row), fields)
		}
		rows = append(rows, row)
	}
	if len(rows) != 100 {
		t.Fatalf("%s has %d rows, want 100", name, len(rows))
	}
	return rows
}

// gated returns the gate that refuses a text which stands as a title on a page of a country.
func gated(t *testing.T, country, text, host string, change func(*dataset)) Gate {
	t.Helper()
	target, err := Request{Country: country, Sector: "waste"}.check(ceiling)
	if err != nil {
		t.Fatal(err)
	}
	s := &AgentState{Target: target}
	page := &Page{URL: "https://" + host + "/x", Title: text}
	d := dataset{Quote: text, Name: text, OfPlace: true, Sectors: []string{"waste"}, PublisherKind: "authority"}
	change(&d)
	gate, _ := s.refuses(page, proofOf(page, webdoc.Document{Title: text, Markdown: "# " + text + "\n\nkt"}), d)
	return gate
}

// Of real titles that a right model takes for datasets the gates keep nearly all, whatever
// they call the country.
func TestRealTitles(t *testing.T) {
	kept := 0
	for _, row := range gateRows(t, "titles.tsv", 4) {
		if gate := gated(t, row[0], row[1], row[2], func(*dataset) {}); gate == "" {
			kept++
		} else {
			t.Logf("%s %q: %s", row[0], row[1], gate)
		}
	}
	if kept < 95 {
		t.Errorf("%d of 100 titles are kept, want 95", kept)
	}
}

// Of real hosts of offices none is refused, and most prove their publisher by their domain alone,
// without the name that their pages print.
func TestRealHosts(t *testing.T) {
	countries, kept, proven := map[string]bool{}, 0, 0
	for _, row := range gateRows(t, "hosts.tsv", 4) {
		countries[row[0]] = true
		if gated(t, row[0], "Emissions of waste by year", row[1], func(d *dataset) { d.PublisherKind = row[2] }) == "" {
			kept++
		}
		if (Target{CountryLocode: row[0]}).provesPublisher("https://"+row[1], "") {
			proven++
		} else {
			t.Logf("%s needs a name", row[1])
		}
	}
	if kept < 100 || proven < 60 || len(countries) < 40 {
		t.Errorf("%d of 100 hosts of %d countries are kept, %d proven, want 100, 40 and 60", kept, len(countries), proven)
	}
}

// What a right model says of decoys keeps them out.
func TestDecoys(t *testing.T) {
	dropped := 0
	for _, row := range gateRows(t, "decoys.tsv", 5) {
		host, _, _ := strings.Cut(row[2], "/")
		gate := gated(t, row[0], row[1], host, func(d *dataset) {
			switch row[3] {
			case "other_place":
				d.OfPlace = false
			case "other_sector":
				d.Sectors = []string{"transportation"}
			default:
				d.PublisherKind = row[3]
			}
		})
		if gate != "" {
			dropped++
		}
	}
	if dropped < 95 {
		t.Errorf("%d of 100 decoys are dropped, want 95", dropped)
	}
}
