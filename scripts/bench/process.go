//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The tags of a program as it is deployed (.ko.yaml has them too), and of one that can write
// profiles and counts what it allocates.
const (
	deployed  = "disable_grpc_modules,grpcnotrace"
	profiling = "profile"
)

// build builds the function with tags, and with environment variables.
func build(ctx context.Context, program, tags string, env ...string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-tags", tags, "-o", program, "example.com/whatis/function/cmd")
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// A process is a server under measurement, on core 0.
type process struct {
	cmd   *exec.Cmd
	url   string
	begun time.Time
	ready time.Duration // from then to its first answer, of its health
	log   bytes.Buffer

	profile string // the file of its profile; "" none
}

// start starts a server on core 0 with one thread of Go code, and waits until it
// answers.
func start(ctx context.Context, env []string, name string, args ...string) (*process, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	p := &process{cmd: exec.CommandContext(ctx, name, args...), url: "http://" + address}
	p.cmd.Env = append(slices.Clone(env), "PORT="+port, "GOMAXPROCS=1", "PATH="+os.Getenv("PATH"), "TMPDIR="+os.TempDir(), "HOME="+os.TempDir()) // and nothing that is set here
	p.cmd.Stderr = &p.log
	begin := time.Now()
	if err := pinned(p.cmd.Start); err != nil {
		return nil, err
	}
	for time.Since(begin) < 10*time.Second {
		resp, err := http.Get(p.url + "/health")
		if err == nil {
			resp.Body.Close()
			p.begun, p.ready = begin, time.Since(begin)
			return p, nil
		}
		time.Sleep(200 * time.Microsecond)
	}
	p.stop()
	return nil, fmt.Errorf("%s does not answer: %s", name, p.log.String())
}

// apart starts this program again, once, so that all of its threads leave core 0 to the
// servers. Where there is one core all share it.
func apart() error {
	if runtime.NumCPU() == 1 || os.Getenv("BENCH_APART") != "" {
		return nil
	}
	runtime.LockOSThread()
	var cores unix.CPUSet
	if err := unix.SchedGetaffinity(0, &cores); err != nil {
		return err
	}
	cores.Clear(0)
	if err := unix.SchedSetaffinity(0, &cores); err != nil {
		return err
	}
	return unix.Exec(selfPath, os.Args, append(os.Environ(), "BENCH_APART=1"))
}

// pinned calls f on core 0: processes that it starts stay there.
func pinned(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, core unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return err
	}
	core.Set(0)
	if err := unix.SchedSetaffinity(0, &core); err != nil {
		return err
	}
	return errors.Join(f(), unix.SchedSetaffinity(0, &before))
}

func (p *process) stop() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// cpu returns the processor time of the process so far: that of its threads, in
// nanoseconds, where the kernel tells it.
func (p *process) cpu() (sum time.Duration, err error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	if err != nil || len(tasks) == 0 {
		return 0, errors.Join(err, errors.New("/proc tells no processor times"))
	}
	for _, task := range tasks {
		data, err := os.ReadFile(task)
		if err != nil {
			continue // the thread has ended
		}
		ran, _, _ := strings.Cut(string(data), " ")
		ns, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", task, err)
		}
		sum += time.Duration(ns)
	}
	return sum, nil
}

// memory is VmHWM (the peak) or VmRSS, in MB.
func (p *process) memory(field string) (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if name, value, _ := strings.Cut(line, ":"); name == field {
			kB, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
			return kB / 1024, err
		}
	}
	return 0, fmt.Errorf("/proc tells no %s", field)
}
