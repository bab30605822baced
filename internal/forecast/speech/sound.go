package speech

import (
	"bytes"
	"encoding/binary"
	"time"
)

// Rate is how many samples a second of every Sound has.
const Rate = 24_000

// A Sound is samples of 16 bits, one channel, Rate a second.
type Sound []int16

// Duration is how long s takes.
func (s Sound) Duration() time.Duration { return time.Duration(len(s)) * time.Second / Rate }

// Join is sounds one after the other, with a pause between two.
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

// MIMEType is that of WAV.
const MIMEType = "audio/wav"

// A header is what a WAV of PCM begins with.
type header struct {
	RIFF          [4]byte
	Size          uint32 // of what follows
	WAVE, Fmt     [4]byte
	FmtSize       uint32
	Format        format
	Data          [4]byte
	BytesOfSounds uint32
}

// A format is what the chunk "fmt " begins with.
type format struct {
	Encoding, Channels uint16
	Rate, BytesASecond uint32
	BlockAlign, Bits   uint16
}

// The encodings of a format that are read: plain samples, and those whose extension
// says so.
const (
	pcm        = 1
	extensible = 0xFFFE
)

// WAV is s as a file.
func (s Sound) WAV() []byte {
	size := uint32(2 * len(s))
	b := bytes.NewBuffer(make([]byte, 0, 44+len(s)*2))
	for _, part := range []any{header{
		[4]byte([]byte("RIFF")), 36 + size, [4]byte([]byte("WAVE")), [4]byte([]byte("fmt ")), 16,
		format{pcm, 1, Rate, 2 * Rate, 2, 16}, [4]byte([]byte("data")), size,
	}, []int16(s)} {
		_ = binary.Write(b, binary.LittleEndian, part) // a buffer takes everything
	}
	return b.Bytes()
}

// resampled is s, which has from samples a second, at Rate: between two samples where
// it has fewer, the mean of those that become one where it has more.
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
