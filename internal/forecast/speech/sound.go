package speech

import (
	"bytes"
	"encoding/binary"
	"time"
)

// Rate is the sample rate of every Sound, per second.
const Rate = 24_000

// A Sound is samples of 16 bits, one channel, at Rate.
type Sound []int16

// Duration returns the length of s.
func (s Sound) Duration() time.Duration { return time.Duration(len(s)) * time.Second / Rate }

// Join concatenates sounds with a pause between them.
func Join(pause time.Duration, sounds ...Sound) Sound {
	silence := make(Sound, int(pause*Rate/time.Second))
	var all Sound
	for i, s := range sounds {
		if i > 0 {
			all = append(all, silence...)
		}
		all = append(all, s...)
	}
	return all
}

// MIMEType is the type of a WAV file.
const MIMEType = "audio/wav"

// A header is the start of a WAV file with PCM samples.
type header struct {
	RIFF          [4]byte
	Size          uint32 // of the rest of the file
	WAVE, Fmt     [4]byte
	FmtSize       uint32
	Format        format
	Data          [4]byte
	BytesOfSounds uint32
}

// A format is the start of the chunk "fmt ".
type format struct {
	Encoding, Channels uint16
	Rate, BytesASecond uint32
	BlockAlign, Bits   uint16
}

// The supported encodings: plain samples, and those declared in the extension.
const (
	pcm        = 1
	extensible = 0xFFFE
)

// WAV returns s as a WAV file.
func (s Sound) WAV() []byte {
	size := uint32(2 * len(s))
	b := bytes.NewBuffer(make([]byte, 0, 44+len(s)*2))
	for _, part := range []any{header{
		[4]byte([]byte("RIFF")), 36 + size, [4]byte([]byte("WAVE")), [4]byte([]byte("fmt ")), 16,
		format{pcm, 1, Rate, 2 * Rate, 2, 16}, [4]byte([]byte("data")), size,
	}, []int16(s)} {
		_ = binary.Write(b, binary.LittleEndian, part) // a buffer never fails
	}
	return b.Bytes()
}

// resampled converts s from `from` samples per second to Rate: it interpolates if there are
// fewer, and averages if there are more.
func resampled(s Sound, from int) Sound {
	if from == Rate || len(s) == 0 {
		return s
	}
	step := float64(from) / Rate
	out := make(Sound, int(float64(len(s))/step))
	for i := range out {
		at := float64(i) * step
		if step > 1 {
			out[i] = mean(s[int(at):min(len(s), int(at+step))])
			continue
		}
		n, part := int(at), at-float64(int(at))
		next := s[min(n+1, len(s)-1)]
		out[i] = int16(float64(s[n])*(1-part) + float64(next)*part)
	}
	return out
}

func mean(s Sound) int16 {
	sum := 0
	for _, v := range s {
		sum += int(v)
	}
	return int16(sum / len(s))
}
