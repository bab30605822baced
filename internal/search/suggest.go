package search

import (
	"cmp"
	"context"
	"fmt"

	"example.com/whatis/internal/search/index"
)

// MaxSuggestions is how many suggestions there are at most.
const MaxSuggestions = 10

// Suggestions are what may be meant by the beginning of a query.
type Suggestions struct {
	Shop        string             `json:"shop"`
	Suggestions []index.Suggestion `json:"suggestions"`
}

// Suggest returns categories, brands and products whose names begin with a text, or have words that do,
// without a call of a model; an empty shop means the configured one.
func (p *Pipeline) Suggest(ctx context.Context, shop, text string) (Suggestions, error) {
	name := cmp.Or(shop, p.Shop)
	of, err := p.knownShop(ctx, name)
	if err != nil {
		return Suggestions{}, err
	}
	if err := (Request{Query: cmp.Or(text, "-")}).Check(); err != nil {
		return Suggestions{}, err
	}
	all, err := of.index.Suggest(ctx, text, MaxSuggestions)
	if err != nil {
		return Suggestions{}, fmt.Errorf("search: %w", err)
	}
	return Suggestions{name, append([]index.Suggestion{}, all...)}, nil
}
