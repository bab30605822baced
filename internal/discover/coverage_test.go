package discover

import (
	"reflect"
	"strings"
	"testing"
)

// A subsector counts where the record's own quote names it and its sector is asked for; what
// several languages call one subsector is one row.
func TestPrinted(t *testing.T) {
	landfill := Subsector{"Deponien", "waste", "Solid Waste Disposal"}
	for _, test := range []struct {
		quote string
		said  []Subsector
		want  string
	}{
		{"Emissionen der Deponien 1990 bis 2020", []Subsector{landfill}, "solid waste disposal"},
		{"Emissionen des Abfalls 1990 bis 2020", []Subsector{landfill}, ""},                                      // the page named it elsewhere
		{"Waste and agriculture, 1990 to 2020", []Subsector{{"agriculture", "afolu", "agricultural soils"}}, ""}, // of another sector
		{"Landfills (Deponien) and dumps", []Subsector{landfill, {"dumps", "waste", "solid waste disposal"}}, "solid waste disposal"},
		{"Emissions of sewage", []Subsector{{"sewage", "waste", " "}, {"", "waste", "wastewater"}}, ""},
	} {
		if got := labels(printed(test.said, quotable(test.quote).contains, []string{"waste"})); got != test.want {
			t.Errorf("printed(%v, %q) = %q, want %q", test.said, test.quote, got, test.want)
		}
	}
}

// A page that has no figures on a subsector says so of its own years, not of all.
func TestGrid(t *testing.T) {
	disposal, water := Subsector{"x", "waste", "solid waste disposal"}, Subsector{"y", "waste", "wastewater"}
	g := grid([]string{"waste", "ippu"}, []StructuredDataItem{
		{Sectors: []string{"waste"}, Subsectors: []Subsector{disposal, water}, FirstYear: 2000, LastYear: 2001},
		{Sectors: []string{"waste"}, Subsectors: []Subsector{{"z", "waste", "Solid waste disposal"}}, FirstYear: 2003, LastYear: 2003},
		{Sectors: []string{"waste", "afolu"}, URL: "b", FirstYear: 2002, LastYear: 2003, Also: []Identity{{URL: "a", FirstYear: 2003}}},
		{Sectors: []string{"waste"}},
	}, []Absence{{URL: "b", Sector: "waste", Subsector: "incineration", Key: "NO"}, {URL: "a", Sector: "waste", Subsector: "wastewater", Key: "NE"}, {URL: "c", Sector: "waste", Subsector: "composting", Key: "NE"}})
	want := Grid{[]int{2000, 2001, 2002, 2003}, []Row{
		{"waste", "incineration", []string{"not_found", "not_found", "NO", "NO"}, false}, {"waste", "wastewater", []string{"published", "published", "not_found", "NE"}, false},
		{"waste", "composting", []string{"not_found", "not_found", "not_found", "not_found"}, false},
		{"waste", "solid waste disposal", []string{"published", "published", "not_found", "published"}, false}, {"waste", "", []string{"not_found", "not_found", "published", "published"}, true},
		{"ippu", "", []string{"not_found", "not_found", "not_found", "not_found"}, false},
	}}
	if !reflect.DeepEqual(g, want) {
		t.Errorf("grid = %+v, want %+v", g, want)
	}
}

// A note says what exists, of which years, what is missing and what contradicts itself.
func TestNote(t *testing.T) {
	s := &AgentState{
		Target: Target{Country: "Kenya", CountryLocode: "KE", Sectors: []string{"waste"}}, Action: accepted,
		StructuredData: []StructuredDataItem{
			{Name: "Landfills", URL: "https://a.go.ke/1", PublisherKind: "authority", Proofs: []string{"publisher"}, Sectors: []string{"waste"}, Subsectors: []Subsector{{"landfills", "waste", "solid waste disposal"}, {"sewage", "waste", "wastewater"}}, FirstYear: 1990, LastYear: 1995, Quote: "one", Acceptance: 0.9},
			{Name: "Dumps", URL: "https://b.example/2", PublisherKind: "other", Sectors: []string{"waste"}, Subsectors: []Subsector{{"dumps", "waste", "solid waste disposal"}}, FirstYear: 2000, LastYear: 2001, Quote: "two", Acceptance: 0.4},
		},
		Absent: []Absence{{URL: "https://c.go.ke/", Sector: "waste", Subsector: "wastewater", Key: "NE"}, {URL: "https://c.go.ke/", Sector: "waste", Subsector: "incineration and open burning", Key: "NO"}},
	}
	note := strings.Join(s.result(s.StartTime).Note, "\n")
	for _, want := range []string{
		"2 datasets are published on waste of Kenya: 1 authority, 1 other. The surest is “Landfills” (https://a.go.ke/1, 0.70).",
		"solid waste disposal 1990–1995, 2000–2001", "Gaps between published years: solid waste disposal 1996–1999.",
		"Stated as missing: waste, incineration and open burning (does not occur, says https://c.go.ke/).", "Sought and not found by name: waste, biological treatment.",
		"Contradictions: wastewater is published by https://a.go.ke/1 and not estimated by https://c.go.ke/.",
	} {
		if !strings.Contains(note, want) {
			t.Errorf("the note is\n%s\nwant in it %q", note, want)
		}
	}
	s.StructuredData = nil
	if note := s.result(s.StartTime).Note; !strings.HasPrefix(note[0], "No published dataset was found on waste of Kenya.") {
		t.Errorf("without records the note is %q", note)
	}
}
