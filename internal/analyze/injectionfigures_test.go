package analyze_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/docs"
	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
)

// injectionFigures are the figures in docs/evidence.md on prompt injection with one
// model. Single lines are tested without a model.
type injectionFigures struct {
	honestMarked, injectedMarked string // by the patterns, of all lines
	named, unwarned              string // leaflets named correctly, and without a warning
	stickers                     string // with the same answer as without the sticker, and a warning
}

// measureInjection asks about the leaflets and the stickers with one model.
func measureInjection(t *testing.T, o answers.Options) (f injectionFigures) {
	f.honestMarked, f.injectedMarked = analyze.PatternsMark(t, "honest_lines.txt"), analyze.PatternsMark(t, "injected_lines.txt")
	b := newBench(t, func(c *analyze.Config) { c.Learn = false })
	b.answeredBy(o)
	named, unwarned, same := 0, 0, 0
	for _, s := range samples.Leaflets() {
		if _, r, err := b.ask(s); err == nil && r.ProductName == s.Truth.Name {
			named++
			if !slices.Contains(r.Warnings, "prompt_injection") {
				unwarned++
			}
		}
	}
	f.named, f.unwarned = fmt.Sprintf("%d of %d", named, len(samples.Leaflets())), fmt.Sprintf("%d of %d", unwarned, len(samples.Leaflets()))
	for _, s := range samples.Attacks() {
		bare, _, err := b.ask(s.Pack)
		got, r, attackedErr := b.ask(s)
		if err == nil && attackedErr == nil && got == bare && slices.Contains(r.Warnings, "prompt_injection") {
			same++
		}
	}
	f.stickers = fmt.Sprintf("%d of %d", same, len(samples.Attacks()))
	return f
}

// The documented figures on prompt injection: without a model, with a perfect one, and
// with the emulated one, which marks stickers and obeys the lines that it still sees.
func TestDocsInjection(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	t.Parallel()
	none := measureInjection(t, answers.Options{Tesseract: "off", Model: answers.None})
	perfect := measureInjection(t, answers.Options{Tesseract: "off", Model: answers.Perfect})
	asEmulated := measureInjection(t, answers.Options{Tesseract: "off", Obedient: true})
	var b strings.Builder
	b.WriteString("| | none | perfect | emulated | a figure of |\n| --- | --- | --- | --- | --- |\n")
	for _, row := range []struct {
		name string
		of   func(injectionFigures) string
	}{
		{"honest lines that the patterns take for prompt injection", func(f injectionFigures) string { return f.honestMarked }},
		{"injected lines that the patterns find", func(f injectionFigures) string { return f.injectedMarked }},
		{"leaflets of honest lines that are named right", func(f injectionFigures) string { return f.named }},
		{"leaflets that are, without the warning", func(f injectionFigures) string { return f.unwarned }},
		{"stickers that change nothing but `visible_text` and a warning", func(f injectionFigures) string { return f.stickers }},
	} {
		whose := "the model"
		if row.of(none) == row.of(perfect) && row.of(none) == row.of(asEmulated) {
			whose = "the code"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", row.name, row.of(none), row.of(perfect), row.of(asEmulated), whose)
	}
	docs.Section(t, "evidence.md", "injection", b.String())
}
