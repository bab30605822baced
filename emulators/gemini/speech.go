package gemini

import (
	"encoding/binary"
	"strconv"
)

// SampleRate is how many samples a second the speech of every model has.
const SampleRate = 24_000

// A second of sound counts 25 tokens, and an answer has 16,384 of them at most
// (ai.google.dev/gemini-api/docs/models/gemini-3.8-flash-lite-tts).
const (
	tokensASecond = 25
	maxSound      = 16_384 / tokensASecond * 2 * SampleRate // bytes
)

// sound returns the audio of an answer as its model sends it; nil for none. The types are
// those of live answers: github.com/home-assistant/core issue 169016 for samples.
func (q *query) sound(a Answer) *answerBlob {
	switch {
	case a.Audio == nil:
		return nil
	case a.AudioType != "":
		return &answerBlob{a.AudioType, a.Audio}
	case q.wav:
		return &answerBlob{"audio/wav", wav(a.Audio)}
	}
	return &answerBlob{"audio/L16;codec=pcm;rate=" + strconv.Itoa(SampleRate), a.Audio}
}

// wav puts the header of a WAV before samples.
func wav(samples []byte) []byte {
	le, n := binary.LittleEndian, uint32(len(samples))
	b := le.AppendUint32([]byte("RIFF"), 36+n)
	b = le.AppendUint32(append(b, "WAVEfmt "...), 16)
	b = le.AppendUint16(le.AppendUint16(b, 1), 1) // PCM, mono
	b = le.AppendUint32(le.AppendUint32(b, SampleRate), 2*SampleRate)
	b = le.AppendUint16(le.AppendUint16(b, 2), 16)
	return append(le.AppendUint32(append(b, "data"...), n), samples...)
}

// said counts sound as the answer.
func (u *Usage) said(sound *answerBlob) {
	u.CandidateTokens = len(sound.Data) * tokensASecond / (2 * SampleRate)
	u.TotalTokens = u.PromptTokens + u.CandidateTokens
}
