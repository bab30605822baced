// Package api is the HTTP interface. Each feature has a file with its routes, problems and
// schemas, built with package web.
//
//	POST   /analyze               a photo → its result, or a stream of what the agents do
//	POST   /analyze/photos        several photos → a list of results, or a stream
//	GET    /results               finished results, newest first
//	GET    /results/{id}          one of them
//	GET    /results/{id}/photo    its photo, small
//	DELETE /results/{id}          forget it
//	POST   /results/{id}/review   accept, correct or reject it
//	GET    /results/{id}/review   what was said of it
//	DELETE /results/{id}/review   take that back
//	GET    /catalog               the catalogue's records, by words or GTIN
//	GET    /catalog/{id}          one of them, and where it comes from
//	POST   /catalog-imports       import a file, or see what it would change
//	POST   /catalog-prune         what a newer file no longer has
//	POST   /catalog/{id}/confirm  its owner vouches for it
//	PATCH  /catalog/{id}          change it, or hide it
//	DELETE /catalog/{id}          remove it
//	POST   /batches               begin a batch
//	GET    /batches               all batches, newest first
//	GET    /batches/{id}          one of them
//	DELETE /batches/{id}          cancel it
//	GET    /batches/{id}/result   its results so far, as JSON or CSV
//	GET    /batches/{id}/events   a stream of what becomes of it
//	POST   /search                words, a picture or both → products, or a stream
//	POST   /search/text           words → products
//	GET    /search/filters        what a shop's products can be filtered by
//	GET    /products/{id}         a product
//	GET    /products/{id}/similar more like it
//	GET    /products/{id}/image   its picture
//	POST   /forecast              a message to weather_agent → its answer, or a stream
//	GET    /forecast/{city}       the weather there, as JSON, text or audio
//	GET    /forecast/{city}/history         what was said of it
//	GET    /forecast/{id}/audio/{timestamp} one of them, spoken
//	GET    /forecast              what the caches hold
//	POST   /discover              seek which data on emissions a place publishes
//	GET    /discover              all these runs, newest first
//	GET    /discover/{id}         how far one is, or a stream of that
//	DELETE /discover/{id}         end it with what it has found
//	GET    /discover/{id}/result  what it came to, as JSON or CSV
//	GET    /skills                what can be asked of the agents
//	POST   /skills/{id}           one of them: JSON → JSON, or a stream
//	GET    /sessions/{id}         a conversation with an agent
//	DELETE /sessions/{id}         forget it
//	POST   /a2a, /mcp             the same for other agents, by A2A and MCP
//	GET    /openapi.json          all this for programs
//	GET    /docs                  the same for people, with a form to try each
//	GET    /caller                who is asking, and what they may do
//	GET    /spend                 what today's calls of models have cost, by agent and model
//	POST   /spend/pause           stop all that costs, until it is taken back
//	DELETE /spend/pause           take that back
//	GET    /health                ok, without touching anything
//	GET    /                      the page for browsers, else what this is
//
// Errors are problem documents (RFC 9457) with a stable code.
package api

import (
	"context"
	"sync"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/api/asked"
	"example.com/whatis/internal/api/page"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/forecast"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/session"
	"example.com/whatis/internal/spend"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

// Config configures an API. Its functions are called by each request that needs what they
// return.
type Config struct {
	Intake   func(context.Context) (*intake.Intake, error)
	Batches  func(context.Context) (*batch.Batches, error)   // nil if batches are not configured
	Search   func(context.Context) (*search.Pipeline, error) // nil if search is not configured
	Pictures Pictures
	Skills   []agent.Skill // offered at /skills/{id}
	Tasks    *a2a.Store    // tasks of A2A; nil turns A2A off
	// Route says which skill the words beside a picture are for, which come by A2A; nil if no
	// model is asked.
	Route func(ctx context.Context, words string, among []agent.Card) (a2a.Routed, error)
	// Publish hands an A2A task to the queue, whose delivery calls DeliverA2A; nil if there is
	// no queue.
	Publish func(context.Context, queue.Task) error
	// Forecast returns the pipeline of forecasts, Talk that of conversations about the
	// weather; nil if not configured.
	Forecast func(context.Context) (*forecast.Pipeline, error)
	Talk     func(context.Context) (*forecast.Conversation, error)
	Discover func(context.Context) (*discover.Pipeline, error) // nil if discovery is not configured
	// Reviews returns the service that stores reviews and edits the catalogue, Forget the
	// one that removes results; nil if not configured.
	Reviews func(context.Context) (*review.Service, error)
	Forget  func(ctx context.Context, id string, photo bool) (intake.Forgotten, error)
	// Sessions returns the conversations with all agents; nil if not configured.
	Sessions func(context.Context) (*session.Service, error)
	Imports  Imports
	Memory   *admission.Limiter // a body is read after its memory is reserved
	Callers  *caller.Verifier   // who sends a request; nil is an open service
	// Asked returns the notes of who asked for what; nil where everybody may do everything.
	Asked func(context.Context) (*asked.Store, error)
	// Samples are photos to try on the page; none in production.
	Samples page.Samples
	// Spend returns what today's calls of models have cost; nil if nobody adds it up. Pause begins
	// or ends a pause of paid work; nil if a day has no limit.
	Spend  func(context.Context) (spend.Day, error)
	Pause  func(ctx context.Context, by string, on bool) error
	Times  web.Times
	Commit string // that the program was built from; may be empty
}

// An API answers HTTP requests.
type API struct {
	*web.Site
	Config
	a2a     func() *a2a.Server // made at its first use
	filters sentFilters
}

// How the service describes itself in every interface.
const (
	service = "whatis"
	version = "1"
	about   = "Which product a photo shows, and what in the catalogue is like it."
)

// New returns the API that c configures.
func New(c Config) *API {
	c.Times = c.Times.WithDefaults()
	a := &API{Config: c}
	a.a2a = sync.OnceValue(a.newA2A)
	a.Skills = a.own(c.Skills)
	a.Site = web.New(web.Config{
		Title: service, Version: version, Contact: "Whoever deployed this service", License: web.License{Name: "None has been chosen yet", Identifier: "LicenseRef-None"}, Commit: c.Commit,
		Description: about + " Errors are problem documents (RFC 9457); their code is stable. " +
			"Every route that is asked with another method answers 405 method_not_allowed, every other path 404 not_found. " +
			"Where callers have to sign in, every route may answer 503 identity_keys_unreachable, too.",
		NothingHere: "POST a photo to /analyze, words to /search/text, or see /docs and /openapi.json",
		Examples:    documentExamples, Fields: documentFields, Refine: refine, Callers: c.Callers,
		Parts: []web.Part{a.photos(), a.results(), a.reviews(), a.records(), a.imports(), a.batches(), a.search(), a.skills(), a.forecasts(), a.discoveries(), a.sessions(), a.spending(), a.agentProtocols(), home(c.Samples), models()},
	})
	return a
}

// storeProblems are the problems that a route may have because of the services it uses.
var storeProblems = []web.Code{web.Internal, web.Away, web.Timeout}
