package scripts

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What a photo asks for on average, by the mix that docs/operations.md reckons with: 60
// of 100 photos decided at once, 20 by a second look, 15 by the catalogue, 5 by the web.
const (
	callsAPhoto     = 0.60*1 + 0.20*2 + 0.15*2 + 0.05*3 // of models
	firestoreAPhoto = 0.80*5 + 0.15*10 + 0.05*12        // calls, as an upload
	searchesAPhoto  = 0.15 + 0.05                       // of the catalogue
	peak            = 3.0                               // times the day's average
	callsASlot      = 20                                // a minute, as model_requests_per_minute has it
	usdARead        = 0.06 / 100_000                    // of a document
	vectorsARead    = 100
	engineUSDADay   = 20.0
)

// number is a figure of a file.
func number(t *testing.T, file, pattern string) float64 {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(read(t, file))
	if m == nil {
		t.Fatalf("%s has no %s", file, pattern)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// grouped is n, rounded up, with commas.
func grouped(n float64) string {
	s := strconv.FormatFloat(math.Ceil(n-1e-9), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// The table of what many photos a day need is what the configuration makes of them.
func TestScaleTable(t *testing.T) {
	t.Parallel()
	const variables = "../terraform/variables_service.tf"
	concurrency := number(t, variables, `upload = optional\(object\(\{\s*concurrency\s*= optional\(number, (\d+)\)`)
	instances := number(t, variables, `max_instances = optional\(number, (\d+)\)`)
	recordDays := number(t, "../internal/app/config.go", `env:"RECORD_DAYS, default=(\d+)"`)
	usdAThousand := number(t, "../docs/operations.md", `\| 60, 20, 15 and 5 of 100 \| \| ([0-9.]+) \|`)
	var want strings.Builder
	for _, row := range []struct {
		what string
		of   func(photos float64) float64
	}{
		{"photos a minute, at thrice the day's average", func(p float64) float64 { return peak * p / 1440 }},
		{"calls of models a minute: the quota, and `model_requests_per_minute`", func(p float64) float64 { return peak * p / 1440 * callsAPhoto }},
		{fmt.Sprintf("instances of `whatis-upload`, %.0f photos at once each (`max_instances` is %.0f)", concurrency, instances), func(p float64) float64 { return peak * p / 1440 * callsAPhoto / callsASlot / concurrency }},
		{"calls of Firestore a second", func(p float64) float64 { return peak * p / 86_400 * firestoreAPhoto }},
		{fmt.Sprintf("records of work, kept for `RECORD_DAYS` = %.0f", recordDays), func(p float64) float64 { return p * recordDays }},
		{"calls to list a day's uploads, 1,000 names each", func(p float64) float64 { return p / 1000 }},
		{"USD a day, of models", func(p float64) float64 { return p / 1000 * usdAThousand }},
		{"USD a day, of vector reads, among 1,000 products of the language", func(p float64) float64 { return p * searchesAPhoto * 1000 / vectorsARead * usdARead }},
		{"the same among 1,000,000 products", func(p float64) float64 { return p * searchesAPhoto * 1e6 / vectorsARead * usdARead }},
		{"the same where the brand was read and has 500 of them", func(p float64) float64 { return p * searchesAPhoto * 500 / vectorsARead * usdARead }},
		{fmt.Sprintf("products of a language from which an engine of %.0f USD a day pays", engineUSDADay), func(p float64) float64 { return engineUSDADay / (p * searchesAPhoto / vectorsARead * usdARead) }},
	} {
		fmt.Fprintf(&want, "| %s | %s | %s | %s |\n", row.what, grouped(row.of(1000)), grouped(row.of(100_000)), grouped(row.of(1e6)))
	}
	page, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), want.String()) {
		t.Errorf("docs/operations.md has another table of scale; want\n%s", want.String())
	}
}
