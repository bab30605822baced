package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/docs"
	"example.com/whatis/emulators/realdata"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/scripts/whatisit/accuracy"
)

// How tokens are counted here: prompts as the service's documentation counts texts, answers by
// the bytes that JSON in several scripts takes, and a photo at the resolution of Gemini 3's default.
const (
	charsPerToken = 4
	bytesPerToken = 3.1
	photoTokens   = 1120
)

// A said is how much the answers of a step say, in bytes.
type said struct{ mean, most90, most int }

// saidBy returns how much answers say.
func saidBy(all []json.RawMessage) said {
	var sizes []int
	sum := 0
	for _, one := range all {
		var b bytes.Buffer
		if json.Compact(&b, one) != nil {
			continue
		}
		text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(b.String())
		sizes, sum = append(sizes, len(text)), sum+len(text)
	}
	slices.Sort(sizes)
	return said{sum / len(sizes), sizes[len(sizes)*9/10], sizes[len(sizes)-1]}
}

// A tokensStep is one that a model does, with what it was asked at two earlier commits.
type tokensStep struct {
	name, golden  string
	first, before int // letters of instruction and schema, at ef03dc79 and before answers were shortened
}

var tokensSteps = []tokensStep{
	{"image_analyzer", "analyze/testdata/requests/image_analyzer", 7824, 11136},
	{"judgement", "analyze/testdata/requests/judgement", 3602, 5171},
	{"google_search", "analyze/testdata/requests/google_search", 1110, 1345},
	{"finding", "analyze/testdata/requests/finding", 1993, 2246},
	{"intent", "search/testdata/requests/intent", 8603, 7993},
	{"forecast_writer_agent", "forecast/testdata/requests/forecast_writer_agent", 1756, 2411},
	{"forecast_checker_agent", "forecast/testdata/requests/forecast_checker_agent", 2548, 2978},
	{"planner", "discover/testdata/requests/planner", 7768, 7769},
	{"relevance", "discover/testdata/requests/relevance", 5184, 5289},
	{"raw_review", "discover/testdata/requests/raw_review", 5486, 5615},
	{"extractor", "discover/testdata/requests/extractor", 10093, 10880},
	{"reviewer", "discover/testdata/requests/reviewer", 2528, 3475},
	{"deep_diver", "discover/testdata/requests/deep_diver", 5271, 4970},
}

// askedLetters returns the letters of the instruction and of the schema of a golden request.
func askedLetters(t *testing.T, golden string) (instruction, schema int) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../internal", golden+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var request struct {
		Body struct {
			System struct {
				Parts []struct{ Text any }
			} `json:"systemInstruction"`
			Config struct {
				Schema json.RawMessage `json:"responseJsonSchema"`
			} `json:"generationConfig"`
		}
	}
	if err := json.Unmarshal(data, &request); err != nil {
		t.Fatal(err)
	}
	for _, part := range request.Body.System.Parts {
		switch text := part.Text.(type) {
		case string:
			instruction += len([]rune(text))
		case []any: // of lines
			for _, line := range text {
				instruction += len([]rune(line.(string))) + 1
			}
			instruction--
		}
	}
	var b bytes.Buffer
	if len(request.Body.Config.Schema) > 0 {
		if err := json.Compact(&b, request.Body.Config.Schema); err != nil {
			t.Fatal(err)
		}
	}
	return instruction, len([]rune(b.String()))
}

// recordedAnswers returns the answers of a step about real photos, as they were recorded and as
// they are sent now.
func recordedAnswers(t *testing.T, step string) (recorded, now []json.RawMessage) {
	t.Helper()
	files := realdata.Need(t, "found/answers/honest/*."+step+".json")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		recorded = append(recorded, data)
	}
	photos, err := accuracy.RecordedSet{Answers: []string{filepath.Dir(files[0])}}.Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range photos {
		if one := map[string]json.RawMessage{"read": p.Recording.Read, "judge": p.Recording.Judge, "finding": p.Recording.Finding}[step]; one != nil {
			now = append(now, one)
		}
	}
	return recorded, now
}

// What models are asked and say is what docs/performance.md says, and the readings of real photos
// say at most three quarters of what they said at ef03dc79, and at their longest four fifths.
func TestDocsTokens(t *testing.T) {
	table := "| asked, in tokens | at ef03dc79 | before | now | of these the schema |\n| --- | --- | --- | --- | --- |\n"
	asked := map[string][2]int{} // before and now
	for _, s := range tokensSteps {
		instruction, schema := askedLetters(t, s.golden)
		asked[s.name] = [2]int{s.before / charsPerToken, (instruction + schema) / charsPerToken}
		table += fmt.Sprintf("| %s | %d | %d | %d | %d |\n", s.name, s.first/charsPerToken, asked[s.name][0], asked[s.name][1], schema/charsPerToken)
	}
	table += "\n| said about real photos, in bytes: mean, 90th percentile, most | at ef03dc79 | before | now |\n| --- | --- | --- | --- |\n"
	steps := []struct {
		step, name string
		before     said
	}{{"read", "image_analyzer", said{1049, 1532, 3330}}, {"judge", "judgement", said{402, 508, 711}}, {"finding", "finding", said{223, 328, 457}}}
	answered := map[string][2]int{}
	for _, s := range steps {
		recorded, now := recordedAnswers(t, s.step)
		first, last := saidBy(recorded), saidBy(now)
		if s.step == "read" && (last.mean*100 > first.mean*75 || last.most90*100 > first.most90*80) {
			t.Errorf("readings say %v bytes, where they said %v; want 75 %% at most, and 80 %% of the 90th percentile", last, first)
		}
		answered[s.name] = [2]int{s.before.mean, last.mean}
		table += fmt.Sprintf("| %s | %v | %v | %v |\n", s.name, first, s.before, last)
	}
	m, _ := recordedRun(t, "--answers", filepath.Dir(realdata.Need(t, "found/answers/honest/*.read.json")[0]))
	f := accuracy.RecordedFiguresOf(m.Shots)
	table += "\n| 1,000 of these photos, without the web | before | now |\n| --- | --- | --- |\n"
	for _, s := range []struct {
		name, model string
		calls       int
	}{{"image_analyzer", "gemini-3.5-flash-lite", f.Photos}, {"judgement", "gemini-3.6-flash", f.Looks}} {
		var usd [2]float64
		for i := range usd {
			in, out := asked[s.name][i]+photoTokens, int(float64(answered[s.name][i])/bytesPerToken)
			if s.name == "judgement" {
				in += int(float64(answered["image_analyzer"][i]) / bytesPerToken)
			}
			day := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
			usd[i] = 1000 * float64(s.calls) / float64(f.Photos) * gemini.EstimateAt(day, gemini.Planned{Model: s.model, Input: in, Output: out})
		}
		table += fmt.Sprintf("| %s, %d calls for %d photos | $%.2f | $%.2f |\n", s.name, s.calls, f.Photos, usd[0], usd[1])
	}
	docs.Section(t, "performance.md", "tokens", table)
}

func (s said) String() string { return fmt.Sprintf("%d, %d, %d", s.mean, s.most90, s.most) }
