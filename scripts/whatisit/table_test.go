package main

import (
	"strings"
	"testing"
)

// Columns begin below each other on a terminal, in any script.
func TestTable(t *testing.T) {
	t.Parallel()
	var all table
	all.row("NAME", "BRAND", "ID")
	all.row("현미 누룽지칩", "볕고을", "1")                      // wide: two cells a letter
	all.row("\u1112\u1167\u11ab\u1106\u1175", "A", "2") // 현미, decomposed
	all.row("nước mắm", "e\u0301", "3")                 // with a mark, which takes none
	all.row("a long line of one cell, which moves no column")
	var got strings.Builder
	if err := all.print(&got); err != nil {
		t.Fatal(err)
	}
	want := "NAME           BRAND   ID\n" +
		"현미 누룽지칩  볕고을  1\n" +
		"\u1112\u1167\u11ab\u1106\u1175           A       2\n" +
		"nước mắm       e\u0301       3\n" +
		"a long line of one cell, which moves no column\n"
	if got.String() != want {
		t.Errorf("the table is\n%swant\n%s", got.String(), want)
	}
}
