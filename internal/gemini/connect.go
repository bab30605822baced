package gemini

import (
	"cmp"
	"errors"
	"net/http"
	"os"
	"strings"
	"time"

	"google.golang.org/genai"
)

// connection reads the SDK's environment variables. It sets key, project and location
// itself, because the SDK ignores the project and the credentials if a base URL is set.
func connection(baseURL string) (*genai.ClientConfig, error) {
	if wantsVertex() {
		return vertexConnection(baseURL)
	}
	keys := environmentKeys()
	if len(keys) == 0 {
		return nil, errors.New("no key: set GEMINI_API_KEY, or GOOGLE_GENAI_USE_VERTEXAI=true and GOOGLE_CLOUD_PROJECT for Vertex AI")
	}
	return &genai.ClientConfig{
		Backend:     genai.BackendGeminiAPI,
		APIKey:      keys[0],
		HTTPClient:  keyedClient(),
		HTTPOptions: genai.HTTPOptions{BaseURL: baseURL},
	}, nil
}

// Configured returns an error if the environment names neither a key nor a project of Vertex AI.
func Configured() error {
	_, err := connection("")
	return err
}

func vertexConnection(baseURL string) (*genai.ClientConfig, error) {
	project := os.Getenv("GOOGLE_CLOUD_PROJECT")
	if project == "" {
		return nil, errors.New("no project: set GOOGLE_CLOUD_PROJECT, or GEMINI_API_KEY without GOOGLE_GENAI_USE_VERTEXAI for the Gemini API")
	}
	return &genai.ClientConfig{
		Backend:     genai.BackendVertexAI,
		Project:     project,
		Location:    vertexLocation(),
		HTTPOptions: genai.HTTPOptions{BaseURL: baseURL},
	}, nil
}

// vertexLocation returns the location of Vertex AI.
func vertexLocation() string {
	return cmp.Or(os.Getenv("GOOGLE_CLOUD_LOCATION"), os.Getenv("GOOGLE_CLOUD_REGION"), "global")
}

func wantsVertex() bool {
	wanted, ok := os.LookupEnv("GOOGLE_GENAI_USE_ENTERPRISE")
	if !ok {
		wanted = os.Getenv("GOOGLE_GENAI_USE_VERTEXAI")
	}
	return wanted == "1" || strings.EqualFold(wanted, "true")
}

// environmentKeys returns the API keys that are set, the SDK's first choice first.
func environmentKeys() []string {
	var keys []string
	for _, name := range []string{"GOOGLE_API_KEY", "GEMINI_API_KEY"} {
		if key := strings.TrimSpace(os.Getenv(name)); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// keyedClient keeps more idle connections than the default of two, detects within seconds a
// connection that died while the instance was frozen, and does not follow redirects, which
// would send the key's header to another host.
func keyedClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: 10 * time.Second, PingTimeout: 5 * time.Second}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// redactor returns a function that removes secrets from a text.
func redactor(secrets []string) func(string) string {
	var pairs []string
	for _, s := range secrets {
		pairs = append(pairs, s, "[key]")
	}
	return strings.NewReplacer(pairs...).Replace
}
