package webdoc_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/discover/webdoc"
)

func TestCut(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", []string{""}}, {"año", []string{"año"}}, {"12345", []string{"12345"}}, {"123456", []string{"12345", "456"}}, {"온실가스배출량목록", []string{"온실가스배", "스배출량목", "량목록"}},
	} {
		var got []string
		for i, p := range webdoc.Cut(test.text, 5, 2) {
			if got = append(got, p.Text); p.Number != i+1 {
				t.Errorf("piece %d of %q has the number %d", i+1, test.text, p.Number)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("Cut(%q, 5, 2) = %q, want %q", test.text, got, test.want)
		}
	}
}

func TestFormatOf(t *testing.T) {
	for address, want := range map[string]string{"http://a.gov/x.CSV?v=2": "CSV", "http://a.gov/x.pdf": "PDF", "http://a.gov/x.html": "", "http://a.gov/": ""} {
		if got := webdoc.FormatOf(address); got != want {
			t.Errorf("FormatOf(%s) = %q, want %q", address, got, want)
		}
	}
}

// A long table is split between its rows, those of the place first, and each piece has what stands
// above the table and the row of its years.
func TestPieces(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Emissions by country\n\nThe method is that of the guidelines.\n\n## Sheet CH4\n\n| CH4 by sector |  |\n|---|---|\n| Version 9 |  |\n| Country | Sector | 1990 | 1991 | 1992 | 1993 |\n")
	for _, country := range []string{"Aland", "Bland", "Canada", "Dland", "Eland"} {
		for i := range 40 {
			sector := "Power"
			if i%10 == 0 {
				sector = "Waste"
			}
			fmt.Fprintf(&b, "| %s | %s %d | 1.%d | 2 | 3 | 4 |\n", country, sector, i, i)
		}
	}
	b.WriteString("\nSources: national inventories.\n")
	pieces := webdoc.Pieces(b.String(), 1500, 100, func(row string) int {
		if !strings.Contains(row, "Canada") {
			return 0
		}
		return 1 + strings.Count(row, "Waste")
	})
	rows, whole := 0, 0
	for i, p := range pieces {
		if !p.Further {
			whole++
		}
		if p.Number != i+1 || len([]rune(p.Text)) > 1500 {
			t.Errorf("piece %d has the number %d and %d letters", i+1, p.Number, len([]rune(p.Text)))
		}
		if n := strings.Count(p.Text, "land |") + strings.Count(p.Text, "Canada"); n > 0 {
			rows += n
			for _, head := range []string{"## Sheet CH4", "| CH4 by sector |", "| Country | Sector | 1990 |"} {
				if !strings.Contains(p.Text, head) {
					t.Errorf("piece %d lacks %q: %.200s", i+1, head, p.Text)
				}
			}
		}
	}
	if whole != 3 { // the text before, the table, and the text behind it
		t.Errorf("%d pieces are none of a table that has one before them, want 3", whole)
	}
	if last := webdoc.Pieces("| Year | kt |\n|---|---|\n"+strings.Repeat("| 1990 | 5 |\n", 200)+"| 2020 | 5 |\n", 500, 50, func(string) int { return 0 }); !strings.Contains(last[0].Text, "| 2020 |") || strings.Count(last[0].Text, "1990") < 8 {
		t.Errorf("of a table by year the first piece is %q, without its last year", last[0].Text)
	}
	if first := pieces[1]; first.Rank != 2 || strings.Count(first.Text, "Canada | Waste") != 4 || strings.Contains(first.Text, "Power") {
		t.Errorf("the table begins with %s; want the rows of Canada's waste", first.Text)
	}
	if !strings.Contains(pieces[0].Text, "guidelines") || !strings.Contains(pieces[len(pieces)-1].Text, "national inventories") || rows != 200 {
		t.Errorf("%d rows, from %.60q to %q", rows, pieces[0].Text, pieces[len(pieces)-1].Text)
	}
	if whole := webdoc.Pieces("a\n\n| b | c |\n|---|---|\n| 1 | 2 |\n", 100, 10, func(string) int { return 0 }); len(whole) != 1 || whole[0].Text != "a\n\n| b | c |\n|---|---|\n| 1 | 2 |\n" {
		t.Errorf("a short table is cut: %+v", whole)
	}
	for i, p := range webdoc.Pieces(strings.Repeat("## Sheet\n\nEmissions of all countries\n\n| Year | kt |\n|---|---|\n"+strings.Repeat("| 1990 | 5 |\n", 50)+"\n", 3), 500, 50, func(string) int { return 0 }) {
		if !strings.Contains(p.Text, "countries") || !strings.Contains(p.Text, "| 1990 |") {
			t.Errorf("piece %d is %q, without its title or without rows", i+1, p.Text)
		}
	}
	if none := webdoc.Pieces("", 100, 10, nil); len(none) != 1 || none[0].Text != "" || none[0].Number != 1 {
		t.Errorf("no text: %v", none)
	}
}
