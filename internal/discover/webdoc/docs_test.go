package webdoc

import (
	"fmt"
	"strings"
	"testing"

	"example.com/whatis/docs"
)

// The hostile documents stand in docs/security.md.
func TestDocsHostileDocuments(t *testing.T) {
	var kinds []string
	names := map[string][]string{}
	for _, d := range hostile() {
		if names[d.ContentType] == nil {
			kinds = append(kinds, d.ContentType)
		}
		names[d.ContentType] = append(names[d.ContentType], d.Name)
	}
	var b strings.Builder
	b.WriteString("| type | documents |\n| --- | --- |\n")
	for _, kind := range kinds {
		fmt.Fprintf(&b, "| `%s`, %d | %s |\n", kind, len(names[kind]), strings.Join(names[kind], "; "))
	}
	docs.Section(t, "security.md", "documents", b.String())
}
