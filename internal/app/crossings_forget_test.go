package app_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"

	"example.com/whatis/emulators/emulate"
)

// A photo that is forgotten in any call of the model about it is in nothing that is stored
// afterwards, however it came.
func TestForgottenInEachCall(t *testing.T) {
	record(t)
	for _, kind := range several {
		if !kind.photos {
			continue
		}
		t.Run(kind.name, func(t *testing.T) {
			for n := 1; n <= kind.calls; n++ {
				q := newQueued(t)
				photo := photos()[(n-1)*len(photos())/kind.calls] // of several that are read in turn that of this call
				var asked struct{ ID string }
				if err := json.Unmarshal([]byte(q.ask("POST", "/analyze?lang=fr", `{"image":"`+base64.StdEncoding.EncodeToString(photo)+`"}`)), &asked); err != nil {
					t.Fatal(err)
				}
				forget := func() error {
					_, err := q.app.Forget(t.Context(), asked.ID, false)
					return err
				}
				var refused error
				q.at(n, crossing{call: func(*queued, func()) { refused = forget() }})
				kind.begin(q)
				q.work(nil)
				if refused != nil { // it is to be asked for again, once the work is over
					q.past()
					if err := forget(); err != nil {
						t.Fatalf("forgotten in call %d: %v, and afterwards %v", n, refused, err)
					}
				}
				for _, left := range q.left(photo) {
					t.Errorf("forgotten in call %d (%v): it is in %s", n, refused, left)
				}
			}
		})
	}
}

// past has all work ended a minute ago.
func (q *queued) past() {
	docs, err := q.FirestoreClient(q.t).Collection("work").Documents(q.t.Context()).GetAll()
	if err != nil {
		q.t.Fatal(err)
	}
	for _, d := range docs {
		if _, ended := d.Data()["finished_at"]; ended {
			if _, err := d.Ref.Update(q.t.Context(), []firestore.Update{{Path: "finished_at", Value: time.Now().Add(-time.Minute)}}); err != nil {
				q.t.Fatal(err)
			}
		}
	}
}

// left returns where the hash of a photo is.
func (q *queued) left(photo []byte) (all []string) {
	has := func(text string) bool { return strings.Contains(text, fmt.Sprintf("%x", sha256.Sum256(photo))) }
	for _, collection := range []string{"work", "runs", "a2a_tasks", "items"} {
		docs, err := q.FirestoreClient(q.t).CollectionGroup(collection).Documents(q.t.Context()).GetAll()
		if err != nil {
			q.t.Fatal(err)
		}
		for _, d := range docs {
			data := d.Data()
			task, _ := data["task"].([]byte)
			if has(fmt.Sprint(data)) || has(string(task)) {
				all = append(all, d.Ref.Path[strings.Index(d.Ref.Path, "/documents/")+11:])
			}
		}
	}
	objects := emulate.StorageClient(q.t, q.World).Bucket("results").Objects(q.t.Context(), nil)
	for {
		o, err := objects.Next()
		if errors.Is(err, iterator.Done) {
			return all
		}
		if err != nil {
			q.t.Fatal(err)
		}
		if has(q.object(o.Name)) {
			all = append(all, o.Name)
		}
	}
}
