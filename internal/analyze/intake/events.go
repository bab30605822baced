package intake

import (
	"context"
	"slices"
	"strconv"

	"example.com/whatis/internal/topic"
	"example.com/whatis/internal/work"
)

// announce publishes a finished result: its JSON without what Google found for
// the one who asked, and the attributes
//
//	id          of the result
//	source      that of the JSON: image, local_db or google_search; empty without a product
//	object      gs://bucket/name, empty for bytes that came over HTTP
//	generation  of the object, 0 without one
//	outcome     product, no_product or failed
//
// It may be published more than once; id tells.
func (in *Intake) announce(ctx context.Context, id, uri string, generation int64, o work.Outcome) error {
	if in.Events == nil {
		return nil
	}
	r, err := decoded(o.Result)
	if err != nil {
		return err
	}
	source := ""
	if r.Identification != nil {
		source = string(r.Source)
	}
	return in.Events.Publish(ctx, topic.Message{Data: r.Public(), Attributes: map[string]string{
		"id": id, "source": source, "object": uri, "generation": strconv.FormatInt(generation, 10), "outcome": kindOf(o),
	}})
}

// announceDelivery publishes the outcome of a delivery, and tells of a photo that
// was given up once more to those who watch over failures and replay them. The
// attributes of that message are id, object and generation as above, and the batch
// that asked, if one did.
func (in *Intake) announceDelivery(ctx context.Context, d Delivery, o work.Outcome) error {
	if err := in.announce(ctx, d.id(), d.URI(), d.Generation, o); err != nil || in.Failures == nil || o.Error == "" {
		return err
	}
	r, err := decoded(o.Result)
	if err != nil || !slices.Contains(r.Warnings, WarnGivenUp) {
		return err
	}
	attributes := map[string]string{"id": d.id(), "object": d.URI(), "generation": strconv.FormatInt(d.Generation, 10)}
	if d.Batch != "" {
		attributes["batch"] = d.Batch
	}
	return in.Failures.Publish(ctx, topic.Message{Data: r.Public(), Attributes: attributes})
}

// kindOf is what came of a photo, in a word.
func kindOf(o work.Outcome) string {
	switch {
	case o.Error != "":
		return "failed"
	case o.Index.Text(sourceField) == "":
		return "no_product"
	}
	return "product"
}
