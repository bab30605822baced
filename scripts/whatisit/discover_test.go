package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"example.com/whatis/internal/discover"
)

// The whole of it in one process: a small web, the agents, their tasks and the result.
func TestDiscoverEmulated(t *testing.T) {
	t.Parallel()
	c := prepared(t, nil, "discover", "--emulated", "--country", "Kenya", "--sector", "waste", "--max-iterations", "1", "--json")
	code := c.run()
	var r discover.Result
	if err := json.Unmarshal(c.stdout.Bytes(), &r); err != nil || code != exitFine || len(r.Items) == 0 || r.Items[0].Quote == "" || r.Iterations != 1 {
		t.Errorf("exit %d, %v, %d records in %d iterations; want some in one\n%s", code, err, len(r.Items), r.Iterations, &c.stderr)
	}
	c.says("EMULATED MODEL AND WEB", "Rosario, AR; Kenya", "discovery "+r.ID, fmt.Sprintf("records   %d: ", len(r.Items)), "coverage  ", "dropped   ", " calls of models in 1 iterations", "warnings  emulated_web")
	if strings.Contains(c.stderr.String(), "\r") {
		t.Errorf("a pipe gets a line of progress: %q", &c.stderr)
	}
	c = prepared(t, nil, "discover", "--emulated", "--country", "France", "--sector", "waste")
	if code := c.run(); code != exitFailed || c.stdout.Len() > 0 {
		t.Errorf("France: exit %d, %q; want 1 and no records", code, &c.stdout)
	}
	c.says("not_on_emulated_web: the emulated web has only Argentina")
}

// discoveries is a service with one discovery, d1, whose streams are scripted.
type discoveries struct {
	mu      sync.Mutex
	asked   []string
	streams []string // one a request; the last again and again
	result  string
}

const begunDiscovery = `{"id":"d1","state":"working","request":{"country":"KE"},"created_at":"2026-01-01T00:00:00Z","slice":0,"phase":"planner","iteration":0,"decisions":[]}`

// decided returns an event of a stream, with the decisions of those seconds.
func decided(name string, slice int, action string, seconds ...int) string {
	var all []string
	for _, s := range seconds {
		all = append(all, fmt.Sprintf(`{"time":"2026-01-01T00:00:%02dZ","agent":"researcher","iteration":1,"action":"search","reason":"decision %d"}`, s, s))
	}
	state := map[bool]string{true: "working", false: "done"}[action == ""]
	return event(slice, name, fmt.Sprintf(`{"id":"d1","state":%q,"request":{},"created_at":"2026-01-01T00:00:00Z","slice":%d,"phase":"researcher","iteration":1,"pages":3,"items":1,"action":%q,"reason":"because","decisions":[%s],"result":"gs://r/result.json"}`, state, slice, action, strings.Join(all, ",")))
}

func (d *discoveries) serve(t *testing.T) (url string) {
	t.Helper()
	url, _ = scripted(t, func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		asked := r.Method + " " + r.URL.Path
		stream := r.Header.Get("Accept") == "text/event-stream"
		if stream {
			asked = "stream"
		}
		n := strings.Count(strings.Join(d.asked, ","), "stream")
		d.asked = append(d.asked, asked)
		switch {
		case stream:
			says(d.streams[min(n, len(d.streams)-1)])(w, r)
		case asked == "POST /discover":
			w.WriteHeader(http.StatusAccepted)
			fmt.Fprint(w, begunDiscovery)
		case asked == "GET /discover/d1":
			fmt.Fprint(w, begunDiscovery)
		case asked == "DELETE /discover/d1":
			fmt.Fprint(w, strings.Replace(begunDiscovery, "working", "cancelling", 1))
		case asked == "POST /discover/d1/marks":
			var m discover.MarkRequest
			if err := json.NewDecoder(r.Body).Decode(&m); err != nil || m != (discover.MarkRequest{DuplicateKey: "k1", Verdict: "wrong", By: "kim"}) {
				t.Errorf("POST marks has %+v, %v", m, err)
			}
			fmt.Fprint(w, `{"duplicate_key":"k1","verdict":"wrong","url":"http://a.go.ke/"}`)
		case asked == "GET /discover/d1/result":
			fmt.Fprint(w, d.result)
		default:
			problemDocument(w, 404, "discovery_not_found", "there is no such run")
		}
	})
	return url
}

// resultOf returns a result that ended so.
func resultOf(action string) string {
	return fmt.Sprintf(`{"id":"d1","research_mode":"country","action":%q,"reason":"because","start_time":"2026-01-01T00:00:00Z","end_time":"2026-01-01T00:01:02Z","iterations":2,
 "items":[{"name":"Waste\tof Kenya","url":"http://a.go.ke/","publisher_kind":"authority","first_year":1990,"last_year":2020,"acceptance":0.95,"quote":"q"},{"name":"Old","url":"http://b.ke/","publisher_kind":"organisation","last_year":2017,"acceptance":0.6}],
 "coverage":{"years":[1990,2020],"rows":[{"sector":"waste","subsector":"landfill","cells":["published","NE"]}]},
 "dropped":[{"gate":"quote"},{"gate":"place"},{"gate":"place"}],"sources":[{},{},{}],"searches_conducted_count":4,"model_calls":9,"cost_usd":0.0123,"warnings":["no_locode"]}`, action)
}

func TestDiscover(t *testing.T) {
	whole := decided("progress", 1, "", 1, 2) + decided("progress", 4, "", 3, 4) + decided("end", 5, "accept", 4, 5)
	table := "SURE  PUBLISHER     YEARS      DATASET         URL\n0.95  authority     1990-2020  Waste of Kenya  http://a.go.ke/\n0.60  organisation  …-2017     Old             http://b.ke/\n"
	tests := []struct {
		name    string
		args    string
		streams []string
		action  string
		code    int
		asked   string
		out     string
		says    []string
	}{
		{"all well", "--country KE --sector waste", []string{whole}, "accept", 0, "POST /discover,stream,GET /discover/d1/result", table, []string{
			"discovery d1\n[1] researcher search: decision 1\n[1] researcher search: decision 2\n…\n[1] researcher search: decision 3\n", "decision 5\naccept: because\n",
			"records   2: 1 authority, 1 organisation\ncoverage  1 subsectors, 1990 to 2020: 1 NE, 1 published\ndropped   3: 2 place, 1 quote\n",
			"took      4 searches, 3 pages, 9 calls of models in 2 iterations, 1m2s, $0.0123\nwarnings  no_locode\nresult    gs://r/result.json\n",
		}},
		{"quietly, as CSV", "--city Linz,AT --csv --log-level error", []string{whole}, "limit", 0, "POST /discover,stream,GET /discover/d1/result", "status,name,url", []string{"discovery d1\nlimit: because\n"}},
		{"as JSON", "--region AR-M --sector waste --json", []string{whole}, "accept", 0, "POST /discover,stream,GET /discover/d1/result", resultOf("accept"), nil},
		{"cut, with decisions repeated", "--follow d1", []string{decided("progress", 1, "", 1, 2), decided("progress", 2, "", 1, 2, 3) + "event: end\ndata: {", whole}, "accept", 0, "GET /discover/d1,stream,stream,stream,GET /discover/d1/result", "SURE", []string{"decision 1\n[1] researcher search: decision 2\n[1] researcher search: decision 3\n[1] researcher search: decision 4\n"}},
		{"cancelled by another", "--follow d1", []string{decided("end", 5, "canceled")}, "canceled", 1, "GET /discover/d1,stream,GET /discover/d1/result", "SURE", []string{"canceled: because"}},
		{"failed", "--follow d1", []string{decided("end", 5, "failed")}, "failed", 1, "GET /discover/d1,stream,GET /discover/d1/result", "SURE", []string{"failed: because"}},
		{"cancelled", "--cancel d1", nil, "", 0, "DELETE /discover/d1", "", []string{"discovery d1 is cancelling: planner, iteration 0"}},
		{"what has changed", "--country KE --sector waste --since d0", []string{whole}, "accept", 0, "POST /discover,stream,GET /discover/d1/result", table, []string{"changes   1 new, 0 gone, 2 superseded, 3 not looked at since d0\n"}},
		{"a mark", "mark d1 k1 wrong --by kim", nil, "", 0, "POST /discover/d1/marks", "", []string{"http://a.go.ke/ is marked wrong"}},
		{"unknown", "--follow none", nil, "", 1, "GET /discover/none", "", []string{"whatisit: there is no such run"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := &discoveries{streams: test.streams, result: resultOf(test.action)}
			if strings.Contains(test.args, "--since") {
				d.result = strings.Replace(d.result, `"id":"d1",`, `"id":"d1","changes":{"since":"d0","new":[{}],"gone":[],"superseded":[{},{}],"not_looked_at":[{},{},{}]},`, 1)
			}
			c := prepared(t, []string{"API_URL=" + d.serve(t)}, append([]string{"discover"}, strings.Fields(test.args)...)...)
			if code := c.ends(len(test.streams) > 1); code != test.code || strings.Join(d.asked, ",") != test.asked || !strings.HasPrefix(c.stdout.String(), test.out) || (test.out == "") != (c.stdout.Len() == 0) {
				t.Errorf("exit %d after %q, printed %q; want %d after %q and %q; %q", code, d.asked, &c.stdout, test.code, test.asked, test.out, &c.stderr)
			}
			c.says(test.says...)
		})
	}
}

// Ctrl-C leaves the discovery alone, and says how to come back and how to end it.
func TestDiscoverDetaches(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	defer close(held)
	url, _ := scripted(t, says(begunDiscovery), func(w http.ResponseWriter, r *http.Request) {
		says(decided("progress", 1, "", 1))(w, r)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-held:
		}
	})
	c := prepared(t, nil, "discover", "--url", url, "--country", "KE", "--sector", "waste")
	if code := c.interrupted("decision 1", syscall.SIGINT); code != 130 || c.stdout.Len() > 0 {
		t.Errorf("exit %d, %q; want 130 and nothing", code, &c.stdout)
	}
	c.says("the discovery goes on: whatisit discover --follow d1 looks again, --cancel d1 ends it", "whatisit: interrupted")
}

// On a terminal a line says how far the discovery is.
func TestDiscoverOnATerminal(t *testing.T) {
	t.Parallel()
	script, err := exec.LookPath("script")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("script(1), of util-linux, makes terminals for this test")
	}
	d := &discoveries{streams: []string{decided("progress", 1, "", 1) + decided("end", 2, "accept", 2)}, result: resultOf("accept")}
	c := prepared(t, []string{"TERM=xterm"})
	c.Path, c.Args = script, []string{script, "-qec", "stty cols 120; " + c.Args[0] + " discover --follow d1 --url " + d.serve(t) + " >/dev/null", "/dev/null"}
	c.Env = append(c.Env, "PATH=/usr/bin:/bin")
	code, shown := c.run(), c.stdout.String()
	for _, want := range []string{"researcher, iteration 1: 0 searches, 3 pages, 1 records, $0.0000", "decision 2", "records   2"} {
		if code != 0 || !strings.Contains(shown, want) {
			t.Errorf("exit %d, shown %q, want %q in it", code, shown, want)
		}
	}
}

func TestDiscoverWrongUsage(t *testing.T) {
	tests := []struct {
		args string
		code int
		want string
	}{
		{"", 2, "no place is named: use --country, --region or --city, and --sector"},
		{"--sector waste --emulated", 2, "no place is named"},
		{"--country KE --sector waste", 2, "no service is named: use --emulated"},
		{"--country KE --sector waste --emulated --url http://127.0.0.1:1", 2, "two different services"},
		{"--country KE --follow d1", 2, "want only one of a place, --follow ID and --cancel ID"},
		{"--follow d1 --cancel d1", 2, "want only one of a place, --follow ID and --cancel ID"},
		{"--follow d1 --emulated", 2, "--emulated without them keeps nothing"},
		{"--country KE --sector waste --json --csv", 2, "choose one"},
		{"--country KE --sector waste --max-iterations=-1", 2, "--max-iterations is -1"},
		{"--country KE --log-level all", 2, "log-level"},
		{"--emulated --country KE --sector energy", 1, "send one of afolu, ippu"},
		{"--emulated --region Córdoba --sector waste", 1, "AR-X"},
		{"verify", 2, "<file>"},
		{"verify none.json", 2, "no such file"},
		{"portals --file none.json", 2, "no such file"},
		{"portals --country XX", 2, "no portal is of that country"},
	}
	for _, test := range tests {
		c := prepared(t, nil, append([]string{"discover"}, strings.Fields(test.args)...)...)
		if code := c.here(); code != test.code || !strings.Contains(c.stderr.String(), test.want) || c.stdout.Len() > 0 {
			t.Errorf("discover %s = exit %d, %q, %q; want %d and %q", test.args, code, &c.stderr, &c.stdout, test.code, test.want)
		}
	}
}
