package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/gemini"
)

func TestMain(m *testing.M) {
	emulate.Program(main)
	m.Run()
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
	cmd = emulate.Command(tb)
	cmd.Env = append(append(append(cmd.Env, os.Environ()...), env...), "PORT="+port)
	cmd.Stdout, cmd.Stderr = logs, logs
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
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
		cmd := emulate.Command(t)
		cmd.Env = append(append(cmd.Env, os.Environ()...), strings.Fields(test.env)...)
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
