package analyze_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
)

// What each call shows its model, in order: the photo once to each model, and
// data by its label.
func TestWhatModelsSee(t *testing.T) {
	const (
		image   = "image: photo request"
		judge   = "judge: photo request image_analysis"
		chosen  = "judge: photo request image_analysis candidates"
		search  = "search: photo request image_analysis"
		refined = "search: request image_analysis refined"
		after   = "search: request image_analysis second_look"
		again   = "search: request image_analysis second_look refined"
		finds   = "structure: request image_analysis answer sources"
	)
	doubted := analysis(func(a *analyze.Analysis) { a.BrandConfidence = 0.8 })
	proposing := tea
	proposing.SearchAgain = "햇살마루 보리차"
	web, found := grounded("It is 햇살마루 보리차."), finding(tea)
	unsupported := grounded("It is 햇살마루 보리차.")
	unsupported.Grounding = &emulated.Grounding{Queries: []string{"보리차"}, Chunks: web.Grounding.Chunks}
	blocked := func(k emulated.Kind) *emulated.Fault { return &emulated.Fault{Type: emulated.BlockedAnswer, Kind: k} }
	tests := []struct {
		name    string
		stocked bool // with a product to judge
		oneCall bool
		fault   *emulated.Fault
		script  []emulated.Answer
		want    []string
	}{
		{name: "sure", script: []emulated.Answer{analysis(nil)}, want: []string{image}},
		{name: "looked at again", script: []emulated.Answer{doubted, judgement(analyze.Judgement{Confirmed: true})}, want: []string{image, judge}},
		{name: "picked", stocked: true, script: []emulated.Answer{analysis(unclear), judgement(analyze.Judgement{Pick: 1})}, want: []string{image, chosen}},
		{name: "found", script: []emulated.Answer{analysis(unclear), web, found}, want: []string{image, search, finds}},
		{name: "found after a second look", script: []emulated.Answer{doubted, judgement(analyze.Judgement{}), web, found}, want: []string{image, judge, after, finds}},
		{name: "found after no candidate was picked", stocked: true, script: []emulated.Answer{analysis(unclear), judgement(analyze.Judgement{}), web, found}, want: []string{image, chosen, after, finds}},
		{name: "found in other words", script: []emulated.Answer{analysis(unclear), ungrounded(), web, found}, want: []string{image, search, refined, finds}},
		{name: "found in other words after a second look", stocked: true, script: []emulated.Answer{analysis(unclear), judgement(analyze.Judgement{}), ungrounded(), web, found}, want: []string{image, chosen, after, again, finds}},
		{name: "sources that carry nothing", script: []emulated.Answer{analysis(unclear), unsupported, found}, want: []string{image, search, finds}},
		{name: "no other words", script: []emulated.Answer{analysis(unclear), searched(1, false, false)}, want: []string{image, search}},
		{name: "a judge that refuses has seen the photo and said nothing", stocked: true, fault: blocked(answers.KindJudge),
			script: []emulated.Answer{analysis(unclear), web, found}, want: []string{image, chosen, "search: request image_analysis", finds}},
		{name: "a search that refuses is not repeated", fault: blocked(answers.KindSearch),
			script: []emulated.Answer{analysis(unclear)}, want: []string{image, search}},
		{name: "in one call", oneCall: true, script: []emulated.Answer{analysis(unclear), {Kind: answers.KindStructure, JSON: tea, Grounding: web.Grounding}},
			want: []string{image, "structure: photo request image_analysis"}},
		{name: "in one call, in other words", oneCall: true,
			script: []emulated.Answer{analysis(unclear), {Kind: answers.KindStructure, JSON: proposing, Grounding: ungrounded().Grounding}, {Kind: answers.KindStructure, JSON: tea, Grounding: web.Grounding}},
			want:   []string{image, "structure: photo request image_analysis", "structure: request image_analysis refined"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(c *analyze.Config) { c.SearchWithSchema = test.oneCall })
			if test.stocked {
				b.stock("옥수수차", "다른곳", "", catalog.Unconfirmed, features...)
			}
			b.Gemini.Script(test.script...)
			if test.fault != nil {
				b.Gemini.SetFaults(*test.fault)
			}
			if _, err := b.run(nil); err != nil {
				t.Fatal(err)
			}
			if got := seen(b); !slices.Equal(got, test.want) {
				t.Errorf("the models saw\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if b.Gemini.Scripted() != 0 {
				t.Errorf("%d scripted answers were not asked for", b.Gemini.Scripted())
			}
		})
	}
}

// seen returns the parts of each call except embeddings, without the instruction: the
// photo and the labels of the data.
func seen(b *bench) []string {
	var calls []string
	for _, c := range b.Gemini.Calls() {
		if c.Kind == emulated.KindEmbed {
			continue
		}
		line := string(c.Kind) + ":"
		for range c.Inline {
			line += " photo"
		}
		for _, text := range c.Texts {
			label, _, _ := strings.Cut(text, ":\n")
			line += " " + label
		}
		calls = append(calls, line)
	}
	return calls
}

// The texts of the data, letter by letter, the score aside.
func TestDataForModels(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.stock("옥수수차", "다른곳", "", catalog.Unconfirmed, features...)
	b.Gemini.Script(analysis(unclear), judgement(analyze.Judgement{Seen: "라벨", ProductName: "보리차", Brand: "햇살마루", Reason: "다른 제품"}),
		ungrounded(), grounded("It is 햇살마루 보리차."), finding(tea))
	if _, err := b.run(nil); err != nil {
		t.Fatal(err)
	}
	quoted := `"` + strings.Join(features, `","`) + `"`
	for _, want := range []string{
		b.space.Prefix + strings.Join(features, " "),
		"request:\n" + `{"country":"KR","lang":"ko"}`,
		"candidates:\n" + fmt.Sprintf(`[{"number":1,"product_name":"옥수수차","brand":"다른곳","category":"Beverage","key_features":[%s],"score":`, quoted),
		"second_look:\n" + `{"seen":"라벨","name_as_printed":"","brand_as_printed":"","category":"","product_name":"보리차","brand":"햇살마루","product_name_confidence":0,"brand_confidence":0,"confirmed":false,"reason":"다른 제품"}`,
		"refined:\n햇살마루 보리차",
		"answer:\nIt is 햇살마루 보리차.",
		"sources:\n" + `[{"number":1,"title":"shop.example","uri":"https://shop.example/tea"}]`,
	} {
		told := slices.ContainsFunc(b.Gemini.Calls(), func(c emulated.Call) bool {
			return slices.ContainsFunc(c.Texts, func(text string) bool { return strings.HasPrefix(text, want) })
		})
		if !told {
			t.Errorf("no call was told %q", want)
		}
	}
}

// Every instruction is filled in with the request's country and language.
func TestInstructions(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.req.Country, b.req.Lang = "CH", "de"
	b.stock("옥수수차", "다른곳", "", catalog.Unconfirmed, features...)
	b.Gemini.Script(analysis(unclear), judgement(analyze.Judgement{}), grounded("It is 햇살마루 보리차."), finding(tea))
	if _, err := b.run(nil); err != nil {
		t.Fatal(err)
	}
	want := map[emulated.Kind][]string{
		answers.KindImage:     {"the language de", "taken in CH", "요 려"},
		answers.KindJudge:     {"the language de"},
		answers.KindSearch:    {"shops in CH"},
		answers.KindStructure: {"the language de"},
	}
	for _, c := range b.Gemini.Calls() {
		for _, text := range want[c.Kind] {
			if !strings.Contains(c.System, text) {
				t.Errorf("the instruction of %s lacks %q:\n%s", c.Kind, text, c.System)
			}
		}
		if strings.ContainsAny(c.System, "{}") {
			t.Errorf("the instruction of %s is not filled in:\n%s", c.Kind, c.System)
		}
	}
}

// For a photo without text the models see the capped confidences, not those of the
// first model.
func TestTextlessIsCapped(t *testing.T) {
	t.Parallel()
	const want = `"product_name_confidence":0.6,"brand_confidence":0.6,`
	b := newBench(t, nil)
	b.Gemini.Script(analysis(func(a *analyze.Analysis) { a.VisibleText = nil }), ungrounded(), ungrounded())
	if _, err := b.run(nil); err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, c := range b.Gemini.Calls() {
		for _, text := range c.Texts {
			if strings.HasPrefix(text, "image_analysis:") && strings.Contains(text, want) {
				told++
			}
		}
	}
	if told != 2 {
		t.Errorf("%d searches were told %s, want both", told, want)
	}
}
