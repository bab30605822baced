package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A record is one entry of the file, not yet looked at.
type record struct {
	place string
	data  json.RawMessage
}

// recordsIn finds the records of the file, those of an object by their keys.
func recordsIn(data []byte) ([]record, error) {
	data = nullsForNaN(bytes.TrimPrefix(data, []byte("\ufeff"))) // Windows begins a file with a byte order mark
	if err := checkSyntax(data); err != nil {
		return nil, err
	}
	if list, ok := listed(data); ok {
		return list, nil
	}
	var file struct {
		Products json.RawMessage `json:"products"`
	}
	const want = `want {"products": [ … ]}, {"products": {"0": …}} or a list of products`
	if json.Unmarshal(data, &file) != nil || file.Products == nil {
		return nil, fmt.Errorf("it has no products: %s", want)
	}
	if list, ok := listed(file.Products); ok {
		return list, nil
	}
	var keyed map[string]json.RawMessage
	if json.Unmarshal(file.Products, &keyed) != nil || keyed == nil {
		return nil, fmt.Errorf("products is %.20s: %s", file.Products, want)
	}
	list := make([]record, 0, len(keyed))
	for _, key := range slices.Sorted(maps.Keys(keyed)) {
		list = append(list, record{fmt.Sprintf("products[%.40q]", key), keyed[key]})
	}
	return list, nil
}

// listed is the records of a JSON array; ok is false if data is none.
func listed(data []byte) (list []record, ok bool) {
	var all []json.RawMessage
	if json.Unmarshal(data, &all) != nil || all == nil {
		return nil, false
	}
	for i, data := range all {
		list = append(list, record{fmt.Sprintf("products[%d]", i), data})
	}
	return list, true
}

// checkSyntax says where a file stops being JSON.
func checkSyntax(data []byte) error {
	var whole json.RawMessage
	err := json.Unmarshal(data, &whole)
	var wrong *json.SyntaxError
	if !errors.As(err, &wrong) {
		return err
	}
	before := data[:min(int(wrong.Offset), len(data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	return fmt.Errorf("it is no JSON from line %d, byte %d, on: %w", line, len(before)-bytes.LastIndexByte(before, '\n')-1, err)
}

// nullsForNaN is data with null in the place of each NaN and Infinity that stands
// outside of strings.
func nullsForNaN(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	out := make([]byte, 0, len(data))
	inString := false
	for i := 0; i < len(data); i++ {
		n := 0
		switch {
		case inString && data[i] == '\\' && i+1 < len(data):
			out = append(out, data[i])
			i++
		case data[i] == '"':
			inString = !inString
		case !inString:
			n = notANumber(data[i:])
		}
		if n == 0 {
			out = append(out, data[i])
			continue
		}
		out = append(out, "null"...)
		i += n - 1
	}
	return out
}

// notANumber is the length of the NaN or Infinity that data begins with, or 0.
func notANumber(data []byte) int {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(data, []byte(word)) {
			return len(word)
		}
	}
	return 0
}
