package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/chromedp"

	"example.com/whatis/internal/api/page"
)

const document = "../testdata/openapi.json"

// serveDocs is the page with the document of the API.
func serveDocs(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/docs", page.Docs())
	mux.Handle("/docs/", page.Docs())
	mux.HandleFunc("/openapi.json", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, document) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func TestSwaggerFiles(t *testing.T) {
	t.Parallel()
	url := serveDocs(t)
	for path, want := range map[string]string{
		"/docs": "text/html", "/docs/": "text/html", "/docs/start.js": "javascript", "/docs/start.css": "text/css", "/docs/swagger-ui-bundle.js": "javascript",
		"/docs/swagger-ui.css": "text/css", "/docs/favicon-32x32.png": "image/png", "/docs/nothing": "",
	} {
		resp, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if found := resp.StatusCode == http.StatusOK; found != (want != "") || found && !strings.Contains(resp.Header.Get("Content-Type"), want) {
			t.Errorf("GET %s = %s as %q, want %q", path, resp.Status, resp.Header.Get("Content-Type"), want)
		}
		if !strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("GET %s has the policy %q", path, resp.Header.Get("Content-Security-Policy"))
		}
	}
}

// The page shows every operation, and nothing in it is refused by its policy.
func TestSwaggerUI(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium on the PATH: the page was not looked at")
	}
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var d struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, methods := range d.Paths {
		want += len(methods)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.WSURLReadTimeout(time.Minute), chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-component-update", true))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	defer stop()
	ctx, closeTab := chromedp.NewContext(ctx)
	defer closeTab()
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	var mu sync.Mutex
	var noise []string
	if err := chromedp.Listen(ctx, func(event any) {
		if e, ok := event.(*log.EventEntryAdded); ok {
			mu.Lock()
			defer mu.Unlock()
			noise = append(noise, fmt.Sprint(e.Entry.Source, " ", e.Entry.Text, " ", e.Entry.URL))
		}
	}); err != nil {
		t.Fatal(err)
	}
	until := func(condition string) chromedp.Action[chromedp.Void] {
		return chromedp.Poll[chromedp.Void](condition, chromedp.WithPollingInterval(100*time.Millisecond), chromedp.WithPollingTimeout(2*time.Minute))
	}
	const operation = "#operations-analyze-analyzePhoto "
	if err := chromedp.Do(ctx,
		chromedp.Navigate(serveDocs(t)+"/docs"),
		until(fmt.Sprintf(`document.querySelectorAll('.opblock').length == %d`, want)),
		chromedp.Evaluate[chromedp.Void](`document.querySelector('`+operation+`.opblock-summary-control').click()`),
		until(`document.querySelector('`+operation+`.responses-table')?.textContent.includes('Ocean Morning')`),
	); err != nil {
		t.Errorf("%v: the page does not show %d operations and the example of one", err, want)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(noise) > 0 {
		t.Errorf("the page complains: %q", noise)
	}
}
