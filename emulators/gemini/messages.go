package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	"cloud.google.com/go/aiplatform/apiv1/aiplatformpb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Google's own messages for the bodies of the calls, of the Gemini API and of
// Vertex AI.
var (
	apiMessages = map[string]proto.Message{
		"generateContent":       (*generativelanguagepb.GenerateContentRequest)(nil),
		"streamGenerateContent": (*generativelanguagepb.GenerateContentRequest)(nil),
		"embedContent":          (*generativelanguagepb.EmbedContentRequest)(nil),
		"batchEmbedContents":    (*generativelanguagepb.BatchEmbedContentsRequest)(nil),
		"countTokens":           (*generativelanguagepb.CountTokensRequest)(nil),
	}
	vertexMessages = map[string]proto.Message{
		"generateContent":       (*aiplatformpb.GenerateContentRequest)(nil),
		"streamGenerateContent": (*aiplatformpb.GenerateContentRequest)(nil),
		"embedContent":          (*aiplatformpb.EmbedContentRequest)(nil),
		"predict":               (*aiplatformpb.PredictRequest)(nil),
		"countTokens":           (*aiplatformpb.CountTokensRequest)(nil),
	}
)

// messageOf returns the message of a call's body; nil for a method without one.
func messageOf(to route) proto.Message {
	if to.vertex {
		return vertexMessages[to.method]
	}
	return apiMessages[to.method]
}

// readMessage reads body as message and returns it with each field under its
// JSON name and each enum value in upper case, a lone value of a repeated field
// as a list: the services take those forms too. Newer fields (see newerFields)
// stay in what is returned, though the message does not have them.
func readMessage(message proto.Message, body []byte) ([]byte, error) {
	fields, err := decodeObject(body)
	if err != nil {
		return nil, fmt.Errorf("invalid JSON payload received: %w", err)
	}
	var r messageReader
	read, err := r.message(message.ProtoReflect().Descriptor(), "", fields)
	if err != nil {
		return nil, err
	}
	whole, err := json.Marshal(read)
	if err != nil {
		return nil, err
	}
	for _, remove := range r.removals {
		remove()
	}
	return whole, parses(message, read)
}

// decodeObject keeps numbers as they are written: an int64 must not become a
// float64.
func decodeObject(body []byte) (map[string]any, error) {
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more follows after the object")
	}
	return fields, nil
}

// parses checks what the walk over the fields leaves to protojson: the types of
// scalars, base64, and that one field of a oneof is set.
func parses(message proto.Message, fields map[string]any) error {
	known, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	if err := protojson.Unmarshal(known, message.ProtoReflect().New().Interface()); err != nil {
		_, reason, _ := strings.Cut(err.Error(), ": ")
		return fmt.Errorf("invalid JSON payload received: %s", reason)
	}
	return nil
}

// messageReader walks over a decoded body along the fields of a message.
type messageReader struct {
	// removals take the newer fields out of what was read.
	removals []func()
}

func (r *messageReader) message(d protoreflect.MessageDescriptor, path string, v any) (map[string]any, error) {
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, invalidValue(path, string(d.FullName()), v)
	}
	read := make(map[string]any, len(fields))
	for name, value := range fields {
		if value == nil {
			continue
		}
		if newer := newerField(d, name); newer != nil {
			checked, err := newer.read(join(path, snakeCase(newer.name)), value)
			if err != nil {
				return nil, err
			}
			read[newer.name] = checked
			r.removals = append(r.removals, func() { delete(read, newer.name) })
			continue
		}
		field := fieldNamed(d, name)
		if field == nil {
			return nil, unknownName(path, name)
		}
		checked, err := r.field(field, join(path, string(field.Name())), value)
		if err != nil {
			return nil, err
		}
		read[field.JSONName()] = checked
	}
	return read, nil
}

// fieldNamed finds a field by its name in JSON or in the message's definition.
func fieldNamed(d protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	if field := d.Fields().ByJSONName(name); field != nil {
		return field
	}
	return d.Fields().ByName(protoreflect.Name(name))
}

func (r *messageReader) field(field protoreflect.FieldDescriptor, path string, v any) (any, error) {
	switch {
	case field.IsMap():
		return r.members(field.MapValue(), path, v)
	case field.IsList():
		return r.list(field, path, v)
	}
	return r.single(field, path, v)
}

func (r *messageReader) members(field protoreflect.FieldDescriptor, path string, v any) (any, error) {
	members, ok := v.(map[string]any)
	if !ok {
		return nil, invalidValue(path, "a map", v)
	}
	read := make(map[string]any, len(members))
	for name, value := range members {
		checked, err := r.single(field, path+"["+name+"]", value)
		if err != nil {
			return nil, err
		}
		read[name] = checked
	}
	return read, nil
}

func (r *messageReader) list(field protoreflect.FieldDescriptor, path string, v any) (any, error) {
	values, ok := v.([]any)
	if !ok {
		values = []any{v}
	}
	read := make([]any, len(values))
	for i, value := range values {
		checked, err := r.single(field, fmt.Sprintf("%s[%d]", path, i), value)
		if err != nil {
			return nil, err
		}
		read[i] = checked
	}
	return read, nil
}

func (r *messageReader) single(field protoreflect.FieldDescriptor, path string, v any) (any, error) {
	switch {
	case field.Enum() != nil && field.Enum().FullName() != "google.protobuf.NullValue":
		return enumValue(field.Enum(), path, v)
	case field.Message() == nil || field.Message().ParentFile().Package() == "google.protobuf":
		return v, nil // a scalar, or a plain value such as a JSON schema
	}
	return r.message(field.Message(), path, v)
}

func enumValue(enum protoreflect.EnumDescriptor, path string, v any) (any, error) {
	name, ok := v.(string)
	if !ok {
		return v, nil // a number, or what protojson refuses
	}
	upper := strings.ToUpper(name)
	if enum.Values().ByName(protoreflect.Name(upper)) == nil {
		return nil, invalidValue(path, string(enum.FullName()), v)
	}
	return upper, nil
}
