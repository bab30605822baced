package forecast

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/adk/v2/tool/toolutils"
	"google.golang.org/genai"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/usererror"
)

// status is what tools answer that do something.
type status struct {
	Status   string `json:"status"` // success or error
	FilePath string `json:"file_path,omitempty"`
	Message  string `json:"message,omitempty"`
}

// statusOf is success, or what is wrong.
func statusOf(err error) status {
	if err != nil {
		return status{Status: "error", Message: usererror.Text(err)}
	}
	return status{Status: "success"}
}

// cachedForecast is what get_forecast_from_cache answers.
type cachedForecast struct {
	Cached     bool   `json:"cached"`
	Text       string `json:"forecast_text,omitempty"`
	TextFile   string `json:"text_file_path,omitempty"`
	AudioFile  string `json:"audio_file_path,omitempty"`
	AgeSeconds int    `json:"age_seconds,omitempty"`
	Message    string `json:"message,omitempty"`
}

type keyValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// define adds a tool to all. Those that weather_agent's model calls at once take turns.
func define[In, Out any](all *[]tool.Tool, err *error, name, about string, do func(adk.Context, In) Out) {
	t, e := functiontool.New(functiontool.Config{Name: name, Description: about}, func(ctx adk.Context, in In) (Out, error) {
		if t := turnOf(ctx); t != nil && jobOf(ctx) == nil {
			t.tools.Lock()
			defer t.tools.Unlock()
		}
		return do(ctx, in), nil
	})
	if e != nil && *err == nil {
		*err = fmt.Errorf("%s: %w", name, e)
	}
	*all = append(*all, t)
}

// rootTools are those of weather_agent, its team aside.
func rootTools() (all []tool.Tool, err error) {
	define(&all, &err, "get_forecast_from_cache", "Looks for a forecast of the last half hour. Sets CITY, if a city is given.", func(ctx adk.Context, in struct {
		City string `json:"city,omitempty"`
	}) cachedForecast {
		t := turnOf(ctx)
		if in.City != "" {
			if err := t.setCity(ctx, in.City); err != nil {
				return cachedForecast{Message: usererror.Text(err)}
			}
		}
		res, ok, err := t.lookUp(ctx)
		switch {
		case err != nil:
			return cachedForecast{Message: usererror.Text(err)}
		case !ok:
			return cachedForecast{}
		}
		return cachedForecast{true, res.Text, res.TextFile, res.AudioFile, res.AgeSeconds, ""}
	})
	define(&all, &err, "cache_forecast", "Confirms that the forecast of this conversation is kept.", func(ctx adk.Context, _ struct{}) status {
		t := turnOf(ctx)
		v, err := t.variant(ctx)
		if err != nil {
			return statusOf(err)
		}
		k, ok, err := t.p.store.newest(ctx, v, t.p.Now())
		if err != nil || !ok {
			return status{Status: "error", Message: "there is no forecast yet"}
		}
		return status{Status: "success", FilePath: v.textFile(k.At)}
	})
	define(&all, &err, "get_cache_stats", "Tells what the caches hold.", func(ctx adk.Context, _ struct{}) Stats {
		s, err := turnOf(ctx).p.Stats(ctx)
		if err != nil {
			_ = turnOf(ctx).noted(err)
		}
		return s
	})
	define(&all, &err, "set_session_value", "Notes CITY, WEATHER_TYPE or UNITS for this conversation.", func(ctx adk.Context, in keyValue) status {
		t := turnOf(ctx)
		switch in.Key {
		case keyCity:
			return statusOf(t.setCity(ctx, in.Value))
		case keyType, keyUnits:
			if in.Key == keyUnits && !oneOf(in.Value, "imperial", "metric", "standard", "auto") {
				return status{Status: "error", Message: "UNITS is imperial, metric, standard or auto"}
			}
			t.asked = t.asked || t.get(ctx, keyPoint) != ""
			t.looked, t.result = false, nil // tools that are called at once run in no order
			return statusOf(t.set(ctx, in.Key, usererror.Short(in.Value, 200)))
		}
		return status{Status: "error", Message: "the key is CITY, WEATHER_TYPE or UNITS: code sets the others"}
	})
	define(&all, &err, "get_current_timestamp", "Tells the time in UTC, as files are named by it.", func(ctx adk.Context, _ struct{}) map[string]string {
		return map[string]string{"timestamp": turnOf(ctx).p.Now().UTC().Format(stamp)}
	})
	return all, err
}

// A job is what the team is to do: write the outlook's text, or speak a text into a
// file.
type job struct {
	variant variant
	outlook *outlook
	file    string // of the audio
	text    string
	say     func(ctx context.Context, tone string) error

	mu      sync.Mutex
	rounds  int
	refused int
	done    bool
	fault   error
}

type jobKey struct{}

func jobOf(ctx context.Context) *job {
	j, _ := ctx.Value(jobKey{}).(*job)
	return j
}

// end ends an agent of the team that has nothing to do, is done or goes round too often.
func (j *job) end(idle bool) *model.LLMResponse {
	if idle || j.done || j.rounds >= maxRounds {
		return says("done")
	}
	j.rounds++
	return nil
}

// writerTools are those of forecast_writer_agent.
func writerTools() (all []tool.Tool, err error) {
	define(&all, &err, "get_current_weather", "Tells the facts, each as a slot with its value.", func(ctx adk.Context, _ struct {
		City string `json:"city,omitempty"`
	}) map[string]string {
		return map[string]string{"weather": jobOf(ctx).outlook.summary()}
	})
	defineNote(&all, &err, keyForecast, func(j *job, text string) { j.text = text })
	define(&all, &err, "write_text_file", "Checks the text in FORECAST and hands it over to be kept.", func(ctx adk.Context, _ struct {
		CityName string `json:"city_name,omitempty"`
	}) status {
		j := jobOf(ctx)
		j.mu.Lock()
		defer j.mu.Unlock()
		if err := j.outlook.check(j.text); err != nil {
			j.refused++
			j.done = j.refused > 1
			return statusOf(err)
		}
		j.done = true
		return status{Status: "success", FilePath: j.variant.textFile(j.outlook.at)}
	})
	return all, err
}

// speakerTools are those of forecast_speaker_agent.
func speakerTools() (all []tool.Tool, err error) {
	define(&all, &err, "generate_audio", "Has the forecast spoken in a tone.", func(ctx adk.Context, in struct {
		Tone string `json:"tone"`
	}) status {
		j := jobOf(ctx)
		j.fault = j.say(ctx, usererror.Short(cmp.Or(in.Tone, "calm"), 30))
		j.done = true
		s := statusOf(j.fault)
		s.FilePath = j.file
		return s
	})
	defineNote(&all, &err, "TONE", func(*job, string) {})
	return all, err
}

// defineNote is set_session_value for an agent of the team, which may set one key.
func defineNote(all *[]tool.Tool, err *error, key string, note func(*job, string)) {
	define(all, err, "set_session_value", "Notes "+key+" for this conversation.", func(ctx adk.Context, in keyValue) status {
		if in.Key != key {
			return status{Status: "error", Message: "the key is " + key}
		}
		j := jobOf(ctx)
		j.mu.Lock()
		defer j.mu.Unlock()
		note(j, in.Value)
		return statusOf(ctx.State().Set(in.Key, in.Value))
	})
}

// runnable is a tool that can be run.
type runnable interface {
	tool.Tool
	Declaration() *genai.FunctionDeclaration
	Run(adk.Context, any) (map[string]any, error)
}

// studio is the team as weather_agent's tool: what it makes is shared by all who ask for
// the same, and found again.
type studio struct {
	runnable
	p *Pipeline
}

// ProcessRequest puts the tool into a request of the model.
func (s *studio) ProcessRequest(_ adk.Context, r *model.LLMRequest) error {
	return toolutils.PackTool(r, s)
}

// Run makes the forecast that the session is about, unless there is a fresh one.
func (s *studio) Run(ctx adk.Context, args any) (map[string]any, error) {
	t := turnOf(ctx)
	t.tools.Lock()
	defer t.tools.Unlock()
	v, err := t.variant(ctx)
	if err != nil {
		return map[string]any{"status": "error", "message": usererror.Text(err)}, nil
	}
	res, err := s.p.text(ctx, v, func(flight context.Context, o *outlook, _ string) (draft, error) {
		j := &job{variant: v, outlook: o}
		err := s.run(ctx, flight, j, args)
		if err == nil && j.refused > 1 {
			err = errText
		}
		return draft{Forecast: j.text, Tone: "calm"}, err
	})
	if err != nil {
		t.asked = false // what cannot be answered is not asked for again
		return map[string]any{"status": "error", "message": usererror.Text(t.noted(err))}, nil
	}
	if t.audio {
		if t.early != nil && res.AudioFile == "" {
			t.early(res)
		}
		res = s.p.withAudio(ctx, v, res, func(flight context.Context, file string) (ledger gemini.Ledger, err error) {
			j := &job{variant: v, file: file, say: func(ctx context.Context, tone string) (err error) {
				ledger, err = s.p.say(ctx, file, res.Text, tone)
				return err
			}}
			if err = s.run(ctx, flight, j, args); err == nil && !j.done { // the model did not call its tool
				err = j.say(flight, "calm")
			}
			if j.fault != nil {
				err = j.fault
			}
			return ledger, err
		})
	}
	return map[string]any{"status": "success", "forecast_text": res.Text, "text_file_path": res.TextFile, "audio_file_path": res.AudioFile}, t.finish(ctx, res)
}

// run has the team do a job, in the time of the flight that all wait for.
func (s *studio) run(ctx adk.Context, flight context.Context, j *job, args any) error {
	_, err := s.runnable.Run(inFlight{ctx, context.WithValue(flight, jobKey{}, j)}, args)
	return err
}

// inFlight is a tool's context with the values and the time of a flight.
type inFlight struct {
	adk.Context
	flight context.Context
}

func (c inFlight) Deadline() (time.Time, bool) { return c.flight.Deadline() }
func (c inFlight) Done() <-chan struct{}       { return c.flight.Done() }
func (c inFlight) Err() error                  { return c.flight.Err() }
func (c inFlight) Value(key any) any           { return c.flight.Value(key) }
