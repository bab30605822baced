package a2a

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"example.com/whatis/internal/web"
	"github.com/a2aproject/a2a-go/v2/a2a"
)

// ServeHTTP answers a JSON-RPC call; the size of the body must already be limited. The
// method's name determines the protocol version: SendMessage is of 1.0, message/send of
// 0.3, and tasks/send is of the first version.
func (d *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		d.Problem(err).Write(w)
		return
	}
	var c call
	_ = json.Unmarshal(body, &c) // the SDK's transports report syntax errors
	w.Header().Set("Content-Type", web.JSONMedia)
	r.Body = io.NopCloser(bytes.NewReader(body))
	version := r.Header.Get(a2a.SvcParamVersion)
	switch {
	case !speaks(version):
		writeError(w, c.ID, a2a.NewError(a2a.ErrVersionNotSupported, "this service speaks A2A 1.0 and 0.3"))
	case c.Method == "tasks/send" || c.Method == "tasks/sendSubscribe":
		web.Host(d.first(c, body), d.Times).ServeHTTP(w, r)
	case !c.partsMakeSense():
		writeError(w, c.ID, invalid("a part must be one of text, file and data, as this version of the protocol writes them"))
	case strings.Contains(c.Method, "/"):
		web.Host(d.former, d.Times).ServeHTTP(w, r)
	default:
		web.Host(d.current, d.Times).ServeHTTP(w, r)
	}
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
	ID     any    `json:"id"`
	Method string `json:"method"`
	Params struct {
		Message struct {
			Parts []partNames `json:"parts"`
		} `json:"message"`
	} `json:"params"`
}

// partNames are the fields that determine the kind of a part.
type partNames struct {
	Kind string  `json:"kind"`
	Text present `json:"text"`
	Raw  present `json:"raw"`
	URL  present `json:"url"`
	Data present `json:"data"`
	File present `json:"file"`
}

// present records that a field has a value other than null.
type present bool

// UnmarshalJSON is called for any value but null.
func (p *present) UnmarshalJSON(data []byte) error {
	*p = present(!bytes.Equal(data, []byte("null")))
	return nil
}

// partsMakeSense reports whether the SDK's transports can decode the parts of a message.
// They would report others as a JSON syntax error.
func (c call) partsMakeSense() bool {
	for _, p := range c.Params.Message.Parts {
		kinds := map[string]present{"text": p.Text, "data": p.Data, "file": p.File}
		one := 0
		for _, there := range []present{p.Text, p.Raw, p.URL, p.Data} {
			if there {
				one++
			}
		}
		if former := strings.Contains(c.Method, "/"); former && !bool(kinds[p.Kind]) || !former && one != 1 {
			return false
		}
	}
	return true
}
