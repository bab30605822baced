package page_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/forecast"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/search"
)

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// sentences are the codes that have a sentence in a table of en.json.
func sentences(t *testing.T, table string) []string {
	t.Helper()
	var all []string
	for key, text := range dictionary(t, "en") {
		if code, of := strings.CutPrefix(key, table+"."); of && len(text) >= 8 {
			all = append(all, code)
		}
	}
	slices.Sort(all)
	return all
}

// Every code that a result may have is explained to people, and none that it may
// not have. A warning of the models is explained among those of photos.
func TestEveryCodeHasASentence(t *testing.T) {
	for table, want := range map[string][]string{
		"warnings":          slices.Concat(gemini.Warnings, analyze.Warnings, intake.Warnings),
		"suspicions":        texts(analyze.Suspicions),
		"searchWarnings":    slices.Clone(search.Warnings),
		"weatherWarnings":   slices.Clone(forecast.Warnings),
		"discoveryWarnings": slices.Clone(discover.Warnings),
		"gates":             texts(discover.Gates),
	} {
		slices.Sort(want)
		if got := sentences(t, table); !slices.Equal(got, want) {
			t.Errorf("en.json explains %q among its %s; results have %q", got, table, want)
		}
	}
}

func texts[T ~string](codes []T) (all []string) {
	for _, code := range codes {
		all = append(all, string(code))
	}
	return all
}
