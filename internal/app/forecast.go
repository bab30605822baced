package app

import (
	"context"
	"errors"
	"fmt"

	adk "google.golang.org/adk/v2/agent"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/forecast"
	"example.com/whatis/internal/forecast/openweather"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/web/caller"
)

// Forecast configures the agent for weather forecasts. It is enabled if a key is set.
type Forecast struct {
	// The key of [OpenWeather](https://openweathermap.org/api). Without it there are no
	// forecasts.
	WeatherKey string `env:"OPENWEATHER_API_KEY"`
	// Another address than OpenWeather's, such as its emulator's; not on Cloud Run.
	WeatherURL string `env:"OPENWEATHER_BASE_URL, default=https://api.openweathermap.org"`
	// How many calls a minute this instance may make; Terraform divides those of the key.
	WeatherPerMinute int `env:"OPENWEATHER_PER_MINUTE, default=60"`

	// Writes forecasts and speaks of them, and thinks that much.
	Model    string          `env:"FORECAST_MODEL, default=gemini-3.6-flash"`
	Thinking gemini.Thinking `env:"FORECAST_THINKING, default=low"`
	// Whether `JUDGE_MODEL` checks each sentence of a forecast against the weather data before it
	// is told, with one call for each forecast that is made.
	Check bool `env:"FORECAST_CHECK, default=true"`
	// Speaks forecasts, in that voice. Without it they are text alone.
	Speech string `env:"SPEECH_MODEL, default=gemini-3.8-flash-lite-tts"`
	Voice  string `env:"SPEECH_VOICE, default=Kore"`
	// Where Vertex AI is asked for speech, which gets the words of a forecast and never a photo. Left
	// out it is `GOOGLE_CLOUD_LOCATION`, and forecasts are text alone if `SPEECH_MODEL` is not
	// there ([where models are](prices.md#where-the-models-are-asked)): most are at `global` alone.
	SpeechLocation string `env:"SPEECH_LOCATION"`
}

// check refuses invalid settings, naming the variable.
func (c Forecast) check(p Platform) error {
	if c.WeatherKey != "" && c.Model == "" {
		return errors.New("app: FORECAST_MODEL is empty: forecasts are written by a model")
	}
	if err := c.Thinking.Check(); err != nil {
		return fmt.Errorf("app: FORECAST_THINKING is %w", err)
	}
	if c.WeatherPerMinute < 1 {
		return fmt.Errorf("app: OPENWEATHER_PER_MINUTE is %d: want 1 or more", c.WeatherPerMinute)
	}
	if lacks := gemini.LacksHere(c.Speech, c.SpeechLocation); c.SpeechLocation != "" && lacks != "" {
		return fmt.Errorf("app: SPEECH_LOCATION: %s. Name a location that has it, or leave SPEECH_LOCATION out for text alone", lacks)
	}
	if c.WeatherURL != openweather.DefaultURL && p.Service != "" {
		return fmt.Errorf("app: OPENWEATHER_BASE_URL is %q, and may only be %s on Cloud Run (K_SERVICE is set)", c.WeatherURL, openweather.DefaultURL)
	}
	return nil
}

// forecasts reports that forecasts can be made.
func (a *App) forecasts() bool {
	return a.Platform.offers("forecast") && a.Config.Forecast.WeatherKey != "" && a.Platform.ResultsBucket != ""
}

// forecastEntry returns the agent's skills.
func (a *App) forecastEntry() entry {
	if !a.forecasts() {
		return entry{}
	}
	return entry{skills: []agent.Skill{forecast.Skill(a.forecasting, a.talk)}, agent: func(ctx context.Context) (adk.Agent, error) {
		p, err := a.forecasting(ctx)
		if err != nil {
			return nil, err
		}
		return p.Agent()
	}}
}

// A forecaster has the agent's pipeline, and the same as a conversation.
type forecaster struct {
	pipeline     *forecast.Pipeline
	conversation *forecast.Conversation
}

// forecastModels returns the models of forecasts, none for speech where it is not to be had.
func (c Config) forecastModels() forecast.Config {
	f := c.Forecast
	models := forecast.Config{Model: f.Model, Thinking: f.Thinking, Speech: f.Speech, Voice: f.Voice}
	if gemini.LacksHere(f.Speech, f.SpeechLocation) != "" {
		models.Speech = ""
	}
	if f.Check {
		models.Checker, models.CheckerThinking = c.Analyze.JudgeModel, c.Analyze.JudgeThinking
	}
	return models
}

func (a *App) openForecast(_ context.Context, with clients) (agent forecaster, err error) {
	c := a.Config.Forecast
	sky, err := openweather.New(openweather.Config{Key: c.WeatherKey, BaseURL: c.WeatherURL, PerMinute: c.WeatherPerMinute, AllowEmulated: a.Platform.Service == "", Shared: forecast.Shared{Objects: with.objects, Bucket: a.Platform.ResultsBucket}})
	if err != nil {
		return agent, err
	}
	made := a.Config.forecastModels()
	made.Owner = func(ctx context.Context) string { return caller.From(ctx).Owner() }
	made.Weather, made.Gemini, made.Objects, made.Leases, made.Bucket = sky, with.gemini, with.objects, with.runs, a.Platform.ResultsBucket
	agent.pipeline, err = forecast.New(made)
	if err != nil {
		return agent, err
	}
	agent.conversation, err = agent.pipeline.Conversation(with.sessions)
	return agent, err
}

func (a *App) forecasting(ctx context.Context) (*forecast.Pipeline, error) {
	agent, err := a.forecast.Get(ctx)
	return agent.pipeline, err
}

// talk returns the conversation with weather_agent.
func (a *App) talk(ctx context.Context) (*forecast.Conversation, error) {
	agent, err := a.forecast.Get(ctx)
	return agent.conversation, err
}
