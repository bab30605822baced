package replay

import (
	"net/url"
	"testing"
)

func TestRegional(t *testing.T) {
	const embed = "/v1beta1/projects/p/locations/us-central1/publishers/google/models/m:embedContent"
	for _, test := range []struct{ upstream, path, want string }{
		{"https://aiplatform.googleapis.com", embed, "https://us-central1-aiplatform.googleapis.com"},
		{"https://europe-west1-aiplatform.googleapis.com", "/v1beta1/projects/p/locations/global/publishers/google/models/m", "https://aiplatform.googleapis.com"},
		{"https://generativelanguage.googleapis.com", "/v1beta/models/m", "https://generativelanguage.googleapis.com"},
		{"http://127.0.0.1:8083", embed, "http://127.0.0.1:8083"},
		{"https://aiplatform.googleapis.com.example.com", embed, "https://aiplatform.googleapis.com.example.com"},
	} {
		upstream, err := url.Parse(test.upstream)
		if err != nil {
			t.Fatal(err)
		}
		if got := regional(upstream, test.path).String(); got != test.want {
			t.Errorf("regional(%s, %s) = %s, want %s", test.upstream, test.path, got, test.want)
		}
	}
}
