package answers

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"strings"
	"testing"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini/geminitest"
	"example.com/whatis/emulators/samples"
)

// photoOf is a sample as the pipeline sends it: a GIF becomes a PNG.
func photoOf(t testing.TB, sample *samples.Sample) *genai.Blob {
	t.Helper()
	if sample.MIMEType != "image/gif" {
		return &genai.Blob{MIMEType: sample.MIMEType, Data: sample.Bytes()}
	}
	img, _, err := image.Decode(bytes.NewReader(sample.Bytes()))
	if err != nil {
		t.Fatalf("%s: %v", sample.File, err)
	}
	return pngOf(img)
}

func pngOf(img image.Image) *genai.Blob {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return &genai.Blob{MIMEType: "image/png", Data: b.Bytes()}
}

func plain(w, h int, c color.Color) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return img
}

func plainPNG(w, h int) *genai.Blob { return pngOf(plain(w, h, color.White)) }

func describedAs(t testing.TB, c *genai.Client, photo *genai.Blob) description {
	t.Helper()
	text := geminitest.MustAsk(t, c, geminitest.Wanting("visible_text"), photo, `request:`+"\n"+`{"country":"KR","lang":"ko"}`).Text()
	var d description
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatalf("answer %s: %v", text, err)
	}
	return d
}

func decodedFile(t *testing.T, path string) image.Image {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return img
}

func sampleNamed(t testing.TB, part string) *samples.Sample {
	t.Helper()
	for _, s := range samples.All() {
		if strings.Contains(s.File, part) {
			return s
		}
	}
	t.Fatalf("no sample file holds %q", part)
	return nil
}

// seenOf is what the eye makes of a sample it recognised.
func seenOf(t testing.TB, part string) *observation {
	t.Helper()
	return observationOf(sampleNamed(t, part), plain(64, 48, color.White))
}
