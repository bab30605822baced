package forecast

import (
	"context"
	"time"

	"example.com/whatis/internal/agent"
)

// Skill returns the skill of Run, and of the conversation for words. open and talk open them.
func Skill(open func(context.Context) (*Pipeline, error), talk func(context.Context) (*Conversation, error)) agent.Skill {
	return agent.NewSkill(agent.Card{
		ID: "forecast", Tool: "get_forecast", Name: "The weather of a place, written and spoken",
		Description: "Says what the weather is somewhere, now, on a day or in the hours of the next five days, in a few sentences with advice, in any language, " +
			"with the values it speaks of, each day part by part, the times of rain, snow, storms and fog, and audio if wanted. A name that several places have is refused with the candidates. " +
			"Words instead are a message to its agent, which remembers the place, the day and the units.",
		Tags:    []string{"weather", "forecast", "speech"},
		Effects: agent.Effects{ReadOnly: true},
		Examples: []string{
			`{"city":"Seattle"}`, `{"city":"서울","lang":"ko","units":"metric","type":"tomorrow"}`, `{"city":"Đà Nẵng","lang":"vi","units":"auto","type":"hours","hours":6}`,
			`{"message":"How is the weather in Oslo on Sunday?"}`,
		},
	}, func(ctx context.Context, r Request, emit func(*agent.Event)) (Result, error) {
		early := func(early Result) {
			emit(&agent.Event{Author: writerName, Kind: agent.Finished, Time: time.Now(), Data: early})
		}
		if r.Message != "" {
			c, err := talk(ctx)
			if err != nil {
				return Result{}, err
			}
			return c.answer(ctx, r, emit, early)
		}
		p, err := open(ctx)
		if err != nil {
			return Result{}, err
		}
		return p.Run(ctx, r, early)
	})
}
