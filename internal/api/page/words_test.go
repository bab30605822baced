package page_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What names a code in the packages that make results: constants of warnings, the
// warnings that are written where they are given, suspicions, and gates of a discovery.
var (
	warnCode      = regexp.MustCompile(`(?m)(?:\b(?:warn|Warn|Date)[A-Z]\w*\s*=\s*|append\(warnings, )"([a-z_]+)"`)
	suspicionCode = regexp.MustCompile(`(?m)\w+ +Suspicion = "(\w+)"`)
	gateCode      = regexp.MustCompile(`(?m)(?:\.drop\(.*, |return )"([a-z_]+)", (?:"|fmt\.)`)
)

// codes are what pattern finds in the packages that make results.
func codes(t *testing.T, pattern *regexp.Regexp, dirs []string) []string {
	t.Helper()
	var all []string
	for _, dir := range dirs {
		files, err := fs.Glob(os.DirFS("../.."), dir+"/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range pattern.FindAllStringSubmatch(read(t, "../../"+file), -1) {
				all = append(all, m[1])
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

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
// not have.
func TestEveryCodeHasASentence(t *testing.T) {
	discoveries := []string{"discover"}
	photos := []string{"analyze", "analyze/expiry", "gemini", "analyze/intake"}
	for table, from := range map[string]struct {
		pattern *regexp.Regexp
		dirs    []string
	}{"warnings": {warnCode, photos}, "suspicions": {suspicionCode, photos}, "searchWarnings": {warnCode, []string{"search"}}, "weatherWarnings": {warnCode, []string{"forecast"}}, "discoveryWarnings": {warnCode, discoveries}, "gates": {gateCode, discoveries}} {
		got, want := sentences(t, table), codes(t, from.pattern, from.dirs)
		for _, code := range want {
			if !slices.Contains(got, code) {
				t.Errorf("en.json has no sentence for %s among its %s", code, table)
			}
		}
		for _, code := range got {
			if !slices.Contains(want, code) {
				t.Errorf("en.json explains %s among its %s, which no result has", code, table)
			}
		}
		if len(want) < 5 {
			t.Errorf("%d codes of %s were found, want more: %q", len(want), table, want)
		}
	}
}
