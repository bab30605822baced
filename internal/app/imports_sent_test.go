package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
)

// A file that is sent is compared without a change, and then imported by a task, under its own name.
func TestImportOfASentFile(t *testing.T) {
	const tasks = "projects/emulated/topics/tasks"
	w := emulate.Start(t)
	if err := w.Storage.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	if err := w.PubSub.CreateTopic(tasks); err != nil {
		t.Fatal(err)
	}
	sent := make(chan []byte, 10)
	w.PubSub.Subscribe(tasks, func(m pubsub.Message) { sent <- m.Data })
	const file = "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Status\na,Shirt,Size,S,S-1,39.00,active\na,,,M,S-2,\"39,001,5\",\nb,Mug,Title,Default Title,M,4.00,draft\n"
	web := openWebShop(t, map[string]string{"/products_export.csv": file})
	point(t, w, "TASKS_TOPIC=tasks", "FETCH_ALLOW=*="+web.Listener.Addr().String(), "EMULATED_WEB=here")
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(c)
	server := httptest.NewServer(a.API())
	defer server.Close()
	ask := func(query, body string) (int, string) {
		t.Helper()
		resp, err := http.Post(server.URL+"/catalog-imports?"+query, "text/csv", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(answer)
	}
	records := func() string {
		t.Helper()
		resp, err := http.Get(server.URL + "/catalog")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var all struct {
			Records []struct {
				ProductName string `json:"product_name"`
				SKU         string
				Provenance  []string
			}
		}
		if err := json.NewDecoder(resp.Body).Decode(&all); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(all.Records)
	}
	status, answer := ask("diff=true&currency=EUR&name=products_export.csv", file)
	for _, want := range []string{`"origin": "a Shopify export"`, `"new": 3`, `"column": "Variant Price"`, `Variant Price \"39,001,5\" is no number`} {
		if !strings.Contains(answer, want) {
			t.Errorf("the preview is %d %s, want %s in it", status, answer, want)
		}
	}
	if got := records(); status != http.StatusOK || got != "[]" {
		t.Errorf("the preview answers %d and leaves %s; want nothing written", status, got)
	}
	status, answer = ask("currency=EUR&name=../products_export.csv", file)
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &started); status != http.StatusAccepted || err != nil {
		t.Fatalf("the import answers %d %s, %v", status, answer, err)
	}
	state := func() (string, api.ImportState) {
		t.Helper()
		resp, err := http.Get(server.URL + "/catalog-imports/" + started.ID)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var s api.ImportState
		if err := json.NewDecoder(resp.Body).Decode(&s); err != nil {
			t.Fatal(err)
		}
		return resp.Status, s
	}
	if status, s := state(); status != "404 Not Found" {
		t.Errorf("before its task has begun the import answers %s, %+v; want that there is none", status, s)
	}
	select {
	case task := <-sent:
		if err := a.Tasks().Dispatch(t.Context(), queue.Delivery{Data: task}); err != nil {
			t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no task is published")
	}
	if status, s := state(); s.State != jobs.Done || s.New != 3 || s.LeftOut != 0 || !strings.HasSuffix(s.URI, "/products_export.csv") || !strings.HasPrefix(s.URI, "gs://results/catalog/") {
		t.Errorf("the import has ended as %s, %+v; want three imported of the file in the results bucket", status, s)
	}
	if got := records(); strings.Count(got, "Shirt") != 2 || strings.Count(got, "[products_export.csv]") != 3 {
		t.Errorf("the records are %s; want two shirts and a mug, of products_export.csv", got)
	}
	address := "uri=" + url.QueryEscape("http://shop.example/products_export.csv?key=secret")
	status, answer = ask("diff=true&currency=EUR&"+address, "")
	if status != http.StatusOK || !strings.Contains(answer, `"same": 3`) || !strings.Contains(answer, `"origin": "a Shopify export"`) {
		t.Errorf("the preview of a file at an address is %d %s; want that all is the same", status, answer)
	}
	if status, answer = ask("currency=EUR&"+address, ""); status != http.StatusAccepted {
		t.Errorf("an import of an address answers %d %s", status, answer)
	}
	for query, want := range map[string]int{"diff=true": 422, "uri=/etc/passwd&diff=true": 422, "uri=/etc/passwd": 422, "uri=gs://results/gone.csv&diff=true": 404, "uri=http://169.254.169.254/a.csv&diff=true": 422, "uri=http://shop.example/gone.csv&diff=true": 422} {
		if status, answer := ask(query, ""); status != want {
			t.Errorf("%s answers %d %s, want %d", query, status, answer, want)
		}
	}
}
