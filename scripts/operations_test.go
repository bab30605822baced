package scripts

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// rate is what a million tokens cost.
type rate struct{ input, output float64 }

// rateOf reads a model's price out of the price table: the first, or the one from
// 2027 on.
func rateOf(t *testing.T, table, model string, later bool) rate {
	t.Helper()
	_, row, _ := strings.Cut(table, `"`+model+`":`)
	row, _, _ = strings.Cut(row, "}}}")
	prices := regexp.MustCompile(`input: ([0-9.]+)(?:, cached: [0-9.]+, output: ([0-9.]+))?`).FindAllStringSubmatch(row, -1)
	if len(prices) == 0 {
		t.Fatalf("prices.go has no price of %s", model)
	}
	p := prices[0]
	if later {
		p = prices[len(prices)-1]
	}
	in, _ := strconv.ParseFloat(p[1], 64)
	out, _ := strconv.ParseFloat(p[2], 64)
	return rate{in, out}
}

// of is the cost of a thousand calls.
func (r rate) of(input, output float64) float64 { return (r.input*input + r.output*output) / 1000 }

// The table of costs is what the price table makes of its assumptions.
func TestOperationsCosts(t *testing.T) {
	t.Parallel()
	table, doc := read(t, "../internal/gemini/prices.go"), read(t, "../docs/operations.md")
	query, _ := strconv.ParseFloat(first(t, table, `"gemini-3.6-flash":[^}]*query: ([0-9.]+)`), 64)
	lite, embedding := rateOf(t, table, "gemini-3.5-flash-lite", false), rateOf(t, table, "gemini-embedding-2", false).of(100, 0)
	sizes := []float64{1e3, 1e5, 1e6}
	row := func(label string, cost func(products float64) float64) {
		line := "| " + label
		for _, n := range sizes {
			line += fmt.Sprintf(" | %.2f", cost(n))
		}
		if !strings.Contains(doc, "\n"+line+" |\n") {
			t.Errorf("docs/operations.md lacks the row\n%s |", line)
		}
	}
	scan := func(n float64) float64 { return n / 100 * 1000 * 0.06 / 1e5 }
	for _, later := range []bool{false, true} {
		flash := rateOf(t, table, "gemini-3.6-flash", later)
		sure := lite.of(2000, 700)
		doubted := sure + flash.of(3000, 320)
		known := func(n float64) float64 { return doubted + embedding + scan(n) }
		web := func(n float64) float64 {
			return sure + flash.of(2500, 500) + 2*query + flash.of(1500, 420) + embedding + 2*scan(n)
		}
		mix := func(n float64) float64 { return 0.60*sure + 0.20*doubted + 0.15*known(n) + 0.05*web(n) }
		if later {
			row("the same from 2027 on |", mix)
			continue
		}
		row("`image`, sure | 1", func(float64) float64 { return sure })
		row("`image`, in doubt | 2", func(float64) float64 { return doubted })
		row("`local_db` | 2 + 1", known)
		row("`google_search` | 3 + 1, 2 queries", web)
		row("60, 20, 15 and 5 of 100 |", mix)
	}
}

// A hundred deliveries pause as the subscription says: doubling from the least to the
// most.
func TestOperationsPauses(t *testing.T) {
	t.Parallel()
	terraform := read(t, "../terraform/pubsub.tf")
	number := func(pattern string) float64 {
		n, err := strconv.ParseFloat(first(t, terraform, pattern), 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	pause, most, sum := number(`min_backoff = "([0-9]+)s"`), number(`max_backoff = "([0-9]+)s"`), 0.0
	for range int(number(`deliveries  = ([0-9]+)`)) - 1 {
		sum += min(pause, most)
		pause *= 2
	}
	if want := fmt.Sprintf("add up to some %.0f hours", sum/3600); !strings.Contains(read(t, "../docs/operations.md"), want) {
		t.Errorf("docs/operations.md does not say that the pauses %s", want)
	}
}

// Each promise names a test that there is, or a source.
func TestOperationsPromises(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(read(t, "../docs/operations.md"), "## What holds these promises\n")
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \|$`).FindAllStringSubmatch(table, -1)
	if len(rows) < 12 {
		t.Fatalf("docs/operations.md holds %d promises to a test or a source, want 12 and more", len(rows))
	}
	for _, row := range rows[2:] {
		files := regexp.MustCompile(`\]\((\.\./[^)]+|https://[^)]+)\)`).FindAllStringSubmatch(row[2], -1)
		if len(files) == 0 {
			t.Errorf("%q is held by nothing", row[1])
		}
		text := ""
		for _, file := range files {
			switch {
			case strings.HasSuffix(file[1], ".go"):
				text += read(t, file[1])
			case strings.HasPrefix(file[1], "../"):
				if _, err := os.Stat(file[1]); err != nil {
					t.Errorf("%q: %v", row[1], err)
				}
			}
		}
		for _, test := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(row[2], -1) {
			if !strings.Contains(text, "func "+test[1]+"(") {
				t.Errorf("%q is held by %s, which is in none of its files", row[1], test[1])
			}
		}
	}
}
