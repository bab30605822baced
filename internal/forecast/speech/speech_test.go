package speech

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulator "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/gemini"
)

const (
	tts   = "gemini-3.8-flash-lite-tts"
	older = "gemini-2.5-flash-preview-tts"
)

func start(t *testing.T) (*gemini.Client, *emulator.Server) {
	t.Helper()
	s, err := answers.Start(emulator.Options{}, answers.Options{Tesseract: "off", Espeak: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	t.Setenv("GOOGLE_API_KEY", "emulated")
	c, err := gemini.Open(t.Context(), gemini.Config{BaseURL: s.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

// A short text takes one call, a long one several, whose audio is joined in order, for
// models of either kind.
func TestSay(t *testing.T) {
	const sentence = "It will rain in Paris this evening, so take an umbrella. "
	for _, tt := range []struct {
		model, text string
		calls       int
	}{
		{tts, sentence, 1},
		{older, sentence, 1},
		{tts, strings.Repeat(sentence, 40), 3}, // 2,280 characters: 152 s
		{older, strings.Repeat("오늘 저녁에는 파리에 비가 오겠습니다. ", 40), 2},
	} {
		c, s := start(t)
		got, err := Say(t.Context(), c, Request{Model: tt.model, Text: tt.text, Style: "Say in the calm tone"})
		if err != nil {
			t.Errorf("Say(%s, %d bytes) = %v", tt.model, len(tt.text), err)
			continue
		}
		text := strings.TrimSpace(tt.text)
		want := Expected(text) // the emulator's speed
		if d := got.Duration(); len(s.Calls()) != tt.calls || (d-want).Abs() > want/20+time.Second {
			t.Errorf("Say(%s) is %v in %d calls, want about %v in %d", tt.model, d, len(s.Calls()), want, tt.calls)
		}
	}
}

func TestOrderOfPieces(t *testing.T) {
	c, s := start(t)
	first, second := strings.Repeat("Sunny. ", 100), strings.Repeat("Rainy. ", 100)
	for _, said := range []struct {
		of    string
		value int16
	}{{"Sunny", 1000}, {"Rainy", 2000}} { // in this order: the first piece contains both words
		audio, _ := binary.Append(nil, binary.LittleEndian, bytes16(said.value, 40*Rate))
		s.Script(emulator.Answer{Kind: emulator.KindSpeak, Contains: said.of, Audio: audio})
	}
	got, err := Say(t.Context(), c, Request{Model: tts, Text: first + second})
	if err != nil {
		t.Fatal(err)
	}
	n := len(got)
	if n != 80*Rate+Rate/5 || got[0] != 1000 || got[n/2] != 0 || got[n-1] != 2000 {
		t.Errorf("%d samples, %d … %d … %d, want %d of 1000, a pause, 2000", n, got[0], got[n/2], got[n-1], 80*Rate+Rate/5)
	}
}

func bytes16(v int16, n int) []int16 {
	s := make([]int16, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// Speech that breaks off is requested again, and an error if it still breaks off.
func TestBrokenOff(t *testing.T) {
	text := strings.Repeat("It is sunny in Paris. ", 10) // 15 s
	cut := emulator.Answer{Kind: emulator.KindSpeak, Audio: make([]byte, 4*Rate)}
	c, s := start(t)
	s.Script(cut)
	got, err := Say(t.Context(), c, Request{Model: tts, Text: text})
	if err != nil || got.Duration() < 10*time.Second || len(s.Calls()) != 2 {
		t.Errorf("Say, cut once = %v, %v in %d calls, want it whole in 2", got.Duration(), err, len(s.Calls()))
	}
	s.Script(cut, cut)
	_, err = Say(t.Context(), c, Request{Model: tts, Text: text})
	var e *gemini.Error
	if !errors.As(err, &e) || e.Kind != gemini.Malformed || !strings.Contains(err.Error(), "2s of speech") {
		t.Errorf("Say, cut twice = %v, want %s with its length", err, gemini.Malformed)
	}
}

// tone returns a second of 440 Hz at a rate and number of channels, little-endian.
func tone(rate, channels int) []byte {
	var b []byte
	for i := range rate {
		v := int16(10_000 * math.Sin(2*math.Pi*440*float64(i)/float64(rate)))
		for range channels {
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		}
	}
	return b
}

// file returns a WAV with an unknown chunk before its samples.
func file(rate, channels, size int, samples []byte) []byte {
	b := bytes.NewBufferString("RIFF\x00\x00\x00\x00WAVEfmt ")
	_ = binary.Write(b, binary.LittleEndian, uint32(16))
	_ = binary.Write(b, binary.LittleEndian, format{pcm, uint16(channels), uint32(rate), 0, 0, 16})
	b.WriteString("LIST\x03\x00\x00\x00abc\x00data")
	_ = binary.Write(b, binary.LittleEndian, uint32(size))
	return append(b.Bytes(), samples...)
}

// All formats decode to the same second of the same tone.
func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		name, mimeType string
		data           []byte
	}{
		{"samples", "audio/L16;codec=pcm;rate=24000", tone(Rate, 1)},
		{"samples of 3.1", "audio/l16; rate=24000; channels=1", tone(Rate, 1)},
		{"samples in stereo", "audio/L16;rate=24000;channels=2", tone(Rate, 2)},
		{"samples at 16 kHz", "audio/pcm;rate=16000", tone(16_000, 1)},
		{"a WAV", "audio/wav", file(Rate, 1, 2*Rate, tone(Rate, 1))},
		{"a WAV called samples", "audio/L16;rate=16000", file(Rate, 1, 2*Rate, tone(Rate, 1))},
		{"a stream whose length nobody knew", "audio/wav", file(Rate, 1, 0xFFFFFFFF, tone(Rate, 1))},
		{"a stream of length 0", "audio/wav", file(Rate, 1, 0, tone(Rate, 1))},
		{"stereo at 48 kHz", "audio/wav", file(48_000, 2, 4*48_000, tone(48_000, 2))},
		{"44.1 kHz", "audio/wav", file(44_100, 1, 2*44_100, tone(44_100, 1))},
		{"96 kHz", "audio/pcm;rate=96000", tone(96_000, 1)},
	} {
		got, err := Decode(tt.mimeType, tt.data)
		if err != nil {
			t.Errorf("Decode(%s) = %v", tt.name, err)
			continue
		}
		if d := got.Duration() - time.Second; d.Abs() > time.Millisecond || crossings(got) < 878 || crossings(got) > 881 || loudest(got) < 9_800 || loudest(got) > 10_000 {
			t.Errorf("Decode(%s) is %v with %d crossings, %d loud; want 1s, 880 and 10000", tt.name, got.Duration(), crossings(got), loudest(got))
		}
	}
}

// crossings returns how often a sound crosses zero: twice per wave.
func crossings(s Sound) (n int) {
	for i := 1; i < len(s); i++ {
		if (s[i] < 0) != (s[i-1] < 0) {
			n++
		}
	}
	return n
}

func loudest(s Sound) (most int16) {
	for _, v := range s {
		most = max(most, v)
	}
	return most
}

func TestDecodeRefuses(t *testing.T) {
	eight := file(Rate, 1, 100, make([]byte, 100))
	eight[34] = 8
	for _, tt := range []struct{ name, mimeType, data, want string }{
		{"MP3", "audio/mpeg", "ID3 and more", "neither a WAV nor samples"},
		{"no type", "", "abcd", "neither"},
		{"no rate", "audio/L16;rate=fast", "abcd", "rate"},
		{"no time", "audio/L16;rate=0", "abcd", "at 0 Hz"},
		{"nothing", "audio/L16;rate=24000", "", "without samples"},
		{"half a sample", "audio/L16;rate=24000", "a", "without samples"},
		{"a header alone", "audio/wav", "RIFF\x00\x00\x00\x00WAVE", "without samples"},
		{"8 bits", "audio/wav", string(eight), "with 8 bits"},
		{"a format cut short", "audio/wav", "RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01", "broken format"},
	} {
		if got, err := Decode(tt.mimeType, []byte(tt.data)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Decode(%s) = %d samples, %v, want an error with %q", tt.name, len(got), err, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("audio/wav", file(48_000, 2, 40, tone(100, 2)))
	f.Add("audio/L16;rate=16000;channels=3", []byte("0123456789"))
	f.Fuzz(func(t *testing.T, mimeType string, data []byte) {
		if s, err := Decode(mimeType, data); err == nil && len(s) == 0 {
			t.Errorf("Decode(%q, %d bytes) is no sound and no error", mimeType, len(data))
		}
	})
}

// A sound that was written is read unchanged.
func TestWAV(t *testing.T) {
	want := Sound{0, 1, -1, 32767, -32768, 12}
	data := want.WAV()
	if len(data) != 44+12 || binary.LittleEndian.Uint32(data[4:]) != 36+12 {
		t.Errorf("WAV of 6 samples: %d bytes that say %d follow, want 56 and 48", len(data), binary.LittleEndian.Uint32(data[4:]))
	}
	got, err := Decode(MIMEType, data)
	if err != nil || len(got) != len(want) || got[3] != 32767 || got[4] != -32768 {
		t.Errorf("Decode(WAV(%v)) = %v, %v", want, got, err)
	}
}

func TestPieces(t *testing.T) {
	const second = time.Second // 15 letters, 7 syllables
	for _, tt := range []struct {
		text string
		most time.Duration
		want string // pieces, with | between
	}{
		{"", second, ""},
		{" \n ", second, ""},
		{"It rains.", second, "It rains."},
		{"It rains. It snows. It is windy.", 2 * second, "It rains. It snows.|It is windy."},
		{"It is 3.5 degrees in Paris now. Cold!", 7 * second / 3, "It is 3.5 degrees in Paris now.|Cold!"},
		{"He said \"rain.\" Then it rained.", 2 * second, "He said \"rain.\"|Then it rained."},
		{"비가 옵니다. 눈이 옵니다.", 3 * second / 2, "비가 옵니다.|눈이 옵니다."},
		{"今日は雨です。明日は晴れです。", 3 * second / 2, "今日は雨です。|明日は晴れです。"},
		{"first line\nsecond line", second, "first line|second line"},
		{"Rain in Paris, snow in Rome and sun", 2 * second, "Rain in Paris,|snow in Rome and sun"},
		{"Temperatures of 1,000 degrees", second, "Temperatures of|1,000 degrees"},
		{strings.Repeat("a", 20), second, strings.Repeat("a", 15) + "|aaaaa"},
		{"ab", time.Nanosecond, "a|b"},
	} {
		if got := strings.Join(Pieces(tt.text, tt.most), "|"); got != tt.want {
			t.Errorf("Pieces(%q, %v) = %s, want %s", tt.text, tt.most, got, tt.want)
		}
	}
}
