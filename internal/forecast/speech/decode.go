package speech

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"mime"
	"strconv"
	"strings"
)

// Decode decodes audio: a WAV file of 16 bits, detected by its content whatever mimeType
// says, otherwise samples, as audio/L16;rate=24000;channels=1 says. Gemini's samples are
// little-endian, although RFC 2586 defines that type as big-endian.
func Decode(mimeType string, data []byte) (Sound, error) {
	f := format{Encoding: pcm, Channels: 1, Bits: 16}
	var err error
	if isWAV(data) {
		f, data, err = chunks(data[12:])
	} else {
		f.Channels, f.Rate, err = samplesAs(mimeType)
	}
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return nil, fmt.Errorf("speech: %w", err)
	}
	s := resampled(mono(data, int(f.Channels)), int(f.Rate))
	if len(s) == 0 { // one sample at a high rate is none at Rate
		return nil, errors.New("speech: sound without samples")
	}
	return s, nil
}

func isWAV(data []byte) bool {
	return len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WAVE"
}

// samplesAs parses the parameters of a MIME type for samples.
func samplesAs(mimeType string) (channels uint16, rate uint32, err error) {
	kind, parameters, err := mime.ParseMediaType(mimeType)
	if err != nil || !strings.EqualFold(kind, "audio/l16") && !strings.EqualFold(kind, "audio/pcm") {
		return 0, 0, fmt.Errorf("%.50q is neither a WAV nor samples", mimeType)
	}
	numbers := map[string]uint64{"rate": Rate, "channels": 1}
	for name := range numbers {
		if text, ok := parameters[name]; ok {
			if numbers[name], err = strconv.ParseUint(text, 10, 32); err != nil {
				return 0, 0, fmt.Errorf("%s of %.50q: %w", name, mimeType, err)
			}
		}
	}
	return uint16(min(numbers["channels"], 1<<15)), uint32(numbers["rate"]), nil
}

// chunks finds the format and the samples among the chunks of a WAV. A streamed WAV does
// not declare its length: then the samples extend to the end of the file.
func chunks(rest []byte) (f format, samples []byte, err error) {
	for len(rest) >= 8 {
		name, size := string(rest[:4]), int64(binary.LittleEndian.Uint32(rest[4:8]))
		rest = rest[8:]
		body := rest[:min(size, int64(len(rest)))]
		switch name {
		case "fmt ":
			if err := binary.Read(bytes.NewReader(body), binary.LittleEndian, &f); err != nil {
				return f, nil, fmt.Errorf("WAV with a broken format: %w", err)
			}
		case "data":
			if size == 0 {
				body = rest
			}
			return f, body, nil
		}
		rest = rest[min(size+size%2, int64(len(rest))):]
	}
	return f, nil, errors.New("WAV without samples")
}

func (f format) check() error {
	switch {
	case f.Encoding != pcm && f.Encoding != extensible || f.Bits != 16:
		return fmt.Errorf("sound of encoding %d with %d bits: want PCM of 16", f.Encoding, f.Bits)
	case f.Channels < 1 || f.Channels > 8 || f.Rate < 4_000 || f.Rate > 192_000:
		return fmt.Errorf("sound of %d channels at %d Hz: want 1 to 8 at 4000 to 192000", f.Channels, f.Rate)
	}
	return nil
}

// mono returns the mean of all channels. An incomplete last sample is dropped.
func mono(data []byte, channels int) Sound {
	s := make(Sound, len(data)/(2*channels))
	frame := make(Sound, channels)
	for i := range s {
		for c := range frame {
			frame[c] = int16(binary.LittleEndian.Uint16(data[2*(i*channels+c):]))
		}
		s[i] = mean(frame)
	}
	return s
}
