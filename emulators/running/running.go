// Package running tells the programs of this machine's user which emulators run, and how to use
// them.
//
//	go run ./emulators → Announce → a file for each port → Find → -env, whatisit --emulated
package running

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Settings are the variables by which programs use running emulators, as NAME=value.
type Settings []string

// Get returns a variable, "" if it is not set.
func (s Settings) Get(name string) string {
	for _, line := range s {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return value
		}
	}
	return ""
}

// URL returns the address of the API.
func (s Settings) URL() string { return s.Get("API_URL") }

// port returns the port of the API, "" if it has none.
func (s Settings) port() string {
	u, err := url.Parse(s.URL())
	if err != nil {
		return ""
	}
	return u.Port()
}

// alive reports whether the emulators and the API still answer. A killed process leaves its
// file behind.
func (s Settings) alive() bool {
	for _, address := range []string{"127.0.0.1:" + s.port(), s.Get("FIRESTORE_EMULATOR_HOST")} {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err != nil {
			return false
		}
		_ = conn.Close()
	}
	return true
}

// folder returns where the user's emulators are announced.
func folder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("running: %w", err)
	}
	return filepath.Join(cache, "whatis", "emulators"), nil
}

// Announce makes s known to Find, until withdraw is called.
func Announce(s Settings) (withdraw func(), err error) {
	dir, err := folder()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("running: %w", err)
	}
	path := filepath.Join(dir, s.port())
	if err := os.WriteFile(path, []byte(strings.Join(s, "\n")), 0o600); err != nil {
		return nil, fmt.Errorf("running: %w", err)
	}
	return func() { _ = os.Remove(path) }, nil
}

// ErrNone is the error if no emulators run.
var ErrNone = errors.New("no emulators run here: start them with go run ./emulators, in another terminal")

// Find returns the settings of the running emulators whose API is at port; "" stands for the
// usual port, 8080, or else for the only ones. It returns ErrNone if there are none, and an
// error that lists their ports if there are several.
func Find(port string) (Settings, error) {
	dir, err := folder()
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("running: %w", err)
	}
	all := map[string]Settings{}
	var ports []string
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if s := Settings(strings.Split(string(data), "\n")); err == nil && s.port() == f.Name() && s.alive() {
			all[f.Name()], ports = s, append(ports, f.Name())
		}
	}
	switch {
	case len(ports) == 0:
		return nil, ErrNone
	case port == "" && all["8080"] != nil:
		return all["8080"], nil
	case port == "" && len(ports) == 1:
		return all[ports[0]], nil
	case port == "" || !slices.Contains(ports, port):
		return nil, fmt.Errorf("emulators run at the ports %s: name one of these", strings.Join(ports, ", "))
	}
	return all[port], nil
}
