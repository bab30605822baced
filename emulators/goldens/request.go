package goldens

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// A Request is one that was sent.
type Request struct {
	Method string
	URI    string // path and query
	Header http.Header
	Body   []byte
}

// unsaid are the headers that say nothing of what is asked: those of the transport,
// of credentials, of who asks, and of the time that is left.
var unsaid = map[string]bool{
	"Accept": true, "Accept-Encoding": true, "Authorization": true, "Content-Length": true, "Content-Type": true,
	"Traceparent": true, "Tracestate": true, "User-Agent": true, "X-Goog-Api-Client": true, "X-Goog-Api-Key": true, "X-Goog-User-Project": true, "X-Server-Timeout": true,
}

// headers are the headers of r that say something, one value each.
func (r Request) headers() map[string]string {
	said := map[string]string{}
	for name, values := range r.Header {
		if !unsaid[name] {
			said[name] = strings.Join(values, ", ")
		}
	}
	return said
}

// text is r as its file has it.
func (r Request) text() ([]byte, error) {
	var body any
	if len(r.Body) > 0 {
		if err := json.Unmarshal(r.Body, &body); err != nil {
			return nil, fmt.Errorf("goldens: the body is no JSON: %w", err)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(struct {
		Request string            `json:"request"`
		Headers map[string]string `json:"headers,omitempty"`
		Body    any               `json:"body"`
	}{r.Method + " " + r.URI, r.headers(), readable(body)})
	return b.Bytes(), err
}

// readable is a JSON value with its texts in lines and without its bytes.
func readable(v any) any {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "\n") {
			return strings.Split(v, "\n")
		}
	case []any:
		for i := range v {
			v[i] = readable(v[i])
		}
	case map[string]any:
		data, isText := v["data"].(string)
		_, isBlob := v["mimeType"].(string)
		for key := range v {
			v[key] = readable(v[key])
		}
		if isText && isBlob {
			v["data"] = described(data)
		}
	}
	return v
}

// described is what a file says of bytes in base64.
func described(data string) string {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return "not base64: " + data
	}
	return fmt.Sprintf("%d bytes, SHA-256 %x", len(raw), sha256.Sum256(raw))
}
