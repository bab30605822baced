package gemini

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/genai"

	"example.com/whatis/internal/usererror"
)

// The service's own words and those of the network are in the error's text, for the log, and
// not in its message for callers.
func TestForeign(t *testing.T) {
	secret := regexp.MustCompile(`billing|123456789012|https?:|10\.1\.2\.3|refused|internal`)
	tests := map[string]error{
		"quota":  genai.APIError{Code: 429, Status: "RESOURCE_EXHAUSTED", Message: "enable billing on project 123456789012 at https://console.cloud.google.com"},
		"closed": genai.APIError{Code: 403, Status: "PERMISSION_DENIED", Message: "billing is disabled for project 123456789012"},
		"dial":   &url.Error{Op: "Post", URL: "https://m.internal/v1", Err: &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 443}, Err: errors.New("connection refused")}},
	}
	for name, err := range tests {
		e := (&Client{redact: func(s string) string { return s }}).explain(t.Context(), "gemini-9", jobGenerate, err)
		text, ok := usererror.Message(fmt.Errorf("analyze: %w", e))
		if !ok || secret.MatchString(text) || !strings.HasPrefix(text, "gemini-9: "+string(e.Kind)) {
			t.Errorf("%s: callers read %q", name, text)
		}
		if !secret.MatchString(e.Error()) {
			t.Errorf("%s: the log has %q", name, e)
		}
	}
}
