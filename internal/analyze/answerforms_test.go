package analyze_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/gemini"
)

// A right answer in another form is used at once, by each of the agent's models.
func TestAnswersInAnotherForm(t *testing.T) {
	t.Parallel()
	const confidences = `"product_name_confidence":0.95,"brand_confidence":0.95`
	image, judge, structure := analysis(nil), judgement(analyze.Judgement{Confirmed: true}), finding(tea)
	wrap := func(before, after string) func(string) string {
		return func(text string) string { return before + text + after }
	}
	change := func(old, new string) func(string) string {
		return func(text string) string { return strings.Replace(text, old, new, 1) }
	}
	tests := []struct {
		name   string
		answer emulated.Answer
		form   func(string) string
	}{
		{"as it should be", image, wrap("", "")},
		{"a list of one", image, wrap("[", "]")},
		{"under result, prose and a brace", image, wrap(`{"result":`, `} trailing prose {`)},
		{"under image_analysis", image, wrap(`{"image_analysis":`, `}`)},
		{"text after it", image, wrap("", "\n\nThe label is easy to read.")},
		{"confidences as texts", image, change(confidences, `"product_name_confidence":"0.95","brand_confidence":"0.95"`)},
		{"percentages", image, change(confidences, `"product_name_confidence":95,"brand_confidence":95`)},
		{"no as text", image, change(`"side":"front"`, `"side":"front","not_product":"No"`)},
		{"true as text", image, change(`{"text":"보리차"}`, `{"text":"보리차","clear":"true"}`)},
		{"yes as text", judge, change(`"confirmed":true`, `"confirmed":"Yes"`)},
		{"a judgement in a list", judge, wrap("```json\n[", "]\n```")},
		{"a probability as text", structure, change(`"probability":0.8`, `"probability":"0.8"`)},
		{"a percentage", structure, change(`"probability":0.8`, `"probability":80`)},
		{"a finding under result", structure, wrap(`{"result":`, "} That is all.")},
	}
	before := map[emulated.Kind][]emulated.Answer{
		answers.KindJudge:     {analysis(func(a *analyze.Analysis) { a.BrandConfidence = 0.8 })},
		answers.KindStructure: {analysis(unclear), grounded("It is 햇살마루 보리차.")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			run := func(answer emulated.Answer) analyze.Result {
				b := newBench(t, nil)
				b.Gemini.Script(append(before[answer.Kind], answer)...)
				r, err := b.run(nil)
				if err != nil || b.Gemini.Scripted() != 0 {
					t.Fatalf("Run with %+v = %v, %d answers not asked for; want a result of all", answer, err, b.Gemini.Scripted())
				}
				return r
			}
			data, err := json.Marshal(test.answer.JSON)
			if err != nil {
				t.Fatal(err)
			}
			text := test.form(string(data))
			if test.name != "as it should be" && text == string(data) {
				t.Fatalf("%s has the form as it should be", text)
			}
			other := test.answer
			other.JSON, other.Text = nil, text
			want, got := run(test.answer), run(other)
			if got.ModelCalls != want.ModelCalls || got.ProductName != want.ProductName || got.Brand != want.Brand || got.Source != want.Source ||
				got.ProductNameConfidence != want.ProductNameConfidence || got.BrandConfidence != want.BrandConfidence || got.Decision.Row != want.Decision.Row {
				t.Errorf("Run with %s = %+v with %+v, want %+v with %+v", text, got.Identification, got.ModelCalls, want.Identification, want.ModelCalls)
			}
		})
	}
}

// An answer whose lists are all null beside a name has read nothing: the photo is sent
// again, and such an answer never becomes the result.
func TestAnswerWithoutLists(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(analysis(nil).JSON)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for name, v := range fields {
		if _, list := v.([]any); list {
			fields[name] = nil
		}
	}
	null := emulated.Answer{Kind: answers.KindImage, JSON: fields}
	for _, wrapped := range []bool{false, true} {
		if wrapped {
			null.JSON = []any{fields}
		}
		b := newBench(t, nil)
		b.Gemini.Script(null, analysis(nil))
		r, err := b.run(nil)
		if err != nil || r.ProductName != "보리차" || len(r.VisibleText) == 0 || r.ModelCalls.Generate != 2 {
			t.Errorf("Run = %q with %d lines after %d calls, %v; want 보리차 with its lines after 2", r.ProductName, len(r.VisibleText), r.ModelCalls.Generate, err)
		}
		if shown := b.shown(b.req.Photo); shown["emulated-image"] != 2 {
			t.Errorf("the photo was sent %v, want twice to the image model", shown)
		}
		b = newBench(t, nil)
		b.Gemini.Script(null, null)
		_, err = b.run(nil)
		var e *gemini.Error
		if !errors.As(err, &e) || e.Kind != gemini.Malformed || !e.Retryable() {
			t.Errorf("Run with null lists twice = %v, want malformed, to be tried again", err)
		}
	}
}
