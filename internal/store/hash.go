package store

import (
	"crypto/sha256"
	"encoding/hex"
)

// HashID returns the first half of the SHA-256 of parts, each followed by a zero byte, as
// 32 hexadecimal digits. It is the ID of documents that are identified by their content.
func HashID(parts ...string) string {
	size := len(parts)
	for _, part := range parts {
		size += len(part)
	}
	text := make([]byte, 0, size)
	for _, part := range parts {
		text = append(append(text, part...), 0)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:sha256.Size/2])
}
