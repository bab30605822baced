package store

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// HashID is the first half of the SHA-256 of parts, each ended by a zero byte, as 32
// hexadecimal digits: the ID of whatever parts decide.
func HashID(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		_, _ = io.WriteString(h, part+"\x00") // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil)[:sha256.Size/2])
}
