package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const everywhere = `resource.type="cloud_run_revision" AND resource.labels.service_name=~"^(whatis-upload|whatis-task|whatis-api)$"`

// fakeGcloud notes its arguments, a line each call, and runs a line of sh.
func fakeGcloud(t *testing.T, answer string) (env []string, asked func() string) {
	t.Helper()
	folder := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nfor word; do printf '%%s | ' \"$word\"; done >>%[1]s/log\necho >>%[1]s/log\n%[2]s\n", folder, answer)
	write(t, filepath.Join(folder, "gcloud"), script)
	if err := os.Chmod(filepath.Join(folder, "gcloud"), 0o755); err != nil {
		t.Fatal(err)
	}
	return []string{"PATH=" + folder}, func() string {
		data, _ := os.ReadFile(filepath.Join(folder, "log"))
		return strings.TrimSuffix(string(data), " | \n")
	}
}

func TestLogs(t *testing.T) {
	// As gcloud prints them: an error of Google's clients has lines, and each entry a line behind it.
	const lines = `printf 'late\tINFO\t\t\twhatis-upload\tobject analysed\t\t\n.\nearly\tERROR\twhatis-api\tdenied\nDetails:\n[]\t\n.\n'`
	const read = "early  ERROR  whatis-api  denied Details: []\nlate  INFO  whatis-upload  object analysed\n"
	format := " | --format=" + logLine
	tests := []struct {
		args   []string
		answer string
		asked  string // of gcloud
		code   int
		printed,
		says string
	}{
		{nil, lines, "logging | read | " + everywhere + " | --freshness=1h | --limit=1000" + format, 0, read, ""},
		{[]string{"--errors", "--since", "2d", "--limit", "5"}, lines, "logging | read | " + everywhere + " AND severity>=WARNING | --freshness=2d | --limit=5" + format, 0, read, ""},
		{[]string{"--service", "task", "--prefix", "other", "--project", "p"}, lines, `logging | read | resource.type="cloud_run_revision" AND resource.labels.service_name=~"^other-task$" | --freshness=1h | --limit=1000` + format + " | --project=p", 0, read, ""},
		{[]string{`b c/ㄱ"*\.jpg`}, lines, "logging | read | " + everywhere + ` AND "b c/ㄱ\"*\\.jpg" | --freshness=1h | --limit=1000` + format, 0, read, ""},
		{[]string{"--follow"}, `printf 'one\t\t\ttwo\nlines\n.\nthree\n.\n'`, "beta | logging | tail | " + everywhere + format, 0, "one  two lines\nthree\n", ""},
		{[]string{"--json"}, `echo '[{"a":2},{"a":1}]'`, "logging | read | " + everywhere + " | --freshness=1h | --limit=1000 | --format=json", 0, "[\n  {\n    \"a\": 1\n  },\n  {\n    \"a\": 2\n  }\n]\n", ""},
		{nil, "", "logging | read | " + everywhere + " | --freshness=1h | --limit=1000" + format, 0, "", ""},
		{nil, "echo no leave >&2; exit 1", "logging | read | " + everywhere + " | --freshness=1h | --limit=1000" + format, 1, "", "no leave"},
		{[]string{"--dry-run"}, lines, "", 0, everywhere + "\n'gcloud' 'logging' 'read' '" + everywhere + "' '--freshness=1h' '--limit=1000' '--format=" + logLine + "'\n", ""},
	}
	for _, test := range tests {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			env, asked := fakeGcloud(t, test.answer)
			c := prepared(t, env, append([]string{"logs"}, test.args...)...)
			if code := c.here(); code != test.code || c.stdout.String() != test.printed || asked() != test.asked {
				t.Errorf("exit %d, %q, asked %q; want %d, %q, %q; %q", code, &c.stdout, asked(), test.code, test.printed, test.asked, &c.stderr)
			}
			c.says(test.says)
		})
	}
	c := prepared(t, nil, "logs")
	if code := c.here(); code != 1 {
		t.Errorf("without gcloud: exit %d, want 1", code)
	}
	c.says("gcloud is missing")
}
