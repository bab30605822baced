package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
)

func TestMain(m *testing.M) {
	emulate.Program(main)
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil { // half of them wait for a pause
		panic(err)
	}
	debug.SetGCPercent(400)                 // a fifth less processor time
	os.Setenv("XDG_CACHE_HOME", os.DevNull) // emulators that run on this machine are not to be found
	m.Run()
}

// A command is a run of whatisit.
type command struct {
	*exec.Cmd
	t              *testing.T
	stdout, stderr bytes.Buffer
}

// prepared is whatisit in an empty folder, with nothing in its environment but env.
func prepared(t *testing.T, env []string, args ...string) *command {
	t.Helper()
	c := &command{Cmd: emulate.Command(t, args...), t: t}
	c.Dir = t.TempDir()
	c.Env = slices.Concat(c.Env, []string{"HOME=" + c.Dir, "PATH=", "GOGC=400"}, env)
	c.Stdout, c.Stderr = &c.stdout, &c.stderr
	return c
}

// run runs it to its end and returns the exit code.
func (c *command) run() int {
	c.t.Helper()
	return c.begin()()
}

// begin starts it, and returns what waits for its end and returns the exit code. Started before
// its test calls t.Parallel, it runs beside the tests that do not.
func (c *command) begin() (end func() int) {
	c.t.Helper()
	if err := c.Start(); err != nil {
		c.t.Fatal(err)
	}
	return func() int {
		c.t.Helper()
		err := c.Wait()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			c.t.Fatal(err)
		}
		return c.ProcessState.ExitCode()
	}
}

// here is run in this process: to start another takes longer than most commands. The
// environment and the working folder are the command's meanwhile, so its test is not parallel.
func (c *command) here() int {
	c.t.Helper()
	c.t.Setenv("HOME", c.Dir) // which a parallel test may not
	defer environmentKeeper()()
	os.Clearenv()
	folder, err := os.Getwd()
	if err != nil {
		c.t.Fatal(err)
	}
	defer os.Chdir(folder)
	if err := os.Chdir(c.Dir); err != nil {
		c.t.Fatal(err)
	}
	for _, line := range c.Env {
		name, value, _ := strings.Cut(line, "=")
		if err := os.Setenv(name, value); err != nil {
			c.t.Fatal(err)
		}
	}
	if c.Stdin == nil {
		c.Stdin = strings.NewReader("")
	}
	defer slog.SetDefault(slog.New(slog.DiscardHandler)) // the command's logger writes to what the test reads
	return run(c.t.Context(), c.Args[1:], &console{in: c.Stdin, out: c.Stdout, err: c.Stderr})
}

// ends runs it to its end and returns the exit code: in this process, or in one of its own beside
// other tests if it waits for a pause.
func (c *command) ends(waits bool) int {
	c.t.Helper()
	if !waits {
		return c.here()
	}
	c.t.Parallel()
	return c.run()
}

// interrupted starts it, sends it sig once standard error holds mark, and returns
// its exit code.
func (c *command) interrupted(mark string, sig syscall.Signal) int {
	c.t.Helper()
	lines, err := os.CreateTemp(c.t.TempDir(), "")
	if err != nil {
		c.t.Fatal(err)
	}
	defer lines.Close()
	c.Stderr = lines
	if err := c.Start(); err != nil {
		c.t.Fatal(err)
	}
	output := func() string {
		data, _ := os.ReadFile(lines.Name())
		return string(data)
	}
	for end := time.Now().Add(time.Minute); !strings.Contains(output(), mark); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			_ = c.Process.Kill()
			_ = c.Wait()
			c.t.Fatalf("no %q among %q", mark, output())
		}
	}
	if err := c.Process.Signal(sig); err != nil {
		c.t.Fatal(err)
	}
	_ = c.Wait()
	c.stderr.WriteString(output())
	return c.ProcessState.ExitCode()
}

func TestWrongUsage(t *testing.T) {
	folder := t.TempDir()
	write(t, folder+"/a.jpg", "x")
	write(t, folder+"/b.jpg", "x")
	write(t, folder+"/empty/note.txt", "x")
	photo := folder + "/a.jpg"
	write(t, folder+"/more/a.jpg", "x")
	buckets := []string{"UPLOAD_BUCKET=u", "RESULTS_BUCKET=r"}
	key := []string{"GOOGLE_API_KEY=k", "GEMINI_API_KEY=k", "GOOGLE_CLOUD_PROJECT=p", "STORAGE_EMULATOR_HOST=http://127.0.0.1:1"}
	tests := []struct {
		env  []string
		args []string
		want string // on standard error
	}{
		{nil, nil, "Usage: whatisit <command>"},
		{nil, []string{"analyze"}, `expected "<path> ..."`},
		{nil, []string{"analyse", photo}, "unexpected argument analyse"},
		{nil, []string{"version", "1"}, "unexpected argument 1"},

		{nil, []string{"analyze", photo}, "no service is named: use --emulated"},
		{key, []string{"analyze", photo}, "no service is named: use --emulated"},
		{[]string{"UPLOAD_BUCKET=u"}, []string{"analyze", photo}, `UPLOAD_BUCKET to "u" and RESULTS_BUCKET to ""`},
		{[]string{"UPLOAD_BUCKET=u", "RESULTS_BUCKET=u"}, []string{"analyze", photo}, "results would be taken for photos"},
		{[]string{"K_SERVICE=s"}, []string{"analyze", photo, "--emulated"}, "K_SERVICE is set"},
		{nil, []string{"analyze", photo, "--emulated", "--url", "http://127.0.0.1:1"}, "two different services"},
		{nil, []string{"analyze", photo, "--url", "whatis.example.com"}, `the service's address is "whatis.example.com"`},
		{nil, []string{"analyze", photo, "--url", "ftp://example.com"}, "want one as https://"},
		{[]string{"API_URL=nowhere"}, []string{"analyze", photo}, `the service's address is "nowhere"`},
		{[]string{"API_URL=http://127.0.0.1:1"}, []string{"analyze", photo, "--url="}, "no service is named"},

		{nil, []string{"analyze", "--emulated", photo, "--colour", "red"}, "unknown flag --colour"},
		{nil, []string{"analyze", "--emulated", photo, "--ranom"}, "unknown flag --ranom"},
		{nil, []string{"analyze", "--emulated", folder, "0"}, "COUNT is 0: want how many photos, 1 or more"},
		{nil, []string{"analyze", "--emulated", folder, "-3"}, "-3: a count is 1 or more"},
		{nil, []string{"analyze", "--emulated", folder, "99999999999999999999"}, "COUNT is 99999999999999999999"},
		{nil, []string{"analyze", "--emulated", folder, "5x"}, "5x: there is no such file or folder"},
		{nil, []string{"analyze", "--emulated", "5"}, "5 is a count: name the photos"},
		{nil, []string{"analyze", "--emulated", folder, "--sample", "0"}, "--sample is 0"},
		{nil, []string{"analyze", "--emulated", folder, "--sample", "many"}, "--sample"},
		{nil, []string{"analyze", "--emulated", folder, "1", "--sample", "1"}, "COUNT and --sample say the same"},
		{nil, []string{"analyze", "--emulated", folder, "--random"}, "--random draws a sample"},
		{nil, []string{"analyze", "--emulated", folder, "1", "--seed", "7"}, "--seed is of a draw"},
		{nil, []string{"analyze", "--emulated", folder, "--jobs", "0"}, "--jobs is 0"},
		{nil, []string{"analyze", "--emulated", folder, "--country", "KOREA"}, `country "KOREA": want two letters`},
		{nil, []string{"analyze", "--emulated", folder, "--lang", "klingon!"}, `lang "klingon!"`},
		{nil, []string{"analyze", "--emulated", folder, "--policy", "lax"}, `"lax" is unknown`},
		{nil, []string{"analyze", "--emulated", folder, "--second-look", "maybe"}, "maybe"},
		{nil, []string{"analyze", "--emulated", photo, folder + "/c.jpg"}, "c.jpg: there is no such file or folder"},
		{nil, []string{"analyze", "--emulated", folder + "/empty"}, "there are no photos in this folder"},
		{nil, []string{"analyze", "--emulated", "gs://uploads/a.jpg"}, "--emulated has no buckets"},
		{nil, []string{"analyze", "--url", "http://127.0.0.1:1", "gs://uploads/folder/"}, "there is whatisit batch"},
		{nil, []string{"analyze", "--url", "http://127.0.0.1:1", photo, "--out", photo}, "--out: "},
		{nil, []string{"analyze", "--url", "http://127.0.0.1:1", photo, "--html", folder}, "--html: "},

		{nil, []string{"upload", photo}, "set UPLOAD_BUCKET and RESULTS_BUCKET"},
		{buckets, []string{"upload", photo, folder + "/more/a.jpg"}, "would be the same object, a.jpg: rename one"},
		{buckets, []string{"upload", "gs://u/a.jpg"}, "is already in a bucket"},
		{buckets, []string{"upload", photo, "--country", "KOREA"}, `country "KOREA"`},
		{buckets, []string{"upload", photo, "--jobs", "0"}, "--jobs is 0"},
		{buckets, []string{"upload", folder + "/c.jpg"}, "c.jpg: there is no such file or folder"},
		{nil, []string{"results"}, "no service is named: use --url"},
		{nil, []string{"results", "--source", "guess"}, "--source must be one of"},
		{nil, []string{"results", "--since", "yesterday"}, `--since is "yesterday": want a time as`},
		{nil, []string{"results", "--since=-1d"}, `--since is "-1d"`},
		{nil, []string{"results", "--order", "doubt", "--since", "1d"}, "--order doubt cannot be used with filters"},
		{nil, []string{"results", "--csv", "--json"}, "choose one"},
		{nil, []string{"results", "show"}, `expected "<id>"`},
		{buckets, []string{"replay"}, "want one of names, --prefix and --failed"},
		{buckets, []string{"replay", "--prefix", ""}, "--prefix is empty"},
		{buckets, []string{"replay", "--prefix", "a", "b.jpg"}, "want one of names"},
		{buckets, []string{"replay", "--failed", "b.jpg"}, "want one of names"},
		{nil, []string{"replay", "a.jpg"}, "set UPLOAD_BUCKET"},
		{buckets, []string{"replay", "a.jpg"}, "set UPLOAD_TOPIC"},
		{append(buckets, "UPLOAD_TOPIC=t"), []string{"replay", "--failed"}, "set FAILURES_SUBSCRIPTION"},
		{append(buckets, "UPLOAD_TOPIC=t"), []string{"replay", "a.jpg"}, "Set GOOGLE_CLOUD_PROJECT"},
		{nil, []string{"logs", "--service", "whatis-upload"}, "want upload, task or api"},
		{nil, []string{"logs", "--since", "yesterday"}, "--since is yesterday"},
		{nil, []string{"logs", "--since", "0h"}, "--since is 0h"},
		{nil, []string{"logs", "--limit", "0"}, "--limit is 0"},
		{nil, []string{"logs", "--prefix", `x"y`}, "--prefix is"},
		{nil, []string{"logs", "a.jpg", "b.jpg"}, "unexpected argument b.jpg"},
		{nil, []string{"completion", "csh"}, `must be one of "bash","zsh","fish"`},

		{nil, []string{"batch", "gs://uploads/"}, "no service is named: use --url"},
		{nil, []string{"batch"}, "want one of gs://bucket/folder/, --follow ID and --cancel ID"},
		{nil, []string{"batch", "gs://uploads/", "--follow", "1"}, "want one of"},
		{nil, []string{"batch", photo}, "for files here there is whatisit analyze"},
		{nil, []string{"batch", "gs://"}, "want gs://bucket/"},
		{nil, []string{"batch", "gs://uploads/", "--sample", "0"}, "--sample is 0"},
		{nil, []string{"batch", "gs://uploads/", "--random"}, "--random draws a sample"},
		{nil, []string{"batch", "gs://uploads/", "--dry-run", "--detach"}, "leave one out"},
		{nil, []string{"batch", "--cancel", "1", "--dry-run"}, "--dry-run is of a batch that has not begun"},
		{nil, []string{"batch", "gs://uploads/", "--lang", "!"}, `lang "!"`},
		{nil, []string{"batch", "gs://uploads/", "--emulated"}, "unknown flag --emulated"},
		{nil, []string{"batch", "--follow", "1", "--dedupe"}, "--dedupe is of a batch that has not begun"},

		{nil, []string{"eval"}, "name a folder of photos with a labels.json"},
		{nil, []string{"eval", "search"}, "no service is named: use --emulated"},
		{nil, []string{"eval", "search", "--emulated", "--min-ndcg", "90"}, "--min-ndcg is 90: want 0 to 1"},
		{nil, []string{"eval", "search", "--emulated", "--min-ndcg", "NaN"}, "--min-ndcg is NaN: want 0 to 1"},
		{nil, []string{"eval", "search", "--emulated", "--queries", folder + "/none.jsonl"}, "--queries: "},
		{nil, []string{"eval", "search", "--emulated", "--queries", photo}, "a.jpg: line 1: "},
		{nil, []string{"eval", "search", "--emulated", "--url", "http://127.0.0.1:1"}, "two different services"},

		{nil, []string{"inspect"}, `expected "<path> ..."`},
		{nil, []string{"inspect", folder + "/c.jpg"}, "c.jpg: there is no such file or folder"},
		{nil, []string{"inspect", folder, "5"}, "5: there is no such file or folder"},
		{nil, []string{"inspect", folder + "/empty"}, "there are no photos in this folder"},
		{nil, []string{"inspect", "gs://uploads/a.jpg"}, "inspect reads local files only"},
		{nil, []string{"inspect", photo, "--jobs", "0"}, "--jobs is 0: want 1 to 64"},
		{nil, []string{"inspect", photo, "--emulated"}, "unknown flag --emulated"},

		{nil, []string{"date", "--country", "KOREA", "2027-01-01"}, `--country is "KOREA": want two letters`},
		{nil, []string{"date", "--country", "EU", "2027-01-01"}, `--country is "EU": want two letters`},
		{nil, []string{"date", "--lang", "klingon!", "2027-01-01"}, `--lang is "klingon!": want a language tag`},
		{nil, []string{"date", "--lang", "und", "2027-01-01"}, `--lang is "und"`},
		{nil, []string{"date", "-20270101"}, "unknown flag -2"},
	}
	for _, test := range tests {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, line := range append([]string{"API_URL=", "UPLOAD_BUCKET=", "RESULTS_BUCKET=", "UPLOAD_TOPIC=", "FAILURES_SUBSCRIPTION=", "GOOGLE_CLOUD_PROJECT=", "K_SERVICE="}, test.env...) {
				name, value, _ := strings.Cut(line, "=")
				t.Setenv(name, value)
			}
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), test.args, &console{out: &stdout, err: &stderr})
			if code != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), test.want) {
				t.Errorf("%v whatisit %q = exit %d, %q, %q; want exit 2, nothing, %q", test.env, test.args, code, &stdout, &stderr, test.want)
			}
			if files := left(t, "."); len(files) > 0 {
				t.Errorf("whatisit %q leaves %v, want nothing", test.args, files)
			}
		})
	}
}

func TestHelp(t *testing.T) { // in processes of its own: help ends them
	t.Parallel()
	tests := []struct {
		args []string
		want []string // on standard output
	}{
		{[]string{"--help"}, []string{"analyze", "batch", "inspect", "date", "version", "whatisit analyze --emulated photo.jpg", "130 after Ctrl-C"}},
		{[]string{"analyze", "--help"}, []string{"whatisit analyze photos/ 20 --random", "UPLOAD_BUCKET", "API_URL", "WHATIS_TOKEN", "An API key alone", "--second-look", "Exit codes"}},
		{[]string{"discover", "--help"}, []string{"whatisit discover verify linz.json", "portals"}},
		{[]string{"version"}, []string{"whatisit ", ", commit ", "go1."}},
		{[]string{"--version"}, []string{"whatisit ", ", commit ", "go1."}},
	}
	for _, test := range tests {
		c := prepared(t, nil, test.args...)
		code := c.run()
		for _, want := range test.want {
			if code != 0 || !strings.Contains(c.stdout.String(), want) || c.stderr.Len() > 0 {
				t.Errorf("whatisit %q = exit %d, %q, %q; want exit 0 and %q", test.args, code, &c.stdout, &c.stderr, want)
			}
		}
	}
}

// A command that waits for standard input ends with the first signal.
func TestInterruptedInput(t *testing.T) {
	for args, sig := range map[string]syscall.Signal{
		"date": syscall.SIGINT, "analyze --emulated -": syscall.SIGTERM, "discover verify --pages . -": syscall.SIGINT,
		"eval search --emulated --queries -": syscall.SIGINT, "eval thresholds --emulated -": syscall.SIGHUP,
	} {
		c := prepared(t, nil, strings.Fields(args)...)
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		end := c.begin()
		if _, err := io.WriteString(in, strings.Repeat(strings.Repeat(" ", 1023)+"\n", 256)); err != nil { // more than a pipe holds: it reads when that is done
			t.Errorf("whatisit %s ended before its input: %v, %q", args, err, &c.stderr)
		}
		late := time.AfterFunc(5*time.Second, func() {
			t.Errorf("whatisit %s waits on after the signal", args)
			_ = c.Process.Kill()
		})
		if err := c.Process.Signal(sig); err != nil {
			t.Error(err)
		}
		if code := end(); code != exitInterrupted || c.stderr.String() != "whatisit: interrupted\n" {
			t.Errorf("whatisit %s, interrupted = exit %d, %.200q; want 130", args, code, &c.stderr)
		}
		late.Stop()
	}
}
