package intake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/usererror"
)

// An Object is one generation of an object in a bucket.
type Object struct {
	blob.ObjectRef
	Size     int64 // bytes; 0 if unknown
	Metadata map[string]string
}

// A Delivery is a request by an event or a batch to analyse an object.
type Delivery struct {
	Object
	More      []Object       // the further photos of the group, of which Object is the first
	As        blob.ObjectRef // what the result of an upload's group is named by; zero for a single photo, and for a batch
	Published time.Time      // when the event was published; zero if unknown
	Replay    bool           // try again although it failed
	Forgotten bool           // of an upload to be grouped: nothing is done with it any more
	Batch     string         // ID of the batch; "" for an upload
	Item      int            // index in the batch
	Options   Options        // of a batch; for an upload they are in Metadata
	Tier      gemini.Tier    // of a batch; "" means the configured one
	Since     time.Time      // only results made since then are returned again; zero means any
	Near      Near           // finds near duplicates; nil does not look for any
}

// ErrNoObject marks an event that is known to be about no new object. An event that cannot be
// read has another error: there may be a photo behind it.
var ErrNoObject = errors.New("intake: the event is about no new object")

// resource is the part used here of the object resource of Cloud Storage's JSON API.
// The generation comes as a string or as a number.
type resource struct {
	Bucket     string            `json:"bucket"`
	Name       string            `json:"name"`
	Generation json.Number       `json:"generation"`
	Size       json.Number       `json:"size"`
	Encoding   string            `json:"contentEncoding"`
	Metadata   map[string]string `json:"metadata"`
}

// FromResource parses the object resource of an event.
func FromResource(data []byte) (Object, error) {
	var r resource
	if err := json.Unmarshal(data, &r); err != nil {
		return Object{}, fmt.Errorf("intake: the object of the event: %w", err)
	}
	generation, err := strconv.ParseInt(r.Generation.String(), 10, 64)
	if err != nil || generation <= 0 || r.Bucket == "" || r.Name == "" {
		return Object{}, fmt.Errorf("intake: the object of the event has the bucket %q, the name %q and the generation %q", r.Bucket, r.Name, r.Generation)
	}
	size, _ := r.Size.Int64() // 0 without it
	return Object{ObjectRef: blob.ObjectRef{Bucket: r.Bucket, Name: r.Name, Generation: generation}, Size: blob.MostBytes(size, r.Encoding), Metadata: r.Metadata}, nil
}

// FromMessage parses a bucket notification that Pub/Sub pushes: the source and the
// data of a messagePublished event, whose message holds the object resource. The
// attribute replay=true marks a replay. A dead letter is one more delivery with the
// first one's time of publication.
//
// A notification without payload names the object in its attributes, but neither its
// size nor its metadata, which has the options of its analysis: it is an error.
func FromMessage(source string, data []byte) (Delivery, error) {
	m, err := queue.FromEvent(source, data)
	if err != nil {
		return Delivery{}, fmt.Errorf("intake: %w", err)
	}
	if kind := m.Attributes["eventType"]; kind != "" && kind != "OBJECT_FINALIZE" {
		return Delivery{}, fmt.Errorf("%w: it is %s", ErrNoObject, kind)
	}
	if len(m.Data) == 0 {
		return Delivery{}, errors.New("intake: the message has no data: create the bucket's notification with the payload JSON_API_V1")
	}
	o, err := FromResource(m.Data)
	return Delivery{Object: o, Published: m.Published, Replay: m.Attributes["replay"] == "true"}, err
}

// GiveUpUnread publishes an event to Failures that FromMessage cannot read because of cause,
// if it is a dead letter, with the object that a notification's attributes name. Every other
// event, and one that is not published, has an error: cause, if nothing else failed.
func (in *Intake) GiveUpUnread(ctx context.Context, source string, data []byte, cause error) error {
	m, err := queue.FromEvent(source, data)
	if err != nil || !m.Dead || in.Failures == nil {
		return cause
	}
	d := Delivery{Object: Object{ObjectRef: blob.ObjectRef{Bucket: m.Attributes["bucketId"], Name: m.Attributes["objectId"]}}}
	d.Generation, _ = strconv.ParseInt(m.Attributes["objectGeneration"], 10, 64) // 0 without it
	r := analyze.Result{ID: d.id(), Warnings: []string{WarnGivenUp}, Image: &analyze.Image{Generation: d.Generation}}
	if d.Name != "" {
		r.Image.URI = d.URI()
	}
	told := attributes(r.Image.URI, d.Generation)
	told["id"] = r.ID
	slog.ErrorContext(ctx, "event given up", "object", r.Image.URI, "error", cause)
	return in.Failures.Publish(ctx, queue.Message{Data: r.Failed(cause.Error(), false), Attributes: told})
}

// ErrForbidden marks a URI outside the readable buckets.
var ErrForbidden = usererror.New("intake", "the bucket may not be read")

// readableObject parses gs://bucket/object. It refuses . and .. in the name, which
// could lead out of the bucket in a URL of Cloud Storage.
func (in *Intake) readableObject(uri string) (blob.ObjectRef, error) {
	o, err := blob.ParseURI(uri)
	if err == nil && (o.Name == "" || strings.HasSuffix(o.Name, "/")) {
		err = blob.ErrURI
	}
	segments := strings.Split(o.Name, "/")
	switch {
	case err != nil:
		return blob.ObjectRef{}, fmt.Errorf("%w: uri %q: %s", ErrOption, usererror.Short(uri, usererror.Quoted), usererror.Text(err))
	case slices.Contains(segments, "..") || slices.Contains(segments, "."):
		return blob.ObjectRef{}, fmt.Errorf("%w: uri %q: want an object's own name, without . or .. between slashes", ErrOption, usererror.Short(uri, usererror.Quoted))
	case !slices.Contains(in.Readable, o.Bucket):
		return blob.ObjectRef{}, fmt.Errorf("%w: %q: want one of %q", ErrForbidden, usererror.Short(o.Bucket, usererror.Quoted), in.Readable)
	}
	return o, nil
}
