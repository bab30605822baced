package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name string, lines int) {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.Repeat("//\n", lines)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(arguments ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, arguments...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", arguments, err, out)
		}
	}
	git("init", "-q")
	write("root.go", 1)
	write("README.md", 9)
	write("internal/analyze/expiry/a.go", 10)
	write("internal/analyze/expiry/a_test.go", 20)
	write("internal/jobs/jobstest/a.go", 30)
	git("add", ".")
	git("commit", "-q", "-m", "all")
	write("internal/analyze/expiry/a.go", 7) // changed
	write("internal/search/b.go", 5)         // not added yet
	if err := os.Remove("internal/jobs/jobstest/a.go"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		revisions []string
		want      string
	}{
		{nil, "code tests of|7 20 analyze|5 0 search|1 0 entry points|13 20 all"},
		{[]string{"HEAD"}, "code tests change change of|7 20 -3 +0 analyze|5 0 +5 +0 search|1 0 +0 +0 entry points|0 0 -30 +0 test kits|13 20 -28 +0 all"},
	} {
		var out strings.Builder
		if err := run(test.revisions, &out); err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			got = append(got, strings.Join(strings.Fields(line), " "))
		}
		if got := strings.Join(got, "|"); got != test.want {
			t.Errorf("count %v prints\n%s, want\n%s", test.revisions, got, test.want)
		}
	}
	if err := run([]string{"no-such"}, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), "no-such") {
		t.Errorf("count of an unknown revision gives %v, want an error that names it", err)
	}
}
