package gemini

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// A newField is a field that the services take and that the messages this
// emulator reads do not have yet.
type newField struct {
	name string
	// in are the messages it belongs to.
	in []protoreflect.FullName
	// read checks a value and returns it as the service understands it.
	read func(path string, v any) (any, error)
}

const (
	apiPackage    = "google.ai.generativelanguage.v1beta."
	vertexPackage = "google.cloud.aiplatform.v1."
)

// newerFields lists them all. A field that the messages have by now leaves the
// list: a test says so.
var newerFields = []newField{
	// Whether the service may keep the request, on the Gemini API: genai
	// v1.77.0, GenerateContentConfig.Store; its converter refuses it on Vertex.
	{"store", []protoreflect.FullName{apiPackage + "GenerateContentRequest"}, boolean},
	// How much Gemini 3 thinks: ai.google.dev/gemini-api/docs/thinking, and
	// Vertex AI's message, which has it.
	{"thinkingLevel", []protoreflect.FullName{apiPackage + "ThinkingConfig"},
		oneOf("THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH")},
	// Price and speed of the call: genai v1.77.0, type ServiceTier.
	{"serviceTier", []protoreflect.FullName{apiPackage + "GenerateContentRequest", vertexPackage + "GenerateContentRequest"},
		lowerOneOf("unspecified", "flex", "standard", "priority")},
	// google_search together with functions: genai v1.77.0, type ToolConfig,
	// and ai.google.dev/gemini-api/docs/tool-combination.
	{"includeServerSideToolInvocations", []protoreflect.FullName{apiPackage + "ToolConfig"}, boolean},
	// How finely one photo is looked at: genai v1.77.0, type
	// PartMediaResolution, and Vertex AI's message, which has it.
	{"mediaResolution", []protoreflect.FullName{apiPackage + "Part"}, object(map[string]func(string, any) (any, error){
		"level": oneOf("MEDIA_RESOLUTION_UNSPECIFIED", "MEDIA_RESOLUTION_LOW", "MEDIA_RESOLUTION_MEDIUM", "MEDIA_RESOLUTION_HIGH", "MEDIA_RESOLUTION_ULTRA_HIGH"),
	})},
	// Who says a line and how, to the speech models of Gemini 3.8: genai
	// v1.77.0, type SpeechMetadata.
	{"speechMetadata", []protoreflect.FullName{apiPackage + "Part", vertexPackage + "Part"}, object(map[string]func(string, any) (any, error){
		"speaker": text, "style": text,
	})},
}

// newerField finds a newer field of a message by its name in JSON or in a
// message's definition; nil for none.
func newerField(d protoreflect.MessageDescriptor, name string) *newField {
	i := slices.IndexFunc(newerFields, func(f newField) bool {
		return (name == f.name || name == snakeCase(f.name)) && slices.Contains(f.in, d.FullName())
	})
	if i < 0 || fieldNamed(d, newerFields[i].name) != nil {
		return nil
	}
	return &newerFields[i]
}

// snakeCase turns thinkingLevel into thinking_level.
func snakeCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

func boolean(path string, v any) (any, error) {
	if _, ok := v.(bool); !ok {
		return nil, invalidValue(path, "TYPE_BOOL", v)
	}
	return v, nil
}

func text(path string, v any) (any, error) {
	if _, ok := v.(string); !ok {
		return nil, invalidValue(path, "TYPE_STRING", v)
	}
	return v, nil
}

// oneOf returns an enum, which is read in any case.
func oneOf(values ...string) func(string, any) (any, error) {
	return func(path string, v any) (any, error) {
		name, _ := v.(string)
		if upper := strings.ToUpper(name); slices.Contains(values, upper) {
			return upper, nil
		}
		return nil, invalidValue(path, "TYPE_ENUM", v)
	}
}

// lowerOneOf returns an enum that is read in lower case alone.
func lowerOneOf(values ...string) func(string, any) (any, error) {
	return func(path string, v any) (any, error) {
		if name, _ := v.(string); slices.Contains(values, name) {
			return name, nil
		}
		return nil, invalidValue(path, "TYPE_ENUM", v)
	}
}

func object(fields map[string]func(string, any) (any, error)) func(string, any) (any, error) {
	return func(path string, v any) (any, error) {
		members, ok := v.(map[string]any)
		if !ok {
			return nil, invalidValue(path, "TYPE_MESSAGE", v)
		}
		for name, value := range members {
			read, ok := fields[name]
			if !ok {
				return nil, unknownName(path, name)
			}
			if _, err := read(join(path, name), value); err != nil {
				return nil, err
			}
		}
		return v, nil
	}
}
