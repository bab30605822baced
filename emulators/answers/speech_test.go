package answers

import (
	"encoding/binary"
	"math"
	"os/exec"
	"testing"

	"example.com/whatis/emulators/gemini"
)

// seconds is how long samples take, and loud their largest.
func seconds(samples []byte) (s, loud float64) {
	for i := 0; i+1 < len(samples); i += 2 {
		loud = max(loud, math.Abs(float64(int16(binary.LittleEndian.Uint16(samples[i:])))))
	}
	return float64(len(samples)) / 2 / gemini.SampleRate, loud
}

func TestTones(t *testing.T) {
	s := &speaker{}
	for _, tt := range []struct {
		text string
		want float64
		loud bool
	}{
		{"It will rain in the evening.  ", 2, true},
		{"Say in the calm tone: It rains tomorrow", 1.133, true},
		{"비가 오겠습니다 우산을 꼭 챙기세요", 2.41, true},
		{"Today: rain.", 0.8, true},
		{"... !", 0.333, false},
	} {
		samples, err := s.speak(t.Context(), &gemini.Request{Texts: []string{tt.text}})
		if err != nil {
			t.Fatal(err)
		}
		if got, loud := seconds(samples); math.Abs(got-tt.want) > 0.01 || (loud > 1000) != tt.loud {
			t.Errorf("%q is said in %.2f s, at most %v loud; want %.2f s, heard %v", tt.text, got, loud, tt.want, tt.loud)
		}
	}
}

// The program, where it is installed, says a sentence in about the time that people
// take, in every language that languageOf tells.
func TestEspeak(t *testing.T) {
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		t.Skip("espeak-ng is not installed")
	}
	s, err := newSpeaker("")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"It will rain in Paris this evening.", "오늘 저녁에는 파리에 비가 오겠습니다.", "Tối nay trời sẽ mưa ở Paris.",
		"今夜パリでは雨が降るでしょう。", "Heute Abend regnet es in Paris, schöne Grüße.",
	} {
		samples := s.espeak(t.Context(), text, languageOf(text))
		if got, loud := seconds(samples); got < 1 || got > 12 || loud < 1000 {
			t.Errorf("espeak(%q, %s) is %.2f s, at most %v loud; want 1 to 12 s that are heard", text, languageOf(text), got, loud)
		}
	}
	if samples := s.espeak(t.Context(), "Hello", "no such language"); samples != nil {
		t.Errorf("espeak of no language: %d bytes, want none", len(samples))
	}
}
