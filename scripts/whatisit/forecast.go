package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"example.com/whatis/internal/forecast"
	"example.com/whatis/internal/search"
)

// forecastCommand prints the weather forecast of a place.
type forecastCommand struct {
	where
	City  []string `arg:"" help:"A city in any script, with its state or country if the name is ambiguous; or latitude,longitude."`
	Units string   `default:"auto" enum:"auto,imperial,metric,standard" help:"Auto follows the place's country."`
	Lang  string   `default:"en" help:"The language of the text, by BCP 47."`
	Type  string   `default:"current" help:"The period: current, today, tomorrow, weekend, hours, a day of the week such as sunday, or a date as 2026-11-29."`
	Hours int      `default:"12" help:"The number of hours, with --type hours."`
	Audio string   `placeholder:"FILE" help:"Also request speech, and write it to this WAV file."`

	Session string `placeholder:"ID" help:"Ask in a conversation: the words are a message in any language. ID is what the answer before names; new begins one."`
}

// Help returns the help text of whatisit forecast, without its flags.
func (forecastCommand) Help() string {
	return "Prints the forecast on standard error and, if standard output is not a terminal or with --json, the complete JSON on standard output.\n\n  whatisit forecast --emulated Seattle\n  whatisit forecast --emulated 서울 --lang ko --type tomorrow --audio seoul.wav\n  whatisit forecast --session new How is the weather in Hanoi?\n  whatisit forecast --session ID and tomorrow?"
}

// Run requests the forecast, prints it, and writes the audio.
func (f *forecastCommand) Run(ctx context.Context, c *console) error {
	if f.Session != "" && f.Audio != "" {
		return usage("--session answers in words: leave out --audio, or --session")
	}
	f.where = f.found(c)
	s, err := f.open(ctx, c)
	if err != nil {
		return err
	}
	defer s.close()
	if f.Session != "" {
		return f.talk(ctx, c, s)
	}
	query := url.Values{"units": {f.Units}, "lang": {f.Lang}, "type": {f.Type}, "hours": {strconv.Itoa(f.Hours)}, "audio": {strconv.FormatBool(f.Audio != "")}}
	path := "/forecast/" + url.PathEscape(strings.Join(f.City, " ")) + "?" + query.Encode()
	var all json.RawMessage
	if err := s.answer(ctx, request{method: http.MethodGet, path: path, accept: "application/json"}, &all); err != nil {
		return err
	}
	var said struct {
		Text     string   `json:"forecast_text"`
		AudioURL string   `json:"audio_url"`
		Warnings []string `json:"warnings"`
	}
	if err := json.Unmarshal(all, &said); err != nil {
		return err
	}
	c.say("%s", said.Text)
	if len(said.Warnings) > 0 {
		c.say("(%s)", strings.Join(said.Warnings, ", "))
	}
	if _, err := fmt.Fprintf(c.results(), "%s\n", all); err != nil {
		return err
	}
	if f.Audio == "" {
		return nil
	}
	return f.save(ctx, s, said.AudioURL)
}

// talk sends the words as a message of a conversation, and prints the answer.
func (f *forecastCommand) talk(ctx context.Context, c *console, s *service) error {
	message := map[string]string{"message": strings.Join(f.City, " ")}
	if f.Session != search.NewSession {
		message["session"] = f.Session
	}
	var all json.RawMessage
	if err := s.answer(ctx, request{method: http.MethodPost, path: "/forecast", kind: "application/json", body: encode(message)}, &all); err != nil {
		return because(ctx, err)
	}
	var said forecast.Reply
	if err := json.Unmarshal(all, &said); err != nil {
		return err
	}
	c.say("%s", said.Text)
	s.askOn(c, "forecast", said.Session)
	_, err := fmt.Fprintf(c.results(), "%s\n", all)
	return err
}

// save writes the audio to its file.
func (f *forecastCommand) save(ctx context.Context, s *service, from string) error {
	if from == "" {
		return fmt.Errorf("there is no audio yet: ask again")
	}
	resp, err := s.do(ctx, request{method: http.MethodGet, path: from})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil {
		return fmt.Errorf("%s: the audio is incomplete: %w", s.base, err)
	}
	return os.WriteFile(f.Audio, data, 0o644)
}
