package eventarc

import (
	"strings"
	"testing"
	"time"
)

func TestBackoff(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		min, max time.Duration
		n        int
		want     time.Duration
	}{
		{10 * ms, 100 * ms, 1, 10 * ms},
		{10 * ms, 100 * ms, 2, 20 * ms},
		{10 * ms, 100 * ms, 4, 80 * ms},
		{10 * ms, 100 * ms, 5, 100 * ms},
		{10 * ms, 100 * ms, 1000, 100 * ms},
		{10 * ms, 10 * ms, 3, 10 * ms},
	} {
		r := Route{MinBackoff: tt.min, MaxBackoff: tt.max}
		if got := r.backoff(tt.n); got != tt.want {
			t.Errorf("Route{MinBackoff: %v, MaxBackoff: %v}.backoff(%d) = %v, want %v", tt.min, tt.max, tt.n, got, tt.want)
		}
	}
}

func TestComplete(t *testing.T) {
	const url = "http://localhost"
	for _, tt := range []struct {
		route Route
		want  string // part of the error, empty for none
	}{
		{Route{Topic: "t", Endpoint: url}, ""},
		{Route{Endpoint: url}, "no Topic"},
		{Route{Topic: "t"}, `Endpoint "" is no URL`},
		{Route{Topic: "t", Endpoint: "localhost:80"}, `Endpoint "localhost:80" is no URL`},
		{Route{Topic: "t", Endpoint: url, MaxDeliveries: 5, DeadLetter: "x"}, `DeadLetter "x" is no URL`},
		{Route{Topic: "t", Endpoint: url, DeadLetter: url}, "DeadLetter needs MaxDeliveries"},
		{Route{Topic: "t", Endpoint: url, AckDeadline: -1}, "negative"},
		{Route{Topic: "t", Endpoint: url, Duplicates: -1}, "negative"},
		{Route{Topic: "t", Endpoint: url, MaxBackoff: time.Second}, "MaxBackoff 1s is below MinBackoff 10s"},
	} {
		err := tt.route.complete()
		if got := errorText(err); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("complete() = %q, want %q", got, tt.want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestPercentEncode(t *testing.T) {
	for _, tt := range []struct{ value, want string }{
		{"objects/a/b-c_d.jpg", "objects/a/b-c_d.jpg"},
		{"a b", "a%20b"},
		{`100% "x"`, `100%25%20%22x%22`},
		{"초", "%EC%B4%88"},
		{"a?b&c=d~", "a?b&c=d~"},
		{"a\r\nb", "a%0D%0Ab"},
	} {
		if got := percentEncode(tt.value); got != tt.want {
			t.Errorf("percentEncode(%q) = %q, want %q", tt.value, got, tt.want)
		}
	}
}
