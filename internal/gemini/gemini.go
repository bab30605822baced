// Package gemini is the only place that talks to Gemini: it asks a model for
// text or for a Go value, embeds texts, and keeps the account of what that
// cost.
//
//	Request  → Generate    → Response          (text, with citations when it searched)
//	Request  → Generate[T] → T, Response       (JSON; an unusable answer is repaired or asked for again)
//	text     → Speak       → Speech            (WAV, or samples, as the model has it)
//	texts    → Embed       → 768-d unit vectors
//	contents → LLM         → an answer for ADK's agents, whole or in a stream
//
//	each of them:  limit → call ⇄ retry → fallback model → ledger
//
// A try is one request on the wire; a call is what the caller asked for, one
// try or more. How many it may take is said by the [Account], which travels in
// the context and collects tokens, cost and warnings; nothing else retries.
// Every failure of a call is an [*Error]. No error, log line or span holds a
// key, a prompt or a photo.
package gemini

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/genai"
)

// Config says how to reach the models and what may be spent. The backend, key,
// project and location come from the SDK's own environment variables; see
// [Open].
type Config struct {
	// BaseURL is the address of the API; "" is the SDK's default, or what
	// GOOGLE_GEMINI_BASE_URL or GOOGLE_VERTEX_BASE_URL says.
	BaseURL string
	// Fallback names for a model the one that is asked, once, when it is gone
	// (404). Embeddings have no fallback: two models' vectors cannot be compared.
	Fallback map[string]string
	// EmbeddingLocation is where Vertex AI is asked for embeddings; "" is where it is
	// asked for all else. The Gemini API has no places.
	EmbeddingLocation string
	// AllowEmulated accepts answers whose model version is "emulated".
	AllowEmulated bool
	// MaxUSDPerDay stops paid calls once today's sum has reached it; 0 is no
	// limit. Calls under way at that moment still finish.
	MaxUSDPerDay float64
	// Spend adds usd (which may be 0) to the sum of the current UTC day and
	// returns that sum, both as far as it knows at once: it is asked before and after
	// each paid call. It is needed with a limit and not called without.
	Spend func(ctx context.Context, usd float64) (today float64, err error)
	// CallTimeout bounds one try; 0 is a minute.
	CallTimeout time.Duration
	// FlexTimeout bounds one try at the flex tier; 0 is 8 minutes.
	FlexTimeout time.Duration
	// Backoff is the wait before the second try, doubled for each further one,
	// with jitter; 0 is half a second.
	Backoff time.Duration
}

// Client asks models. It is safe for concurrent use.
type Client struct {
	config Config
	models *genai.Models
	embeds *genai.Models // of another place, perhaps
	vertex bool
	meter  *meter
	// refused are the schemas that this process asks without.
	refused refusals
	redact  func(string) string // takes the API keys out of a text

	location string // of Vertex AI
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
		meter:  &meter{limit: c.MaxUSDPerDay, spend: c.Spend},
		redact: redactor(environmentKeys()), location: sdk.Location,
	}
	api, err := genai.NewClient(ctx, sdk)
	if err != nil {
		return nil, fmt.Errorf("gemini: open: %s", client.redact(err.Error())) // the SDK dumps its configuration
	}
	client.models, client.embeds = api.Models, api.Models
	if c.EmbeddingLocation != "" && client.vertex {
		if client.embeds, err = modelsIn(ctx, c); err != nil {
			return nil, fmt.Errorf("gemini: open: %s", client.redact(err.Error()))
		}
	}
	return client, nil
}

// modelsIn returns the models of Vertex AI where embeddings are asked for.
func modelsIn(ctx context.Context, c Config) (*genai.Models, error) {
	sdk, err := connection(c.BaseURL)
	if err != nil {
		return nil, err
	}
	sdk.Location = c.EmbeddingLocation
	api, err := genai.NewClient(ctx, sdk)
	if err != nil {
		return nil, err
	}
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
	c.Backoff = cmp.Or(c.Backoff, 500*time.Millisecond)
	return c, nil
}
