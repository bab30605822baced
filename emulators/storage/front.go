package storage

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
)

// ServeHTTP answers one request of the JSON or XML API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if status := s.faults.take(); status != 0 {
		io.Copy(io.Discard, r.Body) // a client still sending would race with its own retry
		refuse(w, status, "backendError", "fault made on request")
		return
	}
	rooted(r.URL)
	t := parseTarget(r.URL)
	if what := lacking(r, t.kind); what != "" {
		io.Copy(io.Discard, r.Body)
		lack(w, t.kind, what)
		return
	}
	if m := managedFolders.FindStringSubmatch(r.URL.EscapedPath()); m != nil {
		s.listManagedFolders(w, unescape(m[1]))
		return
	}
	if t.kind == xml {
		r.Host = s.addr // fake-gcs-server tells XML requests by their host
	}
	s.keepEncoded(r, t)
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		s.serve(w, r, t)
		return
	}
	s.alter(w, r, t)
}

// serve answers r if its preconditions hold.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, t target) {
	if name := cmp.Or(t.name, r.URL.Query().Get("name")); s.dir != "" && name != "" && !filepath.IsLocal(name) {
		refuse(w, http.StatusBadRequest, "invalid", "a directory cannot hold an object of this name")
		return
	}
	if status := unmet(r, t.kind, func() int64 { return s.generation(t) }); status != 0 {
		refuse(w, status, "conditionNotMet", "a precondition does not hold")
		return
	}
	s.api.ServeHTTP(w, r)
}

// alter serves a request that changes objects. Its body is read first, so that a slow
// client does not block others; then it locks the store, so that its preconditions still
// hold when it writes.
func (s *Server) alter(w http.ResponseWriter, r *http.Request, t target) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has disconnected
	}
	answer := httptest.NewRecorder()
	s.change.Lock()
	s.write(answer, r, t, typed(r, body))
	s.change.Unlock()

	if e, ok := finalized(t, answer); ok && s.events != nil {
		s.events(e)
	}
	if r.Method == http.MethodDelete && answer.Code == http.StatusOK {
		w.WriteHeader(http.StatusNoContent) // not fake-gcs-server's "null", which gcloud cannot parse
		return
	}
	if r.Method == http.MethodDelete && answer.Code == http.StatusPreconditionFailed && t.kind == other {
		refuse(w, http.StatusConflict, "conflict", "the bucket is not empty")
		return
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	w.Write(answer.Body.Bytes())
}

// write serves r with that body, for an upload with its new bytes only.
func (s *Server) write(answer *httptest.ResponseRecorder, r *http.Request, t target, body []byte) {
	if received, ok := s.uploads.asked(r, body); ok {
		tell(answer, r, received)
		return
	}
	body, lacks := s.patched(r, t, s.uploads.fresh(r, body))
	if lacks != "" {
		lack(answer, t.kind, lacks)
		return
	}
	if why := written(r, t, body).refused(); why != "" && r.Method != http.MethodDelete {
		refuse(answer, http.StatusBadRequest, "invalid", why)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.serve(answer, r, t)
	s.uploads.note(r, body, answer)
}

// generation returns the live generation of the object that t names, 0 if none.
func (s *Server) generation(t target) int64 {
	if t.name == "" {
		return 0
	}
	o, err := s.fake.GetObjectStreaming(t.bucket, t.name)
	if err != nil {
		return 0
	}
	defer o.Close()
	return o.Generation
}

// target is the object that a request's path names, for a copy or composition
// its destination. An upload names its object elsewhere: its kind is other.
type target struct {
	kind         kind
	bucket, name string
}

type kind int

const (
	other kind = iota
	object
	copied
	composed
	xml
)

var paths = []struct {
	kind kind
	path *regexp.Regexp
}{
	{copied, regexp.MustCompile(`^/storage/v1/b/[^/]+/o/.+/(?:rewriteTo|copyTo)/b/([^/]+)/o/(.+)$`)},
	{composed, regexp.MustCompile(`^/storage/v1/b/([^/]+)/o/(.+)/compose$`)},
	{object, regexp.MustCompile(`^(?:/download)?/storage/v1/b/([^/]+)/o/(.+)$`)},
	{other, regexp.MustCompile(`^/(?:storage|upload|download|batch|_internal)(?:/()()|$)`)},
	{xml, regexp.MustCompile(`^/([^/]+)/?(.*)$`)},
}

func parseTarget(u *url.URL) target {
	for _, p := range paths {
		if m := p.path.FindStringSubmatch(u.EscapedPath()); m != nil {
			return target{p.kind, unescape(m[1]), unescape(m[2])}
		}
	}
	return target{}
}

func unescape(segment string) string {
	name, err := url.PathUnescape(segment)
	if err != nil {
		return segment
	}
	return name
}
