package api

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
)

type schema = jsonschema.Schema

func ptr[T any](v T) *T { return &v }

// ref points at a schema of the document.
func ref(name string) schema { return schema{Ref: "#/components/schemas/" + name} }

func inJSON(s schema) map[string]schema { return map[string]schema{jsonMedia: s} }

func enum(values ...string) schema {
	s := schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
	return s
}

// What Go's types do not tell of how they are written.
var written = map[reflect.Type]*schema{
	reflect.TypeFor[time.Time]():      {Type: "string", Format: "date-time"},
	reflect.TypeFor[image]():          {Type: "string", ContentEncoding: "base64", Description: "The bytes of the photo, or a data: URL of them"},
	reflect.TypeFor[flag]():           {Types: []string{"boolean", "string"}},
	reflect.TypeFor[analyze.Source](): ptr(enum(string(analyze.FromImage), string(analyze.FromLocalDB), string(analyze.FromGoogleSearch))),
	reflect.TypeFor[batch.State]():    ptr(enum(string(batch.Expanding), string(batch.Running), string(batch.Cancelling), string(batch.Done), string(batch.Cancelled), string(batch.Failed))),
}

// schemas are the schemas of what is sent, by name. They are those of the Go types.
func schemas() (map[string]*schema, error) {
	inOthers := maps.Clone(written)
	inOthers[reflect.TypeFor[analyze.Result]()] = ptr(ref("Result"))
	inOthers[reflect.TypeFor[batch.Status]()] = ptr(ref("Batch"))
	all := map[string]*schema{}
	for name, of := range map[string]reflect.Type{
		"Answer": reflect.TypeFor[answer](), "Listed": reflect.TypeFor[listed](), "Listing": reflect.TypeFor[listing](),
		"BatchList": reflect.TypeFor[batchList](), "BatchRequest": reflect.TypeFor[batch.Request](), "Item": reflect.TypeFor[batch.Item](),
		"Event": reflect.TypeFor[happening](), "Greeting": reflect.TypeFor[greeting](), "Photo": reflect.TypeFor[object](), "Problem": reflect.TypeFor[problem](),
		"Result": reflect.TypeFor[analyze.Result](), "Batch": reflect.TypeFor[batch.Status](),
	} {
		types := inOthers
		if name == "Result" || name == "Batch" {
			types = written
		}
		s, err := jsonschema.ForType(of, &jsonschema.ForOptions{TypeSchemas: types})
		if err != nil {
			return nil, fmt.Errorf("api: schema of %s: %w", name, err)
		}
		all[name] = s
	}
	amend(all)
	return all, nil
}

// amend says what struct tags say to encoding/json and not to the schema: what may
// be left out with an embedded struct, and numbers that are written as strings.
func amend(all map[string]*schema) {
	result, status := all["Result"], all["Batch"]
	result.Required = []string{"inference_time", "token_usage"}
	result.Properties["image"].Properties["generation"] = &schema{Type: "string"}
	result.Properties["more_images"].Items.Properties["generation"] = &schema{Type: "string"}
	status.Properties["seed"] = &schema{Type: "string"}
	all["Problem"].Properties["code"] = ptr(enum(slices.Sorted(maps.Keys(statuses))...))
}

// problemSchema is a problem of one of codes.
func problemSchema(codes []string) schema {
	s := ref("Problem")
	s.Properties = map[string]*schema{"code": ptr(enum(codes...))}
	return s
}

func inQuery(name, what string, s schema) parameter {
	return parameter{Name: name, In: "query", Description: what, Schema: s}
}

// The parameters of more than one route, and those of long lists.
var (
	lastEventID = parameter{Name: "Last-Event-ID", In: "header", Description: "The last event that was seen of a stream that was cut", Schema: schema{Type: "string"}}
	resultPath  = parameter{Name: "id", In: "path", Required: true, Schema: schema{Type: "string", Pattern: resultID.String()}}
	batchPath   = parameter{Name: "id", In: "path", Required: true, Schema: schema{Type: "string", Pattern: batchID.String()}}

	optionParameters = []parameter{
		inQuery("country", "ISO 3166-1 alpha-2", schema{Type: "string"}),
		inQuery("lang", "BCP 47, of the texts in the result", schema{Type: "string"}),
		inQuery("policy", "How much it takes to believe a photo", enum("seed", "strict")),
		inQuery("second_look", "When the stronger model looks again", enum("doubt", "always", "never")),
		inQuery("fresh", "true asks the models even if the same photo was analysed before", enum("true", "false")),
		inQuery("as", "one: all photos are of one product", enum("one")),
	}
	resultParameters = []parameter{
		inQuery("source", "What identified the product", enum("image", "local_db", "google_search", intake.Unidentified)),
		inQuery("doubt", "Whether a person should look at it", enum("true", "false")),
		inQuery("error", "Only what failed for good; goes with neither source nor doubt", enum(analyze.AnalysisFailed)),
		inQuery("since", "Only what was finished later", schema{Type: "string", Format: "date-time"}),
		inQuery("after", "next of the page before", schema{Type: "string"}),
		inQuery("limit", "How many", schema{Type: "integer", Minimum: ptr(1.0), Maximum: ptr(100.0)}),
	}
)

// formSchema is a form of photos and options.
func formSchema() schema {
	properties := map[string]*schema{"file": {Type: "array", Items: &schema{Type: "string", ContentMediaType: "application/octet-stream"}, MinItems: ptr(1), MaxItems: ptr(maxPhotos)}}
	for _, p := range optionParameters {
		properties[p.Name] = ptr(p.Schema)
	}
	return schema{Type: "object", Properties: properties, Description: "Files in fields of any name"}
}
