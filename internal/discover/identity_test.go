package discover

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/discover/webdoc"
)

// onKenya is a run with records, each of which a page of its own publishes.
func onKenya(marks map[string]Mark, records ...StructuredDataItem) *AgentState {
	t := Target{Country: "Kenya", CountryLocode: "KE", Sectors: []string{"waste"}, Sector: "waste", Mode: modeCountry, Names: []string{"Kenya"}}
	return &AgentState{Target: t, StructuredData: records, Marks: marks, Limits: defaults}
}

func recordAt(url, name, quote string, first, last int, subsectors ...Subsector) StructuredDataItem {
	return StructuredDataItem{Name: name, URL: url, Quote: quote, Sector: "waste", Sectors: []string{"waste"}, FirstYear: first, LastYear: last, Subsectors: subsectors, Subsector: labels(subsectors), PublisherKind: "authority", Proofs: []string{"publisher"}}
}

// markedAs returns the marks of a record of a result.
func markedAs(verdict string, r StructuredDataItem) map[string]Mark {
	return map[string]Mark{r.DuplicateKey: {DuplicateKey: r.DuplicateKey, Opinion: Opinion{Verdict: verdict, By: "Ana"}, Identity: r.identity(), Also: r.Also, Name: r.Name}}
}

// notThere is the answer of a run that has read all pages.
func notThere(StructuredDataItem) (string, error) { return "", nil }

// A dataset that a model describes otherwise than in the earlier run is neither new nor gone.
func TestSinceDescribedOtherwise(t *testing.T) {
	const page, quote = "https://nema.go.ke/ghg", "Landfill emissions in Gg"
	landfill := Subsector{"Landfill", "waste", "solid waste disposal"}
	was := recordAt(page, "Landfills", quote, 1990, 2020, landfill)
	for name, is := range map[string]StructuredDataItem{
		"another name":                 recordAt(page, "Emissions of Kenya’s landfills (1990–2020)", quote, 1990, 2020, landfill),
		"another label":                recordAt(page, "Landfills", quote, 1990, 2020, Subsector{"Landfill", "waste", "landfills"}),
		"no subsector":                 recordAt(page, "Landfills", quote, 1990, 2020),
		"no years":                     recordAt(page, "Landfills", quote, 0, 0, landfill),
		"a longer quote":               recordAt(page, "Landfills", "Table 3: "+quote+", by year", 1990, 2020, landfill),
		"the page has another address": recordAt("https://nema.go.ke/ghg-data", "Landfills", quote, 1990, 2020, landfill),
	} {
		if c, err := changes("x", onKenya(nil, was).consolidated(), onKenya(nil, is).consolidated(), notThere); err != nil || len(c.New)+len(c.Gone)+len(c.Superseded)+len(c.NotLookedAt) > 0 {
			t.Errorf("%s: changes = %+v, %v, want none", name, c, err)
		}
	}
	other := recordAt(page, "Landfills", "Wastewater emissions in Gg", 1990, 2020, Subsector{"Wastewater", "waste", "wastewater"})
	if c, err := changes("x", onKenya(nil, was).consolidated(), onKenya(nil, other).consolidated(), notThere); err != nil || len(c.New) != 1 || len(c.Gone) != 1 {
		t.Errorf("changes = %+v, %v, want another subsector of the page new, and the first gone", c, err)
	}
}

// Of two editions at one address that both runs have, none has superseded the other since.
func TestSinceTwoEditions(t *testing.T) {
	of := func() []StructuredDataItem {
		return onKenya(nil, recordAt("https://a.go.ke/", "First", "The first inventory", 1990, 2015), recordAt("https://a.go.ke/", "Second", "The second inventory", 1990, 2018)).consolidated()
	}
	c, err := changes("x", of(), of(), notThere)
	if err != nil || len(c.New)+len(c.Gone)+len(c.Superseded) > 0 {
		t.Errorf("changes = %+v, %v, want none", c, err)
	}
}

// What a person has marked wrong since is not gone: the later run has left it out.
func TestSinceMarkedWrong(t *testing.T) {
	before := onKenya(nil, recordAt("https://nema.go.ke/ghg", "Waste", "Emissions of waste 1990 to 2020", 1990, 2020)).consolidated()
	before[0].Mark = &Opinion{Verdict: markedWrong, By: "Ana"}
	if c, err := changes("x", before, nil, notThere); err != nil || len(c.Gone)+len(c.NotLookedAt) > 0 {
		t.Errorf("changes = %+v, %v, want none", c, err)
	}
}

// A mark is on one dataset, and not on others of a page on which that was found, too.
func TestMarkDoesNotSpread(t *testing.T) {
	const list = "https://data.go.ke/catalogue"
	landfills := recordAt(list, "Landfills", "Landfill emissions 1990 to 2020", 1990, 2020)
	copied := recordAt("https://blog.example/landfills", "Landfills", landfills.Quote, 1990, 2020)
	water := recordAt(list, "Wastewater", "Wastewater emissions 2000 to 2020", 2000, 2020)
	found := onKenya(nil, copied, landfills).consolidated()
	if len(found) != 1 || len(found[0].Also) != 1 {
		t.Fatalf("the dataset and its copy are %+v, want one record", found)
	}
	for _, verdict := range []string{markedWrong, markedRight} {
		marks := markedAs(verdict, found[0])
		if m := markOf(marks, water); m != nil {
			t.Errorf("another dataset of the page is marked %s", m.Verdict)
		}
		for _, r := range []StructuredDataItem{landfills, copied} {
			if m := markOf(marks, r); m == nil || m.Verdict != verdict {
				t.Errorf("%s is marked %+v, want %s", r.URL, m, verdict)
			}
		}
	}
	if m := markOf(markedAs(markedWrong, onKenya(nil, copied).consolidated()[0]), landfills); m != nil {
		t.Errorf("a mark on the copy alone is on the publisher's record, too: %+v", m)
	}
}

// Of several marks that fit a record the last one counts.
func TestLastMarkCounts(t *testing.T) {
	a, b := recordAt("https://a.go.ke/1", "A", "Emissions of waste 1990 to 2020", 1990, 2020), recordAt("https://b.go.ke/2", "B", "Emissions of waste 1990 to 2020", 1990, 2020)
	marks := map[string]Mark{
		"a": {Opinion: Opinion{Verdict: markedRight, At: time.Unix(1, 0)}, Identity: a.identity(), Also: []Identity{b.identity()}},
		"b": {Opinion: Opinion{Verdict: markedWrong, At: time.Unix(2, 0)}, Identity: b.identity()},
	}
	for range 100 {
		if m := markOf(marks, b); m == nil || !m.IsWrong() {
			t.Fatalf("the mark is %+v, want the last", m)
		}
	}
}

// What is marked wrong does not come back by the file that its page links.
func TestMarkedWrongByItsFile(t *testing.T) {
	page, file := &Page{URL: "https://data.go.ke/landfills", Title: "Landfills"}, "https://data.go.ke/landfills.csv"
	doc := webdoc.Document{Markdown: "Landfill emissions of Kenya 1990 to 2020 in Gg. Download.", Links: []webdoc.Link{{URL: file, Text: "Download", Format: "csv"}}}
	found := extraction{Datasets: []dataset{{Quote: "Landfill emissions of Kenya 1990 to 2020", Name: "Landfills", OfPlace: true, Sectors: []string{"waste"}, FirstYear: 1990, LastYear: 2020, Links: []int{1}}}}
	first := onKenya(nil)
	first.take(page, proofOf(page, doc), doc, doc.Links, found)
	second := onKenya(markedAs(markedWrong, first.consolidated()[0]))
	second.take(page, proofOf(page, doc), doc, doc.Links, found)
	csv := webdoc.Document{Markdown: "year,landfill emissions Kenya\n1990,1\n2020,2"}
	of := &Page{URL: file, Title: "Landfills", Source: sourceFile, Via: page.URL}
	second.take(of, proofOf(of, csv), csv, nil, extraction{Datasets: []dataset{{Quote: "year,landfill emissions Kenya", Name: "Landfills", OfPlace: true, Sectors: []string{"waste"}, FirstYear: 1990, LastYear: 2020}}})
	if len(second.StructuredData) > 0 || len(second.Dropped) != 2 {
		t.Errorf("after the mark there are %+v, dropped %+v", second.StructuredData, second.Dropped)
	}
}

// A record of a file that is marked right keeps its landing page, and with it its publisher.
func TestMarkedRightFile(t *testing.T) {
	const file, landing = "https://files.cdn-example.com/waste.xlsx", "https://nema.go.ke/ghg"
	s := onKenya(map[string]Mark{"k": {Opinion: Opinion{Verdict: markedRight}, Identity: Identity{URL: file}, Name: "Waste", LandingPage: landing, Fetch: "https://api.cdn-example.com/waste"}})
	s.addMarked()
	s.add(Page{URL: landing, Source: "search"})
	s.offerFiles(s.known(landing), []webdoc.Link{{URL: file, Text: "Waste", Format: "XLSX"}})
	page := s.known(file)
	if r := s.record(page, proof{}, webdoc.Document{}, nil, dataset{Sectors: []string{"waste"}}); r.LandingPage != landing || !slices.Contains(r.Proofs, "publisher") || page.Fetch == "" {
		t.Errorf("the record is of %q, proofs %q, asked at %q", r.LandingPage, r.Proofs, page.Fetch)
	}
}

// A result shows the marks as they are now, and the acceptance that goes with them.
func TestMarkChanged(t *testing.T) {
	right := onKenya(nil, recordAt("https://a.go.ke/1", "A", "Emissions of waste 1990 to 2020", 1990, 2020)).consolidated()[0]
	own := right.Acceptance
	right = right.withMark(markedAs(markedRight, right))
	if wrong := right.withMark(markedAs(markedWrong, right)); right.Acceptance != 1 || wrong.Acceptance != own || !(Mark{Opinion: *wrong.Mark}).IsWrong() || right.withMark(nil).Mark != nil {
		t.Errorf("marked right, %.2f; then wrong, %.2f; want 1 and %.2f, and no mark where there is none", right.Acceptance, wrong.Acceptance, own)
	}
}

// A place may have more marks than a document of Firestore holds.
func TestManyMarks(t *testing.T) {
	s := markStore{emulate.Start(t, emulate.Firestore).FirestoreClient(t)}
	const n = 300
	for i := range n {
		m := Mark{DuplicateKey: fmt.Sprint("key", i), Identity: Identity{URL: "https://example.com/" + strings.Repeat("x", 1500), Quote: strings.Repeat("of waste ", 300)}, Opinion: Opinion{Verdict: markedRight}}
		if _, err := s.Keep(t.Context(), "KE", m); err != nil {
			t.Fatalf("mark %d: %v", i+1, err)
		}
	}
	if all, err := s.Of(t.Context(), "KE"); err != nil || len(all) != n || !slices.Equal(all["key0"].History, []Opinion{{Verdict: markedRight}}) {
		t.Errorf("of %d marks there are %d, %v", n, len(all), err)
	}
}

// Two cities of one name have each their marks, and are no places to compare.
func TestCitiesOfOneName(t *testing.T) {
	var all []Target
	for _, city := range []string{"Portland, US-OR", "Portland, US-ME", "Portland, US"} {
		one, err := Request{City: city, Sector: "waste"}.target()
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(all, func(o Target) bool { return o.place() == one.place() }) {
			t.Errorf("%s is taken for another city", city)
		}
		if place := (&AgentState{Target: one}).values()["place"]; one.Region != "" && !strings.Contains(fmt.Sprint(place), one.Region) {
			t.Errorf("a model is asked about %v", place)
		}
		all = append(all, one)
	}
}
