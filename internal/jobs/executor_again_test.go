package jobs

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"

	emulator "example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/jobs/queue"
)

// Finished work whose result was not followed, or not published, is not done again: the
// next delivery follows and publishes it.
func TestFollowedLater(t *testing.T) {
	t.Parallel()
	s := openJob(t)
	const result = `{"City":"Seoul","Celsius":20,"Private":"for you"}`
	s.unwilling = errors.New("the bucket is closed")
	if got, err := s.deliver(s.job("a", "Seoul")); !errors.Is(err, s.unwilling) {
		t.Errorf("Deliver = %s, %v; want the error of Follow", got, err)
	}
	if got := s.messages(); got != "" {
		t.Errorf("told %q of what was not followed", got)
	}
	s.unwilling = nil
	events := s.Events
	s.Events = queue.NewTopic(s.world.PubSubClient(t).TopicAdminClient, "projects/emulated/topics/missing")
	if got, err := s.deliver(s.job("a", "Seoul")); err == nil {
		t.Errorf("Deliver without the topic = %s, want an error", got)
	}
	s.Events = events
	s.want(s.job("a", "Seoul"), result)
	if s.asked.Load() != 1 || s.done.Load() != 1 || s.followed.Load() != 3 {
		t.Errorf("paid %d times, done %d times, followed %d times; want 1, 1 and 3", s.asked.Load(), s.done.Load(), s.followed.Load())
	}
	if got, want := s.messages(), "Seoul/"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}

// Work is done without the result cache, or with an unreadable result in it.
func TestNothingCached(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*station) error{
		"down": func(s *station) error {
			s.world.Firestore.Fail(emulator.Fault{Method: "RunQuery", Code: codes.PermissionDenied, Times: 2})
			return nil
		},
		"unreadable": func(s *station) error {
			_, err := s.Work.doc("id-of-Seoul").Update(s.Context(), []firestore.Update{{Path: "result", Value: `[]`}})
			return err
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openJob(t)
			if _, err := s.Ask(t.Context(), s.job("", "Seoul"), nil); err != nil {
				t.Fatal(err)
			}
			if err := spoil(s); err != nil {
				t.Fatal(err)
			}
			s.want(s.job("a", "Seoul"), `{"City":"Seoul","Celsius":20,"Private":"for you"}`)
			if err := spoil(s); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Work.doc("a").Delete(t.Context()); err != nil {
				t.Fatal(err)
			}
			if f, err := s.Ask(t.Context(), s.job("", "Seoul"), nil); err != nil || f.Cached {
				t.Errorf("Ask = %+v, %v; want a new forecast", f, err)
			}
		})
	}
}

// slowly makes s read its records through a client that calls after once it has read a
// message of a query and not yet returned it.
func (s *station) slowly(after func()) {
	s.Helper()
	wait := func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		stream, err := streamer(ctx, desc, cc, method, opts...)
		if err == nil && strings.HasSuffix(method, "/RunQuery") {
			stream = readFirst{stream, sync.OnceFunc(after)}
		}
		return stream, err
	}
	conn, err := grpc.NewClient(s.world.Firestore.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithStreamInterceptor(wait))
	if err != nil {
		s.Fatal(err)
	}
	db, err := firestore.NewClient(s.Context(), s.world.Project, option.WithGRPCConn(conn))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { db.Close() })
	if s.Work, err = NewStore(db, Options{}).For(s.Work.schema); err != nil {
		s.Fatal(err)
	}
}

// A readFirst calls after once it has read its first message.
type readFirst struct {
	grpc.ClientStream
	after func()
}

func (r readFirst) RecvMsg(m any) error {
	err := r.ClientStream.RecvMsg(m)
	r.after()
	return err
}

// A request during an equal one, whose cache miss arrives only when the result exists, does
// not pay for another run.
func TestCacheIsReadBeforeTheRunEnds(t *testing.T) {
	t.Parallel()
	s := openJob(t)
	read, goOn := make(chan bool, 1), make(chan bool)
	var second atomic.Bool
	s.slowly(func() {
		if second.Load() {
			read <- true
			<-goOn
		}
	})
	entered, release := make(chan bool, 2), make(chan bool)
	hold := func(context.Context) error { entered <- true; <-release; return nil }
	s.behind.Store(&hold)
	ask := func(watch func(string)) <-chan bool {
		done := make(chan bool)
		go func() {
			defer close(done)
			if _, err := s.Ask(t.Context(), s.job("", "Seoul"), watch); err != nil {
				t.Error(err)
			}
		}()
		return done
	}
	first := ask(nil)
	<-entered
	second.Store(true)
	joined := make(chan bool)
	join := sync.OnceFunc(func() { close(joined) })
	other := ask(func(string) { join() })
	select {
	case <-read: // it has had a cache miss
	case <-joined:
	}
	close(release)
	<-first
	close(goOn)
	<-other
	if n := s.asked.Load(); n != 1 {
		t.Errorf("paid %d times, want once", n)
	}
}
