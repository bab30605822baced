package running_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/whatis/emulators/running"
)

// listening returns an address at which something listens until the end of the test.
func listening(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// Emulators are found while they are announced and answer: by their port, or without one if
// there are no others. What a killed process left is not found.
func TestFind(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	if _, err := running.Find(""); !errors.Is(err, running.ErrNone) {
		t.Errorf("Find = %v where nothing was ever announced, want %v", err, running.ErrNone)
	}
	announce := func(api, documents string) (string, func()) {
		t.Helper()
		withdraw, err := running.Announce(running.Settings{"API_URL=http://" + api, "FIRESTORE_EMULATOR_HOST=" + documents, "FETCH_ALLOW=*=127.0.0.1:1"})
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := strings.Cut(api, ":")
		return port, withdraw
	}
	one, withdrawOne := announce(listening(t), listening(t))
	announce("127.0.0.1:1", listening(t)) // its API is gone
	announce(listening(t), "127.0.0.1:1") // it was killed, and another program has its port
	if got, err := running.Find(""); err != nil || !strings.HasSuffix(got.URL(), one) || got.Get("FETCH_ALLOW") != "*=127.0.0.1:1" || got.Get("NONE") != "" {
		t.Errorf("Find = %q, %v; want those at %s", got, err, one)
	}
	two, _ := announce(listening(t), listening(t))
	if _, err := running.Find(""); err == nil || !strings.Contains(err.Error(), one) || !strings.Contains(err.Error(), two) {
		t.Errorf("Find = %v, want the ports %s and %s", err, one, two)
	}
	if got, err := running.Find(two); err != nil || !strings.HasSuffix(got.URL(), two) {
		t.Errorf("Find(%s) = %q, %v", two, got, err)
	}
	if got, err := running.Find("9"); err == nil {
		t.Errorf("Find(9) = %q, want an error", got)
	}
	withdrawOne()
	if got, err := running.Find(""); err != nil || !strings.HasSuffix(got.URL(), two) {
		t.Errorf("Find = %q, %v once the first are gone; want those at %s", got, err, two)
	}
	if files, err := filepath.Glob(home + "/*/*/*"); err == nil {
		for _, f := range files {
			if info, err := os.Stat(f); err == nil && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s can be read by others: %v", f, info.Mode())
			}
		}
	}
}
