package intake

import (
	"errors"
	"fmt"
	"testing"

	"example.com/whatis/internal/blob"
)

// A result has the error message for users, and no internal details.
func TestExplained(t *testing.T) {
	w := &delivered{d: Delivery{Object: Object{ObjectRef: blob.ObjectRef{Bucket: "uploads", Name: "a.jpg"}}}}
	tests := []struct {
		err  error
		want string
	}{
		{fmt.Errorf("analyze: %w: send less", blob.ErrTooLarge), "the object is too large: send less"},
		{errors.New("firestore: 10.0.0.1 refused"), "it cannot be analysed: a fault of this program"},
	}
	for _, test := range tests {
		if got := w.failureText(t.Context(), test.err); got != test.want {
			t.Errorf("explained(%v) = %q, want %q", test.err, got, test.want)
		}
	}
}
