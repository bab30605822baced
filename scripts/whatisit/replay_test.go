package main

import (
	"strings"
	"sync"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/internal/analyze/intake"
)

// Names that trip up shells, URLs and JSON.
var oddNames = []string{"a.jpg", "b c/ㄱ%41?.jpg", `quo"te's\.jpg`, "$(x)&<y>*[z].jpg", "-dash.jpg"}

// A replayed world has the topic of uploads, and notes what is published there.
type replayed struct {
	*emulate.World
	env []string

	mu   sync.Mutex
	sent []pubsub.Message
}

func replayable(t *testing.T) *replayed {
	t.Helper()
	w, _ := bucketful(t, emulate.PubSub)
	r := &replayed{World: w, env: append(w.Env(), "UPLOAD_BUCKET=uploads", "UPLOAD_TOPIC=photos", "FAILURES_SUBSCRIPTION=lost")}
	for _, topic := range []string{"photos", "failures"} {
		if err := w.PubSub.CreateTopic(r.full("topics", topic)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.PubSub.CreateSubscription(r.full("subscriptions", "lost"), r.full("topics", "failures")); err != nil {
		t.Fatal(err)
	}
	w.PubSub.Subscribe(r.full("topics", "photos"), func(m pubsub.Message) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sent = append(r.sent, m)
	})
	return r
}

func (r *replayed) full(kind, name string) string {
	return "projects/" + r.Project + "/" + kind + "/" + name
}

// delivered returns the objects that came since the last call, each as a replay.
func (r *replayed) delivered(t *testing.T) map[string]intake.Object {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	got := map[string]intake.Object{}
	for _, m := range r.sent {
		o, err := intake.FromResource(m.Data)
		if err != nil || m.Attributes["eventType"] != "OBJECT_FINALIZE" || m.Attributes["replay"] != "true" {
			t.Errorf("published %q with %v, %v; want an object, as a replay", m.Data, m.Attributes, err)
		}
		got[o.Name] = o
	}
	r.sent = nil
	return got
}

// run runs whatisit replay, and wants this.
func (r *replayed) run(t *testing.T, code int, stdout, stderr string, args ...string) {
	t.Helper()
	c := prepared(t, r.env, append([]string{"replay"}, args...)...)
	if got := c.here(); got != code || c.stdout.String() != stdout {
		t.Errorf("replay %q = exit %d, %q, %q; want %d, %q", args, got, &c.stdout, &c.stderr, code, stdout)
	}
	c.says(stderr)
}

// The object resource of each photo goes to the topic once more.
func TestReplay(t *testing.T) {
	r := replayable(t)
	generations := map[string]int64{}
	var sent, would string
	for _, name := range oddNames {
		o := emulate.StorageClient(t, r.World).Bucket("uploads").Object(name).NewWriter(t.Context())
		o.Metadata = map[string]string{"lang": "en", "name": `"x"`}
		if _, err := o.Write([]byte("photo")); err != nil {
			t.Fatal(err)
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		generations[name] = o.Attrs().Generation
		sent += "sent gs://uploads/" + name + "\n"
		would += "would send gs://uploads/" + name + "\n"
	}
	r.run(t, 0, would, "", append([]string{"--dry-run", "--"}, oddNames...)...)
	if got := r.delivered(t); len(got) > 0 {
		t.Errorf("replay --dry-run sent %v", got)
	}
	r.run(t, 0, sent, "", append([]string{"--"}, oddNames...)...)
	got := r.delivered(t)
	for _, name := range oddNames {
		o := got[name]
		if o.Bucket != "uploads" || o.Generation != generations[name] || o.Size != 5 || o.Metadata["lang"] != "en" || o.Metadata["name"] != `"x"` {
			t.Errorf("replay of %s delivered %+v, want generation %d and what belongs to it", name, o, generations[name])
		}
	}
	for prefix, name := range map[string]string{"b c/ㄱ%": oddNames[1], "$(x)&<y>*": oddNames[3]} {
		r.run(t, 0, "sent gs://uploads/"+name+"\n", "", "--prefix", prefix)
	}
	r.run(t, 0, "{\"file\":\"gs://uploads/-dash.jpg\",\"done\":\"sent\"}\n", "", "--json", "--prefix=-d")
	r.run(t, 1, "", "no photo of gs://uploads begins with none", "--prefix", "none")
	r.run(t, 1, "sent gs://uploads/a.jpg\n", "gs://uploads/none.jpg was not sent", "none.jpg", "a.jpg")
	r.run(t, 1, "", "gs://uploads/a.jpg was not sent", "--topic", "nowhere", "a.jpg")
}

// What was given up is sent until nothing is left, and taken out of the subscription
// message by message, each after it was sent. A photo that is gone stays there and holds
// up none of the others; one of a batch, and an import, are only named. A dry run takes nothing out.
func TestReplayFailed(t *testing.T) {
	r := replayable(t)
	lose := func(name, batch string) {
		t.Helper()
		attributes := map[string]string{"object": "gs://uploads/" + name}
		if batch != "" {
			attributes["batch"] = batch
		}
		if _, err := r.PubSub.Publish(r.full("topics", "failures"), []byte("{}"), attributes); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a b.jpg", "d.jpg"} {
		r.Put(t, "uploads", name, []byte("photo"))
	}
	lose("a b.jpg", "")
	lose("c.jpg", "b1")
	lose("d.jpg", "")
	imported := map[string]string{"agent": "catalog", "kind": "import", "object": "gs://results/products.jsonl"}
	if _, err := r.PubSub.Publish(r.full("topics", "failures"), []byte("{}"), imported); err != nil {
		t.Fatal(err)
	}
	const ofImport = "gs://results/products.jsonl: it is a file of products, publish the task of its import again\n"
	const ofBatch = "gs://uploads/c.jpg: it belongs to the batch b1, start a batch of the missing photos\n"
	lines := func(out string) []string { return strings.Split(strings.TrimSpace(out), "\n") }
	for _, dry := range []bool{true, false} {
		args := []string{"replay", "--failed"}
		said := "sent gs://uploads/"
		if dry {
			args, said = append(args, "--dry-run"), "would send gs://uploads/"
		}
		c := prepared(t, r.env, args...)
		code, out := c.here(), c.stdout.String()
		if code != 0 || len(lines(out)) != 4 || !strings.Contains(out, said+"a b.jpg\n") || !strings.Contains(out, said+"d.jpg\n") || !strings.Contains(out, "not sent "+ofBatch) || !strings.Contains(out, "not sent "+ofImport) {
			t.Errorf("%q = exit %d, %q, %q; want two that are sent, and two that are named", args, code, out, &c.stderr)
		}
		if got := r.delivered(t); len(got) != map[bool]int{true: 0, false: 2}[dry] {
			t.Errorf("%q sent %v", args, got)
		}
	}
	r.run(t, 0, "", "", "--failed")
	if _, err := r.PubSub.Publish(r.full("topics", "failures"), []byte(`{"image":{"uri":"gs://uploads/d.jpg"}}`), map[string]string{"id": "x"}); err != nil {
		t.Fatal(err)
	}
	r.run(t, 0, "sent gs://uploads/d.jpg\n", "", "--failed") // its name was too long for an attribute

	lose("gone.jpg", "")
	lose("d.jpg", "")
	r.run(t, 1, "sent gs://uploads/d.jpg\n", "gs://uploads/gone.jpg was not sent", "--failed")
	lose("gone.jpg", "")
	lose("gone.jpg", "") // as what was not sent is handed out again and again
	r.run(t, 1, "", "gs://uploads/gone.jpg was not sent", "--failed")
}
