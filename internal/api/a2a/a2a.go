// Package a2a offers every skill to other agents by the Agent2Agent protocol: versions 1.0
// and 0.3, and the first version's methods tasks/send and tasks/sendSubscribe.
//
//	message → question: a skill and its inputs → the skill's Run, whose events are artifacts
//	        → task: submitted → working → completed | failed | canceled
//
// Which skill a message is for is said by its metadata, {"skill": ID}, or else follows from its
// parts: a picture alone, words alone, data with the fields of one skill. Words beside a picture
// are routed by a small model call (Router). By the first version's methods, which come from an
// agent that searched, all of these are a search. No words are dropped: a task says so where a
// skill has no use for them.
//
// Work is done during its request, because a serverless instance gets no CPU at other
// times. A message whose sender does not wait (returnImmediately in 1.0, blocking: false in
// 0.3) goes through the queue of tasks, and its work is done during the delivery. A long-running skill answers with a task in state working, which follows the state
// of the skill's run. All instances share one store of tasks: each can report or cancel any
// task, and an instance that works on a cancelled task notices at its next poll. A stored
// task holds hashes of the files and data that were sent, not the data itself.
package a2a

import (
	"context"
	"net/http"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

// Config configures New.
type Config struct {
	Name    string // of the service, for the agent card
	About   string
	Version string
	Access  caller.Access // how callers prove who they are, for the agent card
	Skills  []agent.Skill
	// First is the skill of messages by the first version's methods that name none.
	First string
	// Route says which of some skills the words beside a picture are for; nil asks nobody.
	Route   func(ctx context.Context, words string, among []agent.Card) (Routed, error)
	Tasks   *Store
	Problem func(error) web.Problem // maps errors to what callers may read
	Times   web.Times
	// Publish hands a task to the queue, whose delivery calls Deliver; nil if there is none.
	// It is for messages whose sender does not wait.
	Publish func(context.Context, queue.Task) error
}

// A Server answers requests of other agents.
type Server struct {
	Config
	current http.Handler // serves protocol 1.0
	former  http.Handler // serves protocol 0.3
}

// New returns the server of c.
func New(c Config) *Server {
	c.Times = c.Times.WithDefaults()
	if c.Route == nil {
		c.Route = func(context.Context, string, []agent.Card) (Routed, error) { return Routed{}, errNoRouter }
	}
	d := &Server{Config: c}
	alive := a2asrv.WithTransportKeepAlive(c.Times.Comment)
	h := handler{RequestHandler: a2asrv.NewHandler(nil), Server: d}
	d.current = a2asrv.NewJSONRPCHandler(h, alive)
	d.former = a2av0.NewJSONRPCHandler(h, alive)
	return d
}

// longestWork is longer than any request may last. An unfinished task that is older has
// lost its instance.
const longestWork = 10 * time.Minute

// finishTimeout limits the time to store a task's outcome after its request has ended.
const finishTimeout = 10 * time.Second
