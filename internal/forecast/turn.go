package forecast

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/genai"

	"example.com/whatis/internal/forecast/openweather"
)

// The keys of a session's state.
const (
	keyCity      = "CITY"
	keyPoint     = "CITY_AT" // its latitude and longitude, which are unambiguous; rounded only if the user gave them
	keyType      = "WEATHER_TYPE"
	keyUnits     = "UNITS"
	keyTimestamp = "FORECAST_TIMESTAMP"
	keyForecast  = "FORECAST"
	keyText      = "FORECAST_TEXT_FILE"
	keyAudio     = "FORECAST_AUDIO"
)

// maxRounds bounds the model calls for one message.
const maxRounds = 6

// A turn processes one message. Code, not the model, ensures the necessary steps: the
// look-up in the cache, the end on a hit, a new forecast otherwise, storing it in the
// session, and the text of the answer.
type turn struct {
	p     *Pipeline
	lang  string
	audio bool
	early func(Result)

	tools   sync.Mutex        // held by the running tool
	mu      sync.Mutex        // guards values, result, unclear and fault
	values  map[string]string // set in this turn
	rounds  int
	asked   bool // the user asked for the weather of a known place
	looked  bool // the cache was read
	result  *Result
	unclear *openweather.Ambiguous
	fault   error // ends the turn, as the model cannot handle it
}

type turnKey struct{}

func turnOf(ctx context.Context) *turn {
	t, _ := ctx.Value(turnKey{}).(*turn)
	return t
}

func (p *Pipeline) newTurn(message string) *turn {
	return &turn{p: p, lang: languageOf(message), audio: wantsAudio.MatchString(message), values: map[string]string{}}
}

// wantsAudio matches words that ask for audio.
var wantsAudio = regexp.MustCompile(`(?i)\b(?:listen|speak|spoken|hear|aloud|audio|voice|read it|say it)\b|들려|들을|음성|소리|읽어|(?:^|[^\p{L}])(?:nghe|đọc|âm thanh)(?:[^\p{L}]|$)`)

// languageOf returns the language of a message, by its script; Vietnamese is recognised
// by marks that other Latin scripts do not use.
func languageOf(message string) string {
	for _, r := range message {
		switch {
		case unicode.Is(unicode.Hangul, r):
			return "ko"
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			return "ja"
		case unicode.Is(unicode.Cyrillic, r):
			return "ru"
		case unicode.Is(unicode.Han, r):
			return "zh"
		case strings.ContainsRune("ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ", unicode.ToLower(r)):
			return "vi"
		}
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

// setCity finds the place of a name. If several places have the name, the turn ends with
// a question to the user.
func (t *turn) setCity(ctx adk.Context, city string) error {
	if t.unclear != nil {
		return t.unclear
	}
	place, err := t.p.Weather.Find(ctx, city)
	if err != nil {
		return t.noted(err)
	}
	t.asked, t.looked, t.result = true, false, nil
	if err := t.set(ctx, keyPoint, fmt.Sprintf("%.4f,%.4f", place.Lat, place.Lon)); err != nil {
		return err
	}
	return t.set(ctx, keyCity, place.String())
}

// noted stores an error that ends the turn, and returns it for the model.
func (t *turn) noted(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if errors.As(err, &t.unclear) || errors.Is(err, openweather.ErrPlace) || errors.Is(err, openweather.ErrUnknown) || errors.Is(err, ErrTooFar) {
		return err
	}
	t.fault = err
	return err
}

// variant returns the variant of the session's values.
func (t *turn) variant(ctx adk.Context) (variant, error) {
	at := t.get(ctx, keyPoint)
	if at == "" {
		return variant{}, fmt.Errorf("%w: set CITY first", openweather.ErrPlace)
	}
	var lat, lon float64
	if _, err := fmt.Sscanf(at, "%g,%g", &lat, &lon); err != nil {
		return variant{}, fmt.Errorf("%w: set CITY first", openweather.ErrPlace)
	}
	r := Request{City: at, Units: t.get(ctx, keyUnits), Lang: t.lang, Type: kindOf(t.get(ctx, keyType))}
	place, err := t.p.Weather.At(ctx, lat, lon)
	if err != nil {
		return variant{}, t.noted(err)
	}
	v, err := r.variant(place)
	if err != nil {
		return v, t.noted(err)
	}
	return v, nil
}

// kinds match WEATHER_TYPE to the type of a forecast.
var kinds = []struct {
	kind  string
	words *regexp.Regexp
}{
	{Tomorrow, regexp.MustCompile(`(?i)tomorrow|내일|ngày mai`)},
	{Weekend, regexp.MustCompile(`(?i)weekend|주말|cuối tuần`)},
	{Hours, regexp.MustCompile(`(?i)\bhours?\b|몇 시간|시간 (?:뒤|후|안)|giờ tới`)},
	{Today, regexp.MustCompile(`(?i)today|오늘|hôm nay`)},
}

func kindOf(said string) string {
	for _, k := range kinds {
		if k.words.MatchString(said) {
			return k.kind
		}
	}
	return Current
}

// lookUp ends the turn if the cache has a fresh forecast, with audio if that is wanted.
func (t *turn) lookUp(ctx adk.Context) (Result, bool, error) {
	t.looked = true
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
		t.asked = false // a failed forecast is not tried again
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

// beforeModel ends a turn that has an answer, a question or a fault. If the model has not
// read the cache for a known place, it does so. After maxRounds model calls it makes the
// forecast, or asks for the city.
func (t *turn) beforeModel(ctx adk.Context, _ *model.LLMRequest) (*model.LLMResponse, error) {
	t.rounds++
	if t.asked && !t.looked && t.ends() == nil {
		_, _, _ = t.lookUp(ctx) // stores its result and error
	}
	if t.fault != nil {
		return nil, t.fault
	}
	if end := t.ends(); end != nil {
		return end, nil
	}
	switch {
	case t.rounds > maxRounds && t.asked:
		return &model.LLMResponse{Content: t.forecastCall()}, nil
	case t.rounds > maxRounds:
		return says(ownWords(t.lang).whichCity), nil
	}
	return nil, nil
}

// forecastCall returns the call of the team, for when the model does not make it.
func (t *turn) forecastCall() *genai.Content {
	call := &genai.FunctionCall{ID: fmt.Sprintf("adk-code-%d", t.rounds), Name: teamName, Args: map[string]any{"request": "the forecast"}}
	return genai.NewContentFromParts([]*genai.Part{{FunctionCall: call}}, genai.RoleModel)
}

// ends returns the answer that ends the turn, nil if it goes on.
func (t *turn) ends() *model.LLMResponse {
	switch {
	case t.fault != nil:
		return says("")
	case t.unclear != nil:
		var names []string
		for _, c := range t.unclear.Candidates {
			names = append(names, c.String())
		}
		return says(fmt.Sprintf(ownWords(t.lang).whichPlace, t.unclear.Name, strings.Join(names, "; ")))
	case t.result != nil:
		return says(t.result.Text)
	}
	return nil
}

// afterModel ensures that only forecasts speak of the weather: it makes the forecast that
// the user asked for, and replaces other claims about weather by the question for the city.
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
	claims := t.claims(text.String())
	switch {
	case t.asked, claims && t.get(ctx, keyPoint) != "":
		return &model.LLMResponse{Content: t.forecastCall(), UsageMetadata: r.UsageMetadata, ModelVersion: r.ModelVersion}, nil
	case claims:
		return says(ownWords(t.lang).whichCity), nil
	}
	return nil, nil
}

var degrees = regexp.MustCompile(`(?i)\d+ *(?:°|degrees?\b|도|độ\b)`)

// claims reports that a text makes a claim about the weather. A question does not.
func (t *turn) claims(text string) bool {
	text = strings.TrimSpace(text)
	words, ok := wordsOf(t.lang)
	return degrees.MatchString(text) || ok && !strings.HasSuffix(text, "?") && words.Condition(text, nil) != ""
}

// says returns a text as the model's answer.
func says(text string) *model.LLMResponse {
	return &model.LLMResponse{Content: genai.NewContentFromText(text, genai.RoleModel)}
}
