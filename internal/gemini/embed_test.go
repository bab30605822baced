package gemini

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genai"

	emulator "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/admission"
)

func TestEmbed(t *testing.T) {
	const prefix = "task: sentence similarity | query: "
	tests := []struct {
		model          string
		vertex         bool
		texts, batches int
	}{
		{"gemini-embedding-001", false, 3, 1},
		{"gemini-embedding-2", false, 101, 2},
		{"gemini-embedding-001", true, 7, 7},
		{"gemini-embedding-2", true, 7, 7},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s, vertex %v", tt.model, tt.vertex), func(t *testing.T) {
			texts := make([]string, tt.texts)
			for i := range texts {
				texts[i] = fmt.Sprintf("text %d", i)
			}
			c, s := start(t, Config{})
			if tt.vertex {
				vertexEnvironment(t, http.StatusOK)
				c = openVertex(t, s.URL())
			}
			a := &Account{}
			got, err := c.Embed(WithAccount(t.Context(), a), EmbedRequest{Model: tt.model, Prefix: prefix, Texts: texts})
			if err != nil {
				t.Fatal(err)
			}
			calls := s.Calls()
			if len(got) != tt.texts || len(calls) != tt.batches {
				t.Fatalf("Embed(%d texts) = %d vectors in %d calls, want %d calls", tt.texts, len(got), len(calls), tt.batches)
			}
			for _, call := range calls {
				if !strings.HasPrefix(call.Texts[0], prefix) || len(call.Texts) > 100 {
					t.Errorf("call of %d texts, the first %q, want at most 100 with the prefix", len(call.Texts), call.Texts[0])
				}
			}
			checkVectors(t, c, tt.model, prefix, texts, got)
			if l := a.Ledger(); l.Calls.Embed != tt.batches || l.USD <= 0 || l.Models[tt.model] != tt.model {
				t.Errorf("ledger = %+v, want %d calls and a cost", l, tt.batches)
			}
		})
	}
}

// What a caller may ask for in a minute is the same on both backends: 91 texts are one call of the
// caller's, though Vertex AI takes one in each request.
func TestEmbedCountsAlike(t *testing.T) {
	texts := make([]string, 91)
	for i := range texts {
		texts[i] = fmt.Sprintf("text %d", i)
	}
	for _, vertex := range []bool{false, true} {
		c, s := start(t, Config{})
		if vertex {
			vertexEnvironment(t, http.StatusOK)
			c = openVertex(t, s.URL())
		}
		c.config.Calls = admission.NewRate(2)
		ctx := admission.WithCaller(t.Context(), "somebody")
		for i, want := range []bool{true, true, false} {
			s.ResetCalls()
			_, err := c.Embed(ctx, EmbedRequest{Model: "gemini-embedding-2", Texts: texts})
			if (err == nil) != want || !want && (failure(t, "Embed", err).Reason != "calls_per_minute" || len(s.Calls()) > 0) {
				t.Errorf("vertex %v: call %d of 2 a minute = %v after %d requests, want %v", vertex, i+1, err, len(s.Calls()), want)
			}
		}
	}
}

// checkVectors checks the length, and the order by embedding single texts again.
func checkVectors(t *testing.T, c *Client, model, prefix string, texts []string, got [][]float32) {
	t.Helper()
	last := len(texts) - 1
	alone, err := c.Embed(context.WithoutCancel(t.Context()), EmbedRequest{Model: model, Prefix: prefix, Texts: texts[last:]})
	if err != nil {
		t.Fatal(err)
	}
	if cosine := dot(alone[0], got[last]); math.Abs(cosine-1) > 1e-5 {
		t.Errorf("the last vector's cosine with the same text's alone is %v, want 1", cosine)
	}
	if cosine := dot(alone[0], got[0]); cosine > 0.9999 {
		t.Errorf("the first vector is that of the last text, want another")
	}
	for i, v := range got {
		if length := dot(v, v); len(v) != Dimensions || math.Abs(length-1) > 1e-5 {
			t.Fatalf("vector %d has %d dimensions and length² %v, want %d and 1", i, len(v), length, Dimensions)
		}
	}
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestEmbedNormalises(t *testing.T) {
	c, s := start(t, Config{})
	v := make([]float32, Dimensions)
	v[0], v[1] = 3, -4
	s.Script(emulator.Answer{Kind: emulator.KindEmbed, Embeddings: [][]float32{v}})
	got, err := c.Embed(t.Context(), EmbedRequest{Model: "gemini-embedding-001", Texts: []string{"x"}})
	if err != nil || math.Abs(float64(got[0][0])-0.6) > 1e-6 || math.Abs(float64(got[0][1])+0.8) > 1e-6 {
		t.Errorf("Embed of a vector 3, -4, 0 … = %v …, %v, want 0.6, -0.8", got, err)
	}
}

func TestEmbedRefuses(t *testing.T) {
	values := func(n int, value string) string {
		return `{"embeddings":[{"values":[` + strings.TrimSuffix(strings.Repeat(value+",", n), ",") + `]}]}`
	}
	tests := []struct {
		name, body, text string
		want             Kind
	}{
		{"zero vector", values(Dimensions, "0"), "x", Malformed},
		{"too short", values(Dimensions-1, "1"), "x", Malformed},
		{"too long", values(3072, "1"), "x", Malformed},
		{"beyond float32", values(Dimensions, "1e39"), "x", Unavailable},
		{"none", `{}`, "x", Malformed},
		{"null", `{"embeddings":[null]}`, "x", Malformed},
		{"two for one", `{"embeddings":[{},{}]}`, "x", Malformed},
		{"words", values(Dimensions, `"one"`), "x", Unavailable},
		{"empty text", "{}", " \n", Invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := open(t, Config{BaseURL: raw(t, http.StatusOK, nil, tt.body)})
			_, err := c.Embed(t.Context(), EmbedRequest{Model: "gemini-embedding-2", Texts: []string{tt.text}})
			if e := failure(t, "Embed", err); e.Kind != tt.want {
				t.Errorf("Embed(%q) answered %.60s = %v, want %s", tt.text, tt.body, e, tt.want)
			}
		})
	}
}

func TestEmbedNothing(t *testing.T) {
	c, s := start(t, Config{})
	got, err := c.Embed(t.Context(), EmbedRequest{Model: "gemini-embedding-2"})
	if err != nil || len(got) != 0 || len(s.Calls()) != 0 {
		t.Errorf("Embed(no texts) = %v, %v after %d calls, want nothing", got, err, len(s.Calls()))
	}
}

// A failed batch cancels the others, and its error is returned.
func TestEmbedStopsAtTheFirstError(t *testing.T) {
	c, s := start(t, Config{})
	s.SetFaults(emulator.Fault{Type: emulator.Unavailable, Times: 1})
	texts := strings.Split(strings.Repeat("x,", 999)+"x", ",")
	_, err := c.Embed(t.Context(), EmbedRequest{Model: "gemini-embedding-2", Texts: texts})
	if e := failure(t, "Embed", err); e.Reason != "UNAVAILABLE" {
		t.Errorf("Embed = %v, want the 503", e)
	}
}

// Images are embedded after the texts, separately and without the prefix, by a model that
// supports them.
func TestEmbedImages(t *testing.T) {
	c, s := start(t, Config{})
	var red, blue bytes.Buffer
	for out, ink := range map[*bytes.Buffer]color.Color{&red: color.RGBA{200, 0, 0, 255}, &blue: color.RGBA{0, 0, 200, 255}} {
		picture := image.NewRGBA(image.Rect(0, 0, 64, 64))
		draw.Draw(picture, picture.Rect, image.NewUniform(ink), image.Point{}, draw.Src)
		if err := png.Encode(out, picture); err != nil {
			t.Fatal(err)
		}
	}
	images := []Part{Blob("image/png", red.Bytes()), Blob("image/png", blue.Bytes())}
	a := &Account{}
	got, err := c.Embed(WithAccount(t.Context(), a), EmbedRequest{Model: "gemini-embedding-2", Prefix: "p ", Texts: []string{"tea"}, Images: images})
	if err != nil || len(got) != 3 || len(s.Calls()) != 1 {
		t.Fatalf("Embed(a text, two images) = %d vectors, %v in %d calls; want 3 in one", len(got), err, len(s.Calls()))
	}
	if same := dot(got[1], got[2]); same > 0.99 {
		t.Errorf("the cosine of a red and a blue picture is %v, want less than 1", same)
	}
	if want := 2 * 258 * 0.45 / 1e6; a.Ledger().USD < want || a.Ledger().USD > want+1e-6 {
		t.Errorf("it cost $%v, want $%v and a few tokens", a.Ledger().USD, want)
	}
	for name, r := range map[string]EmbedRequest{
		"a model of texts": {Model: "gemini-embedding-001", Images: images},
		"no image":         {Model: "gemini-embedding-2", Images: []Part{Text("x")}},
		"an empty image":   {Model: "gemini-embedding-2", Images: []Part{Blob("image/png", nil)}},
	} {
		_, err := c.Embed(t.Context(), r)
		if e := failure(t, "Embed", err); e.Kind != Invalid {
			t.Errorf("%s: Embed = %v, want %s", name, e, Invalid)
		}
	}
}

// A request contains no more bytes of images than the service accepts.
func TestBatchesAreBounded(t *testing.T) {
	content := func(size int) *genai.Content {
		return genai.NewContentFromBytes(make([]byte, size), "image/png", genai.RoleUser)
	}
	contents := []*genai.Content{content(1), content(largestBody), content(largestBody - 1), content(1), content(1), content(1), content(1)}
	var got []int
	for batch := range batches(contents, 3) {
		got = append(got, len(batch))
	}
	if want := []int{1, 1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("batches = %v, want %v", got, want)
	}
}
