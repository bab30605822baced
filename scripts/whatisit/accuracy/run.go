package accuracy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	Model      string `json:"model,omitempty"` // none, perfect, emulated, local, recorded or real
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

// An Ask asks about one photo. [ErrNotAsked] says that it could not be asked to the
// end: the photo then counts neither as right nor as wrong.
type Ask func(ctx context.Context, p Photo, s Settings) (Answered, error)

// ErrNotAsked is the error of an Ask that something outside the service cut off, such
// as a limit of what may be spent.
var ErrNotAsked = errors.New("the photo was not asked about to the end")

// Answered is what an Ask found out.
type Answered struct {
	Result json.RawMessage // as the service writes it
	WebUSD float64         // the cost of its web search and of what followed
	// CodeQueries are the queries of that search for a GTIN or an ISBN.
	CodeQueries int
	// Reading is what image_analyzer concluded, before rag_agent decided: what
	// suspicions doubt. Nil is unknown.
	Reading *analyze.Analysis
	// Marked are the lines of the first answer of image_analyzer's model, before code
	// had a look at them. Nil is unknown.
	Marked []analyze.Line
}

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
	WebUSD   float64            `json:"web_usd,omitempty"` // of it, for the web
	Calls    analyze.ModelCalls `json:"model_calls"`
	Models   map[string]string  `json:"models,omitempty"` // that answered: their versions
	TookMS   float64            `json:"took_ms"`          // that the caller waited

	NotAsked   bool                `json:"not_asked,omitempty"` // then all else but Label and Why is empty
	Suspicions []analyze.Suspicion `json:"suspicions,omitempty"`
	Steps      []analyze.Step      `json:"steps,omitempty"`
	Reading    *Reading            `json:"reading,omitempty"`
	ModelMarks *Marks              `json:"model_marks,omitempty"` // by the model alone
	FinalMarks *Marks              `json:"final_marks,omitempty"` // in the result: by the model or by a pattern

	CodeQueries int `json:"code_queries,omitempty"` // of Calls.GroundedQueries, for a GTIN or an ISBN

	AtLoss  int  `json:"at_loss,omitempty"`  // calls without a recorded answer
	StandIn bool `json:"stand_in,omitempty"` // a drawn picture stood in for the photo
}

// Wrong returns the fields that are not right, in order.
func (s Shot) Wrong() []string {
	return slices.DeleteFunc(slices.Clone(Fields), func(field string) bool {
		v, labelled := s.Verdicts[field]
		return !labelled || v == Right
	})
}

// Run asks about all photos, so many at a time; a photo that is not answered has
// failed. It ends early with ctx, and with ctx's error: what was not asked by then
// says so.
func Run(ctx context.Context, photos []Photo, s Settings, jobs int, ask Ask, done func(Shot)) ([]Shot, error) {
	shots := make([]Shot, len(photos))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(jobs)
	for i, p := range photos {
		shots[i] = Shot{Label: p.Label, NotAsked: true, Why: "interrupted"}
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

// Repeated is photos n times over, all of them once before any of them twice.
func Repeated(photos []Photo, n int) (all []Photo) {
	for range n {
		all = append(all, photos...)
	}
	return all
}

func shoot(ctx context.Context, p Photo, s Settings, ask Ask) Shot {
	begin, lost := time.Now(), p.Recording.AtLoss()
	var r analyze.Result
	a, err := ask(ctx, p, s)
	took := time.Since(begin)
	if errors.Is(err, ErrNotAsked) || ctx.Err() != nil {
		return Shot{Label: p.Label, NotAsked: true, Why: fmt.Sprint(err)}
	}
	if err == nil {
		err = json.Unmarshal(a.Result, &r)
	}
	if err != nil {
		r = analyze.Result{}.Failed(fmt.Sprint(err), false)
	}
	shot := shotOf(p.Label, r, took)
	shot.WebUSD, shot.CodeQueries, shot.StandIn = a.WebUSD, a.CodeQueries, p.StandIn
	shot.Reading = p.Label.reading(cmp.Or(a.Reading, p.Reading))
	shot.AtLoss = p.Recording.AtLoss() - lost
	if len(p.Lines) > 0 {
		shot.FinalMarks = marksOf(p.Lines, r.VisibleText)
	}
	if len(p.Lines) > 0 && a.Marked != nil {
		shot.ModelMarks = marksOf(p.Lines, a.Marked)
	}
	return shot
}

func shotOf(l Label, r analyze.Result, took time.Duration) Shot {
	said := Said(r)
	maps.DeleteFunc(said, func(_, answer string) bool { return answer == "" })
	shot := Shot{
		Label: l, Said: said, Verdicts: l.Judge(r), Source: source(r), Warnings: r.Warnings,
		CostUSD: r.CostUSD, Calls: r.ModelCalls, Models: r.Models, TookMS: float64(took.Microseconds()) / 1000,
	}
	if r.Decision != nil {
		shot.Row, shot.Suspicions, shot.Steps = r.Decision.Row, r.Decision.Suspicions, r.Decision.Steps
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
