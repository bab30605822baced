package agent

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// ErrInput marks an invalid input, for errors.Is. Errors that wrap it say what is
// wrong and what to send; callers read them.
var ErrInput = errors.New("wrong input")

// reader returns a function that validates an input by s and decodes it.
func reader[In any](s *jsonschema.Schema) func([]byte) (In, error) {
	resolved, err := s.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("agent: the schema of an input: %v", err))
	}
	return func(data []byte) (in In, err error) {
		var tree any
		if err := json.Unmarshal(data, &tree); err != nil {
			return in, fmt.Errorf("%w: it is no JSON (%w): send %s", ErrInput, err, wanted(s))
		}
		if err := resolved.Validate(tree); err != nil {
			return in, fmt.Errorf("%w: %s: send %s", ErrInput, describe(tree, s, err), wanted(s))
		}
		if err := json.Unmarshal(data, &in); err != nil {
			return in, fmt.Errorf("%w: %s: send %s", ErrInput, undecoded(s, err), wanted(s))
		}
		return in, nil
	}
}

// shortened returns s without its middle, if it is long.
func shortened(s string) string {
	const end = 80
	if r := []rune(s); len(r) > 2*end {
		return string(r[:end]) + "…" + string(r[len(r)-end:])
	}
	return s
}

// undecoded says why an input that fits its schema cannot be decoded.
func undecoded(s *jsonschema.Schema, err error) string {
	var corrupt base64.CorruptInputError
	if !errors.As(err, &corrupt) {
		return shortened(err.Error())
	}
	var fields []string
	for name, p := range s.Properties {
		if p.ContentEncoding == "base64" {
			fields = append(fields, name)
		}
	}
	slices.Sort(fields)
	return strings.Join(fields, " or ") + " is no base64"
}

// wanted lists the fields of an input, required ones first, optional ones with "?".
func wanted(s *jsonschema.Schema) string {
	names := slices.Clone(s.PropertyOrder)
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(s.Properties))
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return place(slices.Contains(s.Required, a)) - place(slices.Contains(s.Required, b))
	})
	for i, name := range names {
		if !slices.Contains(s.Required, name) {
			names[i] += "?"
		}
	}
	return "{" + strings.Join(names, ", ") + "}"
}

func place(required bool) int {
	if required {
		return 0
	}
	return 1
}
