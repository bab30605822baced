package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/whatis/emulators/running"
)

// --emulated asks the emulators that run on this machine, unless they ask a real model or the
// products are the caller's own. Nothing else does: no service named is wrong usage, still.
func TestRunningEmulators(t *testing.T) {
	var asked atomic.Int32
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = io.WriteString(w, `{"forecast_text":"Rain in Lima."}`)
	}))
	defer api.Close()
	documents, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer documents.Close()
	for _, test := range []struct {
		name, model string
		env         []string
		args        []string
		code        int
		asks        bool
		says        string
	}{
		{"emulators", "emulated-image", nil, []string{"--emulated"}, 0, true, "Rain in Lima."},
		{"no flag", "emulated-image", nil, nil, 2, false, "no service is named"},
		{"a real model", "gemini-3.5-flash-lite", nil, []string{"--emulated"}, 0, false, "EMULATED MODEL"},
		{"products of one's own", "emulated-image", []string{"PRODUCTS_DB=none.json"}, []string{"--emulated"}, 0, false, "EMULATED MODEL"},
		{"another service", "emulated-image", nil, []string{"--emulated", "--url", "http://127.0.0.1:1"}, 2, false, "choose one"},
	} {
		cache := t.TempDir()
		t.Setenv("XDG_CACHE_HOME", cache)
		if _, err := running.Announce(running.Settings{"API_URL=" + api.URL, "FIRESTORE_EMULATOR_HOST=" + documents.Addr().String(), "IMAGE_MODEL=" + test.model}); err != nil {
			t.Fatal(err)
		}
		asked.Store(0)
		c := prepared(t, append(test.env, "XDG_CACHE_HOME="+cache), append([]string{"forecast", "Lima"}, test.args...)...)
		if code := c.here(); code != test.code || asked.Load() > 0 != test.asks || !strings.Contains(c.stderr.String(), test.says) {
			t.Errorf("%s: exit code %d after %d requests, %s; want %d, requests: %t, %q", test.name, code, asked.Load(), &c.stderr, test.code, test.asks, test.says)
		}
	}
}
