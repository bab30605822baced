package search

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/photo"

	"example.com/whatis/internal/usererror"
)

// Skill returns the agent's skill, over the pipeline that get returns. Results of searches
// are not stored.
func Skill(get func(context.Context) (*Pipeline, error)) agent.Skill {
	card := agent.Card{
		ID: "search", Tool: "search_products", Name: "Search the products of a shop",
		Description: "Finds products of a shop by words in Vietnamese or English, by a picture, or by both; answers questions on one product, on stock, on how many there are, and those that the shop has notes on, such as materials.",
		Tags:        []string{"search", "products", "eyewear", "picture"},
		Examples:    []string{`{"query":"kính râm nam gọng tròn dưới 2 triệu"}`, `{"query":"black cat-eye frames for women","limit":10}`},
		Effects:     agent.Effects{ReadOnly: true, Closed: true},
	}
	return agent.NewSkill(card, func(ctx context.Context, req Request, emit func(*agent.Event)) (Result, error) {
		p, err := get(ctx)
		if err != nil {
			return Result{}, err
		}
		r, err := p.Run(ctx, req, emit)
		var input *InputError
		var picture *photo.Error
		if errors.As(err, &input) || errors.As(err, &picture) {
			return r, fmt.Errorf("%w: %s", agent.ErrInput, usererror.Text(err))
		}
		return r, err
	}, agent.WithInput(bounds))
}

// bounds adds limits to the fields of a schema.
func bounds(s *jsonschema.Schema) {
	s.Properties["lang"].Enum = []any{"vi", "en", "ko"}
	s.Properties["sort"].Enum = []any{ByRelevance, PriceUp, PriceDown, Newest}
	s.Properties["filters"].AdditionalProperties = ChoicesSchema()
	s.Properties["query"].MaxLength = jsonschema.Ptr(MaxQuery)
	s.Properties["limit"].Minimum, s.Properties["limit"].Maximum = jsonschema.Ptr(1.0), jsonschema.Ptr(float64(MaxLimit))
}
