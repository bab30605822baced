package usererror_test

import (
	"errors"
	"fmt"
	"testing"

	"example.com/whatis/internal/usererror"
)

// busy is an error type with a public message.
type busy struct{}

func (busy) Error() string  { return "limiter: full, 12 wait" }
func (busy) Public() string { return "too much is under way: try again" }

func TestMessage(t *testing.T) {
	tooLarge := usererror.New("blob", "the object is too large")
	tests := []struct {
		err  error
		want string
		ok   bool
	}{
		{tooLarge, "the object is too large", true},
		{fmt.Errorf("%w: send less than %d bytes", tooLarge, 10), "the object is too large: send less than 10 bytes", true},
		{fmt.Errorf("intake: gs://a/b: %w: send less", tooLarge), "the object is too large: send less", true},
		{usererror.Errorf("api", "the body has %d photos", 9), "the body has 9 photos", true},
		{fmt.Errorf("analyze: image_analyzer: %w", busy{}), "too much is under way: try again", true},
		{errors.Join(errors.New("work: lost"), busy{}), "too much is under way: try again", true},
		{errors.New("firestore: no connection to 10.0.0.1"), "", false},
		{nil, "", false},
	}
	for _, test := range tests {
		if got, ok := usererror.Message(test.err); got != test.want || ok != test.ok {
			t.Errorf("Message(%v) = %q, %v; want %q, %v", test.err, got, ok, test.want, test.ok)
		}
	}
	if !errors.Is(fmt.Errorf("%w: more", tooLarge), tooLarge) {
		t.Error("a wrapped error is not the one that was made")
	}
}

func TestWithoutMessage(t *testing.T) {
	inner := errors.New("firestore: no connection")
	if got := usererror.Or(inner, "it is broken"); got != "it is broken" {
		t.Errorf("Or = %q, want what is said otherwise", got)
	}
	if got := usererror.Text(inner); got != inner.Error() {
		t.Errorf("Text = %q, want all of it", got)
	}
}

func TestShort(t *testing.T) {
	for in, want := range map[string]string{"": "", "보리차": "보리차", "보리차 500": "보리차…"} {
		if got := usererror.Short(in, 3); got != want {
			t.Errorf("Short(%q, 3) = %q, want %q", in, got, want)
		}
	}
}
