package discover

import (
	"context"

	"example.com/whatis/internal/skill"
)

// Skill is what the agent can do, over the pipeline that open returns.
func Skill(open func(context.Context) (*Pipeline, error)) skill.Skill {
	card := skill.Card{
		ID: "discover", Name: "Discover which emissions data a place publishes",
		Description: "Searches the web for data on greenhouse gas emissions of a country, region or city and a sector. Each dataset comes with a quote of the page that publishes it.",
		Tags:        []string{"emissions", "inventory", "open data"},
		Examples:    []string{`{"country":"Uruguay","sector":"waste"}`, `{"city":"Linz, AT"}`},
	}
	return skill.NewLong(card, skill.Job[Request, Status]{
		Start: func(ctx context.Context, r Request) (string, error) {
			p, err := open(ctx)
			if err != nil {
				return "", err
			}
			s, err := p.Start(ctx, r)
			return s.ID, err
		},
		Status: func(ctx context.Context, id string) (skill.State, Status, error) {
			p, err := open(ctx)
			if err != nil {
				return "", Status{}, err
			}
			s, err := p.Get(ctx, id)
			return s.State.skillState(), s, err
		},
		Cancel: func(ctx context.Context, id string) error {
			p, err := open(ctx)
			if err == nil {
				_, err = p.Cancel(ctx, id)
			}
			return err
		},
	})
}

// skillState is the state of a run as one of the skill.
func (s State) skillState() skill.State {
	switch s {
	case done:
		return skill.Done
	case broken:
		return skill.Failed
	case cancelled:
		return skill.Canceled
	}
	return skill.Working
}
