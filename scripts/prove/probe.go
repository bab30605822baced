package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"cloud.google.com/go/auth/credentials"
)

// A prober sends bare requests to the service, without a library that repairs or retries.
type prober struct {
	base              string
	vertex            bool
	key               string
	project, location string
	token             func(context.Context) (string, error) // of Vertex AI

	emulated bool // an emulated model has answered
}

// object is a JSON object to send.
type object = map[string]any

// An answered is the response to a request.
type answered struct {
	status int
	header http.Header
	body   []byte
	err    error // there was no answer
}

const longestProbe = 2 * time.Minute

// path returns the path of a model's method; "" is the model itself.
func (p *prober) path(model, method string) string {
	path := "/v1beta/models/" + model
	if p.vertex {
		path = fmt.Sprintf("/v1beta1/projects/%s/locations/%s/publishers/google/models/%s", p.project, p.location, model)
	}
	if method != "" {
		path += ":" + method
	}
	return path
}

// ask posts body, or sends a GET without one.
func (p *prober) ask(ctx context.Context, model, method string, body any) answered {
	return p.send(ctx, sending{model: model, method: method, body: body})
}

// send sends a request as it is, and reads all of its answer.
func (p *prober) send(ctx context.Context, s sending) answered {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.patience, longestProbe))
	defer cancel()
	req, err := p.request(ctx, s)
	if err != nil {
		return answered{err: err}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answered{err: err}
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	a := answered{status: resp.StatusCode, header: resp.Header, body: got, err: err}
	p.emulated = p.emulated || a.generated().ModelVersion == emulatedVersion
	return a
}

func (p *prober) request(ctx context.Context, s sending) (*http.Request, error) {
	verb, data := http.MethodGet, []byte(nil)
	if s.body != nil {
		verb = http.MethodPost
		var err error
		if data, err = json.Marshal(s.body); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, verb, p.base+p.path(s.model, s.method), bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range s.header {
		req.Header.Set(name, value)
	}
	return req, p.identify(ctx, req)
}

// identify puts the key, or a token, into a header.
func (p *prober) identify(ctx context.Context, req *http.Request) error {
	if !p.vertex {
		req.Header.Set("X-Goog-Api-Key", p.key)
		return nil
	}
	if p.token == nil {
		found, err := credentials.DetectDefault(&credentials.DetectOptions{Scopes: []string{"https://www.googleapis.com/auth/cloud-platform"}})
		if err != nil {
			return errors.New("no credentials for Vertex AI: run gcloud auth application-default login")
		}
		p.token = func(ctx context.Context) (string, error) {
			t, err := found.Token(ctx)
			if err != nil {
				return "", errors.New("no token for Vertex AI: run gcloud auth application-default login")
			}
			return t.Value, nil
		}
	}
	token, err := p.token(ctx)
	req.Header.Set("Authorization", "Bearer "+token)
	return err
}

// text returns the message of a refusal.
func (a answered) text() string {
	var e struct {
		Error struct{ Message, Status string }
	}
	if a.err != nil {
		return a.err.Error()
	}
	if json.Unmarshal(a.body, &e) != nil || e.Error.Message == "" {
		return fmt.Sprintf("%d, %.200q", a.status, a.body)
	}
	return fmt.Sprintf("%d %s: %.300s", a.status, e.Error.Status, e.Error.Message)
}

// undecided reports whether a proves nothing either way: there was no answer, no quota, no
// permission, or the limit was reached.
func (a answered) undecided() bool {
	var e struct{ Error struct{ Status string } }
	_ = json.Unmarshal(a.body, &e)
	return a.err != nil || a.status == http.StatusUnauthorized || a.status == http.StatusForbidden || a.status == http.StatusTooManyRequests ||
		a.status >= 500 || e.Error.Status == "FAILED_PRECONDITION"
}

// A generated has the fields that are read from a generate response.
type generated struct {
	Candidates []struct {
		Content struct {
			Parts []struct {
				Text       string
				InlineData struct {
					MIMEType string `json:"mimeType"`
					Data     []byte
				} `json:"inlineData"`
			}
		}
		FinishReason      string `json:"finishReason"`
		GroundingMetadata struct {
			Queries []string `json:"webSearchQueries"`
			Chunks  []struct {
				Web struct{ URI, Title string }
			} `json:"groundingChunks"`
		} `json:"groundingMetadata"`
	}
	Usage struct {
		Prompt   int `json:"promptTokenCount"`
		Answer   int `json:"candidatesTokenCount"`
		Thoughts int `json:"thoughtsTokenCount"`

		TrafficType string `json:"trafficType"`
		Details     []struct {
			Modality   string
			TokenCount int `json:"tokenCount"`
		} `json:"promptTokensDetails"`
	} `json:"usageMetadata"`
	ModelVersion string `json:"modelVersion"`
}

func (a answered) generated() (g generated) {
	_ = json.Unmarshal(a.body, &g) // what cannot be read is missing, which the checks tell
	return g
}

// text returns all text of the first candidate.
func (g generated) text() (s string) {
	if len(g.Candidates) == 0 {
		return ""
	}
	for _, p := range g.Candidates[0].Content.Parts {
		s += p.Text
	}
	return s
}
