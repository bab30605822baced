package discover

import (
	"testing"

	"example.com/whatis/internal/discover/webdoc"
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

func TestNames(t *testing.T) {
	for _, test := range []struct {
		text, name string
		want       bool
	}{
		{"Emissions of Niger, 2020", "Niger", true}, {"Emissions of Nigeria", "Niger", false}, {"Republic of South  Korea", "South Korea", true},
		{"강원도의 배출량", "강원", true}, {"Österreichs Inventar", "Österreich", true}, {"Kenya's waste", "Kenya", true}, {"anything", "", false}, {"", "Niger", false},
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
