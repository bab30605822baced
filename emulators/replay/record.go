package replay

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
)

// RecordOptions configure a Recorder.
type RecordOptions struct {
	Addr     string // to listen on; "" means a free port on 127.0.0.1
	Dir      string // created if necessary; must not have a recording
	Upstream string // the service's address
	Settings map[string]string
	// Before may refuse a request before it is sent: the client gets a 400 with the
	// error, and nothing is recorded. After gets each request with its answer, except
	// refused ones and those without an answer. Either may be nil.
	Before func(Sent) error
	After  func(Sent, Answer)
	// Log gets errors and exchanges that could not be recorded, without keys. It may be nil.
	Log func(string)
}

// Sent is a request that was forwarded.
type Sent struct {
	Request
	ID int64 // unique
}

// Body is the request's body.
func (r Request) Bytes() []byte { return r.Body.bytes() }

// Bytes returns the answer's body.
func (a Answer) Bytes() []byte { return a.Body.bytes() }

// A Recorder forwards requests to a service and records them with their answers. Its
// methods may be called concurrently.
type Recorder struct {
	server
	o     RecordOptions
	proxy *httputil.ReverseProxy

	mu    sync.Mutex
	count map[string]int // recorded answers, by the request's key
	sent  int64
	kept  int
}

// Upstream returns the address of the model service that Google's SDK uses with the
// environment env.
func Upstream(env map[string]string, vertex bool) string {
	if !vertex {
		return cmp.Or(env["GOOGLE_GEMINI_BASE_URL"], "https://generativelanguage.googleapis.com")
	}
	host := "aiplatform.googleapis.com"
	if location := cmp.Or(env["GOOGLE_CLOUD_LOCATION"], env["GOOGLE_CLOUD_REGION"], "global"); location != "global" {
		host = location + "-" + host
	}
	return cmp.Or(env["GOOGLE_VERTEX_BASE_URL"], "https://"+host)
}

// maxBody limits a request as the service does, plus the overhead of base64.
const maxBody = 64 << 20

// Record listens and records until Close.
func Record(o RecordOptions) (*Recorder, error) {
	upstream, err := origin(o.Upstream)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	if _, err := ReadRecording(o.Dir); err == nil {
		return nil, fmt.Errorf("replay: %s holds a recording already: name a new folder", o.Dir)
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	r := &Recorder{o: o, count: map[string]int{}}
	r.proxy = r.proxyTo(upstream)
	if err := r.serve(o.Addr, http.HandlerFunc(r.hand)); err != nil { // before anything is written: another address may be tried
		return nil, err
	}
	made := Recording{Made: time.Now().UTC().Truncate(time.Second), Upstream: upstream.Scheme + "://" + upstream.Host, Settings: maps.Clone(o.Settings)}
	if err := write(o.Dir, recordingFile, made); err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("replay: %w", err)
	}
	return r, nil
}

// Kept returns the number of recorded exchanges.
func (r *Recorder) Kept() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept
}

// proxyTo forwards requests and streams answers back as they arrive.
func (r *Recorder) proxyTo(upstream *url.URL) *httputil.ReverseProxy {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	return &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(regional(upstream, p.In.URL.Path))
			p.Out.Header.Del("Accept-Encoding") // the transport unpacks what it packed itself
		},
		ModifyResponse: r.keep,
		ErrorHandler:   r.failed,
	}
}

// vertexHost is the suffix of Vertex AI's hosts, one for each location.
const vertexHost = "aiplatform.googleapis.com"

var location = regexp.MustCompile(`/locations/([a-z0-9-]+)/`)

// regional returns the service itself, or of Vertex AI the host of the location that a path
// names: embeddings may be asked for elsewhere than all else.
func regional(upstream *url.URL, path string) *url.URL {
	named := location.FindStringSubmatch(path)
	if named == nil || !strings.HasSuffix(upstream.Host, vertexHost) {
		return upstream
	}
	other := *upstream
	if other.Host = vertexHost; named[1] != "global" {
		other.Host = named[1] + "-" + vertexHost
	}
	return &other
}

// An underway is a request that waits for its answer, in its context.
type underway struct {
	sent  Sent
	scrub func(string) string
}

type underwayKey struct{}

func (r *Recorder) hand(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "INVALID_ARGUMENT", fmt.Sprintf("replay: the request cannot be read: %v", err))
		return
	}
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	scrub := scrubber(req)
	u := underway{Sent{Request: requestOf(req, body, scrub), ID: r.next()}, scrub}
	if r.o.Before != nil {
		if err := r.o.Before(u.sent); err != nil {
			refuse(w, http.StatusBadRequest, "FAILED_PRECONDITION", err.Error())
			return
		}
	}
	r.proxy.ServeHTTP(w, req.WithContext(context.WithValue(req.Context(), underwayKey{}, u)))
}

func (r *Recorder) next() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent++
	return r.sent
}

// keep has the answer written down when its last byte has come, before the client
// gets that.
func (r *Recorder) keep(resp *http.Response) error {
	u := resp.Request.Context().Value(underwayKey{}).(underway)
	answer := Answer{Status: resp.StatusCode, Type: resp.Header.Get("Content-Type"), RetryAfter: resp.Header.Get("Retry-After")}
	resp.Body = &tee{ReadCloser: resp.Body, whole: func(body []byte) {
		answer.Body = contentOf([]byte(u.scrub(string(body))))
		if err := r.save(Exchange{Request: u.sent.Request, Answer: answer}); err != nil {
			r.o.Log(fmt.Sprintf("replay: an answer is not kept: %v", err))
		}
		if r.o.After != nil {
			r.o.After(u.sent, answer)
		}
	}}
	return nil
}

// save writes an exchange behind those of the same request.
func (r *Recorder) save(e Exchange) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := e.Request.key()
	r.count[key]++
	if err := write(r.o.Dir, fmt.Sprintf("%s-%03d.json", e.Request.name(), r.count[key]), e); err != nil {
		return err
	}
	r.kept++
	return nil
}

// failed answers for a service that does not. The error names the address, which may
// have a key in it.
func (r *Recorder) failed(w http.ResponseWriter, req *http.Request, err error) {
	u := req.Context().Value(underwayKey{}).(underway)
	said := u.scrub(err.Error())
	if !errors.Is(err, context.Canceled) {
		r.o.Log("replay: " + u.sent.Path + ": " + said)
	}
	refuse(w, http.StatusBadGateway, "UNAVAILABLE", "replay: the service does not answer: "+said)
}

// A tee shows a body to whole once it has been read to its end.
type tee struct {
	io.ReadCloser
	read  bytes.Buffer
	whole func([]byte)
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.read.Write(p[:n])
	if errors.Is(err, io.EOF) && t.whole != nil {
		whole := t.whole
		t.whole = nil
		whole(t.read.Bytes())
	}
	return n, err
}

// refuse answers in the form of Google's errors.
func refuse(w http.ResponseWriter, status int, name, message string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": status, "status": name, "message": message}})
}

// A server listens on an address of its own.
type server struct {
	url  string
	http *http.Server
	done chan struct{}
}

func (s *server) serve(addr string, h http.Handler) error {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	s.url, s.done = "http://"+l.Addr().String(), make(chan struct{})
	s.http = &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l)
	}()
	return nil
}

// URL returns the base address: the value for GOOGLE_GEMINI_BASE_URL and
// GOOGLE_VERTEX_BASE_URL.
func (s *server) URL() string { return s.url }

// Close stops listening and ends the calls in flight.
func (s *server) Close() error {
	err := s.http.Close()
	<-s.done
	return err
}
