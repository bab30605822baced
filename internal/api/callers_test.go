package api_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/api"
	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/api/asked"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/web/caller"
	"example.com/whatis/internal/web/caller/callertest"
)

const (
	iapAudience   = "/projects/1/locations/europe-west1/services/whatis-api"
	tokenAudience = "https://whatis-api-1.europe-west1.run.app"
)

// A known is a service whose callers have identities.
type known struct {
	*service
	issuer *callertest.Issuer
}

// knows returns the API, with discovery, behind IAP or as a public service.
func knows(t *testing.T, access caller.Access) *known {
	t.Helper()
	k := &known{issuer: callertest.Start(t)}
	c := caller.Config{Access: access, Owners: []string{"owner@example.com"}, Reviewers: []string{"kim@example.com"}, FrontEnd: true, Keys: k.issuer.URL}
	switch access {
	case caller.BehindIAP:
		c.Audiences = []string{iapAudience}
	case caller.Public:
		c.Audiences = []string{tokenAudience}
	}
	callers, err := caller.New(c)
	if err != nil {
		t.Fatal(err)
	}
	k.service = discovering(t, func(c *api.Config) {
		c.Callers = callers
		c.Asked = func(context.Context) (*asked.Store, error) { return asked.New(k.FirestoreClient(t), time.Hour), nil }
		c.Publish = func(ctx context.Context, task queue.Task) error {
			publisher := &queue.Publisher{Tasks: queue.NewTopic(k.PubSubClient(t).TopicAdminClient, tasksTopic)}
			return publisher.Publish(ctx, task)
		}
	})
	k.dispatcher.Handle(a2a.TaskAgent, a2a.TaskKind, k.api.DeliverA2A)
	return k
}

// as returns the header by which IAP asserts somebody at example.com.
func (k *known) as(name string) []string {
	return []string{"X-Goog-IAP-JWT-Assertion", k.issuer.ES256("1", callertest.Asserts(iapAudience, name, name+"@example.com"))}
}

// bearing returns the header by which somebody at example.com is known to a public service.
func (k *known) bearing(name string) []string {
	return []string{"Authorization", "Bearer " + k.issuer.RS256("1", callertest.Names(tokenAudience, name, name+"@example.com"))}
}

// at returns the header of an anonymous caller, with an address of the client's own making
// before that which the front end wrote.
func at(address string) []string { return []string{"X-Forwarded-For", "198.51.100.9, " + address} }

// analysed returns the ID of the result of a photo that somebody sends.
func (k *known) analysed(width int, who []string) string {
	k.t.Helper()
	resp, body := k.ask("POST", "/analyze", string(picture(k.t, width)), who...)
	if resp.StatusCode != http.StatusOK {
		k.t.Fatalf("POST /analyze = %s %s", resp.Status, body)
	}
	return read[answered](k.t, body).ID
}

// A review is signed with the caller who is proven, whatever else the request says.
func TestSigned(t *testing.T) {
	t.Parallel()
	k := knows(t, caller.BehindIAP)
	kim, owner := k.as("kim"), k.as("owner")
	id := k.analysed(40, kim)
	forged := append([]string{"X-Goog-Authenticated-User-Email", "accounts.google.com:owner@example.com", "X-Goog-Authenticated-User-Id", "accounts.google.com:owner"}, kim...)
	resp, body := k.ask("POST", "/results/"+id+"/review", `{"verdict":"correct","fields":{"product_name":"Onul tea","category":"Tea"},"by":"owner@example.com"}`, forged...)
	r := read[signedReview](t, body)
	if resp.StatusCode != 200 || r.By != "kim@example.com" || !r.Verified {
		t.Errorf("a review with another's name = %s %s; want it signed by kim@example.com", resp.Status, body)
	}
	_, body = k.ask("DELETE", "/results/"+id+"/review?by=somebody&revision="+r.Revision, "", owner...)
	if r = read[signedReview](t, body); r.By != "owner@example.com" || !r.Verified || len(r.History) != 1 || r.History[0].By != "kim@example.com" || !r.History[0].Verified {
		t.Errorf("its undo = %s; want it signed by owner@example.com, with kim's review in the history", body)
	}
	if resp, body = k.ask("POST", "/results/"+id+"/review", `{"verdict":"accept","by":"owner"}`, forged[:4]...); resp.StatusCode != 401 || !strings.Contains(body, "unidentified") {
		t.Errorf("a review with the plain headers only = %s %s; want 401", resp.Status, body)
	}
	if resp, body = k.ask("GET", "/caller", "", forged...); !strings.Contains(body, `"name": "kim@example.com"`) || !strings.Contains(body, `"role": "reviewer"`) || !strings.Contains(body, `"proof": "iap"`) {
		t.Errorf("GET /caller = %s %s", resp.Status, body)
	}
	k.issuer.Down.Store(true)
	if resp, _ = k.ask("GET", "/results", "", kim...); resp.StatusCode != 200 {
		t.Errorf("with the keys' server down and the keys cached: %s", resp.Status)
	}
}

type signedReview struct {
	By       string
	Revision string
	Verified bool
	History  []struct {
		By       string
		Verified bool
	}
}

// Where nobody is known, a review says who gives it, and that nobody verified that.
func TestUnverified(t *testing.T) {
	t.Parallel()
	s := serve(t)
	_, body := s.ask("POST", "/analyze", string(picture(t, 40)))
	id := read[answered](t, body).ID
	_, body = s.ask("POST", "/results/"+id+"/review", `{"verdict":"reject","by":"kim"}`, "X-Goog-Authenticated-User-Email", "accounts.google.com:owner@example.com")
	if r := read[signedReview](t, body); r.By != "kim" || r.Verified {
		t.Errorf("review = %s; want it by kim, unverified", body)
	}
	if resp, body := s.ask("POST", "/results/"+id+"/review", `{"verdict":"accept"}`, "X-Goog-Authenticated-User-Email", "accounts.google.com:owner@example.com"); resp.StatusCode != 422 {
		t.Errorf("a review by nobody, with the plain header = %s %s; want 422", resp.Status, body)
	}
}

// Without the keys nobody is let in, and nobody is anonymous.
func TestKeysUnreachable(t *testing.T) {
	t.Parallel()
	for access, who := range map[caller.Access]func(*known) []string{
		caller.BehindIAP: func(k *known) []string { return k.as("kim") },
		caller.Public:    func(k *known) []string { return k.bearing("kim") },
	} {
		k := knows(t, access)
		k.issuer.Down.Store(true)
		if resp, body := k.ask("POST", "/analyze", string(picture(t, 40)), who(k)...); resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || !strings.Contains(body, "identity_keys_unreachable") {
			t.Errorf("%s: %s %s; want 503 with Retry-After", access, resp.Status, body)
		}
	}
}

// Each route asks for a role, and says which and who can give it.
func TestRoles(t *testing.T) {
	t.Parallel()
	k := knows(t, caller.BehindIAP)
	p := knows(t, caller.Public)
	id := k.analysed(40, k.as("owner"))
	const product = "0123456789abcdef0123456789abcdef"
	for _, tt := range []struct {
		method, path, body string
		needs              caller.Role
	}{
		{"GET", "/results", "", caller.Reader},
		{"GET", "/results?order=doubt", "", caller.Reader},
		{"GET", "/results/" + id + "/review", "", caller.Reader},
		{"GET", "/results/" + id + "/acts", "", caller.Reader},
		{"GET", "/catalog", "", caller.Reader},
		{"GET", "/catalog-stats", "", caller.Reader},
		{"GET", "/catalog/" + product, "", caller.Reader},
		{"GET", "/catalog/" + product + "/acts", "", caller.Reader},
		{"POST", "/batches", `{"prefix":"gs://uploads/"}`, caller.Reader},
		{"GET", "/batches", "", caller.Reader},
		{"GET", "/batches/a", "", caller.Reader},
		{"GET", "/batches/a/result", "", caller.Reader},
		{"GET", "/batches/a/events", "", caller.Reader},
		{"DELETE", "/batches/a", "", caller.Reader},
		{"POST", "/skills/analyze_batch", `{"prefix":"gs://uploads/"}`, caller.Reader},
		{"POST", "/analyze", `{"uri":"gs://uploads/a.jpg"}`, caller.Reader},
		{"POST", "/skills/analyze", `{"uri":"gs://uploads/a.jpg"}`, caller.Reader},
		{"GET", "/discover", "", caller.Reader},
		{"POST", "/results/" + id + "/review", `{"verdict":"accept"}`, caller.Reviewer},
		{"DELETE", "/results/" + id + "/review", "", caller.Reviewer},
		{"POST", "/catalog/" + product + "/confirm", `{}`, caller.Reviewer},
		{"POST", "/discover/a/marks", `{}`, caller.Reviewer},
		{"DELETE", "/results/" + id, "", caller.Owner},
		{"POST", "/catalog-imports", "name\nTea\n", caller.Owner},
		{"GET", "/catalog-imports/" + product, "", caller.Owner},
		{"POST", "/catalog-prune", "name\nTea\n", caller.Owner},
		{"POST", "/catalog-reembed", "", caller.Owner},
		{"POST", "/catalog-index", "", caller.Owner},
		{"POST", "/catalog/" + product + "/merge", `{}`, caller.Owner},
		{"POST", "/catalog-brands/rename", `{}`, caller.Owner},
		{"PATCH", "/catalog/" + product, `{}`, caller.Owner},
		{"DELETE", "/catalog/" + product, "", caller.Owner},
		{"GET", "/catalog-export", "", caller.Owner},
	} {
		who := []struct {
			name string
			role caller.Role
			s    *known
			head []string
		}{
			{"an anonymous caller", caller.Asker, p, at("203.0.113.7")},
			{"a stranger", caller.Asker, p, p.bearing("ana")},
			{"a reader", caller.Reader, k, k.as("ana")},
			{"a reviewer", caller.Reviewer, k, k.as("kim")},
			{"an owner", caller.Owner, k, k.as("owner")},
		}
		for _, w := range who {
			resp, body := w.s.ask(tt.method, tt.path, tt.body, append([]string{"Content-Type", "application/json"}, w.head...)...)
			denied := resp.StatusCode == 403 && strings.Contains(body, "role_needed")
			if denied != (w.role < tt.needs) {
				t.Errorf("%s %s by %s = %s %.200s; needs %s", tt.method, tt.path, w.name, resp.Status, body, tt.needs)
			}
			if denied && (!strings.Contains(body, "this needs the role "+tt.needs.String()) || !strings.Contains(body, "Ask an owner: owner@example.com") && !strings.Contains(body, "Whoever deployed this service gives roles")) {
				t.Errorf("%s %s by %s says %s; want which role, and who gives it", tt.method, tt.path, w.name, body)
			}
		}
	}
}

// A forgetting and what is done to a record are kept with who did it, before and after,
// also when the result or the record is gone.
func TestActs(t *testing.T) {
	t.Parallel()
	k := knows(t, caller.BehindIAP)
	kim, owner := k.as("kim"), k.as("owner")
	id := k.analysed(40, kim)
	_, body := k.ask("POST", "/results/"+id+"/review", `{"verdict":"correct","fields":{"product_name":"Onul tea","category":"Tea"}}`, kim...)
	record := "/catalog/" + read[said](t, body).Records[0].ID
	k.ask("POST", record+"/confirm", `{}`, append([]string{"Content-Type", "application/json"}, owner...)...)
	k.ask("POST", record+"/confirm", `{}`, append([]string{"Content-Type", "application/json"}, owner...)...) // changes nothing
	if resp, body := k.ask("DELETE", "/results/"+id, "", owner...); resp.StatusCode != 200 {
		t.Fatalf("DELETE = %s %s", resp.Status, body)
	}
	if resp, body := k.ask("DELETE", record, "", owner...); resp.StatusCode != 200 {
		t.Fatalf("DELETE = %s %s", resp.Status, body)
	}
	type act struct {
		Act, By       string
		Verified      bool
		At            time.Time
		Before, After *struct {
			Status string
			Name   string `json:"product_name"`
		}
		Unfinished bool
	}
	show := func(path string) (lines []string) {
		_, body := k.ask("GET", path+"/acts", "", kim...)
		for _, a := range read[struct{ Acts []act }](t, body).Acts {
			line := a.Act + " by " + a.By
			if a.Before != nil {
				line += ", was " + a.Before.Status + " " + a.Before.Name
			}
			if a.After != nil {
				line += ", is " + a.After.Status + " " + a.After.Name
			}
			if !a.Verified || a.Unfinished || time.Since(a.At) > time.Minute {
				t.Errorf("%s: %+v; want it verified, finished and just now", path, a)
			}
			lines = append(lines, line)
		}
		return lines
	}
	if got, want := strings.Join(show(record), "; "), "correct by kim@example.com, is confirmed Onul tea; confirm by owner@example.com, was confirmed Onul tea, is confirmed Onul tea; delete by owner@example.com, was confirmed Onul tea"; got != want {
		t.Errorf("acts on the record: %s\nwant %s", got, want)
	}
	if got, want := strings.Join(show("/results/"+id), "; "), "forget by owner@example.com, was correct "; got != want {
		t.Errorf("acts on the result: %s; want %s", got, want)
	}
}

// On a public service callers see what they asked for. IDs that are guessed, or that another
// learnt, lead to nothing.
func TestOwnResults(t *testing.T) {
	t.Parallel()
	k := knows(t, caller.Public)
	k.uploaded("secret.jpg", picture(t, 50))
	_, body := k.ask("GET", "/results", "", k.bearing("owner")...)
	upload := read[listing](t, body).Results[0].ID
	mine, other := at("203.0.113.7"), at("203.0.113.8")
	anonymous, ana := k.analysed(41, mine), k.analysed(42, k.bearing("ana"))
	skill := read[answered](t, second(k.ask("POST", "/skills/analyze", `{"image":"`+base64.StdEncoding.EncodeToString(picture(t, 43))+`"}`, k.bearing("ana")...))).ID
	for _, tt := range []struct {
		name, id string
		who      []string
		status   int
	}{
		{"one's own", anonymous, mine, 200},
		{"another address", anonymous, other, 404},
		{"the address as a header of the client's", anonymous, []string{"X-Forwarded-For", "203.0.113.7, 203.0.113.8"}, 404},
		{"a name for an anonymous caller's", anonymous, k.bearing("ana"), 404},
		{"a named caller's own", ana, k.bearing("ana"), 200},
		{"by a skill", skill, k.bearing("ana"), 200},
		{"another's", ana, k.bearing("lee"), 404},
		{"a named caller's, by an anonymous one", ana, mine, 404},
		{"an upload, by its ID", upload, mine, 404},
		{"an upload, by its ID and a name", upload, k.bearing("ana"), 404},
		{"an upload, by an owner", upload, k.bearing("owner"), 200},
		{"anything, by an owner", anonymous, k.bearing("owner"), 200},
		{"nothing", strings.Repeat("0", 32), mine, 404},
	} {
		resp, body := k.ask("GET", "/results/"+tt.id, "", tt.who...)
		if resp.StatusCode != tt.status || tt.status == 404 && !strings.Contains(body, "result_not_found") {
			t.Errorf("%s = %s %s, want %d", tt.name, resp.Status, body, tt.status)
		}
		if photo, _ := k.ask("GET", "/results/"+tt.id+"/photo", "", append([]string{"If-None-Match", `"` + tt.id + `-320"`}, tt.who...)...); tt.status == 404 && photo.StatusCode != 404 {
			t.Errorf("%s: its photo = %s", tt.name, photo.Status)
		}
	}
}

func second(_ *http.Response, body string) string { return body }

// Tasks of other agents exist for their caller alone, whichever protocol asks.
func TestOwnTasks(t *testing.T) {
	t.Parallel()
	k := knows(t, caller.BehindIAP)
	kim, ana, owner := k.as("kim"), k.as("ana"), k.as("owner")
	rpc := func(who []string, method, params string) string {
		t.Helper()
		_, body := k.ask("POST", "/a2a", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`, append([]string{"Content-Type", "application/json"}, who...)...)
		return body
	}
	began := rpc(kim, "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"country":"Kenya","sector":"waste","limits":{"max_iterations":1,"max_searches":1,"max_pages":8}}}],"metadata":{"skill":"discover"}}}`)
	sent := read[struct {
		Result struct {
			Task struct {
				ID       string
				Metadata struct{ Run string }
			}
		}
	}](t, began).Result.Task
	if sent.ID == "" || sent.Metadata.Run == "" {
		t.Fatalf("SendMessage = %s; want a task", began)
	}
	id := `{"id":"` + sent.ID + `"}`
	for _, method := range []string{"GetTask", "CancelTask", "SubscribeToTask", "tasks/get", "tasks/cancel", "tasks/resubscribe"} {
		for name, who := range map[string][]string{"another": ana, "an owner of the service": owner} {
			if body := rpc(who, method, id); !strings.Contains(body, "-32001") || strings.Contains(body, "Kenya") {
				t.Errorf("%s by %s = %s; want -32001, as if there were no such task", method, name, body)
			}
		}
	}
	if body := rpc(ana, "ListTasks", `{}`); strings.Contains(body, sent.ID) || !strings.Contains(body, `"totalSize":0`) {
		t.Errorf("ListTasks by another = %s; want none", body)
	}
	for _, filter := range []string{`{}`, `{"status":"TASK_STATE_WORKING"}`} {
		if body := rpc(kim, "ListTasks", filter); !strings.Contains(body, sent.ID) {
			t.Errorf("ListTasks %s by its caller = %s; want it", filter, body)
		}
	}
	if body := rpc(kim, "GetTask", id); !strings.Contains(body, "TASK_STATE_WORKING") {
		t.Errorf("GetTask by its caller = %s; want it working", body)
	}

	// The discovery that the task stands for is read by readers, and ended by its caller or
	// an owner.
	run := sent.Metadata.Run
	for path, who := range map[string][]string{"/discover/" + run: ana, "/skills/discover/" + run: ana} {
		if resp, body := k.ask("DELETE", path, "", who...); resp.StatusCode != 403 || !strings.Contains(body, "role_needed") {
			t.Errorf("DELETE %s by another = %s %s; want 403", path, resp.Status, body)
		}
		if resp, _ := k.ask("GET", path, "", who...); resp.StatusCode != 200 {
			t.Errorf("GET %s by another reader = %s; want 200", path, resp.Status)
		}
	}
	tool := func(who []string, name string) string {
		_, body := k.ask("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":{"id":"`+run+`"}}}`,
			append([]string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}, who...)...)
		return body
	}
	if body := tool(ana, "cancel_discovery"); !strings.Contains(body, "role_needed") {
		t.Errorf("cancel_discovery by another = %s; want role_needed", body)
	}
	if body := tool(kim, "cancel_discovery"); strings.Contains(body, "isError") {
		t.Errorf("cancel_discovery by its caller = %s", body)
	}
}

// The same ID, chosen by two callers, is of two tasks; an anonymous one cannot choose an ID
// that is another's.
func TestChosenTaskIDs(t *testing.T) {
	t.Parallel()
	k := knows(t, caller.Public)
	send := func(who []string, id string, width int) string {
		return second(k.ask("POST", "/a2a", `{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":"`+id+`","message":{"role":"user","parts":[{"type":"file","file":{"bytes":"`+base64.StdEncoding.EncodeToString(picture(t, width))+`","mimeType":"image/jpeg"}}]}}}`, append([]string{"Content-Type", "application/json"}, who...)...))
	}
	get := func(who []string, id string) string {
		return second(k.ask("POST", "/a2a", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"`+id+`"}}`, append([]string{"Content-Type", "application/json"}, who...)...))
	}
	for i, who := range [][]string{k.bearing("ana"), k.bearing("lee"), at("203.0.113.7")} {
		if body := send(who, "same", 40+i); !strings.Contains(body, `"completed"`) {
			t.Errorf("tasks/send = %s; want a task of one's own", body)
		}
	}
	if body := send(k.bearing("ana"), "anas", 50); !strings.Contains(body, `"completed"`) {
		t.Fatalf("tasks/send = %s", body)
	}
	for name, id := range map[string]string{"its ID": "anas", "its ID behind its owner": `accounts.google.com:ana\u0000anas`} {
		if body := get(at("203.0.113.7"), id); !strings.Contains(body, "-32001") {
			t.Errorf("an anonymous caller gets another's task by %s: %s", name, body)
		}
	}
	if body := get(at("203.0.113.8"), "same"); !strings.Contains(body, "COMPLETED") {
		t.Errorf("an anonymous task by its ID = %s", body)
	}
	list := second(k.ask("POST", "/a2a", `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}`, append([]string{"Content-Type", "application/json"}, at("203.0.113.7")...)...))
	if strings.Contains(list, "same") {
		t.Errorf("ListTasks by an anonymous caller = %s; want none", list)
	}
}

// What goes through the queue is done for the caller who sent it, with their role.
func TestOwnQueuedTasks(t *testing.T) {
	t.Parallel()
	k := knows(t, caller.Public)
	k.upload("secret.jpg", picture(t, 60))
	rpc := func(who []string, body string) string {
		return second(k.ask("POST", "/a2a", body, append([]string{"Content-Type", "application/json"}, who...)...))
	}
	queued := func(who []string, part string) string {
		t.Helper()
		return string(taskIn(t, rpc(who, immediately(part)["1.0"])))
	}
	get := func(id string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"` + id + `"}}`
	}
	ana := k.bearing("ana")
	photo := queued(ana, `{"raw":"`+base64.StdEncoding.EncodeToString(picture(t, 61))+`","mediaType":"image/jpeg"}`)
	secret := queued(ana, `{"data":{"uri":"gs://uploads/secret.jpg"}}`)
	k.work()
	done := rpc(ana, get(photo))
	if !strings.Contains(done, "TASK_STATE_COMPLETED") {
		t.Errorf("a queued task of its caller = %s; want it completed", done)
	}
	if id := resultIn.FindStringSubmatch(done); id == nil {
		t.Errorf("no result in %s", done)
	} else if resp, body := k.ask("GET", "/results/"+id[1], "", ana...); resp.StatusCode != 200 {
		t.Errorf("its result = %s %s; want 200", resp.Status, body)
	}
	if body := rpc(k.bearing("lee"), get(photo)); !strings.Contains(body, "-32001") {
		t.Errorf("a queued task of another = %s", body)
	}
	if body := rpc(ana, get(secret)); !strings.Contains(body, "TASK_STATE_FAILED") || !strings.Contains(body, "role_needed") {
		t.Errorf("a photo of the bucket through the queue = %s; want role_needed", body)
	}
}

var resultIn = regexp.MustCompile(`"id":"([0-9a-f]{32})"`)

// A discovery of an anonymous caller is seen and ended by nobody else, by HTTP, as a stream,
// by MCP and by skills.
func TestOwnDiscoveries(t *testing.T) {
	t.Parallel()
	k := knows(t, caller.Public)
	mine, other := at("203.0.113.7"), at("203.0.113.8")
	resp, body := k.ask("POST", "/discover", `{"country":"Kenya","sector":"waste"}`, append([]string{"Content-Type", "application/json"}, mine...)...)
	id := read[struct{ ID string }](t, body).ID
	if resp.StatusCode != 202 || id == "" {
		t.Fatalf("POST /discover = %s %s", resp.Status, body)
	}
	for _, path := range []string{"/discover/" + id, "/skills/discover/" + id} {
		for _, method := range []string{"GET", "DELETE"} {
			for _, accept := range []string{"application/json", "text/event-stream"} {
				if resp, body := k.ask(method, path, "", append([]string{"Accept", accept}, other...)...); resp.StatusCode != 404 || !strings.Contains(body, "discovery_not_found") {
					t.Errorf("%s %s by another = %s %s; want 404", method, path, resp.Status, body)
				}
			}
		}
	}
	if resp, body := k.ask("GET", "/discover/"+id+"/result", "", other...); resp.StatusCode != 404 || !strings.Contains(body, "discovery_not_found") {
		t.Errorf("its result by another = %s %s; want 404", resp.Status, body)
	}
	tool := func(who []string, name string) string {
		return second(k.ask("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":{"id":"`+id+`"}}}`,
			append([]string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}, who...)...))
	}
	for _, name := range []string{"get_discovery", "cancel_discovery"} {
		if body := tool(other, name); !strings.Contains(body, "discovery_not_found") {
			t.Errorf("%s by another = %s; want discovery_not_found", name, body)
		}
		if body := tool(mine, name); strings.Contains(body, "isError") {
			t.Errorf("%s by its caller = %s", name, body)
		}
	}
}
