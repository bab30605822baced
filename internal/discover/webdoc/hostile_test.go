package webdoc

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/fetch"
)

// hostile are all hostile documents, made once: that takes seconds.
var hostile = sync.OnceValue(func() []site.HostileDocument { return site.Hostile() })

// Each hostile document costs no more than its limits, whether it is read or refused, and
// the honest page behind it is read.
func TestHostileDocuments(t *testing.T) {
	for half := range 2 {
		t.Run(fmt.Sprint("half ", half), func(t *testing.T) {
			t.Parallel()
			r := NewReader(Limits{})
			defer r.close()
			for i, h := range hostile() {
				if i%2 == half {
					r.survives(t, h)
				}
			}
		})
	}
	t.Logf("%d documents", len(hostile()))
}

// survives reads a hostile document, and then an honest page.
func (r *Reader) survives(t *testing.T, h site.HostileDocument) {
	t.Helper()
	begin := time.Now()
	d, err := r.Read(t.Context(), fetch.Page{URL: "http://example.org/x", ContentType: h.ContentType, Body: h.Body})
	took, peak := time.Since(begin), r.peak(t)
	t.Logf("%s, %s: %d bytes in %v, %.0f MB, %.80v", h.ContentType, h.Name, len(h.Body), took.Round(time.Millisecond), peak, err)
	if err != nil && !errors.Is(err, ErrUnreadable) && !errors.Is(err, ErrTooCostly) {
		t.Errorf("%s, %s: %v", h.ContentType, h.Name, err)
	}
	if h.Refused && err == nil {
		t.Errorf("%s: %.100v; want an error", h.Name, d.Parts)
	}
	if took > r.limits.Time+10*time.Second { // the machine may be busy
		t.Errorf("%s, %s takes %v", h.ContentType, h.Name, took)
	}
	if d, err := r.Read(t.Context(), page("<p>honest")); err != nil || d.Markdown != "honest" {
		t.Fatalf("the page after %s, %s is %q, %v", h.ContentType, h.Name, d.Markdown, err)
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peak returns the most memory that the resting child had, in MB; 0 if there is none.
func (r *Reader) peak(t *testing.T) float64 {
	t.Helper()
	c := <-r.children
	defer func() { r.children <- c }()
	if c == nil {
		return 0
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.process.Process.Pid))
	found := highWater.FindSubmatch(status)
	if err != nil || found == nil {
		return 0
	}
	kB, _ := strconv.Atoi(string(found[1]))
	return float64(kB) / 1024
}

// A sheet without rows, or of which no more than its titles can be read, leaves nothing to ask about.
func TestSheetsWithoutRows(t *testing.T) {
	book := excelize.NewFile()
	defer book.Close()
	for _, sheet := range []string{"Sheet1", "Countries", "Sectors"} {
		_, err := book.NewSheet(sheet)
		for n, row := range [][]string{{"Emissions of all countries"}, {}, strings.Fields(strings.Repeat("1990 ", 50)), strings.Fields(strings.Repeat("5 ", 50))} {
			err = errors.Join(err, book.SetSheetRow(sheet, fmt.Sprintf("A%d", n+1), &row))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := book.NewSheet("Empty"); err != nil {
		t.Fatal(err)
	}
	file, err := book.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	for cells, want := range map[int]int{120: 1, 1000: 3} {
		d := Document{cells: cells}
		if err := d.readXLSX(file.Bytes()); err != nil || strings.Count(d.Markdown, "## ") != want || strings.Count(d.Markdown, "| 1990 |") != want*25 || d.Truncated != (want == 1) {
			t.Errorf("%d cells: %v, truncated: %v, want %d sheets:\n%s", cells, err, d.Truncated, want, d.Markdown)
		}
	}
}
