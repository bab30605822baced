package scripts

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"example.com/whatis/internal/analyze/intake"
)

// delivered is what the function makes of pushes to it.
func delivered(t *testing.T, pushes []request) map[string]intake.Delivery {
	t.Helper()
	deliveries := map[string]intake.Delivery{}
	for _, p := range pushes {
		d, err := intake.FromMessage("//pubsub.googleapis.com"+p.path, p.body)
		if err != nil || p.path != "/projects/emulated/topics/uploads" || p.media != "application/json" {
			t.Errorf("the push of %q to %s, as %s = %v; want an object for the topic's path", p.body, p.path, p.media, err)
		}
		deliveries[d.Name] = d
	}
	return deliveries
}

// replay pushes the object resource of each photo to the function.
func TestReplay(t *testing.T) {
	t.Parallel()
	w, c := store(t)
	f := newFunction(t, http.StatusNoContent, "")
	env := append(w.Env(), "UPLOAD_BUCKET=uploads", "UPLOAD_URL="+f.URL)
	generations := map[string]int64{}
	for _, name := range oddNames {
		generations[name] = put(t, c, "uploads", name, "photo", map[string]string{"lang": "en", "name": `"x"`})
	}
	var sent, would string
	for _, name := range oddNames {
		sent += "sent gs://uploads/" + name + "\n"
		would += "would send gs://uploads/" + name + "\n"
	}
	run(t, env, "replay", append([]string{"--dry-run", "--"}, oddNames...)...).want(t, "replay --dry-run", 0, would, "")
	if got := f.asked(); len(got) != 0 {
		t.Errorf("replay --dry-run sent %q", got)
	}
	run(t, env, "replay", append([]string{"--"}, oddNames...)...).want(t, "replay", 0, sent, "")
	got := delivered(t, f.asked())
	for _, name := range oddNames {
		d := got[name]
		if d.Bucket != "uploads" || d.Generation != generations[name] || d.Size != 5 || !d.Replay || d.Metadata["lang"] != "en" {
			t.Errorf("replay of %s delivered %+v, want generation %d as a replay", name, d, generations[name])
		}
	}
	for prefix, want := range map[string]int{"b c/ㄱ%": 1, "$(x)&<y>*": 1, `quo"`: 1, "-d": 1} {
		b := run(t, env, "replay", "--prefix", prefix)
		if got := delivered(t, f.asked()); b.code != 0 || len(got) != want {
			t.Errorf("replay --prefix %s = %+v, sent %v; want %d", prefix, b, got, want)
		}
	}
	run(t, env, "replay", "--prefix", "none").want(t, "replay --prefix", 1, "", "no photo of gs://uploads begins with none")
	run(t, env, "replay", "none.jpg", "a.jpg").want(t, "replay", 1, "sent gs://uploads/a.jpg\n", "gs://uploads/none.jpg was not sent")
}

// What the function does not take is said.
func TestReplayIsRefused(t *testing.T) {
	t.Parallel()
	w, c := store(t)
	busy := newFunction(t, http.StatusServiceUnavailable, "")
	put(t, c, "uploads", "a.jpg", "photo", nil)
	run(t, append(w.Env(), "UPLOAD_BUCKET=uploads", "UPLOAD_URL="+busy.URL), "replay", "a.jpg").
		want(t, "replay", 1, "", "gs://uploads/a.jpg was not sent")
}

func TestReplayByGcloud(t *testing.T) {
	t.Parallel()
	const resource = `{"bucket":"up","name":"b c.jpg","generation":"42"}`
	g := newGcloud(t)
	g.answer("1", "storage|objects|list|*", "b c.jpg\n")
	g.answer("2", "storage|objects|describe|*", resource+"\n")
	g.answer("3", "pubsub|topics|publish|*", "messageIds: ['1']\n")
	env := g.env("UPLOAD_BUCKET=up", "UPLOAD_TOPIC=photos")
	run(t, env, "replay", "--prefix", "b*?[").want(t, "replay", 0, "sent gs://up/b c.jpg\n", "")
	g.want(
		"storage | objects | list | gs://up/b[*][?][[]** | --format=value(name)",
		"storage | objects | describe | gs://up/b c.jpg | --raw | --format=json",
		"pubsub | topics | publish | photos | --message="+resource+" | --attribute=eventType=OBJECT_FINALIZE,replay=true",
	)
}

// What was given up is sent until nothing is left, and taken out of the
// subscription message by message, each after it was sent. A photo that is gone
// stays there and holds up none of the others; one of a batch is only named.
func TestReplayFailed(t *testing.T) {
	t.Parallel()
	const pull = "pubsub | subscriptions | pull | lost | --limit=10 | --format=value(ackId,message.attributes.object,message.attributes.batch)"
	const messages = "ack1\tgs://up/a b.jpg\t\nack2\tgs://up/gone.jpg\t\nack3\tgs://up/c.jpg\tb1\nack4\tgs://up/d.jpg\t\n"
	describe := func(name string) string {
		return "storage | objects | describe | gs://up/" + name + " | --raw | --format=json"
	}
	publish := "pubsub | topics | publish | photos | --message={} | --attribute=eventType=OBJECT_FINALIZE,replay=true"
	ack := func(id string) string { return "pubsub | subscriptions | ack | lost | --ack-ids=" + id }
	env := []string{"UPLOAD_BUCKET=up", "UPLOAD_TOPIC=photos", "FAILURES_SUBSCRIPTION=lost"}

	g := newGcloud(t)
	g.answer("1-once", "pubsub|subscriptions|pull|*", messages)
	g.answer("2", "pubsub|subscriptions|pull|*", "")
	g.answer("4", "storage|objects|describe|gs://up/[ad]*", "{}\n")
	g.answer("5", "pubsub|topics|publish|*", "")
	g.answer("6", "pubsub|subscriptions|ack|*", "")
	run(t, g.env(env...), "replay", "--failed").want(t, "replay --failed", 1,
		"sent gs://up/a b.jpg\nnot sent gs://up/c.jpg: it is of the batch b1, begin one of what is missing\nsent gs://up/d.jpg\n", "gs://up/gone.jpg was not sent")
	g.want(pull, describe("a b.jpg"), publish, ack("ack1"), describe("gone.jpg"), ack("ack3"), describe("d.jpg"), publish, ack("ack4"), pull)

	dry := newGcloud(t)
	dry.answer("1", "pubsub|subscriptions|pull|*", "ack1\tgs://up/a.jpg\t\n")
	dry.answer("2", "storage|objects|describe|*", "{}\n")
	run(t, dry.env(env...), "replay", "--dry-run", "--failed").want(t, "replay --dry-run", 0, "would send gs://up/a.jpg\n", "")
	dry.want(pull, describe("a.jpg"))

	stuck := newGcloud(t) // hands the same out again and again
	stuck.answer("1", "pubsub|subscriptions|pull|*", "ack1\tgs://up/gone.jpg\t\n")
	run(t, stuck.env(env...), "replay", "--failed").want(t, "replay of what is gone", 1, "", "gs://up/gone.jpg was not sent")
	stuck.want(pull, describe("gone.jpg"), pull)
}

// With the emulators it is the API that lists what failed.
func TestReplayFailedEmulated(t *testing.T) {
	t.Parallel()
	w, c := store(t)
	f := newFunction(t, http.StatusNoContent, "")
	one := func(kind, bucket, name string) string {
		file, _ := json.Marshal("gs://" + bucket + "/" + name)
		return fmt.Sprintf("    {\n      \"id\": \"1\",\n      \"kind\": %q,\n      \"file\": %s,\n      \"doubt\": true\n    },\n", kind, file)
	}
	list := newFunction(t, http.StatusOK, "{\n  \"results\": [\n"+one("upload", "uploads", `q"u\o ㄱ.jpg`)+one("batch", "uploads", "b.jpg")+one("http", "", "")+
		one("upload", "other", "o.jpg")+one("upload", "uploads", "a.jpg")+one("upload", "uploads", "a.jpg")+"  ]\n}\n")
	for _, name := range []string{`q"u\o ㄱ.jpg`, "a.jpg", "b.jpg"} {
		put(t, c, "uploads", name, "photo", nil)
	}
	run(t, append(w.Env(), "UPLOAD_BUCKET=uploads", "UPLOAD_URL="+f.URL, "API_URL="+list.URL), "replay", "--failed").
		want(t, "replay --failed", 0, "sent gs://uploads/a.jpg\nsent gs://uploads/q\"u\\o ㄱ.jpg\n", "")
	if got := delivered(t, f.asked()); len(got) != 2 || !got["a.jpg"].Replay {
		t.Errorf("delivered %v, want two as replays", got)
	}
	if got := list.asked(); len(got) != 1 || got[0].path != "/results" {
		t.Errorf("the API was asked %+v, want a page of results", got)
	}
}
