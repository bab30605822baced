package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The official clients in other languages, from npm. Needs WHATIS_NPM=1.
func TestOtherClients(t *testing.T) {
	if os.Getenv("WHATIS_NPM") == "" {
		t.Skip("WHATIS_NPM=1 asks with the clients from npm")
	}
	s := discovering(t)
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/clients")); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), name, args...)
		c.Dir = folder
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run("npm", "ci", "--no-audit", "--no-fund")
	photo := filepath.Join(folder, "photo.jpg")
	if err := os.WriteFile(photo, picture(t, 49), 0o600); err != nil {
		t.Fatal(err)
	}
	_, begun := s.ask("POST", "/discover", `{"country":"Kenya","sector":"waste","limits":{"max_iterations":1,"max_pages":8}}`)
	s.work()
	got := run("node", "check.mjs", s.url, photo, read[struct{ ID string }](t, begun).ID)
	for _, want := range []string{"0.3 submitted working events result completed", "1.0 result", "mcp 7 true en", "discovery working done true"} {
		if !strings.Contains(got, want) {
			t.Errorf("the clients say\n%s, want %q", got, want)
		}
	}
}

// The linters of OpenAPI documents, from npm, have nothing to say. Needs WHATIS_NPM=1.
func TestLinters(t *testing.T) {
	if os.Getenv("WHATIS_NPM") == "" {
		t.Skip("WHATIS_NPM=1 asks Spectral and Redocly, from npm")
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"openapi.json": complete(), "spectral.yaml": `extends: ["spectral:oas"]`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lint := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), "npx", append([]string{"--yes"}, args...)...)
		c.Dir = folder
		out, err := c.Output()
		if err != nil {
			t.Errorf("npx %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	lint("@stoplight/spectral-cli@6.16.3", "lint", "--ruleset=spectral.yaml", "--fail-severity=hint", "openapi.json")
	report := lint("@redocly/cli@2.77.0", "lint", "--format=json", "openapi.json")
	if got := read[struct{ Totals map[string]int }](t, report).Totals; got["errors"]+got["warnings"] > 0 || len(got) == 0 {
		t.Errorf("redocly has %v\n%s", got, report)
	}
}
