// Package forecast says what the weather is, written and spoken.
//
//	Request → place → level 2: a forecast of the last half hour? → Result
//	                ↓ no: one generation, over all instances
//	          level 1 (package weather) → facts → forecast_writer_agent → gate → text
//	                                              forecast_speaker_agent → audio
//
// The model writes slots, such as {temp}, and advice; code fills the slots from the
// weather data, and refuses a text that names a number or a condition which is not in the
// data. Finished forecasts are stored in the bucket, with one timestamp for text, facts and
// audio, and shared by all instances. Agent does the same as a conversation.
package forecast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/forecast/openweather"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// A Result is a forecast.
type Result struct {
	Place         openweather.Place `json:"place,omitzero" jsonschema:"left out in an answer to a message that has no forecast"`
	Units         string            `json:"units,omitempty"`
	Lang          string            `json:"lang,omitempty"`
	Type          string            `json:"type,omitempty"`
	Text          string            `json:"forecast_text" jsonschema:"what is said; the answer to a message"`
	Facts         []Fact            `json:"facts"`
	Days          []Day             `json:"days,omitempty" jsonschema:"the days that it tells of, part by part; left out for now"`
	Hours         []Hour            `json:"hours,omitempty"` // the coming steps, of three hours each
	AudioURL      string            `json:"audio_url,omitempty"`
	TextFile      string            `json:"text_file_path,omitempty"`
	AudioFile     string            `json:"audio_file_path,omitempty"`
	Cached        bool              `json:"cached"`
	AgeSeconds    int               `json:"age_seconds"`
	Session       string            `json:"session,omitempty"`
	Warnings      []string          `json:"warnings,omitempty"`
	CostUSD       float64           `json:"cost_usd,omitempty"`
	GeneratedAt   time.Time         `json:"generated_at,omitzero"`
	SpeechProblem error             `json:"-"` // why there is no audio

	tone  string    // as the writer chose
	until time.Time // when what it calls today is over
}

// Warnings of a Result, besides those of models.
const (
	WarnEmulated  = "emulated_weather"
	WarnTemplate  = "written_by_template" // the model's text was refused twice: some or all sentences are code's
	WarnEnglish   = "written_in_english"  // code has no sentences of its language
	WarnUnchecked = "language_unchecked"  // its words could not be checked against the data
	WarnStale     = "stale"               // nothing newer could be made
	WarnSpeech    = "speech_failed"       // there is no audio yet
	WarnPartial   = "partly_out_of_reach" // the data ends before the days or hours of the type
)

// Warnings lists them.
var Warnings = []string{WarnEmulated, WarnTemplate, WarnEnglish, WarnUnchecked, WarnStale, WarnSpeech, WarnPartial}

// Config configures a Pipeline. Durations have defaults.
type Config struct {
	Weather *openweather.Client
	Gemini  *gemini.Client
	Objects *blob.Store
	Leases  *jobs.Store
	Bucket  string

	Model    string // writes, and leads the conversation
	Speech   string // speaks; "" makes no audio
	Voice    string
	Thinking gemini.Thinking
	// Checker is the model that checks each sentence against the data; "" leaves that to code,
	// which knows the words of a few languages only.
	Checker         string
	CheckerThinking gemini.Thinking

	// Owner returns who asks, "" if they have no name or Owner is nil: the forecasts of coordinates are
	// listed to those alone who asked for them.
	Owner func(context.Context) string

	Fresh         time.Duration // how long a forecast is returned again: 30 min
	Stale         time.Duration // maximum age of a forecast returned while no new one can be made: 6 h
	Poll          time.Duration // between checks for another instance's forecast: 200 ms
	SpeechTimeout time.Duration // 30 s
	Now           func() time.Time
}

// A Pipeline makes forecasts. It is safe for concurrent use.
type Pipeline struct {
	Config
	store    cacheStore
	writer   agent.Asker[draft]
	checker  agent.Asker[verdict]
	writing  agent.Step[writing]
	speaking agent.Step[speaking]
	texts    once[Result]
	sounds   once[gemini.Ledger]
	// Counts since the start of this instance.
	count struct{ hits, misses, written, spoken, microUSD atomic.Int64 }
}

// A once is a jobs.Group. A field of that type would have each package that names a Pipeline
// compile its methods again.
type once[T any] interface {
	Get(ctx context.Context, key string, find func(context.Context) (T, bool, error), do func(context.Context) (T, error)) (T, error)
}

// longest bounds one generation, with the wait for other instances.
const longest = 2 * time.Minute

// New returns the pipeline of c.
func New(c Config) (*Pipeline, error) {
	switch {
	case c.Weather == nil || c.Gemini == nil || c.Objects == nil || c.Leases == nil:
		return nil, errors.New("forecast: Config needs Weather, Gemini, Objects and Leases")
	case c.Bucket == "" || c.Model == "":
		return nil, fmt.Errorf("forecast: Config.Bucket is %q and Config.Model %q: set both", c.Bucket, c.Model)
	}
	c.Fresh, c.Stale = cmp.Or(c.Fresh, 30*time.Minute), cmp.Or(c.Stale, 6*time.Hour)
	c.Poll, c.SpeechTimeout = cmp.Or(c.Poll, 200*time.Millisecond), cmp.Or(c.SpeechTimeout, 30*time.Second)
	c.Voice = cmp.Or(c.Voice, "Kore")
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Owner == nil {
		c.Owner = func(context.Context) string { return "" }
	}
	writer, err := c.writerPrompt()
	if err != nil {
		return nil, err
	}
	checker, err := c.checkerPrompt()
	if err != nil {
		return nil, err
	}
	p := &Pipeline{
		Config: c, store: newCacheStore(c.Objects, c.Bucket), writer: writer, checker: checker,
		texts: jobs.NewGroup[Result](c.Leases, "forecast", longest, c.Poll), sounds: jobs.NewGroup[gemini.Ledger](c.Leases, "forecast", longest, c.Poll),
	}
	p.writing = agent.Step[writing]{Name: writerName, Description: "writes the forecast and keeps its text", Do: p.doWrite}
	p.speaking = agent.Step[speaking]{Name: speakerName, Description: "speaks the forecast and keeps the audio", Do: p.doSpeak}
	return p, nil
}

// writerPrompt returns the prompt for the text of a forecast.
func (c Config) writerPrompt() (agent.Asker[draft], error) {
	p, err := agent.NewPrompt[draft](c.Gemini, c.Model, writerText, nil, agent.PromptOptions{Thinking: c.Thinking})
	if err != nil {
		return nil, fmt.Errorf("forecast: %w", err)
	}
	return p, nil
}

// Questions returns the questions with a structured answer that a pipeline asks the models
// of c.
func Questions(c Config) ([]agent.Question, error) {
	writer, err := c.writerPrompt()
	if err != nil {
		return nil, err
	}
	all := []agent.Question{writer.Question("forecast_writer")}
	checker, err := c.checkerPrompt()
	if checker != nil {
		all = append(all, checker.Question("forecast_checker"))
	}
	return all, err
}

// Run returns a forecast without a conversation: a cached one, or one made with one model
// call and, if r asks for audio, one speech call. emit, which may be nil, gets the text
// before the audio is ready.
func (p *Pipeline) Run(ctx context.Context, r Request, emit func(Result)) (Result, error) {
	v, err := p.variant(ctx, r)
	if err != nil {
		return Result{}, err
	}
	p.noteAsking(ctx, v.place.ID)
	return p.forecast(ctx, v, r.Audio, emit)
}

// forecast returns the forecast of v, with its audio if audio is set; emit, which may be
// nil, gets the text before the audio is ready.
func (p *Pipeline) forecast(ctx context.Context, v variant, audio bool, emit func(Result)) (Result, error) {
	res, err := p.text(ctx, v)
	if err != nil || !audio {
		return res, err
	}
	if emit != nil && res.AudioFile == "" {
		emit(res)
	}
	return p.withAudio(ctx, v, res), nil
}

// text returns the forecast of v without asking for audio: one of the last half hour, or a
// new one, or, while no new one can be made, an older one.
func (p *Pipeline) text(ctx context.Context, v variant) (Result, error) {
	if found, ok, err := p.fresh(ctx, v); err != nil {
		return Result{}, err
	} else if ok {
		p.count.hits.Add(1)
		return found, nil
	}
	p.count.misses.Add(1)
	shared := func() (Result, error) {
		return p.texts.Get(ctx, v.dir(), func(ctx context.Context) (Result, bool, error) { return p.fresh(ctx, v) },
			func(ctx context.Context) (Result, error) { return p.generate(ctx, v) })
	}
	res, err := shared()
	if err == nil && over(res.until, p.Now()) { // another's, begun before midnight
		res, err = shared()
	}
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrTooFar) {
		return res, err
	}
	if old, ok, _ := p.younger(ctx, v, p.Stale); ok {
		old.Warnings = append(old.Warnings, WarnStale)
		slog.WarnContext(ctx, "forecast is stale", "place", v.place.ID, "error", err)
		return old, nil
	}
	return Result{}, err
}

// fresh returns the newest forecast of v, if it is younger than p.Fresh.
func (p *Pipeline) fresh(ctx context.Context, v variant) (Result, bool, error) {
	return p.younger(ctx, v, p.Fresh)
}

// younger returns the newest forecast of v, if its age is below than and the day that it calls
// today is not over.
func (p *Pipeline) younger(ctx context.Context, v variant, than time.Duration) (Result, bool, error) {
	k, ok, err := p.store.newest(ctx, v, p.Now())
	if err != nil || !ok || p.Now().Sub(k.At) >= than || over(k.Until, p.Now()) {
		return Result{}, false, err
	}
	return p.result(v, k, true), true, nil
}

// over reports whether a forecast that holds until then, or always if that is zero, no longer does.
func over(until, now time.Time) bool { return !until.IsZero() && !now.Before(until) }

// result converts k to a Result.
func (p *Pipeline) result(v variant, k kept, cached bool) Result {
	res := Result{
		Place: k.Place, Units: k.Units, Lang: k.Lang, Type: k.Type, Text: k.Text, Facts: k.Facts, Days: k.Days, Hours: k.Hours,
		TextFile: v.textFile(k.At), Cached: cached, AgeSeconds: int(max(0, p.Now().Sub(k.At).Seconds())), Warnings: slices.Clone(k.Warnings), GeneratedAt: k.At, tone: k.Tone, until: k.Until,
	}
	if !cached {
		res.CostUSD = k.CostUSD
	}
	if k.audio {
		res.AudioFile, res.AudioURL = v.audioFile(k.At), v.audioURL(k.At)
	}
	return res
}
