package expiry

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// For any print Parse returns an existing date or an *Error with advice, and its result
// parses to itself.
func FuzzParse(f *testing.F) {
	for _, test := range prints {
		f.Add(test.text, test.hint.Country, false)
	}
	f.Fuzz(func(t *testing.T, text, country string, now bool) {
		hint := Hint{Country: country}
		if now {
			hint.Now = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
		}
		d, err := Parse(text, hint)
		if err != nil {
			checkRefusal(t, text, err)
			return
		}
		checkDate(t, d, text)
		Choose([]Printed{{Text: text}, {Text: text, Label: text}}, hint)
	})
}

func checkRefusal(t *testing.T, text string, err error) {
	var e *Error
	if !errors.As(err, &e) || e.Advice == "" || e.Raw != text {
		t.Errorf("Parse(%q) = %v, want an *Error with its raw text and advice", text, err)
	}
}

func checkDate(t *testing.T, d Date, text string) {
	t.Helper()
	if d.Raw != text {
		t.Errorf("Parse(%q).Raw = %q", text, d.Raw)
	}
	if (d.Date == "") != (d.Kind == PeriodAfterOpening) || (d.Date == "") != (d.Precision == "") {
		t.Errorf("Parse(%q) = %+v, want a date or a period after opening", text, d)
	}
	if len(d.Ambiguous) == 1 || len(d.Ambiguous) > 1 && d.Ambiguous[0] != d.Date {
		t.Errorf("Parse(%q) = %+v, want all readings, the date first", text, d)
	}
	if day := d.Day(); day != "" {
		if _, err := time.Parse("2006.01.02", day); err != nil {
			t.Errorf("Parse(%q).Day() = %q: %v", text, day, err)
		}
	}
	for _, date := range append(d.Ambiguous, d.Date) {
		again, err := Parse(date, Hint{})
		if date != "" && (err != nil || again.Date != date || again.Ambiguous != nil) {
			t.Errorf("Parse(%q) of %q = %+v, %v, want it as it is", date, text, again, err)
		}
	}
	if len(d.Period) > 0 && !strings.HasPrefix(d.Period, "P") {
		t.Errorf("Parse(%q).Period = %q, want an ISO 8601 duration", text, d.Period)
	}
}
