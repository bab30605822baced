package discover

import (
	"context"
	"fmt"
	"slices"

	"example.com/whatis/internal/fold"
)

// A Broken record is one whose quote its page does not hold.
type Broken struct {
	URL    string `json:"url"`
	Reason string `json:"reason"`
}

// Verify holds each quote of a result to the page as it lies in the bucket, and asks the
// web nothing.
func (p *Pipeline) Verify(ctx context.Context, r Result) (broken []Broken, err error) {
	for _, item := range r.Items {
		i := slices.IndexFunc(r.Sources, func(s *Page) bool { return s.URL == item.URL })
		if i < 0 || r.Sources[i].Object == "" {
			broken = append(broken, Broken{item.URL, "it is none of the pages that were fetched"})
			continue
		}
		kept, err := p.keptPage(ctx, r.Sources[i].Object)
		if err != nil {
			return broken, fmt.Errorf("discover: verify %s: %w", item.URL, err)
		}
		if !(evidence{folded: fold.String(kept.Document.Markdown)}).holds(item.Quote) {
			broken = append(broken, Broken{item.URL, "its page does not hold the quote"})
		}
	}
	return broken, nil
}
