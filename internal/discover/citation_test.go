package discover

import (
	"strings"
	"testing"

	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/fetch"
)

func TestHolds(t *testing.T) {
	text := quotable("## Waste\n\nLas **emisiones** de residuos\\_sólidos, 1990–2020: 1 234 kt.")
	for q, want := range map[string]bool{
		"Las emisiones de residuos sólidos": true, "LAS EMISIONES de residuos": true, "emisiones de residuos solidos, 1990-2020": true,
		"Las emisiones de transporte": false, "1990": false, "": false,
	} {
		if got := text.Holds(q); got != want {
			t.Errorf("Holds(%q) = %v, want %v", q, got, want)
		}
	}
}

// A sign of HTML may be written as such or as its entity, on either side.
func TestHoldsEntities(t *testing.T) {
	for _, markdown := range []string{"a small share (&lt;0.5%) of **methane** &amp; carbon", "a small share (<0.5%) of methane & carbon"} {
		text := quotable(markdown)
		for q, want := range map[string]bool{
			"a small share (<0.5%) of methane & carbon": true, "small share (&lt;0.5%) of methane": true, "of methane &amp; carbon": true,
			"a small share (<0.7%) of methane": false, "a small share of methane &lt; carbon": false,
		} {
			if got := text.Holds(q); got != want {
				t.Errorf("Holds(%q) = %v of %q, want %v", q, got, markdown, want)
			}
		}
	}
}

// What a link leads to is markup: a quote need not have it, and may.
func TestHoldsAcrossLinks(t *testing.T) {
	d, err := webdoc.NewReader(webdoc.Limits{}).Read(t.Context(), fetch.Page{URL: "https://stat.gov.ke/", ContentType: fetch.HTML, Body: []byte(
		`<p>Download the <a href="/files/waste_(2020) final.xlsx" title="XLSX (2 MB)">waste inventory</a> of Kenya for <a href="/years?from=1990&to=2020"><b>1990–2020</b></a> [kt](in two tables).</p>`)})
	if err != nil {
		t.Fatal(err)
	}
	text := quotable(d.Markdown)
	for q, want := range map[string]bool{
		"Download the waste inventory of Kenya for 1990–2020 [kt](in two tables).": true, strings.TrimSpace(d.Markdown): true, "Kenya for 1990–2020 kt in two tables": true,
		"Download the waste inventory of Uganda": false, "waste inventory of Kenya in two tables": false,
	} {
		if got := text.Holds(q); got != want {
			t.Errorf("Holds(%q) = %v of %q, want %v", q, got, d.Markdown, want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct {
		text, name string
		want       bool
	}{
		{"Emissions of Niger, 2020", "Niger", true}, {"Emissions of Nigeria", "Niger", false}, {"Republic of South  Korea", "South Korea", true},
		{"강원도의 배출량", "강원", true}, {"Österreichs Inventar", "Österreich", true}, {"Kenya's waste", "Kenya", true}, {"anything", "", false}, {"", "Niger", false},
		{"2020年中国温室气体清单", "中国", true}, {"令和3年度日本の排出量", "日本", true}, {"การปล่อยก๊าซเรือนกระจกของประเทศไทย", "ไทย", true}, {"ການປ່ອຍອາຍພິດຂອງລາວ", "ລາວ", true},
		{"ការបំភាយឧស្ម័នរបស់កម្ពុជា", "កម្ពុជា", true}, {"၂၀၂၀မြန်မာ", "မြန်မာ", true}, {"令和3年度カナダの排出量", "カナダ", true}, {"東京都の排出量", "東京都", true}, {"2020年東京都", "東京", true},
		{"発展途上国の排出量", "日本", false}, {"发展中国家中国的排放", "中国", true}, {"天津的排放", "津", false}, {"津市の排出量", "津", true},
		{"新서울의 배출량", "서울", false}, {"남강원", "강원", false},
	} {
		if got := namesAny(test.text, []string{test.name}); got != test.want {
			t.Errorf("Names(%q, %q) = %v, want %v", test.text, test.name, got, test.want)
		}
	}
}

// A quote stands in a part, or goes across the cells of a row.
func TestWhereOf(t *testing.T) {
	parts := []webdoc.Part{{Where: "T!A1", Text: "Table 5"}, {Where: "T!A2", Text: ""}, {Where: "T!A3", Text: "Solid waste"}, {Where: "T!B3", Text: "Chile"}, {Where: "T!C3", Text: "1990–2020"}}
	for quote, want := range map[string]string{"solid waste": "T!A3", "Solid waste | Chile | 1990–2020": "T!A3", "Chile 1990-2020": "T!B3", "Table 5 | | Solid waste": "T!A1", "Peru": "", "": ""} {
		if got := whereOf(parts, quote); got != want {
			t.Errorf("whereOf(%q) = %q, want %q", quote, got, want)
		}
	}
}
