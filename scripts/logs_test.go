package scripts

import (
	"strings"
	"testing"
)

const (
	everywhere = `resource.type="cloud_run_revision" AND resource.labels.service_name=~"^(whatis-upload|whatis-task|whatis-api)$"`
	logFormat  = `--format=value(timestamp.date("%Y-%m-%d %H:%M:%S",tz=LOCAL),severity.yesno(no="INFO"),resource.labels.service_name,jsonPayload.message,textPayload,jsonPayload.object,jsonPayload.batch,jsonPayload.photo,jsonPayload.source,jsonPayload.reason,jsonPayload.took,jsonPayload.cost_usd,jsonPayload.error,httpRequest.requestMethod,httpRequest.status,httpRequest.requestUrl,httpRequest.latency)`
)

func TestLogs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args []string
		want string // of gcloud logging read
	}{
		{nil, everywhere + " | --freshness=1h | --limit=1000"},
		{[]string{"--errors", "--since", "2d", "--limit", "5"}, everywhere + " AND severity>=WARNING | --freshness=2d | --limit=5"},
		{[]string{"--service", "task", "--prefix", "other"}, `resource.type="cloud_run_revision" AND resource.labels.service_name=~"^other-task$" | --freshness=1h | --limit=1000`},
		{[]string{`b c/ㄱ"*\.jpg`}, everywhere + ` AND "b c/ㄱ\"*\\.jpg" | --freshness=1h | --limit=1000`},
	}
	for _, test := range tests {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			t.Parallel()
			w := newTools(t, "gcloud")
			w.answer("1", "gcloud|logging|read|*", `printf 'late\tINFO\t\t\twhatis-upload\tobject analysed\t\t\n'; printf 'early\tERROR\twhatis-api\t\n'`)
			run(t, w.env(), "logs", test.args...).want(t, "logs", 0, "early  ERROR  whatis-api\nlate  INFO  whatis-upload  object analysed\n", "")
			w.want("gcloud | logging | read | " + test.want + " | " + logFormat)
			filter, _, _ := strings.Cut(test.want, " | ")
			dry := run(t, newTools(t).alone(), "logs", append([]string{"--dry-run"}, test.args...)...)
			if first, _, _ := strings.Cut(dry.stdout, "\n"); dry.code != 0 || first != filter {
				t.Errorf("logs --dry-run = exit %d, %q, %q; want the filter %q", dry.code, dry.stdout, dry.stderr, filter)
			}
		})
	}
}

func TestLogsEnd(t *testing.T) {
	t.Parallel()
	w := newTools(t, "gcloud")
	w.answer("1", "gcloud|beta|logging|tail|*", `printf 'one\t\t\ttwo\n'`)
	w.answer("2", "gcloud|logging|read|*--project=quiet*", "")
	run(t, w.env("GOOGLE_CLOUD_PROJECT=p"), "logs", "--follow", "--service", "api").want(t, "logs --follow", 0, "one  two\n", "")
	run(t, w.env("GOOGLE_CLOUD_PROJECT=p"), "logs", "--project", "quiet").want(t, "logs of nothing", 0, "", "")
	run(t, w.env("GOOGLE_CLOUD_PROJECT=p"), "logs").want(t, "logs without leave", 1, "", "ERROR")
	w.want(
		`gcloud | beta | logging | tail | resource.type="cloud_run_revision" AND resource.labels.service_name=~"^whatis-api$" | `+logFormat+" | --project=p",
		"gcloud | logging | read | "+everywhere+" | --freshness=1h | --limit=1000 | "+logFormat+" | --project=quiet",
		"gcloud | logging | read | "+everywhere+" | --freshness=1h | --limit=1000 | "+logFormat+" | --project=p",
	)
	for _, test := range []struct {
		args   []string
		stderr string
	}{
		{[]string{"--service", "whatis-upload"}, "want upload, task or api"},
		{[]string{"--since", "yesterday"}, "--since is yesterday"},
		{[]string{"--since", "0h"}, "--since is 0h"},
		{[]string{"--limit", "all"}, "--limit is all"},
		{[]string{"--prefix", `x"y`}, "--prefix is"},
		{[]string{"--since"}, "--since needs a value"},
		{[]string{"--fast"}, "unknown option --fast"},
		{[]string{"a.jpg", "b.jpg"}, "one name or id at a time"},
	} {
		run(t, w.env(), "logs", test.args...).want(t, "logs", 2, "", test.stderr)
	}
	run(t, newTools(t).alone(), "logs").want(t, "logs without gcloud", 2, "", "gcloud is missing")
}
