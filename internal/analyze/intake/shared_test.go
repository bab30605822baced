package intake_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/jobs"
)

// slowly makes d read its cache through a client that calls after once it has read
// a message and not yet returned it.
func (d *harness) slowly(after func()) {
	d.t.Helper()
	wait := func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := streamer(ctx, desc, cc, method, opts...)
		if err == nil && strings.HasSuffix(method, "/RunQuery") {
			s = readFirst{s, sync.OnceFunc(after)}
		}
		return s, err
	}
	conn, err := grpc.NewClient(d.Firestore.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithStreamInterceptor(wait))
	if err != nil {
		d.t.Fatal(err)
	}
	db, err := firestore.NewClient(d.t.Context(), d.Project, option.WithGRPCConn(conn))
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { db.Close() })
	c := d.Config
	c.Work = jobs.NewStore(db, jobs.Options{})
	if d.Intake, err = intake.New(c); err != nil {
		d.t.Fatal(err)
	}
}

// A readFirst calls after once it has read its first message.
type readFirst struct {
	grpc.ClientStream
	after func()
}

func (s readFirst) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	s.after()
	return err
}

// A request during the analysis of the same photo, whose cache miss arrives only when
// the result exists, does not pay for another run.
func TestCacheIsReadBeforeTheRunEnds(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	read, goOn := make(chan bool, 1), make(chan bool)
	var second atomic.Bool
	d.slowly(func() {
		if second.Load() {
			read <- true
			<-goOn
		}
	})
	entered, release := d.hold()
	ask := func(watch func(*agent.Event)) <-chan bool {
		done := make(chan bool)
		go func() {
			defer close(done)
			if _, err := d.Photo(t.Context(), intake.Photo{Data: picture(t)}, watch); err != nil {
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
	other := ask(func(*agent.Event) { join() })
	select {
	case <-read: // it has had a cache miss
	case <-joined:
	}
	release()
	<-first
	close(goOn)
	<-other
	d.wantPaid(map[emulated.Kind]int{answers.KindImage: 1, emulated.KindEmbed: d.paid()[emulated.KindEmbed]})
}
