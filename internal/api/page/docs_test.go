package page_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

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
	const operation = "#operations-analyze-analyzePhoto "
	url := serveDocs(t)
	b := blank(t, originOf(t, url))
	b.do(chromedp.Navigate(url + "/docs"))
	b.until(fmt.Sprintf(`document.querySelectorAll(".opblock").length === %d`, want))
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("` + operation + `.opblock-summary-control").click()`))
	b.shows(operation+".responses-table", "Ocean Morning")
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".authorize").click()`))
	b.shows(".auth-container", "identityToken", "gcloud auth print-identity-token")
}
