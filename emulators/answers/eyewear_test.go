package answers

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// A pack, a landscape and what stickers are on show no glasses, and have the vector
// that they had.
func TestPacksAreNoEyewear(t *testing.T) {
	for _, s := range append(samples.All(), samples.Attacks()...) {
		photo := gemini.Inline{MIMEType: s.MIMEType, SHA256: fmt.Sprintf("%x", sha256.Sum256(s.Bytes())), Data: s.Bytes()}
		if _, ok := eyewearIn(photo); ok {
			t.Errorf("%s shows eyewear, want none", s.File)
		}
	}
}
