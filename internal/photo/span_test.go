package photo

import (
	"testing"
)

// Metadata are cut out of a copy.
func TestJoin(t *testing.T) {
	const data = "0123456789abcdefghij"
	for want, spans := range map[string][]span{
		data:           {{0, 20}},
		"01fghij":      {{0, 2}, {15, 20}},
		"0123456789ab": {{0, 12}},
		"0179abcdefg":  {{0, 2}, {7, 8}, {9, 17}},
		"012345678aj":  {{0, 9}, {10, 11}, {19, 20}},
	} {
		own := []byte(data)
		if got := join(own, spans); string(got) != want || cap(got) != len(got) || string(own) != data {
			t.Errorf("join %v = %q with %d bytes more, of %q; want %q with none", spans, got, cap(got)-len(got), own, want)
		}
	}
}
