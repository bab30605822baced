// Package answers answers the requests to the emulated model, one file per agent.
//
//	emulators/gemini (the wire) → Responder → what the pixels and texts of a request show
//
// It uses only the bytes of the photos and the text of the request, as a person could:
// never a file name or metadata, and it reports nothing that they do not show.
package answers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// Options say what the emulated model may use. The zero value works.
type Options struct {
	// Tesseract is the path of the tesseract program. "" looks it up on PATH
	// and does without when it is absent; "off" never runs it.
	Tesseract string
	// Espeak is the path of the espeak-ng program. "" looks it up on PATH and speaks
	// texts in tones when it is absent; "off" never runs it.
	Espeak string
	// Model is the model to emulate; the zero value is Emulated.
	Model Model
	// Obedient makes the model obey prompt injections in the text of a photo.
	Obedient bool
	// Packs are recognised by their bytes, beside the project's own samples and leaflets.
	Packs []*samples.Sample
	// Frames are the glasses in pictures that a perfect model recognises, by the SHA-256
	// of a picture's bytes.
	Frames map[string]samples.Frame
	// Recorded are recorded answers to the steps that analyse a photo. With any, no photo
	// but theirs is answered.
	Recorded []*Recording
	// Marks says how the model marks lines of stickers as machine_directed.
	Marks Marks
}

// A Model is the emulated model, or one of two to compare it with in measurements.
type Model string

// The models. None fails each call that generates, so that only code answers, and returns
// equal embeddings, so that they rank nothing; Emulated answers from what the request
// shows; Perfect answers from the labels, whatever a picture hides and however a query is
// worded.
const (
	Emulated Model = ""
	None     Model = "none"
	Perfect  Model = "perfect"
)

// Start starts an emulator of the model API with all responders, after those of wire.
func Start(wire gemini.Options, o Options) (*gemini.Server, error) {
	reader, err := newTextReader(o.Tesseract)
	if err != nil {
		return nil, fmt.Errorf("answers: start: %w", err)
	}
	voice, err := newSpeaker(o.Espeak)
	if err != nil {
		return nil, fmt.Errorf("answers: start: %w", err)
	}
	seeing := &observer{reader: reader, packs: map[string]*samples.Sample{}, frames: o.Frames, perfect: o.Model == Perfect}
	for _, pack := range append(samples.Leaflets(), o.Packs...) {
		sum := sha256.Sum256(pack.Bytes())
		seeing.packs[hex.EncodeToString(sum[:])] = pack
	}
	if o.Model == None {
		return startNone(wire)
	}
	if len(o.Recorded) > 0 {
		wire.Responders = append(wire.Responders, &recorded{all: o.Recorded})
	}
	wire.Responders = append(wire.Responders, &analyze{o, seeing}, asking{o.Model == Perfect}, routing{}, forecast{o.Model == Perfect}, discover{o.Model == Perfect})
	wire.Embed = seeing.embed
	wire.Speak = voice.speak
	return gemini.Start(wire)
}

// startNone starts an emulator without responders that blocks each call that generates,
// an answer that callers do not retry.
func startNone(wire gemini.Options) (*gemini.Server, error) {
	s, err := gemini.Start(wire)
	if err != nil {
		return nil, err
	}
	s.SetFaults(gemini.Fault{Type: gemini.BlockedPrompt, Kind: gemini.KindOther}, gemini.Fault{Type: gemini.BlockedPrompt, Kind: gemini.KindSpeak})
	return s, nil
}

// embed returns the vector of a text and of what the photos show. A perfect model knows what no
// shop of the labels sells, and finds nothing like it.
func (o *observer) embed(ctx context.Context, text string, photos []gemini.Inline, dimensions int) ([]float32, error) {
	if query, ok := strings.CutPrefix(text, queryTask); ok && o.perfect && len(photos) == 0 {
		if m, known := samples.MeaningOf(query); known && m.Nothing {
			return unlikeAll(dimensions), nil
		}
	}
	if text == "" && len(photos) == 1 {
		if frame, ok := o.frames[photos[0].SHA256]; ok {
			return frameEmbedding(frame, dimensions), nil
		}
		if glasses, ok := eyewearIn(photos[0]); ok {
			return glasses.embedding(dimensions), nil
		}
	}
	for _, photo := range photos {
		seen, err := o.observe(ctx, photo)
		if err != nil {
			return nil, err
		}
		text += "\n" + strings.Join(append(seen.texts(), seen.looks...), "\n")
	}
	return embedding(text, dimensions), nil
}
