package storage_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	gcs "cloud.google.com/go/storage"

	"example.com/whatis/emulators/storage"
)

// Uploads, copies and compositions are events; updates, deletes and uploads
// that are refused are not.
func TestEvents(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o storage.Options) {
		var events []storage.Event
		o.Events = func(e storage.Event) { events = append(events, e) }
		_, photos := start(t, o)
		object := photos.Object(hardName)
		for _, step := range []struct {
			name string
			call call
			o    *gcs.ObjectHandle
			want []string // names of the events
		}{
			{"write", overwrite, object, []string{hardName}},
			{"write again", overwrite, object, []string{hardName}},
			{"write if absent", overwrite, object.If(gcs.Conditions{DoesNotExist: true}), nil},
			{"update", update, object, nil},
			{"read", readAll, object, nil},
			{"copy", copyOver, photos.Object("copy"), []string{"source", "copy"}},
			{"compose", compose, photos.Object("composed"), []string{"source", "composed"}},
			{"delete", remove, object, nil},
		} {
			events = nil
			err := step.call(t.Context(), photos, step.o)
			var got []string
			for _, e := range events {
				got = append(got, e.Name)
			}
			if !slices.Equal(got, step.want) {
				t.Errorf("%s (%v) made events of %q, want %q", step.name, err, got, step.want)
			}
		}
	})
}

// The event's resource is what a notification carries, and what Attrs tells.
func TestEventResource(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o storage.Options) {
		var events []storage.Event
		o.Events = func(e storage.Event) { events = append(events, e) }
		_, photos := start(t, o)
		a, err := write(t.Context(), photos.Object(hardName), []byte("abc"), func(w *gcs.Writer) {
			w.ContentType = "image/jpeg"
			w.Metadata = map[string]string{"country": "KR", "lang": "ko"}
		})
		if err != nil || len(events) != 1 {
			t.Fatalf("write = %v with %d events, want 1", err, len(events))
		}
		var got map[string]any
		if err := json.Unmarshal(events[0].Object, &got); err != nil {
			t.Fatalf("the resource is %s: %v", events[0].Object, err)
		}
		generation := events[0].Generation
		for field, want := range map[string]any{
			"kind":           "storage#object",
			"id":             "photos/" + hardName + "/" + generation,
			"bucket":         "photos",
			"name":           hardName,
			"generation":     generation,
			"metageneration": "1",
			"contentType":    "image/jpeg",
			"size":           "3",
			"md5Hash":        "kAFQmDzST7DWlj99KOF/cg==",
			"crc32c":         "Nks/tw==",
			"storageClass":   "STANDARD",
			"timeCreated":    a.Created.Format("2006-01-02T15:04:05.999999Z07:00"),
			"updated":        a.Updated.Format("2006-01-02T15:04:05.999999Z07:00"),
		} {
			if got[field] != want {
				t.Errorf("the resource's %s is %v, want %v", field, got[field], want)
			}
		}
		metadata, _ := got["metadata"].(map[string]any)
		if want := map[string]any{"country": "KR", "lang": "ko"}; !maps.Equal(metadata, want) {
			t.Errorf("the resource's metadata is %v, want %v", metadata, want)
		}
		if got["acl"] != nil || got["selfLink"] == nil || got["mediaLink"] == nil || got["etag"] == nil {
			t.Errorf("the resource is %s, want links and an etag, and no acl", events[0].Object)
		}
	})
}
