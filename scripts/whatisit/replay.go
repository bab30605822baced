package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"

	"example.com/whatis/internal/jobs/queue"
)

// replayCommand submits photos of the upload bucket to the service again.
type replayCommand struct {
	Names    []string `arg:"" optional:"" name:"name" help:"Names of objects in the upload bucket; put -- before names that begin with a dash."`
	Prefix   *string  `placeholder:"PREFIX" help:"All objects whose names begin with this."`
	Failed   bool     `help:"All photos that were given up, from FAILURES_SUBSCRIPTION."`
	DryRun   bool     `help:"Only print what would be sent."`
	Project  string   `env:"GOOGLE_CLOUD_PROJECT" placeholder:"ID" help:"The project (GOOGLE_CLOUD_PROJECT)."`
	Bucket   string   `env:"UPLOAD_BUCKET" placeholder:"NAME" help:"The upload bucket (UPLOAD_BUCKET)."`
	Topic    string   `env:"UPLOAD_TOPIC" placeholder:"NAME" help:"The topic of uploads (UPLOAD_TOPIC)."`
	Failures string   `name:"failures-subscription" env:"FAILURES_SUBSCRIPTION" placeholder:"NAME" help:"The subscription with the photos that were given up (FAILURES_SUBSCRIPTION)."`
}

// Help returns the help text of whatisit replay, without its flags.
func (replayCommand) Help() string {
	return `Failed photos are analysed again; those with a result are left as they are. With --failed a photo's message is removed from the subscription once the photo has been sent. The message of a deleted photo stays there, without blocking others. Photos of a batch are only listed: start a batch of the missing ones. So are catalogue imports: publish their tasks again.

    whatisit replay photo.jpg
    whatisit replay --prefix 2026/11/
    whatisit replay --failed --dry-run

With STORAGE_EMULATOR_HOST and PUBSUB_EMULATOR_HOST the emulators are used (go run ./emulators prints the lines to export); accounts are as for whatisit upload.

Exit codes: 0 all was sent; 1 something was not, or nothing begins with PREFIX; 2 wrong usage; 130 after Ctrl-C.`
}

// check refuses a command line without photos, or with two ways to name them.
func (r *replayCommand) check() error {
	ways := 0
	for _, given := range []bool{len(r.Names) > 0, r.Prefix != nil, r.Failed} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return usage("want one of names, --prefix and --failed (see whatisit replay --help)")
	case r.Prefix != nil && *r.Prefix == "":
		return usage("--prefix is empty: want the beginning of names")
	case r.Bucket == "":
		return usage("set UPLOAD_BUCKET, or use --bucket")
	case r.Topic == "":
		return usage("set UPLOAD_TOPIC, or use --topic")
	case r.Failed && r.Failures == "":
		return usage("set FAILURES_SUBSCRIPTION, or use --failures-subscription")
	}
	return nil
}

// Run sends the photos.
func (r *replayCommand) Run(ctx context.Context, c *console) (err error) {
	s := &replaying{replayCommand: r, console: c}
	if err := r.check(); err != nil {
		return err
	}
	name, err := full(r.Project, "topics", r.Topic)
	if err != nil {
		return err
	}
	if s.client, err = objects(ctx); err != nil {
		return err
	}
	defer s.client.Close()
	if s.topics, err = openTopics(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.topics.close()) }()
	s.topic = queue.NewTopic(s.topics.publish, name)
	if r.Failed {
		return s.failures(ctx)
	}
	names := r.Names
	if r.Prefix != nil {
		if names, err = s.beginning(ctx, *r.Prefix); err != nil {
			return err
		}
	}
	return s.all(ctx, names)
}

// A replaying has what it takes to submit photos again.
type replaying struct {
	*replayCommand
	*console
	client *storage.Client
	topics topics
	topic  *queue.Topic
}

// beginning returns the names that begin with prefix; none is an error.
func (s *replaying) beginning(ctx context.Context, prefix string) (names []string, err error) {
	list := s.client.Bucket(s.Bucket).Objects(ctx, &storage.Query{Prefix: prefix})
	for {
		o, err := list.Next()
		switch {
		case errors.Is(err, iterator.Done) && len(names) == 0:
			return nil, fmt.Errorf("no photo of gs://%s begins with %s", s.Bucket, prefix)
		case errors.Is(err, iterator.Done):
			return names, nil
		case err != nil:
			return nil, err
		}
		names = append(names, o.Name)
	}
}

func (s *replaying) all(ctx context.Context, names []string) error {
	var failed error
	for _, name := range names {
		if err := s.send(ctx, name); err != nil {
			if ctx.Err() != nil {
				return err
			}
			failed = errPrinted
		}
	}
	return failed
}

// send publishes the notification of an object again, marked as a replay. Errors are
// printed and returned.
func (s *replaying) send(ctx context.Context, name string) error {
	attrs, err := s.client.Bucket(s.Bucket).Object(name).Attrs(ctx)
	uri := "gs://" + s.Bucket + "/" + name
	if err == nil && !s.DryRun {
		err = s.topic.Publish(ctx, queue.Message{Data: resourceOf(attrs), Attributes: map[string]string{"eventType": "OBJECT_FINALIZE", "replay": "true"}})
	}
	if err != nil {
		s.complain("%s was not sent: %s", uri, err)
		return errPrinted
	}
	done := "sent"
	if s.DryRun {
		done = "would send"
	}
	return s.tell(done, uri, "")
}

// tell prints the line of a photo.
func (s *replaying) tell(done, uri, because string) error {
	if s.json {
		return s.line(struct {
			File    string `json:"file"`
			Done    string `json:"done"`
			Because string `json:"because,omitempty"`
		}{uri, done, because})
	}
	line := done + " " + uri
	if because != "" {
		line += ": " + because
	}
	_, err := fmt.Fprintln(s.out, printable(line))
	return err
}

// resourceOf returns o as in Cloud Storage's JSON API and notifications.
func resourceOf(o *storage.ObjectAttrs) map[string]any {
	return map[string]any{
		"kind": "storage#object", "bucket": o.Bucket, "name": o.Name, "contentType": o.ContentType, "metadata": o.Metadata,
		"generation": strconv.FormatInt(o.Generation, 10), "metageneration": strconv.FormatInt(o.Metageneration, 10), "size": strconv.FormatInt(o.Size, 10),
	}
}

// pulled is the number of messages in a pull: few enough to be sent before their
// acknowledgement deadline.
const pulled = 10

// failures sends the photos of the subscription's messages, until it has none or returns
// an unsent one again. A dry run lists the first messages and releases them.
func (s *replaying) failures(ctx context.Context) error {
	subscription, err := full(s.Project, "subscriptions", s.Failures)
	if err != nil {
		return err
	}
	unsent := map[string]bool{}
	var failed error
	for {
		//lint:ignore SA1019 without it Pub/Sub waits for messages, and an empty subscription is not noticed
		got, err := s.topics.pull.Pull(ctx, &pubsubpb.PullRequest{Subscription: subscription, MaxMessages: pulled, ReturnImmediately: true})
		if err != nil {
			return err
		}
		var ids []string
		for _, m := range got.ReceivedMessages {
			ids = append(ids, m.AckId)
			if unsent[m.Message.MessageId] {
				return errPrinted
			}
			if err := s.failure(ctx, subscription, m); err != nil {
				if !errors.Is(err, errPrinted) || ctx.Err() != nil {
					return err
				}
				unsent[m.Message.MessageId], failed = true, errPrinted
			}
		}
		if s.DryRun && len(ids) > 0 {
			return errors.Join(failed, s.topics.pull.ModifyAckDeadline(ctx, &pubsubpb.ModifyAckDeadlineRequest{Subscription: subscription, AckIds: ids}))
		}
		if len(ids) == 0 {
			return failed
		}
	}
}

// failure sends the photo of one message, and acknowledges it.
func (s *replaying) failure(ctx context.Context, subscription string, m *pubsubpb.ReceivedMessage) error {
	object, batch := m.Message.Attributes["object"], m.Message.Attributes["batch"]
	if object == "" { // too long for an attribute
		var r struct {
			URI   string
			Image struct{ URI string }
		}
		_ = json.Unmarshal(m.Message.Data, &r) // what is not ours names none
		object = cmp.Or(r.Image.URI, r.URI)
	}
	var err error
	switch {
	case m.Message.Attributes["agent"] == "catalog":
		err = s.tell("not sent", object, "it is a file of products, publish the task of its import again")
	case batch != "":
		err = s.tell("not sent", object, "it belongs to the batch "+batch+", start a batch of the missing photos")
	default:
		err = s.send(ctx, strings.TrimPrefix(object, "gs://"+s.Bucket+"/"))
	}
	if err != nil || s.DryRun {
		return err
	}
	return s.topics.pull.Acknowledge(ctx, &pubsubpb.AcknowledgeRequest{Subscription: subscription, AckIds: []string{m.AckId}})
}
