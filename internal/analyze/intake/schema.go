package intake

import (
	"fmt"
	"reflect"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/analyze"
)

// ResultSchema is the JSON schema of a result: that of its Go type, and what struct
// tags say to encoding/json alone.
func ResultSchema() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[analyze.Result](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time"},
		reflect.TypeFor[analyze.Source](): {Type: "string", Enum: []any{
			string(analyze.FromImage), string(analyze.FromLocalDB), string(analyze.FromGoogleSearch)}},
	}})
	if err != nil {
		return nil, fmt.Errorf("intake: schema of a result: %w", err)
	}
	s.Required = []string{"inference_time", "token_usage"} // the rest is of one shape or another
	s.Properties["image"].Properties["generation"] = &jsonschema.Schema{Type: "string"}
	s.Properties["more_images"].Items.Properties["generation"] = &jsonschema.Schema{Type: "string"}
	return s, nil
}
