package answers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"strings"
	"time"
	"unicode"

	"example.com/whatis/emulators/gemini"
)

// A speaker speaks texts with the program espeak-ng; if that is absent or fails, in tones,
// one a character.
type speaker struct{ path string }

// newSpeaker returns the speaker of Options.Espeak, as newTextReader does for Tesseract.
func newSpeaker(option string) (*speaker, error) {
	if option == "off" {
		return &speaker{}, nil
	}
	path, err := exec.LookPath(cmp.Or(option, "espeak-ng"))
	if err != nil && option != "" {
		return nil, fmt.Errorf("Options.Espeak: %w", err)
	}
	return &speaker{path}, nil
}

// speak speaks the texts of a request, without a direction on how to speak before them, as
// a model does.
func (s *speaker) speak(ctx context.Context, r *gemini.Request) ([]byte, error) {
	text := direction.ReplaceAllString(strings.Join(r.Texts, "\n"), "")
	if samples := s.espeak(ctx, text, cmp.Or(r.Language, languageOf(text))); len(samples) > 0 {
		return samples, nil
	}
	return tones(text), nil
}

// direction matches an instruction before a text, such as "Say in the calm tone: ".
var direction = regexp.MustCompile(`(?i)^(say|read|speak|tts)\b[^:\n]{0,200}:\s*`)

// sayingTime bounds the run of espeak-ng for a text.
const sayingTime = 10 * time.Second

// espeak returns the samples of espeak-ng, none if it is absent or fails.
func (s *speaker) espeak(ctx context.Context, text, language string) []byte {
	if s.path == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sayingTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.path, "-v", language, "--stdout", "--stdin")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil || len(out) < 44 || !bytes.HasPrefix(out, []byte("RIFF")) {
		return nil
	}
	rate := binary.LittleEndian.Uint32(out[24:])
	return atRate(out[44:], float64(rate)/gemini.SampleRate)
}

// atRate resamples audio by step.
func atRate(samples []byte, step float64) []byte {
	n := len(samples) / 2
	if n == 0 || step <= 0 {
		return nil
	}
	at := func(i int) float64 { return float64(int16(binary.LittleEndian.Uint16(samples[2*min(i, n-1):]))) }
	var out []byte
	for i := range int(float64(n) / step) {
		whole, part := math.Modf(float64(i) * step)
		v := at(int(whole))*(1-part) + at(int(whole)+1)*part
		out = binary.LittleEndian.AppendUint16(out, uint16(int16(v)))
	}
	return out
}

// The length of a tone in samples: people say about 15 letters a second, or 7 characters of scripts
// in which one is a syllable.
const (
	perLetter   = gemini.SampleRate / 15
	perSyllable = gemini.SampleRate / 7
)

// tones returns one tone for each letter or digit, and silence for other characters.
func tones(text string) []byte {
	var out []byte
	for _, r := range text {
		hertz, loud := 220+float64(unicode.ToLower(r)%32)*15, 8000.0
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			loud = 0
		}
		length := perLetter
		if unicode.In(r, unicode.Hangul, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			length = perSyllable
		}
		for i := range length {
			swell := math.Sin(math.Pi * float64(i) / float64(length))
			v := loud * swell * math.Sin(2*math.Pi*hertz*float64(i)/gemini.SampleRate)
			out = binary.LittleEndian.AppendUint16(out, uint16(int16(v)))
		}
	}
	return out
}

// scripts recognise a language by its letters; the first match counts: Vietnamese by marks
// that no other language has, and kana before the characters that Japanese shares with
// Chinese. Other texts are spoken as English.
var scripts = []struct {
	language string
	letters  *regexp.Regexp
}{
	{"ko", regexp.MustCompile(`\p{Hangul}`)},
	{"ja", regexp.MustCompile(`\p{Hiragana}|\p{Katakana}`)},
	{"cmn", regexp.MustCompile(`\p{Han}`)},
	{"vi", regexp.MustCompile(`(?i)[ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]`)},
	{"ru", regexp.MustCompile(`\p{Cyrillic}`)},
	{"ar", regexp.MustCompile(`\p{Arabic}`)},
	{"hi", regexp.MustCompile(`\p{Devanagari}`)},
	{"el", regexp.MustCompile(`\p{Greek}`)},
	{"de", regexp.MustCompile(`(?i)[äöß]`)},
	{"es", regexp.MustCompile(`(?i)[ñ¿¡]`)},
	{"fr", regexp.MustCompile(`(?i)[èçœ]|\b(le|la|les|est|et)\b`)},
}

func languageOf(text string) string {
	for _, s := range scripts {
		if s.letters.MatchString(text) {
			return s.language
		}
	}
	return "en-us"
}
