package siege

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
)

// A fleet has some processes of the function behind one address, which serve requests in
// turn. For a dead process it answers 502.
type fleet struct {
	t       *testing.T
	env     []string
	URL     string
	program string // of the next process; "" is the function as it is
	next    atomic.Int64

	busy     atomic.Int64 // answers 503: refused, or to be delivered again
	accepted atomic.Int64 // answers that acknowledge
	broken   atomic.Int64 // 502: the process was dead, or died

	mu        sync.Mutex
	processes []*process
}

// A process is one process of the function.
type process struct {
	cmd   *exec.Cmd
	at    *url.URL
	log   *tail
	ended chan struct{}
	ready time.Duration // from its start until it listened: how busy the machine is
}

// newFleet starts n processes.
func newFleet(t *testing.T, n int, env []string) *fleet {
	t.Helper()
	f := &fleet{t: t, env: env, processes: make([]*process, n)}
	for i := range f.processes {
		f.processes[i] = f.start()
	}
	server := &http.Server{Handler: f}
	l := listen(t)
	go func() { _ = server.Serve(l) }() // until Close
	f.URL = "http://" + l.Addr().String()
	t.Cleanup(func() { _ = server.Close(); f.end() })
	return f
}

// listen opens a free port of this machine.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// ServeHTTP passes a delivery on to the next process.
func (f *fleet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	p := f.processes[int(f.next.Add(1))%len(f.processes)]
	f.mu.Unlock()
	proxy := httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(p.at) },
		ModifyResponse: func(r *http.Response) error {
			if r.StatusCode == http.StatusServiceUnavailable {
				f.busy.Add(1)
			} else {
				f.accepted.Add(1)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			f.broken.Add(1)
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	proxy.ServeHTTP(w, r)
}

// start starts a process and waits until it listens. If another program takes its port
// first, it tries another port.
func (f *fleet) start() *process {
	f.t.Helper()
	for range 5 {
		if p := f.try(); p != nil {
			return p
		}
	}
	f.t.Fatal("the function does not start")
	return nil
}

func (f *fleet) try() *process {
	f.t.Helper()
	port := emulate.FreePort(f.t)
	address := "127.0.0.1:" + port
	p := &process{cmd: emulate.Command(f.t), at: &url.URL{Scheme: "http", Host: address}, log: &tail{}, ended: make(chan struct{})}
	if f.program != "" {
		p.cmd.Path = f.program
	}
	p.cmd.Env = append(append(p.cmd.Env, os.Environ()...), "FUNCTION_TARGET=Upload") // f.env may name another
	p.cmd.Env = append(append(p.cmd.Env, f.env...), "K_SERVICE=", "PORT="+port)
	p.cmd.Stderr = p.log
	begin := time.Now()
	if err := p.cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	go func() { _ = p.cmd.Wait(); close(p.ended) }() // ProcessState says how
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			p.ready = time.Since(begin)
			return p
		}
		select {
		case <-p.ended:
			f.t.Logf("a process ended before it listened: %s", p.log)
			return nil
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// signal sends sig to process i and waits until it has ended. It returns how
// long that took.
func (f *fleet) signal(i int, sig syscall.Signal) time.Duration {
	f.t.Helper()
	f.mu.Lock()
	p := f.processes[i]
	f.mu.Unlock()
	begin := time.Now()
	if err := p.cmd.Process.Signal(sig); err != nil {
		f.t.Fatal(err)
	}
	<-p.ended
	return time.Since(begin)
}

// restart puts a new process in the place of process i.
func (f *fleet) restart(i int) {
	f.t.Helper()
	p := f.start()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.check(f.processes[i])
	f.processes[i] = p
}

// end ends all processes.
func (f *fleet) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.processes {
		_ = p.cmd.Process.Kill() // it may have ended
		<-p.ended
		f.check(p)
	}
}

// check checks the log of a process.
func (f *fleet) check(p *process) {
	f.t.Helper()
	log := p.log.String()
	if strings.Contains(log, "panic") {
		f.t.Error("a process panicked")
	}
	if f.t.Failed() {
		f.t.Logf("a process wrote at last: %s", log[max(0, len(log)-2000):])
	}
}

// A tail keeps the last bytes written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

// kept bounds a tail, in bytes.
const kept = 8 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - kept; over > kept {
		t.buf = bytes.Clone(t.buf[over:])
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
