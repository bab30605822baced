package forecast

import (
	"fmt"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"

	"example.com/whatis/internal/usererror"
)

// status is the answer of tools that change something.
type status struct {
	Status   string `json:"status"` // success or error
	FilePath string `json:"file_path,omitempty"`
	Message  string `json:"message,omitempty"`
}

// statusOf returns success, or err's message.
func statusOf(err error) status {
	if err != nil {
		return status{Status: "error", Message: usererror.Cause(err, "it failed; the log of the service says why")}
	}
	return status{Status: "success"}
}

// cachedForecast is the answer of get_forecast_from_cache.
type cachedForecast struct {
	Cached     bool   `json:"cached"`
	Text       string `json:"forecast_text,omitempty"`
	TextFile   string `json:"text_file_path,omitempty"`
	AudioFile  string `json:"audio_file_path,omitempty"`
	AgeSeconds int    `json:"age_seconds,omitempty"`
	Message    string `json:"message,omitempty"`
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
	define(&all, &err, teamName, "Writes the forecast for CITY and WEATHER_TYPE, and speaks it if the user wants to hear it.", func(ctx adk.Context, _ struct {
		Request string `json:"request,omitempty"`
	}) madeForecast {
		return turnOf(ctx).make(ctx)
	})
	return all, err
}

// addCacheTools adds the tools that read the forecasts in the bucket.
func addCacheTools(all *[]tool.Tool, err *error) {
	define(all, err, "get_forecast_from_cache", "Looks for a forecast of the last half hour. Sets CITY, if a city is given.", func(ctx adk.Context, in struct {
		City string `json:"city,omitempty"`
	}) cachedForecast {
		t := turnOf(ctx)
		if in.City != "" {
			if err := t.setCity(ctx, in.City); err != nil {
				return cachedForecast{Message: usererror.Cause(err, "it failed; the log of the service says why")}
			}
		}
		res, ok, err := t.lookUp(ctx)
		switch {
		case err != nil:
			return cachedForecast{Message: usererror.Cause(err, "it failed; the log of the service says why")}
		case !ok:
			return cachedForecast{}
		}
		return cachedForecast{true, res.Text, res.TextFile, res.AudioFile, res.AgeSeconds, ""}
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
	define(all, err, "set_session_value", "Notes CITY, WEATHER_TYPE or UNITS for this conversation.", func(ctx adk.Context, in keyValue) status {
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
	define(all, err, "get_current_timestamp", "Tells the time in UTC, as files are named by it.", func(ctx adk.Context, _ struct{}) map[string]string {
		return map[string]string{"timestamp": turnOf(ctx).p.Now().UTC().Format(stamp)}
	})
}
