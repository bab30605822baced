package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
	mark    = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks follows each link of a document to a file or a heading of this repository.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"} {
		pages = append(pages, filepath.Join("..", name))
	}
	followed := 0
	for _, page := range pages {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(read(t, page), ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			followed++
			file, anchor, _ := strings.Cut(m[1], "#")
			to := page
			if file != "" {
				to = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %s: there is no such file", page, m[1])
			} else if anchor != "" && strings.HasSuffix(to, ".md") && !anchors(read(t, to))[anchor] {
				t.Errorf("%s: %s: there is no such heading", page, m[1])
			}
		}
	}
	if followed < 100 {
		t.Errorf("%d links were followed: are they read?", followed)
	}
}

// TestCommandsNameTheProject: a command of gcloud that names a region would otherwise ask for it in whatever
// project gcloud was used with last.
func TestCommandsNameTheProject(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, page := range pages {
		for _, command := range regexp.MustCompile("gcloud [^\n`|;]*--region[^\n`|;]*").FindAllString(strings.ReplaceAll(read(t, page), "\\\n", ""), -1) {
			if named++; !strings.Contains(command, "--project") {
				t.Errorf("%s: %s: it names no --project", page, command)
			}
		}
	}
	if named < 10 {
		t.Errorf("%d commands name a region: are they read?", named)
	}
}

// TestNewcomersPage holds the README to what a newcomer reads before leaving.
func TestNewcomersPage(t *testing.T) {
	if n := len(read(t, "../README.md")); n > 9000 {
		t.Errorf("README.md has %d bytes, at most 9,000: move what is not for a newcomer into docs", n)
	}
}

// anchors returns the anchors that GitHub makes of a page's headings.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		all[strings.ReplaceAll(mark.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return all
}
