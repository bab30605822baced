package forecast

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/genai"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/forecast/openweather"
	"example.com/whatis/internal/usererror"
)

// The keys of a session's state.
const (
	keyCity      = "CITY"
	keyPlace     = "CITY_AT" // the place, as openweather.Kept
	keyType      = "WEATHER_TYPE"
	keyUnits     = "UNITS"
	keyLang      = "LANGUAGE"
	keyTimestamp = "FORECAST_TIMESTAMP"
	keyForecast  = "FORECAST"
	keyText      = "FORECAST_TEXT_FILE"
	keyAudio     = "FORECAST_AUDIO"
)

// maxRounds bounds the model calls for one message.
const maxRounds = 6

// A turn processes one message. The model decides what is asked and in which language;
// a forecast that its tools find or make is the answer, word for word.
type turn struct {
	p     *Pipeline
	early func(Result)

	tools   sync.Mutex        // held by the running tool
	mu      sync.Mutex        // guards values, result and fault
	values  map[string]string // set in this turn
	audio   bool              // the user wants to hear it
	rounds  int
	found   bool // a place was found in this turn
	again   bool // a forecast was found for other values than are set by now
	result  *Result
	unclear *openweather.Ambiguous
	fault   error // ends the turn, as the model cannot handle it
}

type turnKey struct{}

func turnOf(ctx context.Context) *turn {
	t, _ := ctx.Value(turnKey{}).(*turn)
	return t
}

func (p *Pipeline) newTurn() *turn { return &turn{p: p, values: map[string]string{}} }

// hears notes the language and the wish for audio that the model heard; "" leaves the
// language as it was.
func (t *turn) hears(ctx adk.Context, lang string, audio bool) error {
	t.audio = t.audio || audio
	if lang == "" {
		return nil
	}
	tag, ok := agent.ParseLang(lang)
	if !ok {
		return fmt.Errorf("%w: language %q: want one by BCP 47, as en, ko or pt-BR", ErrOption, usererror.Short(lang, usererror.Quoted))
	}
	return t.choose(ctx, keyLang, tag.String())
}

// choose sets what the user chose. A forecast that was found before for another choice is
// no answer: tools that are called at once run in no order.
func (t *turn) choose(ctx adk.Context, key, value string) error {
	if t.result != nil && t.get(ctx, key) != value {
		t.result, t.again = nil, true
	}
	return t.set(ctx, key, value)
}

// lang returns the language of the conversation, English until the model has said.
func (t *turn) lang(ctx adk.Context) string {
	if lang := t.get(ctx, keyLang); lang != "" {
		return lang
	}
	return "en"
}

// get returns a value of this turn, or else of the session.
func (t *turn) get(ctx adk.Context, key string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if v, ok := t.values[key]; ok {
		return v
	}
	v, _ := ctx.State().Get(key)
	s, _ := v.(string)
	return s
}

func (t *turn) set(ctx adk.Context, key, value string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.values[key] = value
	return ctx.State().Set(key, value)
}

// setCity finds the place of a name. If several places have the name, only the user can say
// which is meant: no other name is taken in this turn.
func (t *turn) setCity(ctx adk.Context, city string) error {
	if t.unclear != nil {
		return t.unclear
	}
	place, err := t.p.place(ctx, city)
	if err != nil {
		return t.noted(err)
	}
	t.p.noteAsking(ctx, place.ID)
	kept, err := json.Marshal(place.Keep())
	if err != nil {
		return t.noted(err)
	}
	t.found, t.result = true, nil
	return errors.Join(t.set(ctx, keyPlace, string(kept)), t.set(ctx, keyCity, place.String()))
}

// noted stores an error that ends the turn, and returns it for the model.
func (t *turn) noted(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if errors.As(err, &t.unclear) || errors.Is(err, openweather.ErrPlace) || errors.Is(err, openweather.ErrUnknown) || errors.Is(err, ErrTooFar) || errors.Is(err, ErrOption) {
		return err
	}
	t.fault = err
	return err
}

// variant returns the variant of the session's values.
func (t *turn) variant(ctx adk.Context) (variant, error) {
	var kept openweather.Kept
	if json.Unmarshal([]byte(t.get(ctx, keyPlace)), &kept) != nil || kept.ID == "" {
		return variant{}, fmt.Errorf("%w: set CITY first", openweather.ErrPlace)
	}
	kind, hours, err := kindOf(t.get(ctx, keyType))
	if err != nil {
		return variant{}, err
	}
	v, err := Request{Units: t.get(ctx, keyUnits), Lang: t.lang(ctx), Type: kind, Hours: hours}.variant(kept.Restore())
	if err != nil {
		return v, t.noted(err)
	}
	return v, nil
}

// lookUp ends the turn if the cache has a fresh forecast, with audio if that is wanted.
func (t *turn) lookUp(ctx adk.Context) (Result, bool, error) {
	v, err := t.variant(ctx)
	if err != nil {
		return Result{}, false, err
	}
	res, ok, err := t.p.fresh(ctx, v)
	if err != nil {
		return Result{}, false, t.noted(err)
	}
	if !ok || t.audio && res.AudioFile == "" {
		return res, false, nil
	}
	t.p.count.hits.Add(1)
	return res, true, t.finish(ctx, res)
}

// make returns the forecast of the turn, from the cache or new.
func (t *turn) make(ctx adk.Context) madeForecast {
	v, err := t.variant(ctx)
	if err != nil {
		return madeForecast{status: statusOf(err)}
	}
	res, err := t.p.forecast(ctx, v, t.audio, t.early)
	if err == nil {
		err = t.finish(ctx, res)
	}
	if err != nil {
		t.found = false // a failed forecast is not tried again
		return madeForecast{status: statusOf(t.noted(err))}
	}
	return madeForecast{statusOf(nil), res.Text, res.TextFile, res.AudioFile}
}

// finish sets a forecast as the turn's answer, and stores it in the session.
func (t *turn) finish(ctx adk.Context, res Result) error {
	err := errors.Join(t.set(ctx, keyForecast, res.Text), t.set(ctx, keyText, res.TextFile), t.set(ctx, keyAudio, res.AudioFile),
		t.set(ctx, keyTimestamp, res.GeneratedAt.UTC().Format(stamp)))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.result = &res
	return err
}

// beforeModel ends a turn that has a forecast or a fault. After maxRounds model calls it
// makes the forecast of a place that was found, or asks for one.
func (t *turn) beforeModel(ctx adk.Context, _ *model.LLMRequest) (*model.LLMResponse, error) {
	t.rounds++
	if t.again && t.fault == nil {
		t.again = false
		if _, ok, err := t.lookUp(ctx); !ok && err == nil {
			return &model.LLMResponse{Content: t.forecastCall()}, nil
		}
	}
	w := ownWords(t.lang(ctx))
	switch {
	case t.fault != nil:
		return nil, t.fault
	case t.result != nil:
		return says(t.result.Text), nil
	case t.rounds <= maxRounds:
		return nil, nil
	case t.unclear != nil:
		return says(fmt.Sprintf(w.whichPlace, t.unclear.Name, strings.Join(t.unclear.Choices(), "; "))), nil
	case t.found:
		return &model.LLMResponse{Content: t.forecastCall()}, nil
	}
	return says(w.whichCity), nil
}

// forecastCall returns the call of the team, for when the model does not come to it.
func (t *turn) forecastCall() *genai.Content {
	call := &genai.FunctionCall{ID: fmt.Sprintf("adk-code-%d", t.rounds), Name: teamName, Args: map[string]any{"request": "the forecast"}}
	return genai.NewContentFromParts([]*genai.Part{{FunctionCall: call}}, genai.RoleModel)
}

// afterModel puts the forecast, or the question for a city, in the place of a reply of the
// model's own that says what the weather is.
func (t *turn) afterModel(ctx adk.Context, r *model.LLMResponse, err error) (*model.LLMResponse, error) {
	if err != nil || r == nil || r.Content == nil || r.Partial {
		return nil, nil
	}
	var text strings.Builder
	for _, part := range r.Content.Parts {
		if part.FunctionCall != nil {
			return nil, nil
		}
		text.WriteString(part.Text)
	}
	invents, err := t.invents(ctx, text.String())
	switch {
	case err != nil:
		return nil, err
	case !invents:
		return nil, nil
	case t.found || t.get(ctx, keyPlace) != "":
		return &model.LLMResponse{Content: t.forecastCall(), UsageMetadata: r.UsageMetadata, ModelVersion: r.ModelVersion}, nil
	}
	return says(ownWords(t.lang(ctx)).whichCity), nil
}

// invents reports that a reply says something of the weather that the last forecast of the
// conversation does not bear out, as the checker judges.
func (t *turn) invents(ctx adk.Context, reply string) (bool, error) {
	if t.p.checker == nil || strings.TrimSpace(reply) == "" {
		return false, nil
	}
	data, err := t.known(ctx)
	if err != nil {
		return false, err
	}
	doubts, err := t.p.check(ctx, t.lang(ctx), data, reply, sentencesOf(reply))
	if useless(err) {
		return true, nil
	}
	return slices.ContainsFunc(doubts, func(d doubt) bool { return !d.missing }), err
}

// known returns all that is known of the weather: the newest forecast of the place, time, units and
// language of the conversation, as long as it may be told. What was said for others is not.
func (t *turn) known(ctx adk.Context) (string, error) {
	v, err := t.variant(ctx)
	if err != nil {
		return nothingKnown, nil // no place is set
	}
	res, ok, err := t.p.younger(ctx, v, t.p.Stale)
	if !ok || err != nil {
		return nothingKnown, err
	}
	return fmt.Sprintf("All that is known is a forecast for %s, of the type %s: %s", v.place, v.kind, res.Text), nil
}

const nothingKnown = "Nothing is known of the weather anywhere."

// says returns a text as the model's answer.
func says(text string) *model.LLMResponse {
	return &model.LLMResponse{Content: genai.NewContentFromText(text, genai.RoleModel)}
}
