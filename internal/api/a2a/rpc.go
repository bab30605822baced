package a2a

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/whatis/internal/web"
)

// Serve answers the JSON-RPC call in body, which is that of r. The method's name determines
// the protocol version: SendMessage is of 1.0, message/send of 0.3, and tasks/send is of the
// first version.
func (d *Server) Serve(w http.ResponseWriter, r *http.Request, body []byte) {
	var c call
	_ = json.Unmarshal(body, &c) // the SDK's transports report syntax errors
	w.Header().Set("Content-Type", web.JSONMedia)
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err := c.check(r.Header.Get(a2a.SvcParamVersion)); err != nil {
		writeError(w, c.ID, err)
		return
	}
	handler := d.current
	switch {
	case c.Method == "tasks/send" || c.Method == "tasks/sendSubscribe":
		handler = d.first(c, body)
	case former(c.Method):
		handler = d.former
	}
	web.Host(handler, d.Times).ServeHTTP(w, r)
}

// check returns the error of a call that the SDK's transports would answer with another, or
// not at all. Version is the protocol's that the caller names.
func (c call) check(version string) error {
	if !speaks(version) {
		return a2a.NewError(a2a.ErrVersionNotSupported, "this service speaks A2A 1.0 and 0.3")
	}
	if check := checks[c.Method]; check != nil && c.JSONRPC == "2.0" && c.hasID() {
		return check(c.Params)
	}
	return nil
}

// hasID reports whether the ID is one that JSON-RPC allows.
func (c call) hasID() bool {
	switch c.ID.(type) {
	case nil, string, float64:
		return true
	}
	return false
}

// speaks reports whether a version of the protocol is one of this service's; "" leaves it to
// the name of the method.
func speaks(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	return version == "" || major == "1" && minor == "0" || major == "0" && minor == "3"
}

// A call is the part of a JSON-RPC call that decides how it is handled.
type call struct {
	JSONRPC string `json:"jsonrpc"`
	ID      any    `json:"id"`
	Method  string `json:"method"`
	Params  params `json:"params"`
}
