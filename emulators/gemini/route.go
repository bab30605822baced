package gemini

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// route is the parsed path of a request.
type route struct {
	method   string
	model    string
	vertex   bool
	location string // of Vertex AI; "" where the path names none
}

// The two families of paths: the Gemini API's, and Vertex AI's with or without
// (express mode) a project.
var (
	apiPath    = regexp.MustCompile(`^/(?:v1|v1beta|v1alpha)/models(?:/([^/:]+)(?::([A-Za-z]+))?)?$`)
	vertexPath = regexp.MustCompile(`^/(?:v1|v1beta1)(?:/projects/[^/]+/locations/([^/]+))?/publishers/[^/]+/models(?:/([^/:]+)(?::([A-Za-z]+))?)?$`)
)

var (
	generateMethods = []string{"generateContent", "streamGenerateContent"}
	embedMethods    = []string{"batchEmbedContents", "embedContent", "predict"}
)

func generates(method string) bool { return slices.Contains(generateMethods, method) }
func embeds(method string) bool    { return slices.Contains(embedMethods, method) }

// routeOf reads method, model and family from a request line; ok is false for
// paths that the services do not have.
func routeOf(r *http.Request) (to route, ok bool) {
	m := vertexPath.FindStringSubmatch(r.URL.Path)
	if to.vertex = m != nil; to.vertex {
		to.location, m = m[1], m[1:]
	} else {
		m = apiPath.FindStringSubmatch(r.URL.Path)
	}
	if m == nil {
		return to, false
	}
	to.model, to.method = m[1], m[2]
	if to.method == "" {
		to.method = "models.get"
		if to.model == "" {
			to.method = "models.list"
		}
		return to, r.Method == http.MethodGet
	}
	return to, r.Method == http.MethodPost && to.offered()
}

// offered reports whether the family has the method: predict is Vertex AI's,
// batchEmbedContents the Gemini API's.
func (to route) offered() bool {
	switch to.method {
	case "predict":
		return to.vertex
	case "batchEmbedContents":
		return !to.vertex
	}
	return generates(to.method) || to.method == "embedContent" || to.method == "countTokens"
}

// Collections and methods of the two services that are not emulated, by their names in a
// path.
var (
	collectionPath = regexp.MustCompile(`^/(?:upload/)?v1(?:beta1?|alpha)?/(?:projects/[^/]+/locations/[^/]+/)?([A-Za-z_]+)(?:[/:]|$)`)
	methodPath     = regexp.MustCompile(`/models/([^/:]+):([A-Za-z]+)$`)
	socketPath     = regexp.MustCompile(`^/ws/google\.[A-Za-z0-9_.]+\.(Bidi[A-Za-z]+)`)
)

var (
	lackedCollections = []string{
		"auth_tokens", "batches", "batchPredictionJobs", "cachedContents", "corpora", "datasets", "dynamic", "endpoints", "evaluationItems", "files",
		"fileSearchStores", "generatedFiles", "interactions", "operations", "ragCorpora", "reasoningEngines", "tunedModels", "tuningJobs",
	}
	lackedMethods = []string{
		"asyncBatchEmbedContent", "batchGenerateContent", "bidiGenerateContent", "computeTokens", "fetchPredictOperation", "generateAnswer",
		"predict", "predictLongRunning", "rawPredict", "serverStreamingPredict", "streamRawPredict",
	}
)

// lacking names the collection or method of r, if a service has it and the emulator does
// not.
func lacking(r *http.Request) string {
	path := r.URL.Path
	if m := socketPath.FindStringSubmatch(path); m != nil {
		return m[1]
	}
	if m := methodPath.FindStringSubmatch(path); m != nil && slices.Contains(lackedMethods, m[2]) {
		if _, here := modelOf(route{model: m[1]}); m[2] != "predict" || !here {
			return "models." + m[2]
		}
	}
	if m := collectionPath.FindStringSubmatch(path); m != nil && slices.Contains(lackedCollections, m[1]) {
		return m[1]
	}
	return ""
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	s.controlRoutes(mux)
	mux.HandleFunc("/", s.model)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "//") { // as Google's client for Node opens live sessions; mux would redirect it
			r.URL.Path, r.URL.RawPath = "/"+strings.TrimLeft(r.URL.Path, "/"), ""
		}
		mux.ServeHTTP(w, r)
	})
}

// model serves one call of a model from its arrival to its answer.
func (s *Server) model(w http.ResponseWriter, r *http.Request) {
	if !s.gate.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.gate.leave()
	call := Call{Start: time.Now()}
	to, ok := routeOf(r)
	x := exchange{s: s, w: w, r: r, call: &call, q: &query{Request: Request{Method: to.method, Model: to.model}}}
	switch {
	case !ok && lacking(r) != "":
		x.fail(unserved(lacking(r)))
	case !ok:
		x.fail(notFound("The requested URL " + r.URL.Path + " was not found on this server."))
	case to.vertex:
		x.serve(to)
	default:
		if refusal := s.keyError(r); refusal != nil {
			x.fail(*refusal)
			return
		}
		x.serve(to)
	}
}

// keyForm matches keys: Google's are 39 letters, digits, - and _, or have a dot (AQ.…).
var keyForm = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// keyError returns the Gemini API's answer to a call without a key or with a wrong one.
// Vertex AI's tokens are not checked.
func (s *Server) keyError(r *http.Request) *apiError {
	key := r.Header.Get("X-Goog-Api-Key")
	if key == "" {
		key = r.URL.Query().Get("key")
	}
	switch {
	case key == "":
		return &errNoKey
	case s.apiKey != "" && key != s.apiKey, !keyForm.MatchString(key):
		return &errBadKey
	}
	return nil
}
