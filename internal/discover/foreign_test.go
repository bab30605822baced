package discover

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/discover/webdoc"
)

// What a right model says of a dataset counts, whatever else its quote names: a territory that has a
// code of its own, another place beside this one, or a word that is a country's name too.
func TestQuoteNamesOtherPlaces(t *testing.T) {
	for _, test := range []struct{ country, quote string }{
		{"FR", "Émissions de gaz à effet de serre de La Réunion et de la Polynésie française"},
		{"DK", "Udledning af drivhusgasser: Grønland"},
		{"DK", "Greenhouse gas emissions of Greenland by sector"},
		{"US", "Emissions from Turkey and Chicken manure by state"},
		{"NL", "Emissies van Aruba, Curaçao en Sint Maarten"},
		{"CL", "Serie anual del sector residuos, con datos del Perú como referencia"},
	} {
		if gate := gated(t, test.country, test.quote, "example.org", func(*dataset) {}); gate != "" {
			t.Errorf("%s: %q is refused: %s", test.country, test.quote, gate)
		}
	}
}

// The links of a list are judged by the model, at whatever site they are and whatever words their
// addresses have: a ministry lists its data at the host that has them, and publishes its inventory
// as a press release.
func TestListAcrossSites(t *testing.T) {
	page := &Page{URL: "https://env.gov.xx/data", Title: "Data"}
	s := &AgentState{Pages: []*Page{page}, Limits: Limits{Pages: 10}}
	links := []webdoc.Link{
		{URL: "https://env.gov.xx/presse/inventaire", Text: "Inventaire"}, {URL: "https://data.example.org/dataset/waste", Text: "Waste"},
		{URL: "https://env.gov.xx/about", Text: "About"}, {URL: "https://env.gov.xx/data.csv", Text: "Data", Format: "CSV"},
	}
	s.takeScreening([]*Page{page}, verdicts{docs: []webdoc.Document{{Links: links}}, answer: screened{Lists: []int{1}}})
	var got []string
	for _, c := range s.candidates() {
		got = append(got, c.URL)
	}
	if want := []string{links[0].URL, links[1].URL, links[2].URL}; !slices.Equal(got, want) {
		t.Errorf("offered: %q, want %q", got, want)
	}
	if page.Status != skipped || len(s.Dropped) != 0 {
		t.Errorf("the list is %s and dropped: %+v, want its links followed and nothing dropped", page.Status, s.Dropped)
	}
}

// An office is one by what its page is: no list has its domain, and its records stand before
// those of others. That its domain proves it, too, is a proof.
func TestOfficeAtItsOwnDomain(t *testing.T) {
	s := &AgentState{Target: Target{Mode: modeCity, Country: "Switzerland", CountryLocode: "CH", Sectors: []string{"waste"}, Names: []string{"Zürich"}}}
	for i, d := range []dataset{
		{Quote: "Emissionen nach Sektor", PublisherKind: "organisation", Publisher: "Klima-Allianz"},
		{Quote: "Treibhausgase der Stadt", PublisherKind: "authority", Publisher: "Stadt Zürich"},
		{Quote: "Emissionen der Abfälle", PublisherKind: "authority", Publisher: "Entsorgung + Recycling"},
	} {
		d.Sectors = []string{"waste"}
		address := []string{"https://klima.org/a", "https://data.stadt-zuerich.ch/b", "https://erz.example/c"}[i]
		s.StructuredData = append(s.StructuredData, s.record(&Page{URL: address}, proof{}, webdoc.Document{}, nil, d))
	}
	var got []string
	for _, r := range s.consolidated() {
		got = append(got, hostOf(r.URL))
	}
	if want := []string{"data.stadt-zuerich.ch", "erz.example", "klima.org"}; !slices.Equal(got, want) {
		t.Errorf("ranked: %q, want %q", got, want)
	}
}

// A domain proves a publisher where its country reserves it, or where it has the publisher's name.
// Others may register any name, and offices of other countries are none of this place.
func TestProvesPublisher(t *testing.T) {
	for _, test := range []struct {
		country, address, name string
		want                   bool
	}{
		{"AR", "http://www.argentina.gob.ar/x", "", true}, {"AT", "https://repo.uni.ac.at/", "", true}, {"JP", "https://www.city.yokohama.lg.jp/", "", true}, {"JP", "https://www.city.sabae.fukui.jp/a.csv", "", true}, {"JP", "https://www.pref.gifu.jp/", "", true}, {"JP", "https://city.example.com/", "", false}, {"JP", "https://gifu.example.jp/", "", false}, {"US", "https://www.epa.gov/x", "", true},
		{"CL", "https://www.epa.gov/x", "US Environmental Protection Agency (EPA)", false}, {"DE", "http://www.argentina.gob.ar/x", "", false},
		{"SE", "https://www.smhi.se/data", "SMHI", true}, {"NL", "https://www.cbs.nl/en-gb", "Centraal Bureau voor de Statistiek (CBS)", true}, {"CH", "https://data.stadt-zuerich.ch/dataset", "Stadt Zürich", true},
		{"SE", "https://www.naturvardsverket.se/", "Naturvårdsverket", true}, {"FR", "https://opendata.paris.fr", "Ville de Paris", true}, {"IT", "https://dati.comune.milano.it", "Comune di Milano", true}, {"AT", "https://linz.at", "Stadt Linz", true},
		{"VN", "https://hanoi.vn", "Ủy ban nhân dân Hà Nội", true}, {"GB", "https://www.sepa.org.uk/", "SEPA", true},
		{"AT", "https://linz.at", "", false}, {"AT", "https://linz-news.at", "Stadt Linz", false}, {"AT", "https://linz.de", "Stadt Linz", false}, {"FR", "https://cheap.paris", "Paris", false},
		{"XX", "https://unfccc.int/documents", "", true}, {"XX", "https://unfccc.int.example.com/", "", false}, {"XX", "https://notunfccc.int/", "", false}, {"CL", "https://www.gov.example.com/", "", false}, {"US", "https://fakegov.com/", "", false},
	} {
		if got := (Target{CountryLocode: test.country}).provesPublisher(test.address, test.name); got != test.want {
			t.Errorf("in %s %s proves %q: %v, want %v", test.country, test.address, test.name, got, test.want)
		}
	}
}

// Of a city the subsectors are those of city inventories, of a country or region those of the IPCC;
// of these the instruction and what was not found speak alike.
func TestSubsectorsOfPlaces(t *testing.T) {
	for mode, want := range map[string][]string{
		modeCountry: {"road transport", "civil aviation", "railways", "navigation", "off-road transport"}, modeRegion: {"road transport", "civil aviation", "railways", "navigation", "off-road transport"},
		modeCity: {"on-road transportation", "railways", "waterborne navigation", "aviation", "off-road transportation"},
	} {
		s := &AgentState{Target: Target{Mode: mode, Sectors: []string{"transportation"}}}
		var sought []string
		for _, n := range s.notFound(Grid{}) {
			sought = append(sought, n.Subsector)
		}
		slices.Sort(want)
		if slices.Sort(sought); !slices.Equal(sought, want) || !strings.Contains(fmt.Sprint(s.values()["subsectors"]), "; "+want[1]) {
			t.Errorf("%s: sought %q, want %q, and the instruction %v", mode, sought, want, s.values()["subsectors"])
		}
	}
	for _, sector := range Sectors {
		for _, mode := range []string{modeCountry, modeCity} {
			if n := len((Target{Mode: mode}).subsectorsOf(sector)); n < 2 {
				t.Errorf("%s of a %s has %d subsectors", sector, mode, n)
			}
		}
	}
}

// The planner is told all official languages of the place, and every model that a part of the place
// belongs to it.
func TestPlaceInPrompts(t *testing.T) {
	for country, want := range map[string]string{"CH": "en, de, fr, it", "CA": "en, fr", "BE": "en, nl, fr, de"} {
		target, err := Request{Country: country, Sector: "waste"}.check(ceiling)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&AgentState{Target: target}).values()["languages"]; got != want || !strings.Contains(plannerText, "Languages: {languages}") {
			t.Errorf("the planner is told of %s: %v, want %s", country, got, want)
		}
	}
	for name, text := range map[string]string{"relevance": relevanceText, "screen": screenText, "extractor": extractorText, "reviewer": reviewerText} {
		if !strings.Contains(text, "such as a province of the country") || !strings.Contains(text, "the region of a city") {
			t.Errorf("the prompt of %s does not say that a part of the place belongs to it", name)
		}
	}
	s := &AgentState{}
	if shown := s.reviewText([]StructuredDataItem{{PartOf: true}}); !strings.Contains(shown, "part of the place alone: true") {
		t.Errorf("the reviewer is shown %q", shown)
	}
}

// A record has a name that its page prints: one that a model made up gives way to the page's title.
func TestNameIsPrinted(t *testing.T) {
	s := &AgentState{Target: Target{Sectors: []string{"waste"}}}
	at := &Page{URL: "https://env.gov.xx/x", Title: "Residuos: serie anual"}
	doc := webdoc.Document{Markdown: "La serie anual de residuos, alcance 1, va de 1990 a 2020."}
	for name, want := range map[string]string{
		"Waste, yearly series": at.Title, "Serie anual de residuos": "Serie anual de residuos", "Residuos (alcance 1), serie anual": "Residuos (alcance 1), serie anual", "Residuos - 1990 a 2022": at.Title,
	} {
		s.StructuredData = nil
		s.take(at, proofOf(at, doc), doc, nil, extraction{Datasets: []dataset{{Quote: "La serie anual de residuos", Name: name, OfPlace: true, Sectors: []string{"waste"}, Scope: "alcance 1", PublisherKind: "authority"}}})
		if len(s.StructuredData) != 1 || s.StructuredData[0].Name != want || s.StructuredData[0].Scope != "alcance 1" {
			t.Errorf("a dataset called %q gives %+v, want %q with its scope", name, s.StructuredData, want)
		}
	}
}

// Of a table that names countries by their codes, those of the place come first; what inventories print
// in place of a number is no code.
func TestCountryCodes(t *testing.T) {
	for country, codes := range map[string][]string{"CH": {"CHE", "CH"}, "NO": {"NOR"}} {
		target, err := Request{Country: country, Sector: "transportation"}.check(ceiling)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range codes {
			table := "| region | sector | t |\n|---|---|---|\n" + strings.Repeat("| ABW | transportation | NO |\n", 5000) + "| " + code + " | power | 1 |\n| " + code + " | transportation | 2 |\n"
			if all, _ := pieces(table, target); len(all) != 1 || !strings.HasSuffix(all[0].Text, "|---|---|---|\n| "+code+" | transportation | 2 |\n") {
				t.Errorf("%s: %s is not first: %.200s", country, code, all[0].Text)
			}
		}
	}
}
