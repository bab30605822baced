package answers

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"strings"
	"testing"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/gemini/geminitest"
)

// What these models say of photos, places and the weather is tested where it is used: by the
// agents' tests, by the drawn packs that whatisit eval reads, and by the page's. Here stands what
// they refuse, as the services do, and what no user of theirs would notice.

// start runs an emulator for the test.
func start(t testing.TB) *gemini.Server {
	t.Helper()
	s, err := Start(gemini.Options{}, Options{Tesseract: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// plainPNG is a white photo.
func plainPNG(w, h int) *genai.Blob {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return &genai.Blob{MIMEType: "image/png", Data: b.Bytes()}
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range min(len(a), len(b)) {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

// One photo that cannot be decoded spoils the request, wherever it stands.
func TestUndecodablePhotoIsRefused(t *testing.T) {
	client := geminitest.API(t, start(t))
	whole := plainPNG(64, 64)
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"truncated", whole.Data[:len(whole.Data)/2], "not enough pixel data"},
		{"empty", nil, "unknown format"},
		{"50,000 × 50,000", geminitest.PNGHeader(50_000, 50_000), "50000 × 50000 pixels"},
	} {
		broken := &genai.Blob{MIMEType: "image/png", Data: tt.data}
		for i, photos := range [][]*genai.Blob{{broken}, {broken, whole}, {whole, broken}} {
			content := &genai.Content{Role: "user", Parts: []*genai.Part{{Text: "q"}}}
			for _, p := range photos {
				content.Parts = append(content.Parts, &genai.Part{InlineData: p})
			}
			_, err := client.Models.GenerateContent(t.Context(), "emulated-image", []*genai.Content{content}, geminitest.Wanting("visible_text"))
			var e genai.APIError
			if !errors.As(err, &e) || e.Code != 400 || !strings.Contains(e.Message, tt.want) {
				t.Errorf("%s, %d: %v, want 400 with %q", tt.name, i, err, tt.want)
			}
		}
	}
}

func TestStartRefusesWhatItCannotUse(t *testing.T) {
	for _, wrong := range []Options{{Tesseract: "/no/such/program"}, {Tesseract: "off", Espeak: "/no/such/program"}} {
		if s, err := Start(gemini.Options{}, wrong); err == nil {
			s.Close()
			t.Errorf("Start(%+v): want an error", wrong)
		}
	}
}
