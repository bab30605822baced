// Package ollama answers the requests to the emulated Gemini API with models that Ollama
// runs on this machine.
//
//	generateContent → emulators/gemini (the wire) → Model → Ollama's /api/chat
//	embedContent    → emulators/gemini (the wire) → Model → Ollama's /api/embed
//
// What a local model cannot do is refused as Google refuses what a model lacks: a search of
// the web (400), speech (400), an embedding of another size (400). Errors of Ollama arrive as
// the errors of Google that clients handle alike: see failure.
package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"example.com/whatis/emulators/gemini"
)

// The models that are asked unless others are named. All are in Ollama's library.
const (
	DefaultVision = "qwen3-vl:4b-instruct"
	DefaultEmbed  = "embeddinggemma"
)

// defaultURL is where Ollama listens unless OLLAMA_HOST says otherwise.
const (
	defaultURL  = "http://127.0.0.1:11434"
	defaultPort = "11434"
)

// Dimensions is the length of the vectors that an embedding model must have.
const Dimensions = 768

// embedPrefix begins the names of embedding models on the emulated wire. Names say which model
// answers, as results of different models are cached apart, and vectors of different models
// cannot be compared.
const embedPrefix = gemini.LocalPrefix + "embed-"

// Options name the server and its models. The zero value works.
type Options struct {
	// URL is the address of Ollama; "" is that of OLLAMA_HOST, or else 127.0.0.1:11434.
	URL string
	// Vision sees photos, Judge answers everything else and looks a second time, Embed
	// makes vectors. "" is what OLLAMA_VISION, OLLAMA_JUDGE and OLLAMA_EMBED say, or else
	// DefaultVision, what Vision is, and DefaultEmbed.
	Vision, Judge, Embed string
}

// A Model asks the models of one server. It is safe for concurrent use.
type Model struct {
	client               *api.Client
	vision, judge, embed served
}

// served is a model that the server has.
type served struct {
	name string
	able []model.Capability
}

func (s served) can(c model.Capability) bool { return slices.Contains(s.able, c) }

// Open finds the models on the server. Its errors say what to do: start Ollama, pull a model
// or name another.
func Open(ctx context.Context, o Options) (*Model, error) {
	at, err := address(cmp.Or(o.URL, os.Getenv("OLLAMA_HOST"), defaultURL))
	if err != nil {
		return nil, err
	}
	m := &Model{client: api.NewClient(at, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}})}
	if err := m.client.Heartbeat(ctx); err != nil {
		return nil, fmt.Errorf("ollama: nothing answers at %s: start it with `ollama serve`, or name its address (%w)", at, err)
	}
	vision := cmp.Or(o.Vision, os.Getenv("OLLAMA_VISION"), DefaultVision)
	var failed [3]error
	m.vision, failed[0] = m.find(ctx, vision, model.CapabilityVision)
	m.judge, failed[1] = m.vision, nil
	if judge := cmp.Or(o.Judge, os.Getenv("OLLAMA_JUDGE"), vision); judge != vision {
		m.judge, failed[1] = m.find(ctx, judge, model.CapabilityCompletion)
	}
	m.embed, failed[2] = m.find(ctx, cmp.Or(o.Embed, os.Getenv("OLLAMA_EMBED"), DefaultEmbed), model.CapabilityEmbedding)
	if err := errors.Join(failed[:]...); err != nil {
		return nil, err
	}
	return m, nil
}

// address returns the URL of a host as Ollama's own client reads it: scheme and port may be
// missing, and 0.0.0.0, to which a server listens, is this machine.
func address(host string) (*url.URL, error) {
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	at, err := url.Parse(host)
	if err != nil || at.Hostname() == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("ollama: %q is no address: want one such as %s", host, defaultURL)
	}
	name, port := at.Hostname(), at.Port()
	if name == "0.0.0.0" {
		name = "127.0.0.1"
	}
	if port == "" && at.Scheme == "http" {
		port = defaultPort
	}
	at.Host = strings.TrimSuffix(net.JoinHostPort(name, port), ":")
	return at, nil
}

// find returns a model that the server has and that can do what is needed.
func (m *Model) find(ctx context.Context, name string, needed model.Capability) (served, error) {
	shown, err := m.client.Show(ctx, &api.ShowRequest{Model: name})
	var status api.StatusError
	switch {
	case errors.As(err, &status) && status.StatusCode == http.StatusNotFound:
		return served{}, fmt.Errorf("ollama: %s is not pulled: ollama pull %s", name, name)
	case err != nil:
		return served{}, fmt.Errorf("ollama: %s: %w", name, err)
	}
	s := served{name, shown.Capabilities}
	if !s.can(needed) {
		return served{}, fmt.Errorf("ollama: %s has not the capability %q, only %q: name another model", name, needed, shown.Capabilities)
	}
	if n := vectorLength(shown.ModelInfo); needed == model.CapabilityEmbedding && n != Dimensions {
		return served{}, fmt.Errorf("ollama: %s makes vectors of %d numbers, and the catalogue's have %d: name another model, such as %s", name, n, Dimensions, DefaultEmbed)
	}
	return s, nil
}

// vectorLength returns the length of a model's embeddings, 0 if it is not said.
func vectorLength(info map[string]any) int {
	for key, v := range info {
		if n, ok := v.(float64); ok && strings.HasSuffix(key, ".embedding_length") {
			return int(n)
		}
	}
	return 0
}

// Start starts an emulator of the Gemini API whose answers are those of m.
func (m *Model) Start(wire gemini.Options) (*gemini.Server, error) {
	wire.Responders, wire.Embed, wire.Speak = []gemini.Responder{m}, m.vector, noSpeech
	return gemini.Start(wire)
}

func noSpeech(context.Context, *gemini.Request) ([]byte, error) {
	return nil, errors.New("a local model does not speak")
}

// latest is the tag of a name without one.
const latest = ":latest"

var unnameable = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// VisionName, JudgeName and EmbedName return the names of the models on the wire, such as
// local-qwen3-vl-4b-instruct and local-embed-embeddinggemma.
func (m *Model) VisionName() string { return gemini.LocalPrefix + wireName(m.vision.name) }

// JudgeName is described at VisionName.
func (m *Model) JudgeName() string { return gemini.LocalPrefix + wireName(m.judge.name) }

// EmbedName is described at VisionName.
func (m *Model) EmbedName() string { return embedPrefix + wireName(m.embed.name) }

func wireName(name string) string {
	return unnameable.ReplaceAllString(strings.TrimSuffix(name, latest), "-")
}

// timeout is how long a try may take unless MODEL_TIMEOUT says otherwise: a minute is little
// for a model without a graphics card.
const timeout = "4m"

// Settings returns the variables that make whatis ask m through the wire, as NAME=value:
// every agent's model, no search of the web, no speech, and time to answer.
func (m *Model) Settings() []string {
	judge := m.JudgeName()
	return []string{
		"IMAGE_MODEL=" + m.VisionName(), "JUDGE_MODEL=" + judge, "EMBEDDING_MODEL=" + m.EmbedName(),
		"FORECAST_MODEL=" + judge, "THINKING_MODEL=" + judge, "STRUCTURED_MODEL=" + judge, "RELEVANCE_CHECK_MODEL=" + judge,
		"SPEECH_MODEL=", "WEB_SEARCH=false", "MODEL_TIMEOUT=" + cmp.Or(os.Getenv("MODEL_TIMEOUT"), timeout),
	}
}

// String names the models.
func (m *Model) String() string {
	names := m.vision.name
	if m.judge.name != m.vision.name {
		names += " and " + m.judge.name
	}
	return names + ", with embeddings of " + m.embed.name
}

// Memory returns how many bytes each model of m takes that is loaded now, by name. It is
// loaded from its first answer until some minutes after its last, unless another needs the
// memory.
func (m *Model) Memory(ctx context.Context) (map[string]int64, error) {
	running, err := m.client.ListRunning(ctx)
	if err != nil {
		return nil, fmt.Errorf("ollama: loaded models: %w", err)
	}
	sizes := map[string]int64{}
	for _, one := range running.Models {
		for _, own := range []served{m.vision, m.judge, m.embed} {
			if strings.TrimSuffix(one.Name, latest) == strings.TrimSuffix(own.name, latest) {
				sizes[own.name] = one.Size
			}
		}
	}
	return sizes, nil
}
