package scripts

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sethvargo/go-envconfig"

	"example.com/whatis/docs"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/gemini"
)

// The tables of docs/prices.md reckon with 100 photos of which 60 are decided at once,
// 20 by a second look, 15 by the catalogue and 5 by the web.
const (
	sure, doubted, known, web = 0.60, 0.20, 0.15, 0.05

	callsAPhoto     = sure*1 + doubted*2 + known*2 + web*3 // of models
	firestoreAPhoto = (sure+doubted)*6 + known*11 + web*13 // calls, as an upload
	searchesAPhoto  = known + web                          // of the catalogue
	peak            = 3.0                                  // times the day's average
	photosAnUpload  = 8                                    // at once in an instance, by Terraform's default
	callsASlot      = 20                                   // a minute, of one photo under way
	usdARead        = 0.06 / 100_000                       // of a document, as read on 2026-11-21
	vectorsARead    = 100                                  // that a query scans
	engineUSDADay   = 20.0
)

// The days whose prices the tables show.
var (
	thisYear = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	nextYear = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
)

// usd is what 1,000 photos cost that are decided in one way, by the catalogue's size.
type usd func(day time.Time, products float64) float64

// thousand returns what 1,000 calls of each of the planned ones cost.
func thousand(day time.Time, calls ...gemini.Planned) float64 {
	return 1000 * gemini.EstimateAt(day, calls...)
}

// The calls of the default models, with the tokens of docs/prices.md.
var (
	reading   = gemini.Planned{Model: "gemini-3.5-flash-lite", Input: 2000, Output: 700}
	judgement = gemini.Planned{Model: "gemini-3.6-flash", Input: 3000, Output: 320}
	search    = gemini.Planned{Model: "gemini-3.6-flash", Input: 2500, Output: 500, Queries: 2}
	structure = gemini.Planned{Model: "gemini-3.6-flash", Input: 1500, Output: 420}
	embedding = gemini.Planned{Model: "gemini-embedding-2", Embeds: true, Input: 100}
)

// scan returns what 1,000 searches of the catalogue read.
func scan(products float64) float64 { return 1000 * products / vectorsARead * usdARead }

// The ways in which a photo is decided.
var (
	ofSure    usd = func(day time.Time, _ float64) float64 { return thousand(day, reading) }
	ofDoubted usd = func(day time.Time, _ float64) float64 { return thousand(day, reading, judgement) }
	ofKnown   usd = func(day time.Time, n float64) float64 {
		return thousand(day, reading, judgement, embedding) + scan(n)
	}
	ofWeb usd = func(day time.Time, n float64) float64 {
		return thousand(day, reading, search, structure, embedding) + 2*scan(n)
	}
	ofMix usd = func(day time.Time, n float64) float64 {
		return sure*ofSure(day, n) + doubted*ofDoubted(day, n) + known*ofKnown(day, n) + web*ofWeb(day, n)
	}
)

func TestDocsCosts(t *testing.T) {
	var table strings.Builder
	table.WriteString("| what decides | generate + embed | 1k products | 100k products | 1M products |\n| --- | --- | --- | --- | --- |\n")
	for _, row := range []struct {
		label string
		day   time.Time
		usd   usd
	}{
		{"`image`, sure | 1", thisYear, ofSure},
		{"`image`, in doubt | 2", thisYear, ofDoubted},
		{"`local_db` | 2 + 1", thisYear, ofKnown},
		{"`google_search` | 3 + 1, 2 queries", thisYear, ofWeb},
		{"60, 20, 15 and 5 of 100 |", thisYear, ofMix},
		{"the same from 2027 on |", nextYear, ofMix},
	} {
		fmt.Fprintf(&table, "| %s | %.2f | %.2f | %.2f |\n", row.label, row.usd(row.day, 1e3), row.usd(row.day, 1e5), row.usd(row.day, 1e6))
	}
	atEU(t)
	fmt.Fprintf(&table, "| the mix at `eu`, `us` or a region of Vertex AI | | %.2f | %.2f | %.2f |\n", ofMix(thisYear, 1e3), ofMix(thisYear, 1e5), ofMix(thisYear, 1e6))
	table.WriteString("| the same bytes again | 0 | 0 | 0 | 0 |\n")
	docs.Section(t, "prices.md", "costs", table.String())
}

// atEU has estimates made as at Vertex AI's location eu, from here to the end of the test.
func atEU(t *testing.T) {
	t.Helper()
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	t.Setenv("GOOGLE_CLOUD_LOCATION", "eu")
}

// What many photos a day need, by the defaults of the configuration.
func TestDocsScale(t *testing.T) {
	c := defaults(t)
	var table strings.Builder
	table.WriteString("| photos a day | 1,000 | 100,000 | 1,000,000 |\n| --- | --- | --- | --- |\n")
	for _, row := range []struct {
		what string
		of   func(photos float64) float64
	}{
		{"photos a minute, at thrice the day's average", func(p float64) float64 { return peak * p / 1440 }},
		{"calls of models a minute: the quota, and `model_requests_per_minute`", func(p float64) float64 { return peak * p / 1440 * callsAPhoto }},
		{"tokens of models a minute, read and written, which a key's tier or an organisation's spending must allow", func(p float64) float64 { return peak * p / 1440 * tokensAPhoto() }},
		{fmt.Sprintf("instances of `whatis-upload`, %d photos at once each", photosAnUpload), func(p float64) float64 { return peak * p / 1440 * callsAPhoto / callsASlot / photosAnUpload }},
		{"calls of Firestore a second", func(p float64) float64 { return peak * p / 86_400 * firestoreAPhoto }},
		{fmt.Sprintf("records of work, kept for `RECORD_DAYS` = %.0f", float64(c.Platform.RecordDays)), func(p float64) float64 { return p * float64(c.Platform.RecordDays) }},
		{"calls to list a day's uploads, 1,000 names each", func(p float64) float64 { return p / 1000 }},
		{"USD a day, of models", func(p float64) float64 { return p / 1000 * ofMix(thisYear, 1000) }},
		{"USD a day, of vector reads, among 1,000 products of the language", func(p float64) float64 { return p * searchesAPhoto * 1000 / vectorsARead * usdARead }},
		{"the same among 1,000,000 products", func(p float64) float64 { return p * searchesAPhoto * 1e6 / vectorsARead * usdARead }},
		{"the same where the brand was read and has 500 of them", func(p float64) float64 { return p * searchesAPhoto * 500 / vectorsARead * usdARead }},
		{fmt.Sprintf("products of a language from which an engine of %.0f USD a day pays", engineUSDADay), func(p float64) float64 { return engineUSDADay / (p * searchesAPhoto / vectorsARead * usdARead) }},
	} {
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", row.what, grouped(row.of(1000)), grouped(row.of(100_000)), grouped(row.of(1e6)))
	}
	docs.Section(t, "prices.md", "scale", table.String())
}

// tokensAPhoto returns the tokens of a photo in the mean: read, written and embedded.
func tokensAPhoto() (sum float64) {
	for share, calls := range map[float64][]gemini.Planned{
		sure:    {reading},
		doubted: {reading, judgement},
		known:   {reading, judgement, embedding},
		web:     {reading, search, structure, embedding},
	} {
		for _, call := range calls {
			sum += share * float64(call.Input+call.Output)
		}
	}
	return sum
}

// grouped is n, rounded up, with commas.
func grouped(n float64) string {
	s := strconv.FormatFloat(math.Ceil(n-1e-9), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// defaults returns the configuration without any variable.
func defaults(t *testing.T) (c app.Config) {
	t.Helper()
	if err := envconfig.ProcessWith(t.Context(), &envconfig.Config{Target: &c, Lookuper: envconfig.MapLookuper(nil)}); err != nil {
		t.Fatal(err)
	}
	return c
}
