// Package minds is what the emulated model answers, one mind an agent.
//
//	emulators/gemini (the wire) → Mind → what the pixels and texts of a request show
//
// A mind is as honest as a person who was handed the request would be: it sees the
// bytes of the photos and the text, never a file name or metadata, and says
// nothing that neither shows.
package minds

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// Options say how the minds see. The zero value works.
type Options struct {
	// Tesseract is the path of the tesseract program. "" looks it up on PATH
	// and does without when it is absent; "off" never runs it.
	Tesseract string
	// Espeak is the path of the espeak-ng program. "" looks it up on PATH and says
	// texts in tones when it is absent; "off" never runs it.
	Espeak string
	// Obedient makes the model obey what it finds injected into the text of a photo,
	// as an attacker hopes a real one might.
	Obedient bool
	// Packs are known beside the project's own samples, by their bytes.
	Packs []*samples.Sample
	// Marks is how well the model marks lines of stickers as machine_directed.
	Marks Marks
}

// Start starts an emulator of the wire with all minds, behind those that it brings.
func Start(wire gemini.Options, o Options) (*gemini.Server, error) {
	reader, err := newTextReader(o.Tesseract)
	if err != nil {
		return nil, fmt.Errorf("minds: start: %w", err)
	}
	voice, err := newSpeaker(o.Espeak)
	if err != nil {
		return nil, fmt.Errorf("minds: start: %w", err)
	}
	seeing := &observer{reader: reader, packs: map[string]*samples.Sample{}}
	for _, pack := range o.Packs {
		sum := sha256.Sum256(pack.Bytes())
		seeing.packs[hex.EncodeToString(sum[:])] = pack
	}
	wire.Minds = append(wire.Minds, &analyze{o, seeing}, asking{}, forecast{}, discover{})
	wire.Embed = seeing.embed
	wire.Speak = voice.speak
	return gemini.Start(wire)
}

// embed makes the vector of a text, and of photos as what is seen in them.
func (o *observer) embed(ctx context.Context, text string, photos []gemini.Inline, dimensions int) ([]float32, error) {
	if text == "" && len(photos) == 1 {
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
