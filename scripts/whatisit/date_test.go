package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"
)

func TestDate(t *testing.T) {
	t.Parallel()
	const empty = `{"raw":"","error":"empty","detail":"there is no text","advice":"give the date as it is printed"}` + "\n"
	tests := []struct {
		args  []string
		stdin string
		want  string
	}{
		{[]string{"2026-12-31"}, "not read", `{"raw":"2026-12-31","date":"2026-12-31","precision":"day","kind":""}` + "\n"},
		{[]string{"BB 31 DEC 26 L1234"}, "", `{"raw":"BB 31 DEC 26 L1234","date":"2026-12-31","precision":"day","kind":"best_before"}` + "\n"},
		{[]string{"유통기한 2026.12까지"}, "", `{"raw":"유통기한 2026.12까지","date":"2026-12","precision":"month","kind":"expiry"}` + "\n"},
		{[]string{"--country", "us", "05/06/2027"}, "", `{"raw":"05/06/2027","date":"2027-05-06","precision":"day","kind":"","ambiguous":["2027-05-06","2027-06-05"]}` + "\n"},
		{[]string{"--country=GB", "05/06/2027"}, "", `{"raw":"05/06/2027","date":"2027-06-05","precision":"day","kind":"","ambiguous":["2027-06-05","2027-05-06"]}` + "\n"},
		{[]string{"--lang", "en-us", "05/06/2027"}, "", `{"raw":"05/06/2027","date":"2027-05-06","precision":"day","kind":"","ambiguous":["2027-05-06","2027-06-05"]}` + "\n"},
		{[]string{"--lang", "en-us", "--country", "FR", "05/06/2027"}, "", `{"raw":"05/06/2027","date":"2027-06-05","precision":"day","kind":"","ambiguous":["2027-06-05","2027-05-06"]}` + "\n"},
		{[]string{"31.02.2027", "12M"}, "", `{"raw":"31.02.2027","error":"impossible_date","detail":"`},
		{[]string{"--", "-2026-12-31"}, "", `{"raw":"-2026-12-31",`},
		{[]string{"", "2026-12-31"}, "", empty + `{"raw":"2026-12-31",`},
		{[]string{"<b>\u202e"}, "", `{"raw":"<b>\u202e","error":"not_a_date",`},

		{nil, "2026-12-31\n", `{"raw":"2026-12-31","date":"2026-12-31","precision":"day","kind":""}` + "\n"},
		{nil, "\ufeff2026-12-31\r\n\r\n2027", `{"raw":"2026-12-31","date":"2026-12-31","precision":"day","kind":""}` + "\n" + empty + `{"raw":"2027",`},
		{nil, "", ""},
		{nil, strings.Repeat("9", 100_000) + "\n\n", `{"raw":"` + strings.Repeat("9", 100_000) + `","error":"too_long",`},
	}
	for _, test := range tests {
		var stdout, stderr bytes.Buffer
		c := &console{in: strings.NewReader(test.stdin), out: &stdout, err: &stderr}
		code := run(t.Context(), append([]string{"date"}, test.args...), c)
		whole := strings.HasSuffix(test.want, "\n") || test.want == ""
		if code != 0 || stderr.Len() > 0 || !strings.HasPrefix(stdout.String(), test.want) || whole && stdout.String() != test.want {
			t.Errorf("whatisit date %q < %.50q = exit %d, %.500q, %q; want exit 0, %.500q", test.args, test.stdin, code, &stdout, &stderr, test.want)
		}
	}
}

// Each string has its line, refused or not, and input that ends in an error is
// told with what came before it.
func TestDateLines(t *testing.T) {
	var stdout, stderr bytes.Buffer
	in := iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("2026-12-31\n")))
	if code := run(t.Context(), []string{"date"}, &console{in: in, out: &stdout, err: &stderr}); code != 1 || !strings.Contains(stderr.String(), "standard input: timeout") {
		t.Errorf("input that breaks off: exit %d, %q; want 1 and why", code, &stderr)
	}
	c := prepared(t, nil, "date", "2026-12-31", "no date", "", "3.50")
	if code := c.here(); code != 0 || strings.Count(c.stdout.String(), "\n") != 4 {
		t.Errorf("four strings: exit %d, %q; want 0 and four lines", code, &c.stdout)
	}
	c = prepared(t, nil, "date")
	c.Stdin = strings.NewReader("EXP 03/2027\nEXP 04/2027\n")
	if code := c.here(); code != 0 || !strings.Contains(c.stdout.String(), `"2027-03"`) || strings.Count(c.stdout.String(), "\n") != 2 {
		t.Errorf("two lines of standard input: exit %d, %q; want 0 and two lines", code, &c.stdout)
	}
}
