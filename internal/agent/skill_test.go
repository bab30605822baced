package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/agent"
)

type question struct {
	City  string `json:"city" jsonschema:"where"`
	Days  int    `json:"days,omitempty"`
	Unit  string `json:"unit,omitempty"`
	Photo []byte `json:"photo,omitempty"`
	Place *place `json:"place,omitempty"`
}

type place struct {
	Tags []string `json:"tags"`
}

type answer struct {
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

var errClosed = errors.New("weather: closed")

func weather() agent.Skill {
	return agent.NewSkill(agent.Card{ID: "weather", Name: "Weather", Description: "Says how the weather is."},
		func(_ context.Context, q question, emit func(*agent.Event)) (answer, error) {
			if q.City == "nowhere" {
				return answer{}, errClosed
			}
			emit(&agent.Event{Time: time.UnixMicro(36), Data: "looked at " + q.City})
			return answer{Text: fmt.Sprint(q.City, " ", q.Days, " ", q.Unit, " ", len(q.Photo))}, nil
		},
		agent.WithInput(func(s *jsonschema.Schema) {
			s.Properties["days"].Maximum = jsonschema.Ptr(14.0)
			s.Properties["unit"].Enum = []any{"C", "F"}
		}))
}

func TestRun(t *testing.T) {
	const send = ": send {city, days?, unit?, photo?, place?}"
	tests := []struct{ input, want string }{
		{`{"city":"Seoul"}`, `{"text":"Seoul 0  0","at":"0001-01-01T00:00:00Z"}`},
		{`{"city":"Seoul","days":3,"unit":"F","photo":"aGk="}`, `{"text":"Seoul 3 F 2","at":"0001-01-01T00:00:00Z"}`},
		{`{"city":"nowhere"}`, "weather: closed"},
		{`{}`, `wrong input: missing properties: ["city"]` + send},
		{`{"town":"Seoul"}`, `wrong input: unexpected additional properties ["town"]` + send},
		{`{"city":7}`, `wrong input: city: 7 has type "integer", want "string"` + send},
		{`{"city":"a","days":15}`, `wrong input: days: 15 is greater than 14` + send},
		{`{"city":"a","days":1.5}`, `wrong input: days: 1.5 has type "number", want "integer"` + send},
		{`{"city":"a","unit":"K"}`, `wrong input: unit: K does not equal any of: [C F]` + send},
		{`{"city":"a","photo":"?"}`, `wrong input: photo is no base64` + send},
		{`{"city":"a","place":{"tags":[7]}}`, `wrong input: place.tags[0]: 7 has type "integer", want "string"` + send},
		{`{"city":"a","place":{}}`, `wrong input: place: missing properties: ["tags"]` + send},
		{`[]`, `wrong input: [] has type "array", want "object"` + send},
		{`{"city":`, `wrong input: it is no JSON (unexpected end of JSON input)` + send},
	}
	for _, test := range tests {
		out, err := weather().Run(t.Context(), []byte(test.input), nil)
		got := string(out)
		if err != nil {
			got = err.Error()
		}
		if got != test.want || strings.HasPrefix(test.want, "wrong input") != errors.Is(err, agent.ErrInput) {
			t.Errorf("Run(%s) = %s, want %s", test.input, got, test.want)
		}
	}
	_, err := weather().Run(t.Context(), []byte(`{"city":["`+strings.Repeat("x", 1<<20)+`"]}`), nil)
	if err == nil || len(err.Error()) > 400 {
		t.Errorf("a long input has an error of %d bytes, want a short one", len(fmt.Sprint(err)))
	}
}

// A mistake is reported with its path; for a keyword that no skill's schema has so far, in
// the words of the validator.
func TestMistakesOfBounds(t *testing.T) {
	type order struct {
		Name string             `json:"name"`
		Code string             `json:"code,omitempty"`
		Size map[string]float64 `json:"size,omitempty"`
	}
	s := agent.NewSkill(agent.Card{ID: "order"}, func(context.Context, order, func(*agent.Event)) (answer, error) { return answer{}, nil },
		agent.WithInput(func(s *jsonschema.Schema) {
			s.Properties["name"].MaxLength = jsonschema.Ptr(5)
			s.Properties["code"].Pattern = "^[0-9]+$"
			s.Properties["size"].AdditionalProperties.Minimum = jsonschema.Ptr(-0.5)
		}))
	for input, want := range map[string]string{
		`{"name":"six ch"}`:                       `wrong input: name: "six ch" has 6 characters, more than 5: send {name, code?, size?}`,
		`{"name":"a","size":{"b":-2000000}}`:      `wrong input: size.b: -2000000 is less than -0.5: send {name, code?, size?}`,
		`{"name":"a","size":{"a":1,"b":"large"}}`: `wrong input: size.b: large has type "string", want "number": send {name, code?, size?}`,
		`{"name":"a","code":"x"}`:                 `wrong input: pattern: "x" does not match regular expression "^[0-9]+$": send {name, code?, size?}`,
	} {
		if _, err := s.Run(t.Context(), []byte(input), nil); fmt.Sprint(err) != want || !errors.Is(err, agent.ErrInput) {
			t.Errorf("Run(%s) = %v, want %s", input, err, want)
		}
	}
}

func TestEvents(t *testing.T) {
	var got []*agent.Event
	if _, err := weather().Run(t.Context(), []byte(`{"city":"Seoul"}`), func(e *agent.Event) { got = append(got, e) }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Data != "looked at Seoul" || got[0].Time.UnixMicro() != 36 {
		t.Errorf("events %v, want the one that was emitted", got)
	}
}

// The schemas are those of the Go types.
func TestSchemas(t *testing.T) {
	s := weather()
	in, err := json.Marshal(s.Input)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{"city":{"type":"string","description":"where"},"days":{"type":"integer","maximum":14},` +
		`"unit":{"type":"string","enum":["C","F"]},"photo":{"type":"string","contentEncoding":"base64"},` +
		`"place":{"type":["null","object"],"properties":{"tags":{"type":["null","array"],"items":{"type":"string"}}},"required":["tags"],"additionalProperties":false}},` +
		`"required":["city"],"additionalProperties":false}`
	if string(in) != want {
		t.Errorf("the input's schema is\n%s, want\n%s", in, want)
	}
	if at := s.Output.Properties["at"]; at.Type != "string" || at.Format != "date-time" {
		t.Errorf("the output's time is %+v, want a date-time", at)
	}
}

func TestMistakes(t *testing.T) {
	run := func(context.Context, question, func(*agent.Event)) (answer, error) { return answer{}, nil }
	for what, make := range map[string]func(){
		"an ID with a space": func() { agent.NewSkill(agent.Card{ID: "a b"}, run) },
		"no ID":              func() { agent.NewSkill(agent.Card{}, run) },
		"an input that is a string": func() {
			agent.NewSkill(agent.Card{ID: "a"}, func(context.Context, string, func(*agent.Event)) (answer, error) { return answer{}, nil })
		},
		"an output without JSON": func() {
			agent.NewSkill(agent.Card{ID: "a"}, func(context.Context, question, func(*agent.Event)) (chan int, error) { return nil, nil })
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is taken", what)
				}
			}()
			make()
		}()
	}
}

func TestResumed(t *testing.T) {
	begun := time.Now()
	if !agent.Resumed(t.Context()).IsZero() || agent.Resumed(agent.Resume(t.Context(), begun)) != begun {
		t.Error("Resumed is not what Resume noted")
	}
}
