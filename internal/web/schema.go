package web

import (
	"maps"
	"reflect"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Media types.
const (
	JSONMedia    = "application/json"
	EventMedia   = "text/event-stream"
	ProblemMedia = "application/problem+json"
)

// Schema is a JSON schema.
type Schema = jsonschema.Schema

// Ptr returns a pointer to v.
func Ptr[T any](v T) *T { return &v }

// Ref returns a reference to a schema of the document.
func Ref(name string) Schema { return Schema{Ref: "#/components/schemas/" + name} }

// InJSON returns s as the schema of a JSON body.
func InJSON(s Schema) map[string]Schema { return map[string]Schema{JSONMedia: s} }

// Binary returns the schema of bytes that are not text.
func Binary() Schema { return Schema{Type: "string", Format: "binary"} }

// Enum returns the schema of a string that is one of values.
func Enum(values ...string) Schema {
	s := Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
	return s
}

// InQuery returns a query parameter.
func InQuery(name, what string, s Schema) Parameter {
	return Parameter{Name: name, In: "query", Description: what, Schema: s}
}

// InPath returns the path parameter that is an ID, with an example of one.
func InPath(pattern, example string) Parameter {
	return Parameter{
		Name: "id", In: "path", Description: "The ID, as the answer had it that named this first", Required: true,
		Schema: Schema{Type: "string", Pattern: pattern, Examples: []any{example}},
	}
}

// AfterEvent is the header that resumes a stream.
var AfterEvent = Parameter{Name: LastEventID, In: "header", Description: "The last event that was seen of a stream that was cut", Schema: Schema{Type: "string"}}

// An EventOf is one kind of event of a stream: its name and the schema of its data.
type EventOf struct {
	Name string
	Data Schema
}

// Ending are the events that end every stream of runs.
var Ending = []EventOf{{"problem", Ref("Problem")}, {"end", Schema{Type: "object", Description: "Nothing: the stream is over"}}}

// Events returns the schema of a stream's events: name, ID and data, sent as the lines
// event, id and data.
func Events(all ...EventOf) Schema {
	s := Schema{Description: "One event of the stream: the wire has a line event, a line id and a line data, which is JSON"}
	for _, e := range all {
		s.OneOf = append(s.OneOf, &Schema{
			Title: title(e.Name), Type: "object", Required: []string{"event", "id", "data"},
			Properties: map[string]*Schema{
				"event": Ptr(Enum(e.Name)), "id": {Type: "string", Description: "What to send as Last-Event-ID to go on behind this event"}, "data": Ptr(e.Data),
			},
			PropertyOrder: []string{"event", "id", "data"},
		})
	}
	return s
}

// SchemaOf returns the schema of a Go type. Written holds the schemas of types whose JSON
// form cannot be derived from Go.
func SchemaOf(t reflect.Type, written map[reflect.Type]*Schema) (*Schema, error) {
	all := map[reflect.Type]*Schema{
		reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time"},
		reflect.TypeFor[any]():       {Description: "any JSON"},
	}
	maps.Copy(all, written)
	return jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: all})
}
