package intake

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"example.com/whatis/internal/topic"
	"example.com/whatis/internal/work"
)

// announce publishes a finished result: its JSON without what Google found for
// the one who asked, and the attributes
//
//	id          of the result
//	source      image, local_db or google_search; empty without a product
//	object      gs://bucket/name, empty for bytes that came over HTTP
//	generation  of the object, 0 without one
//	outcome     product, no_product or failed
//
// It may be published more than once; id tells.
func (in *Intake) announce(ctx context.Context, id, uri string, generation int64, o work.Outcome) error {
	if in.Events == nil {
		return nil
	}
	data, err := public(o.Result)
	if err != nil {
		return err
	}
	return in.Events.Publish(ctx, topic.Message{Data: data, Attributes: map[string]string{
		"id": id, "source": o.Source, "object": uri, "generation": strconv.FormatInt(generation, 10), "outcome": kindOf(o),
	}})
}

// kindOf is what came of a photo, in a word.
func kindOf(o work.Outcome) string {
	switch {
	case o.Error != "":
		return "failed"
	case o.Source == "":
		return "no_product"
	}
	return "product"
}

// public is a result without the citations and suggestions of Google Search: its
// terms keep them for the one who asked.
func public(result json.RawMessage) (json.RawMessage, error) {
	r, err := decoded(result)
	if err != nil {
		return nil, err
	}
	r.Citations, r.SearchSuggestions = nil, ""
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("intake: encode a result: %w", err)
	}
	return data, nil
}
