// Package replay records the requests to a model service and its answers, and answers the
// same requests again without the service.
//
//	client → Recorder → the service → answer, kept in a folder without its keys → client
//	client → Player   → the answer that was kept for that request, or an error that
//	                    shows the request and the nearest one that was kept
//
// It handles HTTP with JSON on the paths of the Gemini API and Vertex AI, and does not
// interpret their messages. A folder has one file for each Exchange, named after its
// request, and one Recording with the settings.
package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// An Exchange is one request and its answer.
type Exchange struct {
	Request Request `json:"request"`
	Answer  Answer  `json:"answer"`

	file string // that holds it
}

// A Request is a recorded request, without headers and without the key in the query.
type Request struct {
	Method string  `json:"method"`
	Path   string  `json:"path"` // any project is called PROJECT
	Query  string  `json:"query,omitempty"`
	Body   content `json:"body,omitzero"`
}

// An Answer is a recorded answer.
type Answer struct {
	Status     int     `json:"status"`
	Type       string  `json:"content_type,omitempty"`
	RetryAfter string  `json:"retry_after,omitempty"`
	Body       content `json:"body,omitzero"`
}

// A content is a body: JSON as it is, or text.
type content struct {
	JSON json.RawMessage `json:"json,omitempty"`
	Text string          `json:"text,omitempty"`
}

func contentOf(body []byte) content {
	if json.Valid(body) {
		return content{JSON: body}
	}
	return content{Text: string(body)}
}

func (c content) bytes() []byte {
	if c.JSON != nil {
		return c.JSON
	}
	return []byte(c.Text)
}

// A Recording says how the exchanges of a folder were recorded.
type Recording struct {
	Made     time.Time `json:"made"`
	Upstream string    `json:"upstream"` // the service, without a path
	// Settings are variables that shape requests: models and how they are asked.
	Settings map[string]string `json:"settings,omitempty"`
}

// Variables are those of whatis that shape requests: a replay needs them as they were.
var Variables = []string{
	"IMAGE_MODEL", "JUDGE_MODEL", "EMBEDDING_MODEL", "IMAGE_THINKING", "JUDGE_THINKING", "SEARCH_THINKING",
	"IMAGE_MEDIA_RESOLUTION", "JUDGE_MEDIA_RESOLUTION", "WEB_SEARCH", "SEARCH_WITH_SCHEMA", "LEARN_FROM_SEARCH", "READ_CODES",
	"POLICY", "SECOND_LOOK", "COUNTRY", "LANGUAGE_TAG", "MODEL_FALLBACKS", "SEARCH_MODEL", "SEARCH_VOCABULARY",
	"FORECAST_MODEL", "FORECAST_THINKING", "SPEECH_MODEL", "SPEECH_VOICE",
	"THINKING_MODEL", "DISCOVER_THINKING", "STRUCTURED_MODEL", "RELEVANCE_CHECK_MODEL",
}

// Shaping returns the Variables that are set in an environment.
func Shaping(env map[string]string) map[string]string {
	set := map[string]string{}
	for _, name := range Variables {
		if value := env[name]; value != "" {
			set[name] = value
		}
	}
	return set
}

const recordingFile = "recording.json"

// ReadRecording reads the Recording of a folder.
func ReadRecording(dir string) (Recording, error) {
	var r Recording
	data, err := os.ReadFile(filepath.Join(dir, recordingFile))
	if err != nil {
		return r, fmt.Errorf("replay: %s holds no recording: %w", dir, err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("replay: %s: %w", filepath.Join(dir, recordingFile), err)
	}
	return r, nil
}

// project is the part of a path that names one.
var project = regexp.MustCompile(`/projects/[^/]+`)

// requestOf returns r as it is recorded, with a scrubbed body.
func requestOf(r *http.Request, body []byte, scrub func(string) string) Request {
	query := r.URL.Query()
	for _, secret := range secretParameters {
		query.Del(secret)
	}
	return Request{
		Method: r.Method, Path: scrub(project.ReplaceAllString(r.URL.Path, "/projects/PROJECT")), Query: scrub(query.Encode()),
		Body: contentOf([]byte(scrub(string(body)))),
	}
}

// key is equal for equal requests; the order of an object's members does not matter.
func (r Request) key() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{r.Method, r.Path, r.Query, string(canonical(r.Body.bytes()))}, "\n")))
	return hex.EncodeToString(sum[:6])
}

// canonical returns JSON with sorted members and without spaces; all else stays.
func canonical(body []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return body
	}
	sorted, err := json.Marshal(v)
	if err != nil {
		return body
	}
	return sorted
}

// name returns the prefix of r's file name: the model and the method.
func (r Request) name() string {
	last := r.Path[strings.LastIndexByte(r.Path, '/')+1:]
	return unfit.ReplaceAllString(last, "-") + "-" + r.key()
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9._]+`)

// read returns the exchanges of a folder, those of one request in the order in which
// they were made.
func read(dir string) ([]Exchange, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var all []Exchange
	for _, path := range files {
		if filepath.Base(path) == recordingFile {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		e := Exchange{file: filepath.Base(path)}
		if err := json.Unmarshal(data, &e); err != nil {
			return nil, fmt.Errorf("replay: %s: %w", path, err)
		}
		all = append(all, e)
	}
	return all, nil
}

// write writes v to a file of the folder, atomically.
func write(dir, name string, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".partial-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// origin returns the scheme and host of an address.
func origin(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, fmt.Errorf("replay: the service's address is none: want one as https://generativelanguage.googleapis.com")
	}
	return u, nil
}
