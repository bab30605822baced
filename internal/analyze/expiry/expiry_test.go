package expiry

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

// told returns the result of Parse in one line: all readings, kind and period, or the
// error.
func told(d Date, err error) string {
	var e *Error
	if errors.As(err, &e) {
		return strings.TrimSpace("refused " + e.Code + " " + e.Period)
	}
	date := d.Date
	if len(d.Ambiguous) > 0 {
		date = strings.Join(d.Ambiguous, "|")
	}
	computed := ""
	if d.Computed {
		computed = "computed"
	}
	return strings.Join(strings.Fields(date+" "+string(d.Kind)+" "+d.Period+" "+computed), " ")
}

func TestParse(t *testing.T) {
	for _, test := range prints {
		if got := told(Parse(test.text, test.hint)); got != test.want {
			t.Errorf("Parse(%q, %+v) = %s, want %s", test.text, test.hint, got, test.want)
		}
	}
}

var now = Hint{Now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}

// Now decides the century of a two-digit year, but never day and month.
func TestParseNow(t *testing.T) {
	tests := []struct {
		text, country, want string
	}{
		{"12.05.27", "", "2027-05-12|2027-12-05"},
		{"17/10/14", "", "2014-10-17|2017-10-14"}, // neither is plausible for a pack in a shop
		{"23.11.26", "", "2026-11-23|2023-11-26"},
		{"26.12.31", "DE", "2031-12-26|2026-12-31"}, // a year-first pack abroad
		{"31.12.26", "DE", "2026-12-31"},
		{"31.12.26", "KR", "2031-12-26|2026-12-31"},
		{"26.12.31", "KR", "2026-12-31|2031-12-26"},
		{"05/06/2027", "", "2027-06-05|2027-05-06"},
		{"01.02.1999", "", "1999-02-01|1999-01-02"}, // none is nearer
		{"261200", "", "2026-12-31"},
	}
	for _, test := range tests {
		if got := told(Parse(test.text, Hint{Country: test.country, Now: now.Now})); got != test.want {
			t.Errorf("Parse(%q) in %q in 2026 = %s, want %s", test.text, test.country, got, test.want)
		}
	}
}

func TestJSON(t *testing.T) {
	tests := []struct {
		text, want string
	}{
		{"EXP 31 DEC 26", `{"raw":"EXP 31 DEC 26","date":"2026-12-31","precision":"day","kind":"expiry"}`},
		{"05/06/2027", `{"raw":"05/06/2027","date":"2027-06-05","precision":"day","kind":"","ambiguous":["2027-06-05","2027-05-06"]}`},
		{"12M", `{"raw":"12M","date":"","precision":"","kind":"period_after_opening","period":"P12M"}`},
		{"30 mois", `{"raw":"30 mois","error":"period_only","detail":"a shelf life without the day that it counts from","advice":"give the day of production too","period":"P30M"}`},
		{"31.02.2026", `{"raw":"31.02.2026","error":"impossible_date","detail":"2026-02 has no day 31","advice":"read the print again"}`},
	}
	for _, test := range tests {
		d, err := Parse(test.text, Hint{})
		var told any = d
		if err != nil {
			told = err
		}
		if got, err := json.Marshal(told); string(got) != test.want || err != nil {
			t.Errorf("Parse(%q) = %s, %v, want %s", test.text, got, err, test.want)
		}
	}
}
