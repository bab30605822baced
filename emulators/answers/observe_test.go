package answers

import (
	"bytes"
	"errors"
	"image/color"
	"image/jpeg"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/gemini/geminitest"
)

func TestNothingReadNamesNothing(t *testing.T) {
	client := geminitest.API(t, start(t, Options{}))
	for _, tt := range []struct {
		name  string
		photo *genai.Blob
		looks string
	}{
		{"a red square", pngOf(plain(640, 480, color.RGBA{200, 20, 20, 255})), "red background"},
		{"a single pixel", plainPNG(1, 1), "white background"},
		{"HEIC", &genai.Blob{MIMEType: "image/heic", Data: []byte("\x00\x00\x00\x18ftypheic")}, ""},
	} {
		d := describedAs(t, client, tt.photo)
		if d.Name != "" || d.Brand != "" || d.NameConfidence != 0 || d.BrandConfidence != 0 || d.Description != "no text read" {
			t.Errorf("%s: %+v, want no names, confidence 0 and %q", tt.name, d, "no text read")
		}
		if tt.looks != "" && !slices.Contains(d.KeyFeatures, tt.looks) {
			t.Errorf("%s: key features %q, want %q among them", tt.name, d.KeyFeatures, tt.looks)
		}
	}
}

// One photo that cannot be decoded spoils the request, wherever it stands.
func TestUndecodablePhotoIsRefused(t *testing.T) {
	client := geminitest.API(t, start(t, Options{}))
	whole := plainPNG(64, 64).Data
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"truncated", whole[:len(whole)/2], "not enough pixel data"},
		{"empty", nil, "unknown format"},
		{"50,000 × 50,000", pngHeader(50_000, 50_000), "50000 × 50000 pixels"},
	} {
		broken := &genai.Blob{MIMEType: "image/png", Data: tt.data}
		for i, photos := range [][]*genai.Blob{{broken}, {broken, plainPNG(64, 64)}, {plainPNG(64, 64), broken}} {
			_, err := askAbout(t.Context(), client, geminitest.Wanting("visible_text"), photos, "q")
			var e genai.APIError
			if !errors.As(err, &e) || e.Code != 400 || !strings.Contains(e.Message, tt.want) {
				t.Errorf("%s, %d: %v, want 400 with %q", tt.name, i, err, tt.want)
			}
		}
	}
}

func TestColourNames(t *testing.T) {
	for _, tt := range []struct {
		r, g, b int
		want    string
	}{
		{255, 255, 255, "white"}, {0, 0, 0, "black"}, {128, 128, 128, "grey"}, {220, 20, 30, "red"},
		{240, 130, 20, "orange"}, {120, 70, 20, "brown"}, {250, 220, 40, "yellow"}, {40, 160, 60, "green"},
		{40, 200, 200, "turquoise"}, {30, 60, 200, "blue"}, {130, 40, 200, "purple"}, {250, 180, 200, "pink"},
		{225, 205, 170, "beige"},
	} {
		if got := colourName(tt.r, tt.g, tt.b); got != tt.want {
			t.Errorf("colourName(%d, %d, %d) = %s, want %s", tt.r, tt.g, tt.b, got, tt.want)
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

func TestPhotoIsLookedAtOnce(t *testing.T) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, plain(64, 64, color.White), nil); err != nil {
		t.Fatal(err)
	}
	e := &observer{}
	photo := gemini.Inline{MIMEType: "image/jpeg", SHA256: "a", Data: b.Bytes()}
	first, err := e.observe(t.Context(), photo)
	if err != nil {
		t.Fatal(err)
	}
	photo.Data = nil
	if again, err := e.observe(t.Context(), photo); err != nil || again != first {
		t.Errorf("look again = %p, %v; want what was remembered, %p", again, err, first)
	}
}
