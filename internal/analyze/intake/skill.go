package intake

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
)

// A Question asks what the product in a photo is.
type Question struct {
	Image      []byte    `json:"image,omitempty" jsonschema:"the bytes of the photo"`
	URI        string    `json:"uri,omitempty" jsonschema:"or where it lies: gs://bucket/object, in the bucket of uploads"`
	Photos     []Picture `json:"photos,omitempty" jsonschema:"or several photos of one product, in order"`
	Country    string    `json:"country,omitempty" jsonschema:"where the photo was taken: ISO 3166-1 alpha-2"`
	Lang       string    `json:"lang,omitempty" jsonschema:"of the texts in the result: BCP 47"`
	Policy     string    `json:"policy,omitempty" jsonschema:"how much it takes to believe a photo"`
	SecondLook string    `json:"second_look,omitempty" jsonschema:"when the stronger model looks again"`
	Fresh      bool      `json:"fresh,omitempty" jsonschema:"ask the models even if the same photo was analysed before"`
}

// A Picture is one of several photos of a product.
type Picture struct {
	Image []byte `json:"image,omitempty" jsonschema:"the bytes of the photo"`
	URI   string `json:"uri,omitempty" jsonschema:"or where it lies: gs://bucket/object, in the bucket of uploads"`
	File  string `json:"file,omitempty" jsonschema:"its name, which the result has beside it"`
}

// Skill returns the agent's skill for one photo, using the intake that open returns.
// The caller reserves memory for the photo.
func Skill(open func(context.Context) (*Intake, error)) agent.Skill {
	card := agent.Card{
		ID: "analyze", Tool: "analyze_image", Name: "Identify the product in a photo",
		Description: "Reads the photo of a product and names it, with its brand, category, features and expiration date, and how sure that is.",
		Tags:        []string{"photo", "product", "barcode", "expiry"},
		Examples:    []string{`{"uri":"gs://uploads/shelf/tea.jpg","country":"KR","lang":"ko"}`},
		Effects:     agent.Effects{Additive: true, Idempotent: true}, // it may learn a product, and asks the web
	}
	run := func(ctx context.Context, q Question, emit func(*agent.Event)) (analyze.Result, error) {
		p, err := q.photo(ctx)
		if err != nil {
			return analyze.Result{}, err
		}
		in, err := open(ctx)
		if err != nil {
			return analyze.Result{}, err
		}
		return in.Photo(ctx, p, emit)
	}
	return agent.NewSkill(card, run, agent.WithOutput(ResultSchema()), agent.WithInput(chosen))
}

// photo returns the request of q.
func (q Question) photo(ctx context.Context) (Photo, error) {
	photos := q.Photos
	if len(photos) == 0 || q.Image != nil || q.URI != "" {
		photos = append([]Picture{{Image: q.Image, URI: q.URI}}, photos...)
	}
	p := Photo{
		Fresh: q.Fresh, Resumed: agent.Resumed(ctx),
		Options: Options{Country: q.Country, Lang: q.Lang, Policy: q.Policy, SecondLook: q.SecondLook},
	}
	for i, one := range photos {
		s, err := one.source()
		if err != nil && len(photos) > 1 {
			err = fmt.Errorf("%w (photo %d of %d)", err, i+1, len(photos))
		}
		if err != nil {
			return Photo{}, err
		}
		if i == 0 {
			p.File, p.Data, p.URI = s.File, s.Data, s.URI
		} else {
			p.More = append(p.More, s)
		}
	}
	return p, nil
}

func (p Picture) source() (Source, error) {
	switch {
	case p.Image != nil && p.URI != "":
		return Source{}, fmt.Errorf("%w: it names one photo by image and by uri: send one of them", agent.ErrInput)
	case p.Image == nil && p.URI == "":
		return Source{}, fmt.Errorf(`%w: it has neither image nor uri: send {"image":"<base64>"} or {"uri":"gs://bucket/photo.jpg"}`, agent.ErrInput)
	}
	return Source{p.File, p.Image, p.URI}, nil
}

// chosen adds the allowed values of the options to s.
func chosen(s *jsonschema.Schema) {
	s.Properties["policy"].Enum = []any{"seed", "strict"}
	s.Properties["second_look"].Enum = []any{"doubt", "always", "never"}
}

// ResultSchema returns the JSON schema of a result: that of its Go type, plus doubt
// and outcome, which MarshalJSON adds, and generations as strings.
func ResultSchema() *jsonschema.Schema {
	s, err := jsonschema.For[analyze.Result](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time"},
		reflect.TypeFor[analyze.Source](): {Type: "string", Enum: []any{
			string(analyze.FromImage), string(analyze.FromLocalDB), string(analyze.FromGoogleSearch)}},
	}})
	if err != nil {
		panic(fmt.Sprintf("intake: the schema of a result: %v", err))
	}
	s.Properties["doubt"] = &jsonschema.Schema{Type: "boolean", Description: "true if a person should look at it, and none has"}
	s.Properties["outcome"] = &jsonschema.Schema{
		Type: "string", Enum: []any{analyze.OutcomeProduct, analyze.OutcomeNoProduct, analyze.OutcomeFailed}, Description: "which of its three shapes the result has",
	}
	s.PropertyOrder = append(s.PropertyOrder, "doubt", "outcome")
	s.Required = []string{"inference_time", "token_usage", "outcome"} // the rest depends on the shape
	s.Properties["image"].Properties["generation"] = &jsonschema.Schema{Type: "string"}
	s.Properties["more_images"].Items.Properties["generation"] = &jsonschema.Schema{Type: "string"}
	return s
}
