package discover

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/gemini"
)

const page = "Emissions of waste in Niger for 1990 to 2020, in kt. A table follows."

func TestGates(t *testing.T) {
	s := &AgentState{Target: Target{CountryLocode: "NE", Sectors: []string{"waste"}, Names: []string{"Niger"}}}
	at := &Page{URL: "https://stat.gov.ne/x", Title: "Waste"}
	text := proofOf(at, webdoc.Document{Markdown: page + " Of Nigeria nothing is said. Emissions of turkey and waste were estimated. Niger and Nigeria report together."})
	good := dataset{Quote: "Emissions of waste in Niger for 1990 to 2020", Place: "Niger", OfPlace: true, Sectors: []string{"waste"}, FirstYear: 1990, LastYear: 2020, PublisherKind: "statistics_office"}
	for _, test := range []struct {
		gate   string
		change func(*dataset)
	}{
		{"", func(*dataset) {}},
		{"", func(d *dataset) { d.Quote, d.Place = "A table follows.", "" }}, // its publisher says of which place
		{"", func(d *dataset) { d.Quote = "Niger and Nigeria report together" }},
		{"", func(d *dataset) { d.Quote = "Emissions of turkey and waste were estimated" }},
		{"quote", func(d *dataset) { d.Quote = "Emissions of waste in Niger for 1980 to 2020" }},
		{"quote", func(d *dataset) { d.Quote = "in kt" }},
		{"place", func(d *dataset) { d.OfPlace = false }},
		{"", func(d *dataset) { d.Quote = "Of Nigeria nothing is said" }}, // of which place is the model's to say
		{"sector", func(d *dataset) { d.Sectors = []string{"ippu"} }},
		{"sector", func(d *dataset) { d.Sectors = nil }},
		{"publisher", func(d *dataset) { d.PublisherKind = "news" }},
	} {
		d := good
		test.change(&d)
		if gate, reason := s.refuses(at, text, d); gate != Gate(test.gate) {
			t.Errorf("%+v: gate %q (%s), want %q", d, gate, reason, test.gate)
		}
	}
}

// A record has the years and the publisher that its page prints, and no others.
func TestProven(t *testing.T) {
	text := proofOf(&Page{Title: "Waste · Statistics Niger"}, webdoc.Document{Markdown: page})
	for _, test := range []struct{ is, want dataset }{
		{dataset{FirstYear: 1990, LastYear: 2020, Publisher: "Statistics Niger", Place: "Niger"}, dataset{FirstYear: 1990, LastYear: 2020, Publisher: "Statistics Niger", Place: "Niger"}},
		{dataset{FirstYear: 1990, LastYear: 2021}, dataset{FirstYear: 1990}}, // each by itself
		{dataset{FirstYear: 1980, LastYear: 2020}, dataset{LastYear: 2020}},
		{dataset{FirstYear: 1980, LastYear: 2021}, dataset{}},
		{dataset{FirstYear: 2020, LastYear: 1990}, dataset{}},
		{dataset{FirstYear: 0, LastYear: 2020}, dataset{LastYear: 2020}}, // "up to 2020"
		{dataset{FirstYear: 1990}, dataset{FirstYear: 1990}},             // "since 1990"
		{dataset{FirstYear: 1991}, dataset{}},
		{dataset{Gas: "N2O", Unit: "Mt", Licence: "CC BY 4.0"}, dataset{}},
		{dataset{Publisher: "Ministry of Environment", Place: "Mali"}, dataset{}},
	} {
		if got := text.proven(test.is); !reflect.DeepEqual(got, test.want) {
			t.Errorf("proven(%+v) = %+v, want %+v", test.is, got, test.want)
		}
	}
}

// Years count in the digits of any script, as the page prints them.
func TestProvenDigits(t *testing.T) {
	for _, text := range []string{"１９９０年～２０２０年", "١٩٩٠–٢٠٢٠", "۱۹۹۰ تا ۲۰۲۰", "१९९० से २०२०", "๑๙๙๐–๒๐๒๐", "1990–２０２０", "১৯৯০–২০২০"} {
		of := proofOf(&Page{}, webdoc.Document{Markdown: text})
		if got := of.proven(dataset{FirstYear: 1990, LastYear: 2020}); got.FirstYear != 1990 || got.LastYear != 2020 {
			t.Errorf("of %q the years are %d to %d, want 1990 to 2020", text, got.FirstYear, got.LastYear)
		}
		if got := of.proven(dataset{FirstYear: 1990, LastYear: 2021}); got.LastYear != 0 {
			t.Errorf("%q proves %d", text, got.LastYear)
		}
	}
	for page, want := range map[string][2]int{"平成元年度から令和４年度まで": {1989, 2022}, "令和3年度": {0, 2021}, "R4年度": {0, 2022}, "平成30年度": {0, 2018}, "平成 3": {0, 0}} {
		if got := proofOf(&Page{}, webdoc.Document{Markdown: page}).proven(dataset{FirstYear: want[0], LastYear: want[1]}); got.FirstYear != want[0] || got.LastYear != want[1] {
			t.Errorf("%s proves %d to %d, want %v", page, got.FirstYear, got.LastYear, want)
		}
	}
	if got := proofOf(&Page{}, webdoc.Document{Markdown: "平成30年度"}).proven(dataset{LastYear: 1991}); got.LastYear != 0 {
		t.Errorf("平成30年度 proves %d, want nothing of 平成3", got.LastYear)
	}
}

// Copies are one record, and so is what the reviewer calls one dataset: nothing that a repeat knew is lost.
func TestSameDataset(t *testing.T) {
	record := func(url, quote string, last int, files ...File) StructuredDataItem {
		return StructuredDataItem{URL: url, Name: url, Quote: quote, Sector: "waste", Sectors: []string{"waste"}, PublisherKind: "authority", Proofs: []string{"publisher"}, FirstYear: 1990, LastYear: last, Files: files}
	}
	s := &AgentState{StructuredData: []StructuredDataItem{
		record("https://env.gov.xx/old", "until 2015", 2015, File{URL: "https://env.gov.xx/old.csv"}),
		record("https://env.gov.xx/copy", "the waste data", 2020),
		record("https://env.gov.xx/new", "the waste data", 2020, File{URL: "https://env.gov.xx/new.csv"}),
		record("https://env.gov.xx/en", "in English", 2023),
		record("https://stat.gov.xx/a", "a sibling", 2020),
		record("https://stat.gov.xx/b", "another", 2021),
	}}
	shown := s.consolidated()
	at := func(of string) int {
		return 1 + slices.IndexFunc(shown, func(r StructuredDataItem) bool { return r.URL == "https://"+of })
	}
	if len(shown) != 5 || at("env.gov.xx/new") == 0 {
		t.Fatalf("consolidated() = %+v, want the page with a file for the copy, and the others", shown)
	}
	s.takeReview(shown, Review{SameDataset: [][]int{{99, at("env.gov.xx/new"), at("env.gov.xx/en"), at("env.gov.xx/old"), 77}, {at("stat.gov.xx/a"), at("env.gov.xx/en")}, {}}, Rejected: []int{at("stat.gov.xx/b"), -1, 99}})
	got := s.consolidated()
	if len(got) != 2 || got[0].URL != "https://env.gov.xx/new" || len(got[0].Files) != 2 || got[1].URL != "https://stat.gov.xx/a" || len(s.Dropped) != 1 {
		t.Fatalf("after the review: %+v, want the one that is named first with both files, and the sibling", got)
	}
	var also []string
	for _, i := range got[0].Also {
		also = append(also, fmt.Sprint(i.URL, " ", i.Quote, " ", i.LastYear))
	}
	if want := []string{"https://env.gov.xx/copy the waste data 2020", "https://env.gov.xx/en in English 2023", "https://env.gov.xx/old until 2015 2015"}; !slices.Equal(also, want) {
		t.Errorf("the record that stays lists %q, want %q", also, want)
	}
	s.StructuredData = append(s.StructuredData, record("https://mirror.example.org/copy", "in English", 2020))
	if again := s.consolidated(); len(again) != 2 || len(again[0].Also) != 4 {
		t.Errorf("a copy of a repeat that was found later: %+v, want it with the others", again)
	}
}

// Of two tables of one page with the same years, which measure different things, both stay; what a
// duplicate knew goes to the record that stays.
func TestMerged(t *testing.T) {
	table := func(quote, gas, unit string) StructuredDataItem {
		r := onWaste("https://env.gov.xx/data", quote, "landfills")
		r.Gas, r.Unit = gas, unit
		return r
	}
	for name, test := range map[string]struct {
		records []StructuredDataItem
		want    int
	}{
		"two gases":       {[]StructuredDataItem{table("Methane of landfills", "CH4", "kt"), table("Carbon dioxide of landfills", "CO2", "kt")}, 2},
		"emissions, mass": {[]StructuredDataItem{table("Emissions of landfills", "", "kt CO2 eq"), table("Waste that is landfilled", "", "tonnes")}, 2},
		"one, said twice": {[]StructuredDataItem{table("Methane of landfills", "CH4", "kt"), table("The methane table", "CH4", "kt")}, 1},
		"one, less said":  {[]StructuredDataItem{table("Methane of landfills", "CH4", "kt"), table("The table of landfills", "", "")}, 1},
	} {
		if got := (&AgentState{StructuredData: test.records}).consolidated(); len(got) != test.want {
			t.Errorf("%s: %d records, want %d", name, len(got), test.want)
		}
	}
	known, stays := onWaste("https://env.gov.xx/page", "The data of landfills", "landfills"), onWaste("https://env.gov.xx/new", "The data of landfills", "landfills")
	abroad := onWaste("https://copies.example.org/a", "The data of landfills", "landfills")
	abroad.LastYear, abroad.Publisher, known.Publisher = 2010, "Copies", "Ministry"
	known.Files, known.Licence, stays.FirstYear, stays.LastYear = []File{{URL: "https://env.gov.xx/a.csv", Format: "CSV"}}, "CC BY 4.0", 0, 0
	got := (&AgentState{StructuredData: []StructuredDataItem{abroad, known, stays}}).consolidated()
	if len(got) != 1 || len(got[0].Files) != 1 || got[0].Licence != "CC BY 4.0" || got[0].FirstYear != 1990 || got[0].Publisher != "Ministry" {
		t.Errorf("merged: %+v; want the file, the terms, the years and the publisher of its site", got)
	}
}

// Of pages with the same sentence and no files the one with the shortest address stays: that of the data, not of a
// question about it. A host of documents is no publisher because its own domain proves it.
func TestCopies(t *testing.T) {
	faq, host, data := onWaste("https://env.gov.xx/a/contents/frequent-questions", "The data of landfills", "landfills"), onWaste("https://docs.xx/1", "The data of landfills", "landfills"), onWaste("https://www.env.gov.xx/landfills", "The data of landfills", "landfills")
	host.PublisherKind = "other"
	if got := (&AgentState{StructuredData: []StructuredDataItem{host, faq, data}}).consolidated(); len(got) != 1 || got[0].URL != data.URL || len(got[0].Also) != 2 {
		t.Errorf("of three copies %+v stays, want %s", got, data.URL)
	}
}

// A page that lists two datasets has two, also if no years tell them apart, or another page is a file of one.
func TestListedBesideEachOther(t *testing.T) {
	const list, catalogue = "https://env.gov.xx/inventory", "https://open.gov.xx/tables"
	listed := func(url, name, quote string, first, last int) StructuredDataItem {
		return StructuredDataItem{Name: name, URL: url, Quote: quote, Sector: "waste", Sectors: []string{"waste"}, FirstYear: first, LastYear: last}
	}
	official, preliminary := listed(list, "Official inventory", "The official inventory 1990–2022", 1990, 2022), listed(list, "Preliminary emissions", "Preliminary emissions 1990–2023", 1990, 2023)
	official.Files = []File{{URL: catalogue}}
	tables := listed(catalogue, "Tables", "National emission tables, 1990 to 2023", 1990, 2023)
	province, community := listed(list, "Provincial inventory", "The inventory of the province", 0, 0), listed(list, "Community inventory", "The inventory of its communities", 0, 0)
	for name, records := range map[string][]StructuredDataItem{
		"no years":           {province, community},
		"one page with both": {official, tables, preliminary},
		"the page last":      {official, preliminary, tables},
		"the page first":     {tables, preliminary, official},
	} {
		if all := (&AgentState{StructuredData: records}).consolidated(); len(all) != len(records) {
			t.Errorf("%s: %d records, want each: %+v", name, len(all), all)
		}
	}
	again := listed(list, "Provincial inventory", "Data of the inventory of the province", 0, 0)
	if all := (&AgentState{StructuredData: []StructuredDataItem{province, again}}).consolidated(); len(all) != 1 {
		t.Errorf("what two sentences of a page say of one dataset is %+v, want one record", all)
	}
}

// A series that goes on is later than its edition of some year; a file ends where it ends.
func TestOpenEndIsLatest(t *testing.T) {
	const quote = "Facility reporting of landfills"
	edition := onWaste("https://data.gov.xx/facilities-2015.csv", quote, "landfills")
	edition.FirstYear, edition.LastYear, edition.Where = 2015, 2015, "A1"
	series := onWaste("https://open.gov.xx/facilities", quote, "landfills")
	series.FirstYear, series.LastYear = 2004, 0
	if all := (&AgentState{StructuredData: []StructuredDataItem{edition, series}}).consolidated(); len(all) != 1 || all[0].FirstYear != 2004 || all[0].LastYear != 0 {
		t.Errorf("the record is %+v, want the series since 2004", all)
	}
	table, page := edition, series
	table.FirstYear, table.LastYear = 2010, 0 // its last rows are not read
	page.FirstYear, page.LastYear = 2010, 2020
	if all := (&AgentState{StructuredData: []StructuredDataItem{table, page}}).consolidated(); len(all) != 1 || all[0].LastYear != 2020 {
		t.Errorf("the record is %+v, want that of the page, with the last year", all)
	}
}

// The government's inventory comes before a database that names a subsector.
func TestOfficialFirst(t *testing.T) {
	database := onWaste("https://www.iea.org/data", "Landfills of the country by year", "landfills")
	database.PublisherKind, database.Proofs, database.Place, database.Files = "international", nil, "Country", []File{{URL: "https://www.iea.org/a.csv"}}
	inventory := StructuredDataItem{URL: "https://env.gov.xx/nir", Quote: "The national inventory", Sector: "waste", Sectors: []string{"waste"}, PublisherKind: "authority", Proofs: []string{"publisher"}}
	got := (&AgentState{StructuredData: []StructuredDataItem{database, inventory}}).consolidated()
	if len(got) != 2 || got[0].URL != inventory.URL || !slices.Equal(got[0].Proofs, []string{"quote", "publisher"}) || got[0].Acceptance != 0.5 || got[1].Acceptance != 0.95 {
		t.Errorf("ranked: %+v", got)
	}
}

// A scan has no text that a quote could prove, and costs no call.
func TestScan(t *testing.T) {
	s := &AgentState{}
	page := &Page{URL: "https://env.gov.xx/scan.pdf"}
	doc := &archivedPage{Document: webdoc.Document{URL: page.URL, Markdown: "## page 1\n\n\n\n", Parts: []webdoc.Part{{Where: "page 1"}}}, ContentType: fetch.PDF}
	if err := s.took(page, doc, nil); err != nil {
		t.Fatal(err)
	}
	s.Pages = []*Page{page}
	if read := s.notRead(); page.Status != skipped || len(read) != 1 || !strings.HasPrefix(read[0].Reason, "no_text") {
		t.Errorf("a scan is %s (%s), not read: %+v", page.Status, page.Reason, read)
	}
}

// The CSV has the fields of the JSON, and a year that is not said is none.
func TestCSVFields(t *testing.T) {
	r := onWaste("https://env.gov.xx/data", "Since 1990", "landfills")
	r.LastYear, r.MethodOfAccess, r.Description, r.Country, r.Gas, r.Unit, r.Licence, r.Place = 0, "download", "by year", "Kenya", "CH4", "kt", "CC BY 4.0", "Kenya"
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(Result{Items: []StructuredDataItem{r}, Dropped: []Dropped{{URL: "https://a.example", Gate: gateQuote, Reason: "no quote"}}}.CSV(), []byte("\ufeff")))).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%q, %v", rows, err)
	}
	for name, want := range map[string]string{"method_of_access": "download", "description": "by year", "country": "Kenya", "gas": "CH4", "unit": "kt", "licence": "CC BY 4.0", "first_year": "1990", "last_year": "", "reason": ""} {
		if i := slices.Index(rows[0], name); i < 0 || rows[1][i] != want {
			t.Errorf("%s: %q, want %q", name, rows[1], want)
		}
	}
	if i := slices.Index(rows[0], "gate"); rows[2][i] != "quote" || rows[2][i+1] != "no quote" {
		t.Errorf("what was dropped: %q", rows[2])
	}
}

// onWaste is a record on a subsector of waste.
func onWaste(url, quote, label string) StructuredDataItem {
	return StructuredDataItem{URL: url, Quote: quote, Sector: "waste", Sectors: []string{"waste"}, Subsector: label, Subsectors: []Subsector{{label, "waste", label}}, PublisherKind: "authority", Proofs: []string{"publisher"}, FirstYear: 1990, LastYear: 2020}
}

// Datasets on different subsectors stay separate, also if one sentence names both. One that the reviewer
// refuses goes with its repeats, and no other of their pages does.
func TestSubsectorsStaySeparate(t *testing.T) {
	const page, list, both = "https://env.gov.xx/data", "https://env.gov.xx/list", "Solid waste disposal and wastewater, 1990–2020"
	s := &AgentState{StructuredData: []StructuredDataItem{
		onWaste(page, both, "solid waste disposal"), onWaste(page, both, "wastewater"), onWaste(page, "Solid waste once more", "solid waste disposal"),
		onWaste(list, both, "Solid waste disposal"), onWaste(list, "Composting, by year", "biological treatment"),
	}}
	all := s.consolidated()
	i := slices.IndexFunc(all, func(r StructuredDataItem) bool { return strings.EqualFold(r.Subsector, "solid waste disposal") })
	if len(all) != 3 || i < 0 {
		t.Fatalf("%d records, want one of each subsector: %+v", len(all), all)
	}
	s.takeReview(all, Review{Rejected: []int{i + 1}, ActionReasoning: "it is about another place"})
	if left := s.consolidated(); len(left) != 2 || slices.ContainsFunc(left, func(r StructuredDataItem) bool { return strings.EqualFold(r.Subsector, "solid waste disposal") }) {
		t.Errorf("after the rejection there are %+v, want those on wastewater and composting", left)
	}
}

// One query of a review goes before each of those that the plan has left, unless it has an address.
func TestAddedQueries(t *testing.T) {
	s := &AgentState{Target: Target{Names: []string{"Kenya"}}}
	s.Plan.Queries = []SearchQuery{{Query: "Kenya waste", Rank: 1, Status: pending}}
	s.addQueries([]SearchQuery{{Query: "Kenya landfill methane", Rank: 1}, {Query: "Kakamega livestock methane", Rank: 2}, {Query: "Kenya site:evil.example"}, {Query: "Kenya www.evil.example data"}, {Query: "Kenya http://evil"}})
	var got []string
	for _, q := range s.queries() {
		got = append(got, q.Query)
	}
	if want := []string{"Kenya landfill methane", "Kenya waste", "Kakamega livestock methane"}; !slices.Equal(got, want) || len(s.Dropped) != 3 || s.Dropped[0].Gate != "query" {
		t.Errorf("queries %q, dropped %+v, want %q", got, s.Dropped, want)
	}
}

// A record of a file says on which page or in which cell its quote stands.
func TestWhere(t *testing.T) {
	s := &AgentState{Target: Target{Sectors: []string{"waste"}}}
	doc := webdoc.Document{Parts: []webdoc.Part{{Where: "page 1", Text: "Contents"}, {Where: "page 2", Text: "Emissions of waste in\nNiger for 1990 to 2020"}}}
	r := s.record(&Page{URL: "https://stat.gov.ne/x.pdf"}, proof{}, doc, nil, dataset{Quote: "Emissions of waste in Niger for 1990 to 2020", Sectors: []string{"waste"}})
	if r.Where != "page 2" {
		t.Errorf("the quote is said to stand at %q, want page 2", r.Where)
	}
}

func TestFileOf(t *testing.T) {
	for _, test := range []struct {
		link webdoc.Link
		want File
	}{
		{webdoc.Link{URL: "http://a.gov/2021/emisiones_v2019.xlsx", Text: "Descargar"}, File{"http://a.gov/2021/emisiones_v2019.xlsx", "XLSX"}},
		{webdoc.Link{URL: "http://a.gov/x.pdf?v=2", Text: "Inventory 1994"}, File{"http://a.gov/x.pdf?v=2", "PDF"}},
		{webdoc.Link{URL: "http://a.gov/dashboard/", Text: "Dashboard"}, File{"http://a.gov/dashboard/", "web"}},
	} {
		if got := fileOf(test.link); got != test.want {
			t.Errorf("fileOf(%+v) = %+v, want %+v", test.link, got, test.want)
		}
	}
}

// What a call may cost is priced at the tier that the request names, before that of the deployment.
func TestTierOfEstimates(t *testing.T) {
	p := &Pipeline{Config: Config{Models: Models{Thinking: "gemini-3.6-flash", Structured: "gemini-3.5-flash-lite", Relevance: "gemini-3.5-flash-lite"}, Tier: gemini.Flex}}
	standard, flex := p.callUSD(&AgentState{Request: Request{Tier: "standard"}}, extracting), p.callUSD(new(AgentState), extracting)
	if standard <= 0 || flex != standard/2 {
		t.Errorf("a call costs %g at the standard tier and %g at flex, want half", standard, flex)
	}
}

// A table that is cut says so, and its years that were read stay.
func TestCutTableIsSaid(t *testing.T) {
	rows := "Year,Facility,CO2 in t\n" + strings.Repeat("2010,A,1\n", 60_000) + "2020,A,1\n"
	d, err := webdoc.NewReader(webdoc.Limits{}).Read(t.Context(), fetch.Page{URL: "https://data.gov.xx/facilities.csv", ContentType: fetch.CSV, Body: []byte(rows)})
	if err != nil {
		t.Fatal(err)
	}
	s := onKenya(nil)
	page := &Page{URL: "https://data.gov.xx/facilities.csv", Title: "Facilities"}
	s.Pages = []*Page{page}
	s.takeReading(page, pageReading{doc: &d, answers: []extraction{{Datasets: []dataset{{Quote: "Year Facility CO2 in t", OfPlace: true, Sectors: []string{"waste"}, FirstYear: 2010, LastYear: 2020}}}}})
	if len(s.StructuredData) != 1 || s.StructuredData[0].FirstYear != 2010 || s.StructuredData[0].LastYear != 0 {
		t.Errorf("the record is %+v, want it from 2010", s.StructuredData)
	}
	if read := s.notRead(); len(read) != 1 || read[0].URL != page.URL || !strings.HasPrefix(read[0].Reason, "its end") {
		t.Errorf("not read: %+v, want the end of the table", read)
	}
}

// A record that knows one year of its file leaves the other to the file, and of a page that it links it does not know
// what else stands there.
func TestHalfKnownFileIsRead(t *testing.T) {
	for _, test := range []struct{ first, last int }{{0, 2023}, {1990, 0}, {0, 0}, {1990, 2023}} {
		r := recordAt("https://nema.go.ke/ghg", "Waste", "Emissions of waste", test.first, test.last)
		r.Files = []File{{URL: "https://nema.go.ke/ghg.xlsx", Format: "XLSX"}}
		s := onKenya(nil, r)
		if got, want := s.described(&Candidate{URL: r.Files[0].URL, Format: "XLSX"}), test.first > 0 && test.last > 0; got != want {
			t.Errorf("with the years %d to %d the file is described: %v, want %v", test.first, test.last, got, want)
		}
		if s.described(&Candidate{URL: r.Files[0].URL}) {
			t.Error("a page that a record links is taken to be described")
		}
	}
}

// A site that asks programs to keep away is said once, whatever was sought of it.
func TestClosedSiteIsSaidOnce(t *testing.T) {
	s := &AgentState{}
	for _, url := range []string{"https://a.example/1", "https://a.example/2", "https://b.example/1"} {
		page := &Page{URL: url}
		if err := s.took(page, nil, fetch.ErrRobots); err != nil {
			t.Fatal(err)
		}
		s.Pages = append(s.Pages, page)
	}
	read := s.notRead()
	if len(read) != 2 || read[0].URL != "https://a.example/1" || read[1].URL != "https://b.example/1" {
		t.Errorf("not read: %+v, want one address of each site", read)
	}
}
