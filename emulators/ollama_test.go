package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"example.com/whatis/emulators/ollama"
	"example.com/whatis/emulators/ollama/ollamatest"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/emulators/site"
)

// pulled are the default models, as Ollama's library has them.
var pulled = map[string]ollamatest.Pulled{
	ollama.DefaultVision: {Able: []model.Capability{model.CapabilityCompletion, model.CapabilityVision, model.CapabilityTools}},
	ollama.DefaultEmbed:  ollamatest.Embeds,
	"text-only":          {Able: []model.Capability{model.CapabilityCompletion}},
	"large-embeddings":   {Able: []model.Capability{model.CapabilityEmbedding}, Length: 1024},
}

// All four agents do their main job with a model that Ollama serves. What it is shown and
// asked for is enough to answer as the emulated model does, but for the web.
func TestOllamaServesAllAgents(t *testing.T) {
	t.Parallel()
	served := ollamatest.StartEmulated(t, pulled)
	labels, err := site.Start(site.Options{}) // the emulated model knows the pages of webs that run in its process
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(labels.Close)
	shop := filepath.Join(t.TempDir(), "shop.json")
	if err := os.WriteFile(shop, bytes.ReplaceAll(samples.ProductsDB, []byte(`"product_name":`), []byte(`"price": "3 EUR", "product_name":`)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, nil, "-ollama", served.URL, "-catalog", shop)
	s.until("Ready")
	out := strings.Join(s.lined, "\n")
	got := map[string]string{}
	names, outcomes := columns(out)
	for i, name := range names {
		got[name] = outcomes[i]
	}
	want := maps.Clone(promised)
	want["03-oat-latte.webp"], want["04-oat-latte-again.jpg"], want["06-mountain-lake.jpg"] = "unidentified", "unidentified", "product" // no web, nothing learnt from it
	if !maps.Equal(got, want) {
		t.Errorf("-ollama shows the outcomes %q, want %q, after\n%s", got, want, out)
	}
	if !strings.Contains(out, "LOCAL MODEL: qwen3-vl:4b-instruct, with embeddings of embeddinggemma") {
		t.Errorf("-ollama does not name its models:\n%s", out)
	}
	s.until("curl --data-binary")
	discovery := strings.TrimSpace(s.until("curl --json"))
	api := s.env["API_URL"]

	var product struct {
		Source   string
		Warnings []string
		Cost     float64           `json:"cost_usd"`
		Models   map[string]string `json:"models"`
		Decision struct{ Row int }
	}
	body, code := fetch(t, api+"/analyze?fresh=true&country=KR&lang=en", samples.All()[2].Bytes())
	if err := json.Unmarshal([]byte(body), &product); err != nil || code != 200 {
		t.Fatalf("analyze: %d, %v: %s", code, err, body)
	}
	warned := strings.Join(product.Warnings, " ")
	if product.Decision.Row != 6 || !strings.Contains(warned, "local_model") || !strings.Contains(warned, "no_web_search") || strings.Contains(warned, "emulated_model") || product.Cost != 0 || product.Models["local-qwen3-vl-4b-instruct"] != ollama.DefaultVision {
		t.Errorf("analyze = %s, want row 6, local_model and no_web_search, no cost and the model's name", body)
	}

	body, code = fetch(t, api+"/forecast/Seoul?lang=en", nil)
	if code != 200 || !strings.Contains(body, `"local_model"`) || strings.Contains(body, `"template_text"`) {
		t.Errorf("forecast = %d, %s, want the model's text", code, body)
	}
	found, err := http.Post(api+"/search", "application/json", strings.NewReader(`{"query":"현미 누룽지칩"}`))
	if err != nil {
		t.Fatal(err)
	}
	products, _ := io.ReadAll(found.Body)
	found.Body.Close()
	if found.StatusCode != 200 || !strings.Contains(string(products), `"local_model"`) || !strings.Contains(string(products), "누룽지칩") {
		t.Errorf("search = %s, %s, want the rice chips", found.Status, products)
	}
	if r := s.discovered(discovery); r.Action != "accept" || len(r.Items) == 0 || !slices.Contains(r.Warnings, "local_model") {
		t.Errorf("discovery = %+v, want records", r)
	}
	for _, chat := range served.Asked() {
		if chat.Model != ollama.DefaultVision || len(chat.Messages) == 0 {
			t.Errorf("asked %q with %d messages, want %q and some", chat.Model, len(chat.Messages), ollama.DefaultVision)
		}
	}
	s.cmd.Process.Signal(syscall.SIGTERM)
	if _, stderr, code := s.end(); code != 0 || stderr != "" {
		t.Errorf("exit code %d, errors %q, want 0 and none", code, stderr)
	}
}

// What local models answered is recorded, and answered again without them: also that the web
// was not searched.
func TestOllamaRecorded(t *testing.T) {
	t.Parallel()
	served := ollamatest.StartEmulated(t, pulled)
	dir := t.TempDir()
	var photos []string
	for _, sample := range []int{0, 2} {
		one := samples.All()[sample]
		photos = append(photos, filepath.Join(dir, one.File))
		if err := os.WriteFile(photos[len(photos)-1], one.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	recording := filepath.Join(dir, "recording")
	want := map[string]string{"01-oat-crackers.jpg": "image", "03-oat-latte.webp": "unidentified"}
	for _, args := range [][]string{{"-ollama=" + served.URL, "-record", recording}, {"-replay", recording}} {
		asked := len(served.Asked())
		out, stderr, code := start(t, nil, slices.Concat([]string{"-once"}, args, photos)...).end()
		names, outcomes := columns(out)
		got := map[string]string{}
		for i, name := range names {
			got[name] = outcomes[i]
		}
		if code != 0 || stderr != "" || !maps.Equal(got, want) {
			t.Errorf("%v: exit code %d, %q, errors %q, want 0 and %q, after\n%s", args, code, got, stderr, want, out)
		}
		if replays := args[0] == "-replay"; replays == (len(served.Asked()) > asked) {
			t.Errorf("%v: Ollama was asked %d times", args, len(served.Asked())-asked)
		}
	}
}

// A model that is wrong in everything breaks nothing, and no product is identified whose name
// it did not read in print, however sure it is of it.
func TestOllamaWeakModel(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]string{"other print": ollamatest.Babble, "no print": ""} {
		t.Run(name, func(t *testing.T) {
			s := weak(t, read)
			discovery := strings.TrimSpace(s.until("curl --json"))
			names, outcomes := columns(strings.Join(s.lined, "\n"))
			if want := slices.Repeat([]string{"unidentified"}, len(promised)); !slices.Equal(outcomes, want) {
				t.Errorf("outcomes of %q = %q, want %q", names, outcomes, want)
			}
			r := s.claimed()
			if r.ProductNameConfidence > 0.6 || r.BrandConfidence > 0.6 || r.Evidence.ProductName.Text != "" || r.Decision.Row != 6 {
				t.Errorf("analyze = %+v, want row 6, no print that has the name, and confidences of 0.6 at most", r)
			}
			body, code := fetch(t, s.env["API_URL"]+"/forecast/Seoul?lang=en", nil)
			if code != 200 || strings.Contains(body, ollamatest.Babble) {
				t.Errorf("forecast = %d, %s, want one without the model's words", code, body)
			}
			if r := s.discovered(discovery); len(r.Items) != 0 {
				t.Errorf("discovery = %+v, want no record: no page has such a quote", r)
			}
			s.stops()
		})
	}
}

// Code cannot see a photo: print that the model invents is believed, as docs/local-models.md
// says. The result quotes it, so that people can compare.
func TestOllamaInventedPrint(t *testing.T) {
	t.Parallel()
	const invented = ollamatest.ClaimedBrand + " " + ollamatest.ClaimedName
	s := weak(t, invented)
	if r := s.claimed(); r.Source != "image" || r.Evidence.ProductName.Text != invented {
		t.Errorf("analyze = %+v, want image, and the quote %q", r, invented)
	}
	s.stops()
}

// An answer that does not come in MODEL_TIMEOUT ends as one of Google's: a caller is told after
// three tries, and Ollama works on none of them any more.
func TestOllamaSlow(t *testing.T) {
	t.Parallel()
	var slow atomic.Bool
	served := ollamatest.Start(t, pulled)
	served.Answer = func(ctx context.Context, r *api.ChatRequest) ollamatest.Reply {
		if slow.Load() {
			<-ctx.Done()
		}
		return ollamatest.Weak("")(ctx, r)
	}
	s := start(t, []string{"MODEL_TIMEOUT=1s"}, "-ollama="+served.URL)
	s.until("curl --data-binary")
	slow.Store(true)
	asked, left := len(served.Asked()), served.Left()
	body, code := fetch(t, s.env["API_URL"]+"/analyze?fresh=true", samples.All()[0].Bytes())
	if tries := len(served.Asked()) - asked; code != http.StatusBadGateway || !strings.Contains(body, `"model_unavailable"`) || !strings.Contains(body, "no answer within 1s") || tries != 3 {
		t.Errorf("analyze = %d after %d tries, %s, want 502 after 3", code, tries, body)
	}
	for late := time.Now().Add(longWait); served.Left()-left < 3; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("%d of 3 tries have ended in Ollama", served.Left()-left)
		}
	}
	s.stops()
}

// weak starts the command with a weak model that takes read for the print of every photo.
func weak(t *testing.T, read string) *session {
	t.Helper()
	served := ollamatest.Start(t, pulled)
	served.Answer = ollamatest.Weak(read)
	s := start(t, nil, "-ollama", served.URL)
	s.until("curl --data-binary")
	return s
}

// A claim is what a test reads of the result of a weak model.
type claim struct {
	ProductName           string  `json:"product_name"`
	ProductNameConfidence float64 `json:"product_name_confidence"`
	BrandConfidence       float64 `json:"brand_confidence"`
	Source                string
	Evidence              struct {
		ProductName struct{ Text string } `json:"product_name"`
	}
	Decision struct{ Row int }
}

// claimed returns the result for a photo of crackers, which names what the weak model claims.
func (s *session) claimed() (r claim) {
	s.t.Helper()
	body, code := fetch(s.t, s.env["API_URL"]+"/analyze?fresh=true&country=US&lang=en", samples.All()[0].Bytes())
	if err := json.Unmarshal([]byte(body), &r); err != nil || code != 200 || r.ProductName != ollamatest.ClaimedName {
		s.t.Errorf("analyze: %d, %v: %s, want the name that is claimed", code, err, body)
	}
	return r
}

// stops ends the command as Ctrl-C does.
func (s *session) stops() {
	s.t.Helper()
	s.cmd.Process.Signal(syscall.SIGTERM)
	if _, stderr, code := s.end(); code != 0 {
		s.t.Errorf("exit code %d, errors %q, want 0", code, stderr)
	}
}

func TestOllamaUsage(t *testing.T) {
	t.Parallel()
	served := ollamatest.Start(t, pulled)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-vision", "x"}, "name models of -ollama"},
		{[]string{"-ollama", "-real"}, "leave out -real"},
		{[]string{"-ollama", "127.0.0.1:1"}, "nothing answers at http://127.0.0.1:1: start it with `ollama serve`"},
		{[]string{"-ollama", served.URL, "-vision", "gemma3:4b"}, "gemma3:4b is not pulled: ollama pull gemma3:4b"},
		{[]string{"-ollama", served.URL, "-vision", "text-only"}, `text-only has not the capability "vision"`},
		{[]string{"-ollama=" + served.URL, "-embed", "large-embeddings"}, "large-embeddings makes vectors of 1024 numbers"},
	} {
		if _, stderr, code := start(t, nil, test.args...).end(); code != 2 || !strings.Contains(stderr, test.want) {
			t.Errorf("%v: exit code %d, errors %q, want 2 and %q", test.args, code, stderr, test.want)
		}
	}
}
