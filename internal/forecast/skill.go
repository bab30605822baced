package forecast

import (
	"context"
	"time"

	"example.com/whatis/internal/agent"
)

// Skill returns the skill of Run. open opens the pipeline.
func Skill(open func(context.Context) (*Pipeline, error)) agent.Skill {
	return agent.NewSkill(agent.Card{
		ID: "forecast", Tool: "get_forecast", Name: "The weather of a place, written and spoken",
		Description: "Says what the weather is somewhere, now, on a day or in the hours of the next five days, in a few sentences with advice, in any language, " +
			"with the values it speaks of, each day part by part, the times of rain, snow, storms and fog, and audio if wanted. A name that several places have is refused with the candidates.",
		Tags:     []string{"weather", "forecast", "speech"},
		Effects:  agent.Effects{ReadOnly: true},
		Examples: []string{`{"city":"Seattle"}`, `{"city":"서울","lang":"ko","units":"metric","type":"tomorrow"}`, `{"city":"Đà Nẵng","lang":"vi","units":"auto","type":"hours","hours":6}`},
	}, func(ctx context.Context, r Request, emit func(*agent.Event)) (Result, error) {
		p, err := open(ctx)
		if err != nil {
			return Result{}, err
		}
		return p.Run(ctx, r, func(early Result) {
			emit(&agent.Event{Author: writerName, Kind: agent.Finished, Time: time.Now(), Data: early})
		})
	})
}
