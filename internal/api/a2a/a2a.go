// Package a2a offers every skill to other agents by the Agent2Agent protocol: 1.0, 0.3,
// and the names that came before, tasks/send and tasks/sendSubscribe.
//
//	message → question: a skill and its inputs → the skill's Run, whose events are artifacts
//	        → task: submitted → working → completed | failed | canceled
//
// Work happens within its request, as a serverless instance has no other time. A skill
// that takes long answers with a working task, whose state is that of its run. Tasks are
// in a store that all instances share: any of them can tell of a task or cancel it, and
// whoever works on one that is canceled notices at the next look. A task keeps hashes of
// the files and data that it was asked with.
package a2a

import (
	"context"
	"net/http"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/web"
)

// Config is what New needs.
type Config struct {
	Name    string // of the service, as its card says it
	About   string
	Version string
	Skills  []agent.Skill
	Tasks   func(context.Context) (taskstore.Store, error)
	Problem func(error) web.Problem // what callers may read of an error
	Times   web.Times
}

// A Server answers other agents.
type Server struct {
	Config
	current http.Handler // protocol 1.0
	former  http.Handler // 0.3
}

// New returns the server of c.
func New(c Config) *Server {
	c.Times = c.Times.WithDefaults()
	d := &Server{Config: c}
	alive := a2asrv.WithTransportKeepAlive(c.Times.Comment)
	d.current = a2asrv.NewJSONRPCHandler(handler{d}, alive)
	d.former = a2av0.NewJSONRPCHandler(handler{d}, alive)
	return d
}

// longestWork is how long a task may be worked on within a request: longer than any
// request lasts. One that is older and not done has lost its instance.
const longestWork = 10 * time.Minute

// finishTimeout bounds the writing of what a task came to, when its request has ended.
const finishTimeout = 10 * time.Second
