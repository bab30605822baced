package forecast

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/genai"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/session"
	"example.com/whatis/internal/usererror"
)

// A Message is a user's message to weather_agent. Without a session a new conversation
// begins. Caller identifies the user; "" is unknown.
type Message struct {
	Text, Session, Caller string
	Around                string // the conversation that a protocol has around the message, "" if it has none
}

// A Reply is weather_agent's answer. The next message sends Session to continue.
type Reply struct {
	Session  string  `json:"session"`
	Text     string  `json:"reply"`
	Forecast *Result `json:"forecast,omitempty"`
}

// ErrMessage is the error of an empty or too long message.
var ErrMessage = usererror.Errorf("forecast", "a message has 1 to %d letters: send it as message", maxMessage)

const maxMessage = 2000

// A Conversation speaks with people about the weather.
type Conversation struct {
	p        *Pipeline
	sessions *session.Service
	runner   *runner.Runner
}

// Conversation returns the conversation with weather_agent, stored in sessions.
func (p *Pipeline) Conversation(sessions *session.Service) (*Conversation, error) {
	a, err := p.Agent()
	if err != nil {
		return nil, err
	}
	r, err := runner.New(runner.Config{AppName: a.Name(), Agent: a, SessionService: sessions})
	if err != nil {
		return nil, fmt.Errorf("forecast: %w", err)
	}
	return &Conversation{p, sessions, r}, nil
}

// Say passes a message to weather_agent and returns its answer. watch gets the agents'
// events, and early a text whose audio is not ready; both may be nil.
func (c *Conversation) Say(ctx context.Context, m Message, watch func(*agent.Event), early func(Result)) (Reply, error) {
	if n := utf8.RuneCountInString(strings.TrimSpace(m.Text)); n == 0 || n > maxMessage || !utf8.ValidString(m.Text) {
		return Reply{}, ErrMessage
	}
	id, user, err := c.session(ctx, m)
	if err != nil {
		return Reply{}, err
	}
	t := c.p.newTurn()
	t.early = early
	account := &gemini.Account{Attempts: gemini.CallerAttempts}
	ctx = context.WithValue(gemini.WithAccount(ctx, account), turnKey{}, t)
	defer func() { c.p.charge(account.Ledger()) }()
	reply := Reply{Session: id}
	for e, err := range c.runner.Run(ctx, user, id, genai.NewContentFromText(m.Text, genai.RoleUser), adk.RunConfig{}) {
		if err != nil {
			return Reply{}, err
		}
		agent.Translate(e, watch)
		if text := agent.Text(e); text != "" {
			reply.Text = text
		}
	}
	if t.result != nil {
		t.result.Session = id
	}
	reply.Forecast = t.result
	return reply, nil
}

// session returns the session of m, or a new one.
func (c *Conversation) session(ctx context.Context, m Message) (id, user string, err error) {
	o := session.Opening{App: agentName, ID: m.Session, Around: m.Around, Owner: m.Caller}
	opened, err := c.sessions.Open(ctx, o)
	if err == nil && opened == nil {
		o.ID = session.Begin
		opened, err = c.sessions.Open(ctx, o)
	}
	if err != nil {
		return "", "", err
	}
	return opened.ID(), opened.UserID(), nil
}

// answer returns what weather_agent says as a Result, without a forecast if it asks something.
func (c *Conversation) answer(ctx context.Context, r Request, emit func(*agent.Event), early func(Result)) (Result, error) {
	around, _, _ := agent.Conversation(ctx)
	said, err := c.Say(ctx, Message{Text: r.Message, Session: r.Session, Caller: c.p.Owner(ctx), Around: around}, emit, early)
	if err != nil || said.Forecast != nil {
		if said.Forecast != nil {
			return *said.Forecast, err
		}
		return Result{}, err
	}
	return Result{Text: said.Text, Session: said.Session, Facts: []Fact{}}, nil
}

// charge adds calls and cost to the counts of this instance.
func (p *Pipeline) charge(l gemini.Ledger) {
	p.count.written.Add(int64(l.Calls.Generate))
	p.count.spoken.Add(int64(l.Calls.Speak))
	p.count.microUSD.Add(int64(l.USD * 1e6))
}
