package api

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/api/googleapi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/usererror"
)

// What services say about themselves is in the log and in no answer, which has the ID of the
// line instead.
func TestHidden(t *testing.T) {
	dial := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 443}, Err: errors.New("connect: connection refused")}
	lookup := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "db.internal.example", Server: "10.0.0.53:53", IsNotFound: true}}
	tests := map[string]error{
		"storage":    fmt.Errorf("blob: read: %w", &googleapi.Error{Code: 403, Message: "sa@project-123456789012.iam does not have access", Body: "https://storage.googleapis.com/storage/v1/b/secret"}),
		"connection": fmt.Errorf("store: read: %w", status.Error(codes.Unavailable, "connection error: desc = \"transport: "+dial.Error()+"\"")),
		"dns":        fmt.Errorf("directory: %w", &url.Error{Op: "Get", URL: "https://db.internal.example/path?key=abc", Err: lookup}),
		"page":       fmt.Errorf("fetch: %w", &url.Error{Op: "Get", URL: "https://db.internal.example/path", Err: dial}),
	}
	secret := regexp.MustCompile(`10\.|443|https?:|console|billing|123456789012|internal|storage/v1|127\.0\.0\.1|dial|connection refused`)
	for name, err := range tests {
		var log bytes.Buffer
		before := slog.Default()
		slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
		p := New(Config{}).Problem(err)
		slog.SetDefault(before)
		if found := secret.FindString(p.Detail); found != "" {
			t.Errorf("%s: the detail %q has %q", name, p.Detail, found)
		}
		if cause := jobs.Cause(err); secret.MatchString(cause) {
			t.Errorf("%s: the message of a result is %q", name, cause)
		}
		if cause := usererror.Cause(err, "otherwise"); secret.MatchString(cause) {
			t.Errorf("%s: the cause is %q", name, cause)
		}
		_, id, _ := strings.Cut(p.Detail, "error_id ")
		if id, _, _ = strings.Cut(id, ")"); id == "" || !strings.Contains(log.String(), id) {
			t.Errorf("%s: %q: the log has not its ID: %s", name, p.Detail, log.String())
		}
		if !secret.MatchString(log.String()) {
			t.Errorf("%s: the log says only %s", name, log.String())
		}
	}
}
