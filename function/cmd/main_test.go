package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/gemini"
)

// program is the function, built as it is deployed.
var program string

func TestMain(m *testing.M) { os.Exit(withProgram(m.Run)) }

func withProgram(run func() int) int {
	dir, err := os.MkdirTemp("", "function")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "function")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-tags", "disable_grpc_modules,grpcnotrace", "-o", program, ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("go build: %v\n%s", err, out))
	}
	return run()
}

// start starts the program and waits until it answers.
func start(tb testing.TB) *exec.Cmd {
	tb.Helper()
	cmd, _ := startWith(tb, nil, "FUNCTION_TARGET=API")
	return cmd
}

// startWith starts the program with an environment and what it logs to, waits
// until it answers, and returns its URL too.
func startWith(tb testing.TB, logs io.Writer, env ...string) (cmd *exec.Cmd, url string) {
	tb.Helper()
	port := emulate.FreePort(tb)
	address := "127.0.0.1:" + port
	cmd = exec.Command(program)
	cmd.Env = append(append(os.Environ(), env...), "PORT="+port)
	cmd.Stdout, cmd.Stderr = logs, logs
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = cmd.Process.Kill() }) // if it still runs
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(200 * time.Microsecond) {
		resp, err := http.Get("http://" + address + "/health")
		if err == nil {
			resp.Body.Close()
			return cmd, "http://" + address
		}
	}
	tb.Fatalf("%v: no answer for a minute", env)
	return nil, ""
}

func TestRefusesToStart(t *testing.T) {
	tests := []struct{ env, want string }{
		{"FUNCTION_TARGET=", `FUNCTION_TARGET is "": set it to one of`},
		{"FUNCTION_TARGET=Nothing", `FUNCTION_TARGET is "Nothing"`},
		{"FUNCTION_TARGET=API MAX_USD_PER_DAY=-1", "MAX_USD_PER_DAY is -1"},
		{"FUNCTION_TARGET=API MAX_USD_PER_DAY=much", "MaxUSDPerDay"},
		{"FUNCTION_TARGET=API EMBEDDING_MODEL=word2vec", "EMBEDDING_MODEL"},
		{"FUNCTION_TARGET=API UPLOAD_BUCKET=a RESULTS_BUCKET=a", "UPLOAD_BUCKET and RESULTS_BUCKET"},
		{"FUNCTION_TARGET=API K_SERVICE=api IMAGE_MODEL=emulated-image", "may not serve on Cloud Run"},
	}
	for _, test := range tests {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), strings.Fields(test.env)...)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), test.want) {
			t.Errorf("with %s: %v, %q; want it to refuse with %q", test.env, err, out, test.want)
		}
	}
}

func TestEndsOnSIGTERM(t *testing.T) {
	cmd := start(t)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v, want exit 0", err)
	}
}

// An event under way at SIGTERM is finished and acknowledged before the process
// ends.
func TestFinishesEvents(t *testing.T) {
	w := deployed(t)
	s := serveTraced(t, w, "FUNCTION_TARGET=Upload")
	script(w)
	w.Gemini.SetFaults(gemini.Fault{Type: gemini.Latency, Delay: time.Second, Times: 1})
	pushed := make(chan bool)
	go func() { s.push(t, w, "late.jpg", nil); close(pushed) }()
	records := w.FirestoreClient(t).Collection("work")
	for { // until it is claimed
		found, err := records.Limit(1).Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	logs := s.stop(t)
	<-pushed // with 200, or it says so
	if !strings.Contains(logs, "object analysed") {
		t.Errorf("the object was not analysed:\n%s", logs)
	}
}

// From exec to the first answer.
//
//	go test -run x -bench Start ./function/cmd
func BenchmarkStart(b *testing.B) {
	var took []time.Duration
	var memory int64
	for b.Loop() {
		begin := time.Now()
		cmd := start(b)
		took = append(took, time.Since(begin))
		if err := cmd.Process.Kill(); err != nil {
			b.Fatal(err)
		}
		_ = cmd.Wait() // killed
		memory = max(memory, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(memory)/1024, "peak-MB")
	b.ReportMetric(0, "ns/op")
}
