package api

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/forecast"
	"example.com/whatis/internal/forecast/openweather"
	"example.com/whatis/internal/outage"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

// The codes of problems with forecasts.
var (
	badPlace           = web.Code{Name: "bad_place", Status: http.StatusBadRequest, Cause: "The place is no name and no pair of coordinates."}
	badForecast        = web.Code{Name: "bad_forecast_option", Status: http.StatusBadRequest, Cause: "An option has a value that is not allowed."}
	badMessage         = web.Code{Name: "bad_message", Status: http.StatusBadRequest, Cause: "The message is empty or too long."}
	placeNotFound      = web.Code{Name: "place_not_found", Status: http.StatusNotFound, Cause: "OpenWeather knows no such place."}
	forecastTooFar     = web.Code{Name: "forecast_too_far", Status: http.StatusNotFound, Cause: "The forecast does not reach that time."}
	audioNotFound      = web.Code{Name: "audio_not_found", Status: http.StatusNotFound, Cause: "There is no such recording, or it has expired."}
	ambiguousPlace     = web.Code{Name: "ambiguous_place", Status: http.StatusConflict, Cause: "The name fits several places; choices lists them."}
	weatherQuota       = web.Code{Name: "weather_quota", Status: http.StatusTooManyRequests, Cause: "OpenWeather's quota is used up for now."}
	weatherUnavailable = web.Code{Name: "weather_unavailable", Status: http.StatusBadGateway, Cause: "OpenWeather answers with an error, or without a temperature."}
)

// weatherProblems are the problems of every route that asks for the weather.
var weatherProblems = []web.Code{badPlace, placeNotFound, ambiguousPlace, weatherQuota, weatherUnavailable, web.Away}

// The media types of forecasts, besides JSON.
const (
	textMedia = "text/plain"
	wavMedia  = "audio/wav"
)

// forecasts is the part of the site for weather forecasts.
func (a *API) forecasts() web.Part {
	if a.Forecast == nil {
		return web.Part{}
	}
	city := pathParameter("city", "A city in any script, or latitude,longitude")
	city.Schema.Examples = []any{"Seoul"}
	problems := append(append([]web.Code{badForecast, forecastTooFar}, weatherProblems...), append(modelProblems, storeProblems...)...)
	wav := map[string]web.Schema{wavMedia: web.Binary()}
	early := web.EventOf{Name: "text", Data: web.Ref("Forecast")}
	return web.Part{
		Name: "forecast", About: "The weather of a place, in spoken sentences",
		Routes: []web.Route{
			{
				ID: "sendWeatherMessage", Method: http.MethodPost, Path: "/forecast", Do: a.talkOfWeather, Summary: "Say something to weather_agent",
				More: "In any language: a place, a time, units, or a question about the last answer. The session of the answer, sent along, continues the conversation.",
				Body: web.InJSON(web.Ref("WeatherMessage")),
				Answers: []web.Reply{{Status: http.StatusOK, What: "Its answer. A stream has the events agent, text (Forecast), result, problem and end", Media: map[string]web.Schema{
					web.JSONMedia: web.Ref("WeatherReply"), web.EventMedia: runEvents(web.Ref("WeatherReply"), early),
				}}},
				Problems: append([]web.Code{web.BadBody, web.TooManyBytes, badMessage, sessionNotFound, sessionBusy, sessionTooLarge}, problems...),
			},
			{
				ID: "getForecast", Method: http.MethodGet, Path: "/forecast/{city}", Do: a.oneForecast, Summary: "The weather of a place, in a few spoken sentences",
				More:       "By Accept it is JSON, plain text or a WAV file. A forecast is answered with again for half an hour: cached and age_seconds tell.",
				Parameters: append([]web.Parameter{city}, forecastParameters...),
				Answers: []web.Reply{{Status: http.StatusOK, What: "The forecast. A stream has the events text, before the audio is there, result, problem and end", Media: map[string]web.Schema{
					web.JSONMedia: web.Ref("Forecast"), textMedia: {Type: "string"}, wavMedia: web.Binary(), web.EventMedia: runEvents(web.Ref("Forecast"), early),
				}}},
				Problems: problems,
			},
			{
				ID: "getForecastStats", Method: http.MethodGet, Path: "/forecast", Do: a.forecastStats, Summary: "What the caches hold, and what this instance has done",
				More:    "Cities and times to live of all instances; calls since the start of the instance that answers.",
				Answers: []web.Reply{{Status: http.StatusOK, What: "The figures", Media: web.InJSON(web.Ref("ForecastStats"))}}, Problems: storeProblems,
			},
			{
				ID: "getForecastHistory", Method: http.MethodGet, Path: "/forecast/{city}/history", Do: a.forecastHistory, Summary: "The forecasts of a place, newest first",
				More:       "Of all units, types and languages, for a week. While next is there, send it as after to get the next page.",
				Parameters: append([]web.Parameter{city}, inPage(mostForecasts)...),
				Answers:    []web.Reply{{Status: http.StatusOK, What: "A page of them", Media: web.InJSON(web.Ref("ForecastHistory"))}},
				Problems:   slices.Concat([]web.Code{web.BadCursor, web.BadOption}, weatherProblems, storeProblems),
			},
			{
				ID: "getForecastAudio", Method: http.MethodGet, Path: "/forecast/{city}/audio/{timestamp}", Do: a.forecastAudio, Summary: "A forecast, spoken: see audio_url",
				More:       "Whole, or the range that a player asks for. It is there for a week.",
				Parameters: []web.Parameter{city, pathParameter("timestamp", "As audio_url has it"), web.InQuery("which", "As audio_url has it", web.Schema{Type: "string"})},
				Answers:    []web.Reply{{Status: http.StatusOK, What: "WAV of 24 kHz, mono, 16 bit", Media: wav}}, Problems: append([]web.Code{audioNotFound}, storeProblems...),
			},
		},
		Explain: explainForecast,
		Codes:   append([]web.Code{badForecast, forecastTooFar, audioNotFound, badMessage}, weatherProblems...),
		Schemas: func() (map[string]*web.Schema, error) {
			return schemas(map[reflect.Type]*web.Schema{}, map[string]reflect.Type{
				"Forecast": reflect.TypeFor[forecast.Result](), "ForecastHistory": reflect.TypeFor[forecastList](), "ForecastStats": reflect.TypeFor[forecast.Stats](),
				"Place": reflect.TypeFor[openweather.Place](), "ForecastFact": reflect.TypeFor[forecast.Fact](), "ForecastHour": reflect.TypeFor[forecast.Hour](), "ForecastDay": reflect.TypeFor[forecast.Day](), "ForecastPart": reflect.TypeFor[forecast.Stretch](), "ForecastSpell": reflect.TypeFor[forecast.Spell](), "ForecastRain": reflect.TypeFor[forecast.Rain](),
				"WeatherMessage": reflect.TypeFor[weatherMessage](), "WeatherReply": reflect.TypeFor[forecast.Reply](),
			})
		},
	}
}

func pathParameter(name, what string) web.Parameter {
	return web.Parameter{Name: name, In: "path", Description: what, Required: true, Schema: web.Schema{Type: "string"}}
}

var forecastParameters = []web.Parameter{
	web.InQuery("units", "auto unless it is said, which follows the country", web.Enum("imperial", "metric", "standard", "auto")),
	web.InQuery("lang", "The language, by BCP 47; unless it is said, the first of Accept-Language, or else English", web.Schema{Type: "string"}),
	web.InQuery("type", "current unless it is said: current, today, tomorrow, weekend, hours, a day of the week such as sunday, or a date as 2026-11-29 within five days", web.Schema{Type: "string", Examples: []any{"sunday"}}),
	web.InQuery("hours", "How many lie ahead, of the type hours", web.Schema{Type: "integer", Minimum: web.Ptr(3.0), Maximum: web.Ptr(120.0)}),
	web.InQuery("audio", "Whether it is spoken too", web.Schema{Type: "boolean"}),
}

// explainForecast returns the problem for an error of a forecast.
func explainForecast(err error) (web.Problem, bool) {
	var several *openweather.Ambiguous
	var fault *openweather.Fault
	switch {
	case errors.As(err, &several):
		p := ambiguousPlace.Problem("%s", several.Public())
		p.Choices = several.Choices()
		return p, true
	case errors.As(err, &fault):
		slog.Warn("weather", "error", fault)
		return explainWeather(fault), true
	}
	return web.ExplainKnown(usererror.Text,
		web.Known{Err: openweather.ErrPlace, Code: badPlace},
		web.Known{Err: openweather.ErrUnknown, Code: placeNotFound},
		web.Known{Err: forecast.ErrOption, Code: badForecast},
		web.Known{Err: forecast.ErrTooFar, Code: forecastTooFar},
		web.Known{Err: forecast.ErrNoAudio, Code: audioNotFound},
		web.Known{Err: forecast.ErrMessage, Code: badMessage},
	)(err)
}

func explainWeather(fault *openweather.Fault) web.Problem {
	switch fault.Kind {
	case openweather.Quota:
		return weatherQuota.Problem("%s", fault.Public()).After(fault.RetryAfter)
	case openweather.Unavailable, openweather.Timeout:
		return web.Away.Problem("%s: try again in %s", fault.Public(), outage.RetryAfter).After(outage.RetryAfter)
	}
	return weatherUnavailable.Problem("%s", fault.Public())
}

// forecastRequest decodes a request for a forecast.
func forecastRequest(r *http.Request) (forecast.Request, error) {
	v := r.URL.Query()
	q := forecast.Request{City: r.PathValue("city"), Units: v.Get("units"), Lang: cmp.Or(v.Get("lang"), accepted(r)), Type: v.Get("type")}
	switch audio := v.Get("audio"); audio {
	case "", "false":
	case "true":
		q.Audio = true
	default:
		return q, fmt.Errorf("%w: audio %q: want true or false", forecast.ErrOption, usererror.Short(audio, usererror.Quoted))
	}
	if hours := v.Get("hours"); hours != "" {
		n, err := strconv.Atoi(hours)
		if err != nil || n == 0 {
			return q, fmt.Errorf("%w: hours %q: want 3 to 120", forecast.ErrOption, usererror.Short(hours, usererror.Quoted))
		}
		q.Hours = n
	}
	q.Audio = q.Audio || wants(r, wavMedia)
	return q, nil
}

// accepted returns the language that the caller of r likes best, with its script and region:
// "" if Accept-Language names none, or cannot be parsed.
func accepted(r *http.Request) string {
	tags, _, err := language.ParseAcceptLanguage(strings.Join(r.Header.Values("Accept-Language"), ","))
	if err != nil {
		return ""
	}
	for _, tag := range tags {
		base, script, region := tag.Raw()
		tag, err := language.Compose(base, script, region)
		if _, ok := agent.ParseLang(tag.String()); ok && err == nil && base.String() != "mul" { // which stands for *
			return tag.String()
		}
	}
	return ""
}

func wants(r *http.Request, media string) bool {
	return strings.Contains(r.Header.Get("Accept"), media)
}

// oneForecast answers with a forecast as JSON, text or audio.
func (a *API) oneForecast(w http.ResponseWriter, r *http.Request) error {
	w.Header().Add("Vary", "Accept, Accept-Language")
	q, err := forecastRequest(r)
	if err != nil {
		return err
	}
	p, err := a.Forecast(r.Context())
	if err != nil {
		return err
	}
	if web.WantsEvents(r) {
		return a.streamForecast(w, r, p, q)
	}
	res, err := p.Run(r.Context(), q, nil)
	switch {
	case err != nil:
		return err
	case wants(r, wavMedia) && res.SpeechProblem != nil:
		return res.SpeechProblem
	case wants(r, wavMedia):
		u, err := url.Parse(res.AudioURL)
		if err != nil {
			return err
		}
		return a.sendAudio(w, r, res.Place.ID, u.Query().Get("which"), u.Path[strings.LastIndexByte(u.Path, '/')+1:])
	case wants(r, textMedia) && !wants(r, web.JSONMedia):
		w.Header().Set("Content-Type", textMedia+"; charset=utf-8")
		_, _ = fmt.Fprintln(w, res.Text) // fails only if the client has left
		return nil
	}
	web.WriteJSON(w, http.StatusOK, res)
	return nil
}

// streamForecast sends the text before the audio is ready.
func (a *API) streamForecast(w http.ResponseWriter, r *http.Request, p *forecast.Pipeline, q forecast.Request) error {
	s := web.NewStream(w, a.Times)
	stop := s.KeepAlive()
	res, err := p.Run(r.Context(), q, func(early forecast.Result) { s.Send("text", "1", early) })
	stop()
	return a.endStream(s, res, err)
}

// endStream sends the result of a stream. If err is set, it sends the problem, or returns
// err if the stream has not begun.
func (a *API) endStream(s *web.Stream, result any, err error) error {
	if err != nil && !s.Begun() {
		return err
	}
	if err != nil {
		s.Send("problem", "2", a.Problem(err))
	} else {
		s.Send("result", "2", result)
	}
	s.Send("end", "3", struct{}{})
	return nil
}

// mostForecasts bounds a page of a city's forecasts: each is a file that is read.
const mostForecasts = 20

// A forecastList is a page of a city's forecasts.
type forecastList struct {
	Forecasts []forecast.Result `json:"forecasts"`
	Next      string            `json:"next,omitempty"` // the cursor of the next page, for after
	Note      string            `json:"note,omitempty"` // what to do, of a list without entries
}

func (a *API) forecastHistory(w http.ResponseWriter, r *http.Request) error {
	after, limit, err := pageOf(r.URL.Query(), mostForecasts)
	if err != nil {
		return err
	}
	p, err := a.Forecast(r.Context())
	if err != nil {
		return err
	}
	found, next, err := p.History(r.Context(), r.PathValue("city"), after, limit)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, forecastList{found, next, noteOf(len(found), after, "no forecast of this place is kept: GET /forecast/{city} makes one")})
	return nil
}

func (a *API) forecastAudio(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "private, max-age=3600") // of this address the file never changes
	return a.sendAudio(w, r, r.PathValue("city"), r.URL.Query().Get("which"), r.PathValue("timestamp"))
}

// sendAudio sends a WAV file, whole or the range that a player asks for.
func (a *API) sendAudio(w http.ResponseWriter, r *http.Request, place, which, timestamp string) error {
	p, err := a.Forecast(r.Context())
	if err != nil {
		return err
	}
	data, err := p.Audio(r.Context(), place, which, timestamp)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", wavMedia)
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(data)))
	return nil
}

func (a *API) forecastStats(w http.ResponseWriter, r *http.Request) error {
	p, err := a.Forecast(r.Context())
	if err != nil {
		return err
	}
	stats, err := p.Stats(r.Context())
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, stats)
	return nil
}

// A weatherMessage is a message to weather_agent.
type weatherMessage struct {
	Message string `json:"message"`
	Session string `json:"session,omitempty"`
}

// maxMessage is the largest body of a message.
const maxMessage = 64 << 10

// talkOfWeather passes a message to weather_agent.
func (a *API) talkOfWeather(w http.ResponseWriter, r *http.Request) error {
	var m weatherMessage
	if err := web.ReadJSON(w, r, maxMessage, &m, "message", `{"message":"How is the weather in Seoul?","session":"as the answer before had it, or nothing"}`); err != nil {
		return err
	}
	c, err := a.Talk(r.Context())
	if err != nil {
		return err
	}
	said := forecast.Message{Text: m.Message, Session: m.Session, Caller: caller.From(r.Context()).Owner()}
	if !web.WantsEvents(r) {
		reply, err := c.Say(r.Context(), said, nil, nil)
		if err == nil {
			web.WriteJSON(w, http.StatusOK, reply)
		}
		return err
	}
	s := web.NewStream(w, a.Times)
	stop := s.KeepAlive()
	reply, err := c.Say(r.Context(), said, func(e *agent.Event) { s.Send("agent", "0", e) }, func(early forecast.Result) { s.Send("text", "1", early) })
	stop()
	return a.endStream(s, reply, err)
}
