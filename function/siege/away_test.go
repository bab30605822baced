package siege

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/samples"
)

// asked are requests of every route. The document of the API lists the routes, so that none
// is forgotten.
var asked = map[string]struct{ kind, body string }{
	"GET /": {}, "GET /health": {}, "GET /openapi.json": {}, "GET /skills": {},
	"POST /analyze":                          {"image/jpeg", ""}, // the body is a photo
	"POST /analyze/photos":                   {"application/json", `[{"uri":"gs://uploads/a.jpg"}]`},
	"GET /batches":                           {},
	"POST /batches":                          {"application/json", `{"prefix":"gs://uploads/a"}`},
	"DELETE /batches/{id}":                   {},
	"GET /batches/{id}":                      {},
	"GET /batches/{id}/events":               {},
	"GET /batches/{id}/result":               {},
	"GET /catalog":                           {},
	"GET /catalog-export":                    {},
	"GET /catalog-stats":                     {},
	"GET /catalog/{id}":                      {},
	"DELETE /catalog/{id}":                   {},
	"POST /catalog/{id}/confirm":             {"application/json", `{"by":"Kim"}`},
	"GET /discover":                          {},
	"POST /discover":                         {"application/json", `{"country":"Kenya","sector":"waste"}`},
	"GET /discover/{id}":                     {},
	"DELETE /discover/{id}":                  {},
	"POST /discover/{id}/marks":              {"application/json", `{"duplicate_key":"a","verdict":"wrong","by":"Kim"}`},
	"GET /discover/{id}/result":              {},
	"POST /forecast":                         {"application/json", `{"message":"How is the weather in {city}?"}`},
	"GET /forecast":                          {},
	"GET /forecast/{city}":                   {},
	"GET /forecast/{city}/audio/{timestamp}": {},
	"GET /forecast/{city}/history":           {},
	"GET /products/{id}":                     {},
	"GET /products/{id}/image":               {},
	"GET /products/{id}/similar":             {},
	"GET /results":                           {},
	"GET /caller":                            {},
	"GET /catalog/{id}/acts":                 {},
	"GET /results/{id}/acts":                 {},
	"GET /results/{id}":                      {},
	"DELETE /results/{id}":                   {},
	"GET /results/{id}/photo":                {},
	"GET /results/{id}/review":               {},
	"POST /results/{id}/review":              {"application/json", `{"verdict":"accept","by":"Kim"}`},
	"DELETE /results/{id}/review":            {},
	"POST /search":                           {"application/json", `{"query":"round black frames"}`},
	"POST /search/text":                      {"application/json", `{"query":"round black frames"}`},
	"GET /search/filters":                    {},
	"GET /search/suggest":                    {},
	"PATCH /catalog/{id}":                    {"application/json", `{"hidden":true}`},
	"GET /catalog-imports/{id}":              {},
	"POST /catalog-brands/rename":            {"application/json", `{"from":"Onul","to":"Haetsal","by":"Kim"}`},
	"POST /catalog/{id}/merge":               {"application/json", `{"into":"2f8f43243e7d37d751a99e434dbcad91","by":"Kim"}`},
	"POST /catalog-prune":                    {"text/csv", "product_name,brand\nTea,Onul\n"},
	"POST /catalog-reembed":                  {},
	"POST /catalog-index":                    {},
	"POST /catalog-imports":                  {"text/csv", "product_name,brand\nTea,Onul\n"},
	"GET /sessions/{id}":                     {},
	"GET /spend":                             {},
	"POST /spend/pause":                      {},
	"DELETE /spend/pause":                    {},
	"DELETE /sessions/{id}":                  {},
	"POST /skills/analyze":                   {"application/json", `{"uri":"gs://uploads/a.jpg"}`},
	"POST /skills/analyze_batch":             {"application/json", `{"prefix":"gs://uploads/a"}`},
	"GET /skills/analyze_batch/{id}":         {},
	"DELETE /skills/analyze_batch/{id}":      {},
	"POST /skills/discover":                  {"application/json", `{"country":"Kenya","sector":"waste"}`},
	"GET /skills/discover/{id}":              {},
	"DELETE /skills/discover/{id}":           {},
	"POST /skills/forecast":                  {"application/json", `{"city":"{city}"}`},
	"POST /skills/search":                    {"application/json", `{"query":"round black frames"}`},
}

// A backend is a service that may be away, by the variable with its address.
type backend struct {
	variable string
	address  func(*emulate.World) string // as the variable has it
	says     string                      // in the answers of routes that need it
}

var backends = []backend{
	{"FIRESTORE_EMULATOR_HOST", func(w *emulate.World) string { return w.Firestore.Addr() }, "the database does not answer"},
	{"STORAGE_EMULATOR_HOST", func(w *emulate.World) string { return w.Storage.URL() }, "the store of photos and results does not answer"},
	{"PUBSUB_EMULATOR_HOST", func(w *emulate.World) string { return w.PubSub.Addr() }, "the queue of tasks does not answer"},
	{"OPENWEATHER_BASE_URL", func(w *emulate.World) string { return w.Weather.URL() }, "the weather service: it does not answer"},
}

// Of each service that the API needs one is away, in each of three ways: nobody listens,
// nobody answers, or each answer takes ten seconds. Every route answers within 15 seconds,
// as it does otherwise or with 503, Retry-After and what is away.
func TestServicesAway(t *testing.T) {
	long(t)
	for _, b := range backends {
		for way, listen := range map[string]func(*testing.T, string) string{"refuses": refusing, "hangs": hanging, "is slow": slowed} {
			t.Run(b.variable+" "+way, func(t *testing.T) {
				t.Parallel()
				w, routes := emulate.Start(t), routes(t)
				prepareAway(t, w)
				was := askAll(t, start(t, w, "TASKS_TOPIC=tasks"), routes, "Seoul")
				p := start(t, w, "TASKS_TOPIC=tasks", b.variable+"="+elsewhere(t, b.address(w), listen))
				now := askAll(t, p, routes, "Seattle") // whose weather nobody has asked for: no answer is stored
				seen := 0
				for _, route := range routes {
					switch got := now[route]; {
					case got.took > 15*time.Second:
						t.Errorf("%s takes %v: %d %.200s", route, got.took.Round(time.Millisecond), got.status, got.body)
					case got.status == http.StatusServiceUnavailable && got.retry != "" && strings.Contains(got.body, b.says):
						seen++
					case got.status != was[route].status:
						t.Errorf("%s: %d, Retry-After %q, %.300s; want 503 with %q, or %d as otherwise", route, got.status, got.retry, got.body, b.says, was[route].status)
					}
				}
				if seen == 0 {
					t.Error("no route needed what was away: the test tests nothing")
				}
				t.Logf("%d of %d routes answered 503", seen, len(routes))
			})
		}
	}
}

func prepareAway(t *testing.T, w *emulate.World) {
	t.Helper()
	if err := w.PubSub.CreateTopic("projects/" + w.Project + "/topics/tasks"); err != nil {
		t.Fatal(err)
	}
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	w.Put(t, "uploads", "a.jpg", samples.All()[0].Bytes())
	stock(t, w)
}

// A new route is asked here too. This is said at once, and not by the siege alone.
func TestEveryRouteIsAsked(t *testing.T) { routes(t) }

// routes returns the routes of the API's document, of which each must be in asked.
func routes(t *testing.T) (routes []string) {
	t.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	data, err := os.ReadFile("../../internal/api/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	for path, methods := range document.Paths {
		for method := range methods {
			route := strings.ToUpper(method) + " " + path
			if _, ok := asked[route]; !ok {
				t.Errorf("%s is a route that is not asked: add it", route)
			}
			routes = append(routes, route)
		}
	}
	slices.Sort(routes)
	return routes
}

// An outcome is the answer of a route.
type routeAnswer struct {
	status      int
	retry, body string
	took        time.Duration
}

// askAll asks all routes at once, those of the weather about a city.
func askAll(t *testing.T, p *instance, routes []string, city string) map[string]routeAnswer {
	t.Helper()
	var mu sync.Mutex
	var group sync.WaitGroup
	all := map[string]routeAnswer{}
	for _, route := range routes {
		group.Go(func() {
			a, err := askRoute(p, route, city)
			mu.Lock()
			defer mu.Unlock()
			all[route] = a
			if err != nil {
				t.Errorf("%s: %v", route, err)
			}
		})
	}
	group.Wait()
	return all
}

func askRoute(p *instance, route, city string) (a routeAnswer, err error) {
	method, path, _ := strings.Cut(route, " ")
	placeholders := strings.NewReplacer("{id}", "0123456789abcdef0123456789abcdef", "{city}", city, "{timestamp}", "1795451868")
	body := []byte(placeholders.Replace(asked[route].body))
	if asked[route].kind == "image/jpeg" {
		body = samples.All()[0].Bytes()
	}
	r, err := http.NewRequest(method, "http://"+p.address+placeholders.Replace(path), bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	r.Header.Set("Content-Type", asked[route].kind)
	begin := time.Now()
	resp, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		a.took = time.Since(begin)
		return a, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return routeAnswer{resp.StatusCode, resp.Header.Get("Retry-After"), string(data), time.Since(begin)}, err
}

// elsewhere returns an address, or a URL if there was one, at which listen listens.
func elsewhere(t *testing.T, address string, listen func(*testing.T, string) string) string {
	t.Helper()
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		u.Host = listen(t, u.Host)
		return u.String()
	}
	return listen(t, address)
}

// refusing returns an address where nobody listens.
func refusing(t *testing.T, _ string) string { return "127.0.0.1:" + emulate.FreePort(t) }

// hanging returns an address where connections are accepted and nothing is answered.
func hanging(t *testing.T, _ string) string {
	return accepting(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
}

// slowed returns an address that passes everything on to another, and each answer ten
// seconds later.
func slowed(t *testing.T, to string) string {
	return accepting(t, func(c net.Conn) {
		server, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		defer server.Close()
		go func() { _, _ = io.Copy(server, c) }()
		for buffer := make([]byte, 64<<10); ; {
			n, err := server.Read(buffer)
			if err != nil {
				return
			}
			time.Sleep(10 * time.Second)
			if _, err := c.Write(buffer[:n]); err != nil {
				return
			}
		}
	})
}

// accepting returns an address whose connections serve gets.
func accepting(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l := listen(t)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); serve(c) }()
		}
	}()
	return l.Addr().String()
}
