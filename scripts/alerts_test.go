package scripts

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Each alert has a section under its title in docs/operations.md, and a row in its table;
// no section is about an alert that there is not. Texts say as many attempts as there are.
func TestAlertsHaveSections(t *testing.T) {
	t.Parallel()
	alerts, operations := read(t, "../terraform/alerts.tf"), read(t, "../docs/operations.md")
	titles := []string{"the API is away"}
	for _, m := range regexp.MustCompile(`(?m)^      title +?= "([^"]+)"`).FindAllStringSubmatch(alerts, -1) {
		titles = append(titles, m[1])
	}
	if len(titles) < 15 {
		t.Fatalf("alerts.tf has the titles %q, want 15 and more", titles)
	}
	for _, title := range titles {
		if !strings.Contains(operations, "\n### whatis: "+title+"\n") || !strings.Contains(operations, "\n| ["+title+"](#whatis-"+strings.ReplaceAll(strings.ToLower(title), " ", "-")+")") {
			t.Errorf("docs/operations.md has no section or no row of the alert %q", title)
		}
	}
	if n := strings.Count(operations, "\n### whatis: "); n != len(titles) {
		t.Errorf("docs/operations.md has %d sections of alerts, want %d", n, len(titles))
	}
	m := regexp.MustCompile(`const lastAttempt = (\d+)`).FindStringSubmatch(read(t, "../internal/jobs/errors.go"))
	if m == nil {
		t.Fatal("internal/jobs does not say which attempt is the last")
	}
	last, _ := strconv.Atoi(m[1])
	word := map[int]string{3: "Three", 4: "Four", 5: "Five"}[last-1]
	for _, text := range []string{alerts, operations} {
		for _, said := range regexp.MustCompile(`(\w+) attempts (?:at a photo|came|failed)`).FindAllStringSubmatch(text, -1) {
			if said[1] != word {
				t.Errorf("%q, and work is given up after %d attempts", said[0], last-1)
			}
		}
	}
	if want := fmt.Sprintf("%s attempts at a photo", word); !strings.Contains(alerts, want) || !strings.Contains(operations, want) {
		t.Errorf("no text says %q", want)
	}
}
