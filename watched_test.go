package whatis

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/app"
)

// The metrics and the alert of the log find the lines that the code writes, read their
// labels and values, and find no others.
func TestTerraformReadsTheLog(t *testing.T) {
	lines := logOfPhotos(t)
	alerts, metrics := source(t, "alerts.tf"), source(t, "metrics.tf")
	for _, test := range []struct {
		name, filter, reads string
		want                []string
	}{
		{"results", filterOf(t, metrics, "results"), extractorOf(t, metrics, "source"), []string{"image", "image", "google_search"}},
		{"cached", filterOf(t, metrics, "results"), extractorOf(t, metrics, "cached"), []string{"false", "true", "false"}},
		{"cost_usd", filterOf(t, metrics, "cost"), valueOf(t, metrics, "cost"), []string{"1.2"}},
		{"model_errors", filterOf(t, metrics, "model_errors"), extractorOf(t, metrics, "kind"), []string{"unavailable", "quota", "budget"}},
		{"agent", filterOf(t, metrics, "cost"), extractorOf(t, metrics, "agent"), []string{"analyze"}},
		{"model", filterOf(t, metrics, "cost"), extractorOf(t, metrics, "model"), []string{"gemini-3.5-flash-lite"}},
		{"spend", first(t, alerts, `(?s)\n    spend = \{.*?\n      filter += "([^\n]*)"`), "EXTRACT(jsonPayload.limit)", []string{"1.4", "1"}},
	} {
		var got []string
		for _, line := range lines {
			if matches(t, test.filter, line) {
				got = append(got, extract(t, test.reads, line))
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %s over the log reads %q, want %q; the log is\n%v", test.name, test.filter, got, test.want, lines)
		}
	}
	// took is in seconds: of two minutes and more.
	late := regexp.MustCompile(first(t, metrics, `jsonPayload.took=~\\"(.*?)\\""`))
	for took, want := range map[string]bool{"120s": true, "120.00s": true, "199.99s": true, "540.2s": true, "1000s": true, "119.99s": false, "12.5s": false, "0.12s": false, "20s": false} {
		if late.MatchString(took) != want {
			t.Errorf("a photo that took %s is late = %v, want %v", took, !want, want)
		}
	}
	seconds := 0
	for _, line := range lines {
		if matches(t, filterOf(t, metrics, "seconds"), line) {
			seconds++
			if n, err := strconv.ParseFloat(extract(t, valueOf(t, metrics, "seconds"), line), 64); err != nil || n < 0 {
				t.Errorf("seconds of %v = %v, %v; want a number", line, n, err)
			}
		}
	}
	if seconds != 2 {
		t.Errorf("seconds are read of %d photos, want 2: a cached one took none", seconds)
	}
}

// logOfPhotos returns the API's log on Cloud Run for a photo, the same photo again, an
// outage, a quota, a photo that costs most of the daily budget, and one that it refuses.
func logOfPhotos(t *testing.T) []map[string]any {
	t.Helper()
	w := emulate.Start(t)
	for _, line := range append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "K_SERVICE=", "GOOGLE_GENAI_USE_VERTEXAI=", "MAX_USD_PER_DAY=1.4",
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding") {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
	}
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(app.Logger(&log, "whatis-api", slog.LevelInfo))
	t.Cleanup(func() { slog.SetDefault(before) })
	ask := func(photo []byte, want int) {
		c, err := app.ReadConfig(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := httptest.NewRecorder()
		app.New(c).API().ServeHTTP(got, httptest.NewRequest("POST", "/analyze?country=US&lang=en", bytes.NewReader(photo)))
		if got.Code != want {
			t.Fatalf("POST /analyze = %d, %s; want %d", got.Code, got.Body, want)
		}
	}
	ask(samples.All()[0].Bytes(), 200)
	ask(samples.All()[0].Bytes(), 200)
	w.Gemini.SetFaults(emulated.Fault{Type: emulated.Unavailable})
	ask(samples.All()[1].Bytes(), 502)
	w.Gemini.SetFaults(emulated.Fault{Type: emulated.DailyQuota})
	ask(samples.All()[1].Bytes(), 429)
	w.Gemini.SetFaults()
	// Only a real model costs anything: 4 million tokens at 0.30.
	const lite = "gemini-3.5-flash-lite"
	t.Setenv("IMAGE_MODEL", lite)
	w.Gemini.Script(emulated.Answer{Text: `{"not_product":true,"description":"a lake"}`, ModelVersion: lite, Usage: &emulated.Usage{PromptTokens: 4e6, TotalTokens: 4e6}})
	ask(samples.All()[2].Bytes(), 200)
	t.Setenv("MAX_USD_PER_DAY", "1")
	ask(samples.All()[3].Bytes(), 429)

	var lines []map[string]any
	for line := range bytes.Lines(log.Bytes()) {
		var fields map[string]any
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		lines = append(lines, fields)
	}
	return lines
}

// source returns a file of terraform/, with the names that filters use substituted.
func source(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("terraform/" + name)
	if err != nil {
		t.Fatal(err)
	}
	kinds := strings.NewReplacer(`"`, "", ", ", "|").Replace(first(t, string(text)+"model_errors = []", `model_errors = \[(.*)\]`))
	return strings.NewReplacer("${local.log_of_services} AND ", "", `${join("|", local.model_errors)}`, kinds).Replace(string(text))
}

// first returns the first group of the pattern in text, unquoted as in HCL.
func first(t *testing.T, text, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("nothing matches %s", pattern)
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(m[1])
}

func filterOf(t *testing.T, metrics, name string) string {
	t.Helper()
	return first(t, metrics, `(?s)resource "google_logging_metric" "`+name+`" \{.*?\n  filter +?= "([^\n]*)"`)
}

func valueOf(t *testing.T, metrics, name string) string {
	t.Helper()
	return first(t, metrics, `(?s)resource "google_logging_metric" "`+name+`" \{.*?\n  value_extractor = "([^\n]*)"`)
}

func extractorOf(t *testing.T, metrics, label string) string {
	t.Helper()
	return first(t, metrics, `(?s)label_extractors = \{.*?\n    `+label+` += "([^\n]*)"`)
}

// matches evaluates the parts of Cloud Logging's query language that the filters use.
func matches(t *testing.T, filter string, line map[string]any) bool {
	t.Helper()
	for _, term := range strings.Split(filter, " AND ") {
		m := regexp.MustCompile(`^(?:jsonPayload\.)?(\w+)(=~|>=|>|=)(.+)$`).FindStringSubmatch(term)
		if m == nil {
			t.Fatalf("%s of %s is not understood", term, filter)
		}
		if !compare(t, line[m[1]], m[2], m[3]) {
			return false
		}
	}
	return true
}

func compare(t *testing.T, field any, operator, value string) bool {
	t.Helper()
	severities := []string{"DEBUG", "INFO", "WARNING", "ERROR"}
	switch operator {
	case "=":
		for _, v := range strings.Split(strings.Trim(value, "()"), " OR ") {
			if field != nil && strings.Trim(v, `"`) == text(field) {
				return true
			}
		}
		return false
	case "=~":
		return field != nil && regexp.MustCompile(strings.Trim(value, `"`)).MatchString(text(field))
	case ">=":
		return slices.Index(severities, text(field)) >= slices.Index(severities, value)
	}
	than, err := strconv.ParseFloat(value, 64)
	if err != nil {
		t.Fatalf("%s is not a number", value)
	}
	n, ok := field.(float64)
	return ok && n > than
}

// extract evaluates EXTRACT and REGEXP_EXTRACT.
func extract(t *testing.T, extractor string, line map[string]any) string {
	t.Helper()
	m := regexp.MustCompile(`^(?:REGEXP_)?EXTRACT\(jsonPayload\.(\w+)(?:, "(.*)")?\)$`).FindStringSubmatch(extractor)
	if m == nil {
		t.Fatalf("%s is not understood", extractor)
	}
	if m[2] == "" {
		return text(line[m[1]])
	}
	found := regexp.MustCompile(m[2]).FindStringSubmatch(text(line[m[1]]))
	if found == nil {
		return ""
	}
	return found[1]
}

func text(field any) string {
	if s, ok := field.(string); ok {
		return s
	}
	b, _ := json.Marshal(field)
	return string(b)
}
