package gemini

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"google.golang.org/genai"
)

// Tier is a service tier. It determines the price of a call's tokens and how long the
// answer may take.
type Tier string

// The tiers. "" is Standard. An answer at Flex costs half, arrives when the service has
// spare capacity, and may be refused; use it only for background work.
const (
	Standard Tier = "standard"
	Flex     Tier = "flex"
)

// Check returns an error for an unknown tier, which names the known ones.
func (t Tier) Check() error { return oneOf(t, Standard, Flex) }

func hasFlex(model string) bool {
	return knownModels.Models[baseName(model)].Flex || isEmulated(model)
}

// flexModels returns the models with a flex tier.
func flexModels() (names []string) {
	for name, m := range knownModels.Models {
		if m.Flex {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

const (
	flexTimeout = 480 * time.Second // of a try; the service may take 15 minutes, a delivery here 9
	flexPayload = 20_000_000        // bytes of a request on Vertex AI
)

// The tier of a request to Vertex AI, and of an answer of the Gemini API
// (github.com/vercel/ai/pull/15488), are headers.
const (
	vertexTierHeader = "X-Vertex-AI-LLM-Shared-Request-Type"
	apiTierHeader    = "X-Gemini-Service-Tier"
)

// CheckTier refuses the flex tier if the backend that [Open] would use does not have it, or
// one of models does not.
func CheckTier(t Tier, models ...string) error {
	return checkTier(t, wantsVertex(), vertexLocation(), models)
}

// CheckTier refuses the flex tier if c's backend or one of models does not have it.
func (c *Client) CheckTier(t Tier, models ...string) error {
	return checkTier(t, c.vertex, c.location, models)
}

func checkTier(t Tier, vertex bool, location string, models []string) error {
	if err := t.Check(); err != nil || t != Flex {
		return err
	}
	if vertex && location != "global" {
		return fmt.Errorf("on Vertex AI only the global endpoint has the flex tier, and GOOGLE_CLOUD_LOCATION is %q: set it to global, or use the tier standard", location)
	}
	for _, model := range models {
		if !hasFlex(model) {
			return fmt.Errorf("the model %s has no flex tier: use the tier standard, or one of %s", model, strings.Join(flexModels(), ", "))
		}
	}
	return nil
}

type tierKey struct{}

// WithTier returns a context whose calls are made at t.
func WithTier(ctx context.Context, t Tier) context.Context {
	return context.WithValue(ctx, tierKey{}, t)
}

// TierOf returns the tier of ctx's calls, by default Standard.
func TierOf(ctx context.Context) Tier {
	if t, _ := ctx.Value(tierKey{}).(Tier); t == Flex {
		return Flex
	}
	return Standard
}

// timeout returns the time limit of one try at a tier.
func (c *Client) timeout(t Tier) time.Duration {
	if t == Flex {
		return c.config.FlexTimeout
	}
	return c.config.CallTimeout
}

// CheckTime refuses, as Later, a call at ctx's tier whose answer might come after ctx's
// deadline.
func (c *Client) CheckTime(ctx context.Context) error {
	if fits(ctx, c.timeout(TierOf(ctx))) {
		return nil
	}
	return &Error{Kind: Later, Err: fmt.Errorf("an answer at the tier %s may take %v, longer than this delivery: the next one goes on", TierOf(ctx), c.timeout(TierOf(ctx)))}
}

// fits reports whether d ends before ctx does.
func fits(ctx context.Context, d time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) >= d
}

// tierOfTry returns the tier of a try. It is Standard, whatever ctx says, for a repair,
// because a refusal would lose the answer; for a model without another tier; and if there
// is too little time for another.
func (c *Client) tierOfTry(ctx context.Context, model string, j job) Tier {
	generates := j.kind == jobGenerate || j.kind == jobSearch
	if TierOf(ctx) == Flex && generates && hasFlex(model) && fits(ctx, c.config.FlexTimeout) {
		return Flex
	}
	return Standard
}

// requestTier returns the tier of a request: Standard if it is too large for another.
func requestTier(ctx context.Context, r Request) Tier {
	size := len(r.System)
	for _, p := range r.Parts {
		size += len(p.text) + (len(p.data)+2)/3*4
	}
	if size > flexPayload-flexPayload/20 { // a twentieth for the schema and for escaping
		return Standard
	}
	return TierOf(ctx)
}

// atTier returns config for a request at ctx's tier.
func (c *Client) atTier(ctx context.Context, config *genai.GenerateContentConfig) *genai.GenerateContentConfig {
	switch {
	case TierOf(ctx) != Flex:
	case c.vertex:
		config.HTTPOptions.Headers = http.Header{vertexTierHeader: {string(Flex)}}
	default:
		config.ServiceTier = genai.ServiceTierFlex
	}
	return config
}

// chargedTier returns the tier at which an answer was charged, by default Standard.
func chargedTier(raw *genai.GenerateContentResponse) Tier {
	if u := raw.UsageMetadata; u != nil && u.TrafficType == genai.TrafficTypeOnDemandFlex {
		return Flex
	}
	if r := raw.SDKHTTPResponse; r != nil && Tier(strings.ToLower(r.Headers.Get(apiTierHeader))) == Flex {
		return Flex
	}
	return Standard
}

// flexCalls returns 1 for an answer charged at the flex tier, else 0.
func flexCalls(raw *genai.GenerateContentResponse) int {
	if chargedTier(raw) == Flex {
		return 1
	}
	return 0
}

// TierRefused reports whether the service has no capacity at the flex tier, or does not
// offer it: the same call at Standard may succeed.
func TierRefused(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.tierRefused
}

// refusesTier reports whether e, of a try at the flex tier, may be caused by the tier: no
// capacity (429, 503), a plan without the tier, no answer in time, or a 400, as for a model that has no flex tier
// after all; to repeat that costs nothing.
func refusesTier(e *Error) bool {
	switch e.Kind {
	case Quota:
		return !e.PerDay
	case NotInPlan:
		return true
	case Invalid:
		return e.status == http.StatusBadRequest
	case Unavailable:
		return e.Reason == reasonTimeout || slices.Contains([]int{http.StatusRequestTimeout, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, e.status)
	}
	return false
}
