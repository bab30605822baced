package siege

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
)

// An instance is the running program, which serves API.
type instance struct {
	*exec.Cmd
	address string
	ended   chan error    // gets what Wait returns
	ready   time.Duration // from its start to its first answer
}

// start starts the program over w and waits until it answers. It is killed when
// the test ends, if it still runs.
func start(tb testing.TB, w *emulate.World, lines ...string) *instance {
	tb.Helper()
	port := emulate.FreePort(tb)
	p := &instance{Cmd: emulate.Command(tb), address: "127.0.0.1:" + port, ended: make(chan error, 1)}
	p.Env = append(append(append(append(p.Env, os.Environ()...), w.Env()...), "FUNCTION_TARGET=API", "PORT="+port, "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results",
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding", "K_SERVICE="), lines...)
	if testing.Verbose() {
		p.Stderr = os.Stderr
	}
	if err := p.Start(); err != nil {
		tb.Fatal(err)
	}
	begin := time.Now()
	go func() { p.ended <- p.Wait() }()
	for {
		resp, err := http.Get("http://" + p.address + "/health")
		if err == nil {
			resp.Body.Close()
			p.ready = time.Since(begin)
			return p
		}
		select {
		case err := <-p.ended:
			tb.Fatalf("the program ends at its start: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
}

// url is where photos are posted, with the options that the scripted answers are
// for.
func (p *instance) url() string { return "http://" + p.address + "/analyze?country=US&lang=en" }

// memory is a field of /proc/PID/status, in MB: VmHWM (the peak), VmRSS or RssFile.
func (p *instance) memory(tb testing.TB, field string) float64 {
	tb.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if os.IsNotExist(err) {
		tb.Skip("there is no /proc here to read memory from")
	}
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, _ := strings.Cut(s.Text(), ":"); name == field {
			kB, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			if err != nil {
				tb.Fatal(err)
			}
			return float64(kB) / 1024
		}
	}
	tb.Fatalf("/proc tells no %s", field)
	return 0
}

// stop sends SIGTERM and returns how long the process took to end, and how.
func (p *instance) stop(tb testing.TB) (time.Duration, error) {
	tb.Helper()
	begin := time.Now()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		tb.Fatal(err)
	}
	select {
	case err := <-p.ended:
		return time.Since(begin), err
	case <-time.After(time.Minute):
		tb.Fatal("the process goes on a minute after SIGTERM")
		return 0, nil
	}
}
