package page_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dictionary returns the texts of a language by table and key: "phrases.search".
func dictionary(t *testing.T, lang string) map[string]string {
	t.Helper()
	var tables map[string]map[string]any
	if err := json.Unmarshal([]byte(read(t, "assets/"+lang+".json")), &tables); err != nil {
		t.Fatalf("%s.json: %v", lang, err)
	}
	all := map[string]string{}
	for table, words := range tables {
		for key, word := range words {
			switch word := word.(type) {
			case []any:
				for i, w := range word {
					all[fmt.Sprintf("%s.%s.%d", table, key, i)] = fmt.Sprint(w)
				}
			case map[string]any: // a count, with as many forms as the language needs
				all[table+"."+key] = fmt.Sprint(word["other"])
			default:
				all[table+"."+key] = fmt.Sprint(word)
			}
		}
	}
	return all
}

var (
	value = regexp.MustCompile(`\{\w+\}`)
	hole  = regexp.MustCompile(`^(GTIN|UNFCCC|Token|[^A-Za-z]*(\{\w+\}[^A-Za-z]*)*|.*(Seed|JSON|OpenAPI|Menu|Web|AR|ms).*)$`) // texts that may be equal in two languages
)

// Every language has the same keys with the same placeholders, and is translated.
func TestLanguages(t *testing.T) {
	english := dictionary(t, "en")
	for _, lang := range []string{"ko", "vi"} {
		other := dictionary(t, lang)
		for key, text := range english {
			translated, ok := other[key]
			switch got, want := slices.Sorted(slices.Values(value.FindAllString(translated, -1))), slices.Sorted(slices.Values(value.FindAllString(text, -1))); {
			case !ok:
				t.Errorf("%s.json lacks %s", lang, key)
			case strings.TrimSpace(translated) == "" || translated == text && !hole.MatchString(text):
				t.Errorf("%s.json: %s is %q, as in English", lang, key, translated)
			case !slices.Equal(got, want):
				t.Errorf("%s.json: %s has the values %q, want %q", lang, key, got, want)
			}
		}
		for key := range other {
			if _, ok := english[key]; !ok && !strings.HasPrefix(key, "causes.") { // which the service says in English
				t.Errorf("%s.json has %s, which en.json lacks", lang, key)
			}
		}
	}
}

var (
	asked   = regexp.MustCompile(`(?:\b(?:t|rich)\(|data-t(?:-[a-z-]+)?=)['"](\w+)['"]`)
	counted = regexp.MustCompile(`plural\((?:[^'()]|\([^()]*\))*, '(\w+)'\)`)
)

// The page uses only keys that exist, and every key is used.
func TestEveryWordIsUsed(t *testing.T) {
	used := map[string]bool{}
	for name, text := range sources(t, "*.js", "*.html") {
		for _, m := range asked.FindAllStringSubmatch(text, -1) {
			used["phrases."+m[1]] = true
		}
		for _, m := range counted.FindAllStringSubmatch(text, -1) {
			used["counts."+m[1]] = true
		}
		if name == "dates.js" { // a table of units
			for _, unit := range []string{"year", "month", "week", "day"} {
				used["counts."+unit] = true
			}
		}
	}
	english := dictionary(t, "en")
	for key := range used {
		if _, ok := english[key]; !ok {
			t.Errorf("the page asks for %s, which en.json lacks", key)
		}
	}
	for key := range english {
		if table, _, _ := strings.Cut(key, "."); (table == "phrases" || table == "counts") && !used[key] {
			t.Errorf("nothing asks for %s", key)
		}
	}
}

// sources returns the files of the page that match patterns, by name.
func sources(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range patterns {
		files, err := filepath.Glob("assets/" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			all[filepath.Base(file)] = read(t, file)
		}
	}
	return all
}

var (
	comment = regexp.MustCompile(`(?ms)^\s*/\*.*?\*/|(?:^|\s)// .*?$`)
	inside  = regexp.MustCompile(`\$\{[^{}` + "`" + `]*\}`)
	call    = regexp.MustCompile(`\b(?:t|rich)\('\w+'(?:, \{[^{}]*\})?\)`)
	quoted  = regexp.MustCompile(`'((?:[^'\\\n]|\\.)*)'`)
	written = regexp.MustCompile("`([^`]*)`")
	prose   = regexp.MustCompile(`^[A-Z][a-z]+(?:[ .,:…?!].*)?$|[a-z]{2,}[,;:.]? [a-z]{2,}`)
	class   = regexp.MustCompile(`\.([a-z][\w-]*)`)
)

// notProse are literals that look like text but are not shown.
var notProse = []string{"Escape", "Files", "quiet waiting", "gs://bucket/ or gs://bucket/folder/", "input, textarea, select, [contenteditable]", "Seoul", "Seattle", "Accept", "English", "allow-popups allow-popups-to-escape-sandbox", "noopener noreferrer", "a person said what this photo shows", "there is nothing on the photo to search for", "no source names a product that fits", "nav a", "card gates unread", "whatisit catalog import FILE"}

// English text is only in en.json, not in scripts or the page.
func TestNoWordsOutsideTheDictionary(t *testing.T) {
	classes := map[string]bool{}
	for _, css := range sources(t, "*.css") {
		for _, m := range class.FindAllStringSubmatch(css, -1) {
			classes[m[1]] = true
		}
	}
	styled := func(text string) bool {
		return !slices.ContainsFunc(strings.Fields(text), func(word string) bool { return !classes[word] && !strings.HasSuffix(word, "-") })
	}
	for name, text := range sources(t, "*.js") {
		text = comment.ReplaceAllString(text, "")
		for again := ""; again != text; { // replace calls and values from the innermost outwards
			again, text = text, inside.ReplaceAllString(call.ReplaceAllString(text, "w"), "")
		}
		for _, m := range slices.Concat(quoted.FindAllStringSubmatch(text, -1), written.FindAllStringSubmatch(text, -1)) {
			if literal := strings.TrimSpace(m[1]); literal != "" && literal[0] != '.' && prose.MatchString(literal) && !slices.Contains(notProse, literal) && !styled(literal) {
				t.Errorf("%s says %q outside the dictionary", name, literal)
			}
		}
	}
	for _, text := range wordsOfHTML(read(t, "assets/index.html")) {
		t.Errorf("index.html says %q outside the dictionary", text)
	}
}

var (
	worded = regexp.MustCompile(`>([^<>]*[A-Za-z]{2,}[^<>]*)<|\s(?:aria-label|placeholder|title|alt)="([^"]*[A-Za-z]{3,}[^"]*)"`)
)

// wordsOfHTML returns the texts in html, except names and texts shown without scripts.
func wordsOfHTML(html string) (all []string) {
	for _, pattern := range []string{`(?s)<noscript>.*?</noscript>`, `(?s)<datalist id="languages">.*?</datalist>`, `<(title|code|kbd)>[^<]*</`} {
		html = regexp.MustCompile(pattern).ReplaceAllString(html, "")
	}
	for _, m := range worded.FindAllStringSubmatch(html, -1) {
		if text := strings.TrimSpace(m[1] + m[2]); !slices.Contains([]string{"whatis", "OpenAPI", "Linz"}, text) {
			all = append(all, text)
		}
	}
	return all
}
