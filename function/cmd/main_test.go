package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
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

// A request does not wait for the write of its cost where the last write was just before. At
// SIGTERM what is not written yet is.
func TestWritesCostsAtSIGTERM(t *testing.T) {
	w := deployed(t)
	s := serveTraced(t, w, "FUNCTION_TARGET=API", "MAX_USD_PER_DAY=10")
	want := 0.0
	for i := range 3 {
		w.Gemini.Script(gemini.Answer{Kind: answers.KindImage, ModelVersion: "gemini-3.5-flash-lite", Text: `{"visible_text":[],"codes":[],"name_as_printed":"","brand_as_printed":"","sub_brands":[],"dates":[],"category":"","image_features":"","key_features":[],"product_name":"","brand":"","product_name_confidence":0,"brand_confidence":0,"known_product":"unsure","products_seen":0,"side":"front","not_product":true,"description":"x"}`})
		resp, err := http.Post(fmt.Sprintf("%s/analyze?lang=en&country=%s", s.url, []string{"US", "DE", "KR"}[i]), "image/jpeg", bytes.NewReader(photo))
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Cost float64 `json:"cost_usd"`
		}
		err = json.NewDecoder(resp.Body).Decode(&r)
		resp.Body.Close()
		if err != nil || r.Cost == 0 {
			t.Fatalf("%s, %v, %v; want a result that cost something", resp.Status, r.Cost, err)
		}
		want += r.Cost
	}
	if sum := spent(t, w); sum >= want {
		t.Errorf("%v is written before the process ends, want less than all of %v", sum, want)
	}
	logs := s.stop(t)
	if sum := spent(t, w); math.Abs(sum-want) > 1e-9 {
		t.Errorf("%v is written when the process has ended, want all of %v; the log:\n%s", sum, want, logs)
	}
}

// spent returns the sum of a day that is written.
func spent(t *testing.T, w *emulate.World) (usd float64) {
	t.Helper()
	docs, err := w.FirestoreClient(t).Collection("spend").Documents(t.Context()).GetAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		part, _ := d.Data()["usd"].(float64)
		usd += part
	}
	return usd
}
