package forecast

import (
	"errors"
	"fmt"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"

	"example.com/whatis/internal/forecast/openweather"
	"example.com/whatis/internal/usererror"
)

// status is the answer of tools that change something.
type status struct {
	Status   string `json:"status"` // success or error
	FilePath string `json:"file_path,omitempty"`
	Message  string `json:"message,omitempty"`
	// Choices are the places that have a name, of which the user must choose one.
	Choices []string `json:"choices,omitempty"`
}

// statusOf returns success, or err's message.
func statusOf(err error) status {
	if err == nil {
		return status{Status: "success"}
	}
	s := status{Status: "error", Message: usererror.Cause(err, "it failed; the log of the service says why")}
	if several, ok := errors.AsType[*openweather.Ambiguous](err); ok {
		s.Choices = several.Choices()
	}
	return s
}

// cachedForecast is the answer of get_forecast_from_cache.
type cachedForecast struct {
	Cached     bool     `json:"cached"`
	Text       string   `json:"forecast_text,omitempty"`
	TextFile   string   `json:"text_file_path,omitempty"`
	AudioFile  string   `json:"audio_file_path,omitempty"`
	AgeSeconds int      `json:"age_seconds,omitempty"`
	Message    string   `json:"message,omitempty"`
	Choices    []string `json:"choices,omitempty"`
}

// heard is what the model hears in the user's message, of which every tool that finds or
// makes a forecast is told.
type heard struct {
	Language string `json:"language,omitempty" jsonschema:"the language the user writes in, by BCP 47, as en, ko or pt-BR"`
	Audio    bool   `json:"audio,omitempty" jsonschema:"whether the user wants to hear the forecast"`
}

// madeForecast is the answer of weather_studio_team.
type madeForecast struct {
	status
	Text      string `json:"forecast_text,omitempty"`
	TextFile  string `json:"text_file_path,omitempty"`
	AudioFile string `json:"audio_file_path,omitempty"`
}

type keyValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// define adds a tool to all. Tools that the model calls in parallel run one at a time.
func define[In, Out any](all *[]tool.Tool, err *error, name, about string, do func(adk.Context, In) Out) {
	t, e := functiontool.New(functiontool.Config{Name: name, Description: about}, func(ctx adk.Context, in In) (Out, error) {
		t := turnOf(ctx)
		t.tools.Lock()
		defer t.tools.Unlock()
		return do(ctx, in), nil
	})
	if e != nil && *err == nil {
		*err = fmt.Errorf("%s: %w", name, e)
	}
	*all = append(*all, t)
}

// tools returns the tools of weather_agent.
func tools() (all []tool.Tool, err error) {
	addCacheTools(&all, &err)
	addSessionTools(&all, &err)
	define(&all, &err, teamName, "Writes the forecast for CITY and WEATHER_TYPE, and speaks it if the user wants to hear it.", func(ctx adk.Context, in struct {
		Request string `json:"request,omitempty"`
		heard
	}) madeForecast {
		t := turnOf(ctx)
		if err := t.hears(ctx, in.Language, in.Audio); err != nil {
			return madeForecast{status: statusOf(err)}
		}
		return t.make(ctx)
	})
	return all, err
}

// addCacheTools adds the tools that read the forecasts in the bucket.
func addCacheTools(all *[]tool.Tool, err *error) {
	define(all, err, "get_forecast_from_cache", "Looks for a forecast of the last half hour. Sets CITY, if a city is given.", func(ctx adk.Context, in struct {
		City string `json:"city,omitempty"`
		heard
	}) cachedForecast {
		return turnOf(ctx).cached(ctx, in.City, in.heard)
	})
	define(all, err, "cache_forecast", "Confirms that the forecast of this conversation is kept.", func(ctx adk.Context, _ struct{}) status {
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
	define(all, err, "get_cache_stats", "Tells what the caches hold.", func(ctx adk.Context, _ struct{}) Stats {
		s, err := turnOf(ctx).p.Stats(ctx)
		if err != nil {
			_ = turnOf(ctx).noted(err)
		}
		return s
	})
}

// addSessionTools adds the tools that store the user's choices, and tell the time.
func addSessionTools(all *[]tool.Tool, err *error) {
	define(all, err, "set_session_value", "Notes CITY, WEATHER_TYPE, UNITS or LANGUAGE for this conversation.", func(ctx adk.Context, in keyValue) status {
		t := turnOf(ctx)
		switch in.Key {
		case keyCity:
			return statusOf(t.setCity(ctx, in.Value))
		case keyType:
			if _, _, err := kindOf(in.Value); err != nil {
				return statusOf(err)
			}
			return statusOf(t.choose(ctx, keyType, usererror.Short(in.Value, 200)))
		case keyUnits:
			if !oneOf(in.Value, "imperial", "metric", "standard", "auto") {
				return status{Status: "error", Message: "UNITS is imperial, metric, standard or auto"}
			}
			return statusOf(t.choose(ctx, keyUnits, in.Value))
		case keyLang:
			return statusOf(t.hears(ctx, in.Value, false))
		}
		return status{Status: "error", Message: "the key is CITY, WEATHER_TYPE, UNITS or LANGUAGE: code sets the others"}
	})
	define(all, err, "get_current_timestamp", "Tells the time in UTC, as files are named by it.", func(ctx adk.Context, _ struct{}) map[string]string {
		return map[string]string{"timestamp": turnOf(ctx).p.Now().UTC().Format(stamp)}
	})
}

// cached answers get_forecast_from_cache.
func (t *turn) cached(ctx adk.Context, city string, in heard) cachedForecast {
	err := t.hears(ctx, in.Language, in.Audio)
	if err == nil && city != "" {
		err = t.setCity(ctx, city)
	}
	if err != nil {
		return refused(err)
	}
	res, ok, err := t.lookUp(ctx)
	switch {
	case err != nil:
		return refused(err)
	case !ok:
		return cachedForecast{}
	}
	return cachedForecast{Cached: true, Text: res.Text, TextFile: res.TextFile, AudioFile: res.AudioFile, AgeSeconds: res.AgeSeconds}
}

// refused tells the model of an error.
func refused(err error) cachedForecast {
	s := statusOf(err)
	return cachedForecast{Message: s.Message, Choices: s.Choices}
}
