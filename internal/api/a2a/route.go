package a2a

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/maypok86/otter/v2"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
	"example.com/whatis/internal/trace"
)

//go:embed route.md
var routeText string

// A choice is a model's answer to route.md: the ID of a skill, or none.
type choice struct {
	Skill string `json:"skill"`
}

// none is the answer of a model that cannot tell. An empty word may not be in an enum.
const none = "none"

// A Routed is the skill that words are for, "" if they do not say, and what the call of the
// model used: nothing if the same words were asked about before.
type Routed struct {
	Skill string
	Usage agent.Usage
}

// Bounds of a call: its words, in characters, its answer, in tokens, and its time. There is a
// skill for the words without it, too.
const (
	maxRouted   = 500
	routeTokens = 64
	routeWithin = 10 * time.Second
)

// keptRoutes is how many answers are cached.
const keptRoutes = 4000

// A Router asks a model which skill words are for, that come alone or beside a picture. The model
// gets the words and the cards of the skills, never the picture. It is safe for concurrent use.
type Router struct {
	prompt *agent.Prompt[choice]
	known  cache
}

// A cache is an otter.Cache, whose type would be compiled again for each importer of Router.
type cache interface {
	GetIfPresent(key string) (string, bool)
	Set(key, value string) (string, bool)
}

// NewRouter returns the router that asks model.
func NewRouter(c *gemini.Client, model string) (*Router, error) {
	p, err := agent.NewPrompt[choice](c, model, routeText, nil, agent.PromptOptions{MaxOutputTokens: routeTokens})
	if err != nil {
		return nil, fmt.Errorf("a2a: route: %w", err)
	}
	return &Router{prompt: p, known: otter.Must(&otter.Options[string, string]{MaximumSize: keptRoutes})}, nil
}

// errNoRouter is the error where no model is asked.
var errNoRouter = errors.New("a2a: there is no router")

// Questions returns the structured question that a router asks a model.
func Questions(model string, among []agent.Card) ([]agent.Question, error) {
	r, err := NewRouter(nil, model)
	if err != nil {
		return nil, err
	}
	return []agent.Question{r.narrowed(among).Question("skill_router")}, nil
}

// Route returns which of some skills words are for, by one call that is charged and limited
// as any other.
func (r *Router) Route(ctx context.Context, words string, among []agent.Card) (of Routed, err error) {
	ctx, cancel := context.WithTimeout(gemini.WithAccount(ctx, &gemini.Account{Attempts: gemini.CallerAttempts}), routeWithin) // somebody waits
	defer cancel()
	ctx, end := trace.Start(ctx, "skill_router")
	defer func() { end(err) }()
	if runes := []rune(words); len(runes) > maxRouted {
		words = string(runes[:maxRouted])
	}
	cards := cardLines(among)
	key := store.HashID(cards, textfold.Caseless(words))
	if id, ok := r.known.GetIfPresent(key); ok {
		return Routed{Skill: id}, nil
	}
	answer, err := r.narrowed(among).Ask(ctx, agent.Call{
		Key: "route", Values: agent.Values{"skills": cards}, Parts: []gemini.Part{gemini.Text("words:\n" + words)},
	})
	if err != nil {
		return Routed{}, fmt.Errorf("a2a: route: %w", err)
	}
	if answer.Value.Skill != none {
		of.Skill = answer.Value.Skill
	}
	r.known.Set(key, of.Skill)
	used := answer.Response
	of.Usage = agent.Usage{
		Model: cmp.Or(used.ModelVersion, used.Model), InputTokens: used.Usage.Input, OutputTokens: used.Usage.Output, TotalTokens: used.Usage.Total, USD: used.USD,
	}
	return of, nil
}

// narrowed returns the prompt whose answer is one of some skills.
func (r *Router) narrowed(among []agent.Card) agent.Asker[choice] {
	return r.prompt.Narrowed(func(s *jsonschema.Schema) {
		var ids []any
		for _, card := range among {
			ids = append(ids, card.ID)
		}
		s.Properties["skill"].Enum = append(ids, none)
	})
}

// cardLines describes skills to the model.
func cardLines(among []agent.Card) string {
	var lines []string
	for _, card := range among {
		lines = append(lines, fmt.Sprintf("- %s: %s. %s", card.ID, card.Name, card.Description))
	}
	return strings.Join(lines, "\n")
}

// choose returns the question of a message that names no skill, without its inputs. A model says
// which skill words are for that several could take, alone or beside a picture; where it does not
// know, they are for the skill of the task before in their conversation, or else for the preferred
// one of the handler or the first. What has a picture is for the preferred one, if there is one that
// takes all of c. ok is false if no skill takes c.
func (h handler) choose(ctx context.Context, c content, around string) (q question, ok bool, err error) {
	all := slices.DeleteFunc(slices.Clone(h.Skills), func(s agent.Skill) bool { return !enough(c, s) })
	if len(all) == 0 {
		return q, false, nil
	}
	q.skill = all[0]
	pictured := slices.ContainsFunc(all, func(s agent.Skill) bool { return fieldsOf(s.Input).pictured(c) })
	readers := slices.DeleteFunc(slices.Clone(all), func(s agent.Skill) bool { return fieldsOf(s.Input).words == "" })
	if len(readers) > 0 && c.words != "" {
		q.skill = readers[0]
	}
	if i := slices.IndexFunc(all, func(s agent.Skill) bool { return s.ID == h.preferred }); i >= 0 {
		q.skill = all[i]
		if pictured {
			return q, true, nil
		}
	}
	if !pictured {
		all = readers
	}
	if c.words == "" || len(all) < 2 {
		return q, true, nil
	}
	return h.route(ctx, c.words, all, h.goesOn(ctx, q, all, around))
}

// goesOn returns q for the skill of the last task in a conversation, if it is one of some.
func (h handler) goesOn(ctx context.Context, q question, among []agent.Skill, around string) question {
	if around == "" {
		return q
	}
	before, err := h.Tasks.List(ctx, &a2a.ListTasksRequest{ContextID: around, PageSize: 1})
	if err != nil || len(before.Tasks) == 0 {
		return q
	}
	if i := slices.IndexFunc(among, func(s agent.Skill) bool { return s.ID == before.Tasks[0].Metadata[skillKey] }); i >= 0 {
		q.skill, q.follows = among[i], true
	}
	return q
}

// route returns the question for the skill that a model chooses for words, or otherwise, if it
// does not answer, with a note of that.
func (h handler) route(ctx context.Context, words string, among []agent.Skill, otherwise question) (question, bool, error) {
	var cards []agent.Card
	for _, s := range among {
		cards = append(cards, s.Card)
	}
	of, err := h.Route(ctx, words, cards)
	if ctx.Err() != nil {
		return question{}, false, ctx.Err()
	}
	if err != nil {
		slog.WarnContext(ctx, "a2a: words are not routed", "skill", otherwise.skill.ID, "error", err)
	} else {
		otherwise.routed = &of
	}
	i := slices.IndexFunc(among, func(s agent.Skill) bool { return s.ID == of.Skill })
	if i < 0 && otherwise.follows {
		return otherwise, true, nil
	}
	if i < 0 {
		otherwise.note = "It is not known which skill the words are for: " + otherwise.skill.ID + ` was taken. Metadata {"skill": ID} names one.`
		return otherwise, true, nil
	}
	otherwise.skill = among[i]
	return otherwise, true, nil
}
