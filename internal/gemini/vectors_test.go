package gemini

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// An answer's vectors are taken out of it wherever they stand; of an answer that says anything
// else by that name, nothing is.
func TestVectorsAreTaken(t *testing.T) {
	for _, test := range []struct {
		text, want string
		vectors    vectors
	}{
		{`{"embeddings":[{"values":[1,-2.5e-3]},{"values" : [ 0.25 ]}]}`, `{"embeddings":[{"values":[0]},{"values":[1]}]}`, vectors{{1, -0.0025}, {0.25}}},
		{"{\"predictions\":[{\"embeddings\":{\"statistics\":{\"token_count\":2},\n\"values\":[\n1,\n2\n]}}]}", `{"predictions":[{"embeddings":{"statistics":{"token_count":2},"values":[0]}}]}`, vectors{{1, 2}}},
		{`{"embeddings":[{"values":[]}]}`, `{"embeddings":[{"values":[0]}]}`, vectors{{}}},
		{`{"text":"\"values\":[1]","embedding":{"values":[3]}}`, `{"text":"\"values\":[1]","embedding":{"values":[0]}}`, vectors{{3}}},
		{`{"embeddings":[]}`, `{"embeddings":[]}`, nil},
		{`{"values":"none","of":[1]}`, `{"values":"none","of":[1]}`, nil},
		{`{"embeddings":[{"values":[1]},{"values":["1"]}]}`, `{"embeddings":[{"values":[1]},{"values":["1"]}]}`, nil},
		{`{"a":["values"]}`, `{"a":["values"]}`, nil},
		{`{"embeddings":[{"values":[1,`, `{"embeddings":[{"values":[1,`, nil},
	} {
		var v vectors
		resp := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(test.text))}
		if err := v.take(resp); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		if err != nil || !sameJSON(string(got), test.want) || !reflect.DeepEqual(v, test.vectors) || resp.ContentLength != int64(len(got)) {
			t.Errorf("take of %s = %s, %v, %v, want %s, %v", test.text, got, v, err, test.want, test.vectors)
		}
	}
	var v vectors
	const refused = `{"error":{"values":[1]}}`
	resp := &http.Response{StatusCode: http.StatusBadRequest, Body: io.NopCloser(strings.NewReader(refused))}
	if got, _ := io.ReadAll(resp.Body); v.take(resp) != nil || v != nil || string(got) != refused {
		t.Errorf("take of an error = %s, %v, want it as it is", got, v)
	}
}

// sameJSON reports whether two texts are equal, or are JSON of the same value.
func sameJSON(a, b string) bool {
	var x, y any
	return a == b || json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}
