package scripts

import (
	"net/http"
	"testing"

	"example.com/whatis/internal/intake"
)

// delivered is what the function makes of pushes to it.
func delivered(t *testing.T, pushes []request) map[string]intake.Delivery {
	t.Helper()
	deliveries := map[string]intake.Delivery{}
	for _, p := range pushes {
		d, err := intake.FromMessage(p.body)
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
		if d.Bucket != "uploads" || d.Generation != generations[name] || d.Size != 5 || !d.Replay || d.Dead || d.Metadata["lang"] != "en" {
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

// Dead letters are sent until there are none, and acknowledged one by one, each
// after it was sent.
func TestReplayDeadLetters(t *testing.T) {
	t.Parallel()
	const pull = "pubsub | subscriptions | pull | buried | --limit=10 | --format=value(ackId,message.data,message.attributes.objectId)"
	publish := func(message string) string {
		return "pubsub | topics | publish | photos | --message=" + message + " | --attribute=eventType=OBJECT_FINALIZE,replay=true"
	}
	letters := "ack1\teyJuIjoxfQ==\ta b.jpg\nack2\teyJuIjoyfQ==\tc.jpg\n"
	g := newGcloud(t)
	g.answer("1-once", "pubsub|subscriptions|pull|*", letters)
	g.answer("2", "pubsub|subscriptions|pull|*", "")
	g.answer("3", "pubsub|topics|publish|*", "")
	g.answer("4", "pubsub|subscriptions|ack|*", "")
	env := g.env("UPLOAD_TOPIC=photos")
	run(t, env, "replay", "--dead-letters", "buried").want(t, "replay", 0, "sent a b.jpg\nsent c.jpg\n", "")
	g.want(pull,
		publish(`{"n":1}`), "pubsub | subscriptions | ack | buried | --ack-ids=ack1",
		publish(`{"n":2}`), "pubsub | subscriptions | ack | buried | --ack-ids=ack2", pull)

	dry := newGcloud(t)
	dry.answer("1", "pubsub|subscriptions|pull|*", letters)
	run(t, dry.env("UPLOAD_TOPIC=photos"), "replay", "--dry-run", "--dead-letters", "buried").
		want(t, "replay --dry-run", 0, "would send a b.jpg\nwould send c.jpg\n", "")
	dry.want(pull)

	refusing := newGcloud(t)
	refusing.answer("1", "pubsub|subscriptions|pull|*", letters)
	run(t, refusing.env("UPLOAD_TOPIC=photos"), "replay", "--dead-letters", "buried").
		want(t, "replay without leave to publish", 1, "", "ERROR")
	refusing.want(pull, publish(`{"n":1}`))
}
