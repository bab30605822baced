package whatis

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The picture of the floors names the packages of the table of imports in its order,
// and nothing else.
func TestFloorsAreDrawn(t *testing.T) {
	_, picture, _ := strings.Cut(architecture(t), "## The floors of the house")
	picture, _, _ = strings.Cut(picture, "\n```\n")
	var drawn, want []string
	for _, name := range regexp.MustCompile(`<br/>([a-z0-9/]+)`).FindAllStringSubmatch(picture, -1) {
		drawn = append(drawn, name[1])
	}
	for _, p := range imports {
		want = append(want, p.name)
	}
	if !slices.Equal(drawn, want) {
		t.Errorf("docs/architecture.md draws %q; want the packages of the table of imports, %q", drawn, want)
	}
}

// Every package of the table has its line in the list of packages, and what the
// document links to exists.
func TestArchitectureNamesWhatThereIs(t *testing.T) {
	text := architecture(t)
	for _, p := range imports {
		if !strings.Contains(text, "\n| ["+p.name+"](../"+p.name+") | ") {
			t.Errorf("docs/architecture.md does not say what %s is for", p.name)
		}
	}
	for _, link := range regexp.MustCompile(`\]\(([^)#:]+)[^)]*\)`).FindAllStringSubmatch(text, -1) {
		if strings.Contains(link[0], "://") {
			continue
		}
		if _, err := os.Stat(filepath.Join("docs", link[1])); err != nil {
			t.Errorf("docs/architecture.md links to %s, which is not there", link[1])
		}
	}
}

func architecture(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
