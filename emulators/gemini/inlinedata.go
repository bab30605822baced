package gemini

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// maxBody is the most a request body may have; the service takes 100 MB.
const maxBody = 100 << 20

func readBody(r *http.Request) ([]byte, error) {
	var b bytes.Buffer
	if 0 < r.ContentLength && r.ContentLength <= maxBody {
		b.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	if _, err := b.ReadFrom(io.LimitReader(r.Body, maxBody+1)); err != nil {
		return nil, fmt.Errorf("request body: %w", err)
	}
	if b.Len() > maxBody {
		return nil, fmt.Errorf("request payload size exceeds the limit: %d bytes", maxBody)
	}
	return b.Bytes(), nil
}

// An extracted value leaves extractedMark and its number, base64 that stands for nine
// bytes which no photo begins with.
const (
	extractedMark   = "carved//"
	extractedDigits = 4
	maxExtracted    = 10_000
)

// extractInlineData replaces the value of every "data" string by extractedMark and a number,
// and returns those values apart. encoding/json would walk a photo of megabytes
// byte by byte, several times, and base64 needs none of that.
func extractInlineData(body []byte) (slim []byte, values [][]byte) {
	key := []byte(`"data"`)
	for {
		i := bytes.Index(body, key)
		if i < 0 {
			return append(slim, body...), values
		}
		escaped := i > 0 && body[i-1] == '\\'
		slim = append(slim, body[:i+len(key)]...)
		body = body[i+len(key):]
		value, after, ok := stringValue(body)
		if escaped || !ok || len(values) == maxExtracted {
			continue
		}
		slim = fmt.Appendf(slim, `:"%s%0*d"`, extractedMark, extractedDigits, len(values))
		values = append(values, value)
		body = after
	}
}

// stringValue reads `: "value"` at the start of b. A value with an escape in
// it is left to encoding/json.
func stringValue(b []byte) (value, after []byte, ok bool) {
	for _, token := range []string{":", `"`} {
		if b, ok = bytes.CutPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte(token)); !ok {
			return nil, nil, false
		}
	}
	end := bytes.IndexByte(b, '"')
	if end < 0 || bytes.IndexByte(b[:end], '\\') >= 0 {
		return nil, nil, false
	}
	return b[:end], b[end+1:], true
}

// decode returns the bytes data stands for: base64, standard or URL-safe, with
// its padding or without, itself or extracted before.
func decode(data string, extracted [][]byte) ([]byte, error) {
	encoded := []byte(data)
	if n, ok := strings.CutPrefix(data, extractedMark); ok && len(n) == extractedDigits {
		if i, err := strconv.Atoi(n); err == nil && i < len(extracted) {
			encoded = extracted[i]
		}
	}
	encoded = bytes.TrimRight(encoded, "=")
	decoded := make([]byte, base64.RawStdEncoding.DecodedLen(len(encoded)))
	n, err := base64.RawStdEncoding.Decode(decoded, encoded)
	if err != nil {
		n, err = base64.RawURLEncoding.Decode(decoded, encoded)
	}
	if err != nil {
		return nil, fmt.Errorf("invalid value at 'inline_data.data' (TYPE_BYTES), base64 decoding failed: %w", err)
	}
	return decoded[:n], nil
}
