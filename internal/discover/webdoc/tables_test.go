package webdoc_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"example.com/whatis/internal/fetch"
)

// A table of a page keeps its cells, whatever stands in them, and its columns where cells span
// others; tables that lay out a page are none.
func TestTables(t *testing.T) {
	for name, test := range map[string]struct{ page, want, not string }{
		"a line break": {`<table><tr><th>Year<th>Waste<br>(kt)<th>n<tr><td>1990<td>77<br>*<td>5</table>`, "| 1990 | 77 * | 5 |", "1990775"},
		"a list":       {`<table><tr><th>Year<th>Sources<tr><td>1990<td><ul><li>landfill</li><li>compost</li></ul></table>`, "| 1990 | landfill; compost |", ""},
		"paragraphs":   {`<table><tr><th>Year<th>Waste<tr><td><p>1990</p><td><p>77</p><p>est.</p></table>`, "| 1990 | 77 est. |", ""},
		"a heading":    {`<table><tr><td><h4>Waste</h4><td>5<tr><td>Energy<td>6</table>`, "| Waste | 5 |", ""},
		"rows":         {`<table><tr><th>Sector<th>Year<th>kt<tr><td rowspan=2>Waste<td>1990<td>77<tr><td>1991<td>75</table>`, "| Waste | 1991 | 75 |", ""},
		"to the end":   {`<table><tr><th>Sector<th>Year<tr><td rowspan=0>Waste<td>1990<tr><td>1991</table>`, "| Waste | 1991 |", ""},
		"columns":      {`<table><tr><th>Sector<th colspan=2>Emissions (kt)<tr><td>Waste<td>77<td>75</table>`, "| Sector | Emissions (kt) | Emissions (kt) |", ""},
		"in bold":      {`<b><table><tr><th>Year<th>kt<tr><td>1990<td>77</table></b>`, "| 1990 | 77 |", "199077"},
		"in a layout":  {`<table><tr><td>Menu<td><table><tr><th>Year<th>kt<tr><td>1990<td>77</table></table>`, "| 1990 | 77 |", "| Menu |"},
		"for layout":   {`<table role=presentation><tr><td>Left<td>Right</table>`, "Right", "LeftRight"},
		"a link":       {`<table><tr><th>Year<th>File<tr><td>1990<td><div><a href="/a.csv">CSV</a></div></table>`, "| 1990 | [CSV](http://example.org/a.csv) |", ""},
		"bars":         {`<table><tr><th>a<th>b<tr><td>x|y<td>2</table>`, `| x\|y | 2 |`, ""},
	} {
		d := read(t, fetch.HTML, []byte(test.page))
		if !strings.Contains(d.Markdown, test.want) || test.not != "" && strings.Contains(d.Markdown, test.not) {
			t.Errorf("%s: %s\nis read as\n%s\nwant %q", name, test.page, d.Markdown, test.want)
		}
	}
}

// Frames are links.
func TestFrames(t *testing.T) {
	d := read(t, fetch.HTML, []byte(`<html><head><title>Data</title></head><frameset cols="20%,80%"><frame src="menu.html"><frame src="data.html" title="Tables"></frameset></html>`))
	if got := textsOf(d.Links); len(got) != 2 || got[1] != [2]string{"http://example.org/data/data.html", "Tables"} {
		t.Errorf("links %q, want the frames", got)
	}
}

// A CSV is cut where its columns are, whatever its title has.
func TestDelimiters(t *testing.T) {
	for name, test := range map[string][2]string{
		"a title with commas": {"Emissions by sector, region, and year\nSector;Year;kt\nWaste;1990;77,5\nWaste;1991;75,0\n", "| Waste | 1990 | 77,5 |"},
		"commas as columns":   {"Emissions by sector, 1990–2020\nSector,Year,kt\nWaste,1990,77.5\n", "Emissions by sector, 1990–2020\n\n| Sector | Year | kt |\n|---|"},
		"more of them":        {"Emissions by sector, gas, region, and year\nSector,Year,kt\nWaste,1990,77.5\n", "\n\n| Sector | Year | kt |\n|---|"},
		"a quoted title":      {"\"Emissions, by sector\",,\n,,\nSector,Year,kt\nWaste,1990,77.5\n", "Emissions, by sector\n\n| Sector | Year | kt |\n|---|"},
		"commas":              {"sector,year,kt\nWaste,1990,77.5\n", "| Waste | 1990 | 77.5 |"},
		"tabs":                {"sector\tyear, month\tkt\nWaste\t1990, 1\t77\n", "| Waste | 1990, 1 | 77 |"},
		"semicolons in text":  {"sector,note\nWaste,landfill; compost\nEnergy,coal\n", "| Waste | landfill; compost |"},
		"one column":          {"Waste\nEnergy\n", "| Energy |"},
	} {
		if d := read(t, fetch.CSV, []byte(test[0])); !strings.Contains(d.Markdown, test[1]) {
			t.Errorf("%s: %q is read as\n%s", name, test[0], d.Markdown)
		}
	}
}

// Merged cells of a sheet have their value in each row and column.
func TestMergedCells(t *testing.T) {
	book := excelize.NewFile()
	defer book.Close()
	for cell, value := range map[string]any{"A1": "Sector", "B1": "Emissions (kt)", "A2": "Waste", "B2": 77, "C2": 75, "B3": 70, "C3": 71} {
		if err := book.SetCellValue("Sheet1", cell, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(book.MergeCell("Sheet1", "B1", "C1"), book.MergeCell("Sheet1", "A2", "A3")); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := book.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	d := read(t, fetch.XLSX, file.Bytes())
	for _, want := range []string{"| Sector | Emissions (kt) | Emissions (kt) |", "| Waste | 70 | 71 |"} {
		if !strings.Contains(d.Markdown, want) {
			t.Errorf("the sheet is read as\n%s\nwant %q", d.Markdown, want)
		}
	}
}
