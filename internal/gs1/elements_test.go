package gs1

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	whole := Elements{GTIN: "09506000134352", Lot: "ABC123", Production: "251130", BestBefore: "261200", UseBy: "270228"}
	tests := []struct {
		in   string
		want Elements
	}{
		{"]d201095060001343521125113015261200172702281" + "0ABC123", whole},
		{"]Q3010950600013435210ABC123\x1d112511301526120017270228", whole},
		{"\x1d010950600013435211251130\x1d15261200\x1d17270228\x1d10ABC123\x1d", whole},
		{"(01)09506000134352(11)251130(15)261200(17)270228(10)ABC123", whole},
		{"(01) 09506000134352 (10) ABC123 (11) 251130 (15) 261200 (17) 270228", whole},
		{"https://id.gs1.org/01/09506000134352/10/ABC123?11=251130&15=261200&17=270228", whole},
		{"HTTPS://example.co.kr/shop/kr/01/9506000134352/10/ABC%3123?utm=1;17=270228;15=261200;11=251130#x", whole},
		{"https://example.com/01/09506000134352/10/A%2FB(1)/about", Elements{GTIN: "09506000134352", Lot: "A/B(1)"}},
		{"(01)09506000134352(10)A(1)B", Elements{GTIN: "09506000134352", Lot: "A(1)B"}},
		{"010950600013435221S1\x1d3103000123" + "8005012345" + "\x1d17270228", Elements{GTIN: "09506000134352", Serial: "S1", UseBy: "270228"}},
		{"10L1", Elements{Lot: "L1"}},
	}
	for _, test := range tests {
		got, err := Parse(test.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", test.in, err)
		}
		got.All = nil
		if got.GTIN != test.want.GTIN || got.Lot != test.want.Lot || got.Serial != test.want.Serial ||
			got.Production != test.want.Production || got.BestBefore != test.want.BestBefore || got.UseBy != test.want.UseBy {
			t.Errorf("Parse(%q) = %+v, want %+v", test.in, got, test.want)
		}
	}
}

func TestParseKeepsAll(t *testing.T) {
	got, err := Parse("01095060001343523103000123240X-1\x1d10L")
	want := []Element{{"01", "09506000134352"}, {"3103", "000123"}, {"240", "X-1"}, {"10", "L"}}
	if err != nil || !slices.Equal(got.All, want) {
		t.Errorf("Parse = %v, %v; want %v", got.All, err, want)
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ in, says string }{
		{"]d20109506000134353", "check digit of 09506000134353 does not verify"},
		{"(01)09506000134353", "check digit"},
		{"https://id.gs1.org/01/09506000134353", "check digit"},
		{"00395060001343520009", "check digit"},
		{"https://id.gs1.org/AQnYUc1gmiGlt0mEuvRtgSbm", "uncompressed"},
		{"https://example.com/", "no /01/"},
		{"01095060001343", "not 14"},
		{"(17)261301", "no date"},
		{"(17)250229", "no date"},
		{"(17)26123", "not of 6 digits"},
		{"(10)", "1 to 20"},
		{"10" + strings.Repeat("A", 21), "1 to 20"},
		{"(10)가", "does not know"},
		{"(10)A(10)B", "both"},
		{"hello", "no application identifier"},
		{"(hello)", "no application identifier"},
		{"0", "no application identifier"},
		{"", "empty"},
		{"]d2", "empty"},
	}
	for _, test := range tests {
		if got, err := Parse(test.in); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("Parse(%q) = %+v, %v; want an error that says %q", test.in, got, err, test.says)
		}
	}
}

func TestDate(t *testing.T) {
	tests := []struct {
		date Date
		year int
		want string
		day  bool
	}{
		{"261231", 2026, "2026-12-31", true},
		{"280200", 2026, "2028-02-29", false},
		{"270200", 2026, "2027-02-28", false},
		{"760101", 2026, "2076-01-01", true},
		{"770101", 2026, "1977-01-01", true},
		{"490101", 2099, "2149-01-01", true},
		{"500101", 2099, "2050-01-01", true},
		{"450101", 2096, "2145-01-01", true},
		{"991231", 2000, "1999-12-31", true},
		{"", 2026, "0001-01-01", false},
		{"269999", 2026, "0001-01-01", true},
	}
	for _, test := range tests {
		if got := test.date.In(test.year).Format(time.DateOnly); got != test.want || test.date.HasDay() != test.day {
			t.Errorf("Date(%q).In(%d) = %s, day %v; want %s, %v", test.date, test.year, got, test.date.HasDay(), test.want, test.day)
		}
	}
}

func TestExpandUPCE(t *testing.T) {
	tests := []struct{ in, want string }{
		{"01234565", "012345000065"},
		{"00123457", "001234000057"},
		{"01234531", "012300000451"},
		{"04252614", "042100005264"},
		{"04124498", "041244000098"},
		{"01234564", ""},
		{"21234565", ""},
		{"0123456", ""},
		{"0123456x", ""},
	}
	for _, test := range tests {
		if got, err := ExpandUPCE(test.in); got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("ExpandUPCE(%q) = %q, %v; want %q", test.in, got, err, test.want)
		}
	}
}

// Every parsed input has a GTIN with a valid check digit and existing dates, and its
// elements in brackets parse to the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"]d2010950600013435217270228" + "10ABC", "(01)09506000134352(10)A(1)B", "\x1d10A\x1d21B",
		"https://id.gs1.org/01/09506000134352/10/ABC?17=270228", "https://a//01/09506000134352//x", "(0", "41", "https://%zz/01/",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := Parse(s)
		if err != nil {
			return
		}
		if _, ok := GTIN(e.GTIN); e.GTIN != "" && !ok {
			t.Errorf("Parse(%q) has the GTIN %q", s, e.GTIN)
		}
		if e.UseBy != "" && e.UseBy.In(2026).IsZero() {
			t.Errorf("Parse(%q) has the date %q", s, e.UseBy)
		}
		var again strings.Builder
		for _, x := range e.All {
			again.WriteString(x.AI + x.Value + separator)
		}
		if e2, err := Parse(again.String()); err != nil || !slices.Equal(e.All, e2.All) {
			t.Errorf("Parse(%q) = %v, and of its elements %v, %v", s, e.All, e2.All, err)
		}
	})
}
