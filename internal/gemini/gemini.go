// Package gemini makes all calls of Gemini: it generates texts, Go values and speech,
// embeds texts and images, and adds up what that costs.
//
//	Request  → Generate    → Response          (text, with citations when it searched)
//	Request  → Generate[T] → T, Response       (JSON; an unusable answer is repaired or asked for again)
//	text     → Speak       → Speech            (WAV, or samples, as the model has it)
//	texts    → Embed       → 768-d unit vectors
//	contents → LLM         → an answer for ADK's agents, whole or in a stream
//
//	each of them:  limit → call ⇄ retry → fallback model → ledger
//
// A try is one HTTP request; a call is what the caller asked for, and takes one or more
// tries. The [Account] in the context limits the tries and collects tokens, cost and
// warnings; nothing else retries. Every error of a call is an [*Error]. No error, log line
// or span contains a key, a prompt or a photo.
package gemini

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"
	"google.golang.org/genai"

	"example.com/whatis/internal/admission"
)

// Config says how to reach the models and how much may be spent. Backend, key, project and
// location come from the SDK's environment variables; see [Open].
type Config struct {
	// BaseURL is the address of the API; "" means GOOGLE_GEMINI_BASE_URL or
	// GOOGLE_VERTEX_BASE_URL, or else the SDK's default.
	BaseURL string
	// Fallback maps a model to the one that is called, once, if the model is gone (404).
	// Embeddings have no fallback: vectors of different models cannot be compared.
	Fallback map[string]string
	// EmbeddingLocation is the Vertex AI location for embeddings; "" means the same as for
	// other calls. The Gemini API has no locations.
	EmbeddingLocation string
	// SpeechLocation is the same for speech.
	SpeechLocation string
	// AllowEmulated accepts answers whose model version is "emulated", and calls of models
	// that are emulated or on this machine.
	AllowEmulated bool
	// MaxUSDPerDay refuses paid calls when the day's sum has reached it; 0 means no limit.
	// Calls that are running then still finish.
	MaxUSDPerDay float64
	// Spend adds usd (which may be 0) to the sum of the current UTC day and returns that
	// sum, or +Inf while paid work is paused. It must answer at once, from what it knows: it is called before and after each
	// paid call. It is required with a limit and not called without.
	Spend func(ctx context.Context, usd float64) (today float64, err error)
	// Record is told what each paid answer has cost, and who asked for it: the agent of
	// [Client.For]. It must return at once. Nil tells nobody.
	Record func(agent, model string, usd float64)
	// Calls limits the calls of each caller; nil means no limit. Tries are not counted, and up to
	// 100 contents that are embedded together are one call.
	Calls *admission.Rate
	// TriesPerMinute spreads the tries of paid calls evenly: with none to spare a try waits for
	// its turn. 0 means no limit.
	TriesPerMinute int
	// AskAgain is for how long a refusal that only a person ends, as Unpaid or NotInPlan, is taken
	// as given without a call; 0 means five minutes.
	AskAgain time.Duration
	// CallTimeout limits one try; 0 means a minute.
	CallTimeout time.Duration
	// FlexTimeout limits one try at the flex tier; 0 means 8 minutes.
	FlexTimeout time.Duration
	// Backoff is the wait before the second try, doubled for each further one, with jitter;
	// 0 means half a second.
	Backoff time.Duration
}

// Client calls models. It is safe for concurrent use.
type Client struct {
	config Config
	models *genai.Models
	embeds *genai.Models // may be in another location, as speaks
	speaks *genai.Models
	vertex bool
	meter  *meter
	// refused holds the schemas that this process no longer sends.
	refused  *refusals
	standing *standingRefusals
	redact   func(string) string // removes API keys from a text

	location string // of Vertex AI
	pace     *rate.Limiter
	late     *lateAnswers
	agent    string // whose calls are recorded; see For
}

// For returns a client whose calls are recorded as that agent's. It shares everything else with
// c.
func (c *Client) For(agent string) *Client {
	named := *c
	named.agent = agent
	return &named
}

// Open returns a client for the Gemini API with the key in GEMINI_API_KEY (or
// GOOGLE_API_KEY), or, with GOOGLE_GENAI_USE_VERTEXAI=true, for Vertex AI in
// GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION (default "global") with the
// application default credentials. With a key it makes no network call.
func Open(ctx context.Context, c Config) (*Client, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("gemini: open: %w", err)
	}
	sdk, err := connection(c.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("gemini: open: %w", err)
	}
	client := &Client{
		config: c,
		vertex: sdk.Backend == genai.BackendVertexAI,
		meter:  &meter{limit: c.MaxUSDPerDay, spend: c.Spend}, refused: new(refusals), standing: &standingRefusals{last: c.AskAgain},
		redact: redactor(environmentKeys()), location: sdk.Location, pace: pacer(c.TriesPerMinute), late: new(lateAnswers),
	}
	api, err := genai.NewClient(ctx, sdk)
	if err != nil {
		return nil, fmt.Errorf("gemini: open: %s", client.redact(err.Error())) // the SDK's error contains its configuration
	}
	streaming(api.ClientConfig().HTTPClient)
	client.models, client.embeds, client.speaks = api.Models, api.Models, api.Models
	for kind, models := range map[kind]**genai.Models{embedding: &client.embeds, speaking: &client.speaks} {
		location := client.locationOf(kind)
		if location == "" || location == client.location {
			continue
		}
		if *models, err = modelsIn(ctx, c.BaseURL, location); err != nil {
			return nil, fmt.Errorf("gemini: open: %s", client.redact(err.Error()))
		}
	}
	return client, nil
}

// locationOf returns the location of Vertex AI where models of a kind are asked; "" is the Gemini API.
func (c *Client) locationOf(k kind) string {
	switch {
	case !c.vertex:
		return ""
	case k == embedding:
		return cmp.Or(c.config.EmbeddingLocation, c.location)
	case k == speaking:
		return cmp.Or(c.config.SpeechLocation, c.location)
	}
	return c.location
}

// modelsIn returns a client for a location of Vertex AI.
func modelsIn(ctx context.Context, baseURL, location string) (*genai.Models, error) {
	sdk, err := connection(baseURL)
	if err != nil {
		return nil, err
	}
	sdk.Location = location
	api, err := genai.NewClient(ctx, sdk)
	if err != nil {
		return nil, err
	}
	streaming(api.ClientConfig().HTTPClient)
	return api.Models, nil
}

func (c Config) withDefaults() (Config, error) {
	if c.MaxUSDPerDay < 0 {
		return c, fmt.Errorf("MaxUSDPerDay is %v, below 0", c.MaxUSDPerDay)
	}
	if c.MaxUSDPerDay > 0 && c.Spend == nil {
		return c, errors.New("MaxUSDPerDay needs Spend to keep the day's sum")
	}
	c.CallTimeout = cmp.Or(c.CallTimeout, time.Minute)
	c.FlexTimeout = cmp.Or(c.FlexTimeout, flexTimeout)
	c.AskAgain = cmp.Or(c.AskAgain, 5*time.Minute)
	c.Backoff = cmp.Or(c.Backoff, 500*time.Millisecond)
	return c, nil
}
