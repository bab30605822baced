package analyze

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/analyze/expiry"
	"example.com/whatis/internal/gs1"
)

var today = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

// coded returns codes with an expiry date: AI and value.
func coded(t *testing.T, elements ...string) []code {
	t.Helper()
	var all []code
	for _, s := range elements {
		e, err := gs1.Parse("(01)08801234567893" + s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, code{gtin: e.GTIN, quote: Quote{Text: s}, gs1: &e})
	}
	return all
}

// printed returns dates from "label: text", each read as one line.
func printed(dates ...string) Analysis {
	var a Analysis
	for _, d := range dates {
		label, text, ok := strings.Cut(d, ": ")
		if !ok {
			label, text = "", d
		}
		a.Dates = append(a.Dates, Date{Text: text, Label: label})
		a.VisibleText = append(a.VisibleText, clearly(strings.TrimSpace(label+" "+text))...)
	}
	return a
}

// The expiry date of a pack: by its label, or the latest without labels.
func TestEnding(t *testing.T) {
	tests := []struct {
		dates []string
		codes []string
		want  string // day, date, kind, warnings
	}{
		{nil, nil, " - []"},
		{[]string{"소비기한: 2027.03.15"}, nil, "2027.03.15 2027-03-15 use_by []"},
		{[]string{"BEST BEFORE: 14 MAR 2027"}, nil, "2027.03.14 2027-03-14 best_before []"},
		{[]string{"2027.03.15"}, nil, "2027.03.15 2027-03-15  [date_unlabelled]"},
		{[]string{"Gewinnspiel: 2027.03.15"}, nil, " - [date_label_unknown]"},
		{[]string{"Gewinnspiel: 2028.03.15"}, []string{"(17)270315"}, "2027.03.15 2027-03-15 use_by []"},
		{[]string{"2026.03.15", "2027.03.15"}, nil, "2027.03.15 2027-03-15  [date_unlabelled]"},
		{[]string{"2027.03.15", "2026.03.15"}, nil, "2027.03.15 2027-03-15  [date_unlabelled]"},
		{[]string{"EXP: 05/06/2027"}, nil, " 2027-06-05 expiry [date_ambiguous]"},
		{[]string{"EXP: 03/2027"}, nil, " 2027-03 expiry []"},
		{[]string{"제조일자: 2026.01.02"}, nil, " - []"},
		{[]string{"제조일자: 2026.01.02", "소비기한: 2027.01.02"}, nil, "2027.01.02 2027-01-02 use_by []"},

		{nil, []string{"(17)270315"}, "2027.03.15 2027-03-15 use_by []"},
		{nil, []string{"(15)270300"}, " 2027-03 best_before []"},
		{[]string{"2027.03.15"}, []string{"(17)270315"}, "2027.03.15 2027-03-15 use_by []"},
		{[]string{"EXP: 05/06/2027"}, []string{"(17)270506"}, "2027.05.06 2027-05-06 use_by []"}, // the code decides which
		{[]string{"EXP: 03/2027"}, []string{"(17)270315"}, "2027.03.15 2027-03-15 use_by []"},
		{[]string{"EXP: 2027.03.15"}, []string{"(17)280315"}, " 2028-03-15 use_by [date_conflict date_doubtful]"},
		{[]string{"EXP: 2 027.03.15 4"}, []string{"(17)270315"}, "2027.03.15 2027-03-15 use_by []"}, // the code settles what the print leaves over
		{[]string{"EXP: 2027.03"}, []string{"(17)280315"}, " 2028-03-15 use_by [date_conflict date_doubtful]"},
		{[]string{"EXP: 2027.03.15"}, []string{"(10)LOT7"}, "2027.03.15 2027-03-15 expiry []"},
		{nil, []string{"(17)270315", "(17)270601"}, " 2027-06-01 use_by [date_doubtful]"},
		{nil, []string{"(17)170315"}, " 2017-03-15 use_by [date_doubtful]"},
		{nil, []string{"(17)270315", "(15)270601"}, "2027.06.01 2027-06-01 best_before []"}, // the last, as in print
	}
	for _, test := range tests {
		e := findExpiry(printed(test.dates...), coded(t, test.codes...), expiry.Hint{Country: "KR", Lang: "ko", Now: today})
		got := fmt.Sprintf("%s - %v", e.date.Day(), e.warnings)
		if e.date != nil {
			got = fmt.Sprintf("%s %s %s %v", e.date.Day(), e.date.Date, e.date.Kind, e.warnings)
		}
		if got != test.want {
			t.Errorf("findExpiry(%q, codes %q) = %s, want %s", test.dates, test.codes, got, test.want)
		}
		if left := slices.Contains(e.warnings, expiry.DateLabelUnknown); (e.date == nil && !left) != (e.quote == nil) {
			t.Errorf("findExpiry(%q, codes %q) rests on %v, want a quote for a date, or one that was left out", test.dates, test.codes, e.quote)
		}
	}
}

// A date counts as read: one that is in no line is dropped, and one that the model
// wrote in another form is replaced by the line.
func TestDatesThatWereRead(t *testing.T) {
	tests := []struct {
		lines []string
		date  Date
		want  string // day, raw, quote, warnings
	}{
		{[]string{"EXP 2027.03.15"}, Date{Text: "2027.03.15", Label: "EXP"}, "2027.03.15 2027.03.15 EXP 2027.03.15 []"},
		{[]string{"EXP20270315L7"}, Date{Text: "20270315", Label: "EXP"}, "2027.03.15 20270315 EXP20270315L7 []"},
		{[]string{"BEST BEFORE", "14 MAR", "2027"}, Date{Text: "14 MAR 2027", Label: "BEST BEFORE"}, "2027.03.14 14 MAR 2027 14 MAR 2027 []"},
		{[]string{"EXP 14 MAR 2027"}, Date{Text: "2027.03.14", Label: "EXP"}, "2027.03.14 EXP 14 MAR 2027 EXP 14 MAR 2027 []"},
		{[]string{"EXP 05/06/2027"}, Date{Text: "2027.06.05", Label: "EXP"}, " EXP 05/06/2027 EXP 05/06/2027 [date_ambiguous]"},
		{[]string{"EXP 2027.03.15"}, Date{Text: "2028.03.15", Label: "EXP"}, "   [date_unsupported]"},
		{[]string{"9 520011 000017"}, Date{Text: "11.00", Label: "EXP"}, "   []"}, // no date
		{nil, Date{Text: "2027.03.15", Label: "EXP"}, "   [date_unsupported]"},
		{nil, Date{Text: "2027.03.15", Label: "제조일자"}, "   []"}, // not an expiry date
		{[]string{"www.shop.example/2027.03.15"}, Date{Text: "2027.03.16"}, "   [date_unsupported]"},
	}
	for _, test := range tests {
		a := Analysis{VisibleText: clearly(test.lines...), Dates: []Date{test.date}}
		e := findExpiry(a, nil, expiry.Hint{Country: "KR", Now: today})
		raw, quote := "", ""
		if e.date != nil {
			raw, quote = e.date.Raw, e.quote.Text
		}
		if got := fmt.Sprintf("%s %s %s %v", e.date.Day(), raw, quote, e.warnings); got != test.want {
			t.Errorf("%+v in %q = %s, want %s", test.date, test.lines, got, test.want)
		}
	}
}

// No date is wrong without a warning if the model swaps the labels or the kinds of a pair, or
// gives a kind that the print around the date contradicts: the suspicion asks the stronger
// model to look again.
func TestContestedDates(t *testing.T) {
	pair := []string{"MFG 01/03/2025 EXP 01/03/2027"}
	tests := []struct {
		name      string
		lines     []string
		dates     []Date
		want      string // day, date, warnings
		contested int
	}{
		{"right", pair, []Date{{Text: "01/03/2025", Label: "MFG", Kind: "production"}, {Text: "01/03/2027", Label: "EXP", Kind: "expiry"}}, " 2027-03-01 [date_ambiguous]", 0},
		{"labels swapped", pair, []Date{{Text: "01/03/2025", Label: "EXP", Kind: "production"}, {Text: "01/03/2027", Label: "MFG", Kind: "expiry"}}, " 2025-03-01 [date_ambiguous date_doubtful]", 2},
		{"kinds swapped", pair, []Date{{Text: "01/03/2025", Label: "MFG", Kind: "expiry"}, {Text: "01/03/2027", Label: "EXP", Kind: "production"}}, " 2027-03-01 [date_ambiguous date_doubtful]", 2},
		{"both swapped", pair, []Date{{Text: "01/03/2025", Label: "EXP", Kind: "expiry"}, {Text: "01/03/2027", Label: "MFG", Kind: "production"}}, " 2025-03-01 [date_ambiguous date_doubtful]", 2},
		{"a kind alone, against the print", []string{"제조일자 2026.03.30"}, []Date{{Text: "2026.03.30", Kind: "best_before"}}, " - [date_doubtful]", 1},
		{"a kind alone, against the line above", []string{"제조일자", "2026.03.30"}, []Date{{Text: "2026.03.30", Kind: "best_before"}}, " - [date_doubtful]", 1},
		{"a label that is not printed", []string{"2026.03.30"}, []Date{{Text: "2026.03.30", Label: "EXP", Kind: "expiry"}}, "2026.03.30 2026-03-30 [date_unlabelled]", 0},
		{"a line that is not clear", []string{"EXP 2027.03.3O?"}, []Date{{Text: "2027.03.30", Label: "EXP", Kind: "expiry"}}, " - [date_unsupported]", 0},
		{"a stamp with a gap", []string{"À consommer de préférence avant le :", "3 1 DEC. 2026"}, []Date{{Text: "3 1 DEC. 2026", Label: "À consommer de préférence avant le :", Kind: "best_before"}}, "2026.12.31 2026-12-31 []", 0},
		{"digits left over", []string{"THT 31.12.2026 7"}, []Date{{Text: "31.12.2026 7", Label: "THT", Kind: "best_before"}}, " 2026-12-31 [date_doubtful]", 0},
		{"a shelf life", []string{"제조 2026.05.31", "유통기한 제조일로부터 12개월"}, []Date{{Text: "2026.05.31", Label: "제조", Kind: "production", Period: "12개월", Anchor: "제조일로부터"}}, " 2027-05-30 [date_computed]", 0},
		{"a shelf life that is not printed", []string{"제조 2026.05.31"}, []Date{{Text: "2026.05.31", Label: "제조", Kind: "production", Period: "12개월", Anchor: "제조일로부터"}}, " - [date_unsupported]", 0},
	}
	for _, test := range tests {
		a := Analysis{VisibleText: clearly(test.lines...), Dates: test.dates}
		e := findExpiry(a, nil, expiry.Hint{Country: "IN", Lang: "en", Now: today})
		date := "-"
		if e.date != nil {
			date = e.date.Date
		}
		if got := fmt.Sprintf("%s %s %v", e.date.Day(), date, e.warnings); got != test.want {
			t.Errorf("%s: findExpiry = %s, want %s", test.name, got, test.want)
		}
		if got := contestedDates(a); len(got) != test.contested {
			t.Errorf("%s: contestedDates = %q, want %d", test.name, got, test.contested)
		}
		if e.date != nil && e.date.Computed && len(e.date.ComputedFrom) != 2 {
			t.Errorf("%s: it is computed from %q, want the day and the shelf life", test.name, e.date.ComputedFrom)
		}
	}
	unclear := Analysis{VisibleText: []Line{{Text: "EXP 2027.03.30"}}, Dates: []Date{{Text: "2027.03.30", Label: "EXP", Kind: "expiry"}}}
	if e := findExpiry(unclear, nil, expiry.Hint{Now: today}); e.date.Day() != "" || !slices.Contains(e.warnings, expiry.DateDoubtful) {
		t.Errorf("a line that is not clear: %s, %q, want it doubtful", e.date.Day(), e.warnings)
	}
}
