package store

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// HashID returns the first half of the SHA-256 of parts, each followed by a zero byte, as
// 32 hexadecimal digits. It is the ID of documents that are identified by their content.
func HashID(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		_, _ = io.WriteString(h, part+"\x00") // a hash never returns an error
	}
	return hex.EncodeToString(h.Sum(nil)[:sha256.Size/2])
}
