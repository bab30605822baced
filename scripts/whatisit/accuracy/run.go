package accuracy

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
)

// Settings are how photos are asked about. What is empty is the service's default.
type Settings struct {
	Model      string `json:"model,omitempty"` // none, perfect, emulated or real
	Policy     string `json:"policy,omitempty"`
	SecondLook string `json:"second_look,omitempty"`
	Thinking   string `json:"thinking,omitempty"` // of reading, judging and searching, as minimal/low/low
}

// String names s, for people.
func (s Settings) String() string {
	named := func(name, value string) string {
		if value == "" {
			return ""
		}
		return ", " + name + " " + value
	}
	all := named("model", s.Model) + named("policy", s.Policy) + named("second look", s.SecondLook) + named("thinking", s.Thinking)
	if all == "" {
		return "the service's defaults"
	}
	return all[2:]
}

// An Ask asks about one photo and returns the result as the service writes it.
type Ask func(ctx context.Context, p Photo, s Settings) (json.RawMessage, error)

// A Shot is what became of one photo.
type Shot struct {
	Label    Label              `json:"label"`
	Said     map[string]string  `json:"said"`
	Verdicts map[string]Verdict `json:"verdicts"`
	Sure     map[string]float64 `json:"sure,omitempty"` // the confidences that were claimed, by field
	Source   string             `json:"source"`         // image, local_db, google_search, unidentified, no_product or failed
	Row      int                `json:"row,omitempty"`  // of the decision table
	Why      string             `json:"why,omitempty"`  // there is no product, or no answer
	Warnings []string           `json:"warnings,omitempty"`
	CostUSD  float64            `json:"cost_usd"`
	Calls    analyze.ModelCalls `json:"model_calls"`
	TookMS   float64            `json:"took_ms"` // that the caller waited
}

// Wrong are the fields that are not right, in order.
func (s Shot) Wrong() []string {
	return slices.DeleteFunc(slices.Clone(Fields), func(field string) bool {
		v, labelled := s.Verdicts[field]
		return !labelled || v == Right
	})
}

// Run asks about all photos, so many at a time; a photo that is not answered has
// failed. It ends early with ctx, and with ctx's error.
func Run(ctx context.Context, photos []Photo, s Settings, jobs int, ask Ask, done func(Shot)) ([]Shot, error) {
	shots := make([]Shot, len(photos))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(jobs)
	for i, p := range photos {
		group.Go(func() error {
			if within.Err() == nil {
				shots[i] = shoot(within, p, s, ask)
				done(shots[i])
			}
			return nil
		})
	}
	_ = group.Wait() // no photo ends the others
	return shots, ctx.Err()
}

func shoot(ctx context.Context, p Photo, s Settings, ask Ask) Shot {
	begin := time.Now()
	var r analyze.Result
	raw, err := ask(ctx, p, s)
	took := time.Since(begin)
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		r = analyze.Result{}.Failed(fmt.Sprint(err), false)
	}
	return shotOf(p.Label, r, took)
}

func shotOf(l Label, r analyze.Result, took time.Duration) Shot {
	said := Said(r)
	maps.DeleteFunc(said, func(_, answer string) bool { return answer == "" })
	shot := Shot{
		Label: l, Said: said, Verdicts: l.Judge(r), Source: source(r), Warnings: r.Warnings,
		CostUSD: r.CostUSD, Calls: r.ModelCalls, TookMS: float64(took.Microseconds()) / 1000,
	}
	if r.Decision != nil {
		shot.Row = r.Decision.Row
	}
	switch {
	case r.Error == analyze.AnalysisFailed:
		shot.Why = r.Message
	case r.Identification == nil:
		shot.Why = r.Description
	default:
		shot.Sure = map[string]float64{Name: r.ProductNameConfidence, Brand: r.BrandConfidence}
	}
	return shot
}

// What a photo's source is where no product was identified.
const (
	noProduct = "no_product"
	failed    = "failed"
)

func source(r analyze.Result) string {
	switch {
	case r.Error == analyze.AnalysisFailed:
		return failed
	case r.Identification == nil:
		return noProduct
	}
	return intake.SourceOf(r)
}
