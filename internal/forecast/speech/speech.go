// Package speech converts texts to audio.
//
//	text → Pieces → gemini.Speak each → Decode → Join → Sound → WAV
//
// Every answer of a model, samples or a whole WAV, at any rate, mono or stereo, is
// converted to one Sound of 24 kHz, mono, 16 bit.
package speech

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/gemini"
)

// A Request is a text of any length to be spoken.
type Request struct {
	Model string
	Text  string
	Style string // how it is spoken, such as "Say in the calm tone"; "" leaves it to the model
	Voice string // "" means gemini.DefaultVoice
	Key   string // names the calls in the log
}

// The largest piece that is spoken in one call, the number of concurrent calls, and the
// pause between two pieces.
const (
	longest = time.Minute
	atOnce  = 4
	pause   = 200 * time.Millisecond
)

// Say speaks a text, with one call for each piece. Speech that cannot be decoded, or is too
// short or too long for its text, is Malformed and requested again; errors are those of
// gemini.Speak.
func Say(ctx context.Context, c *gemini.Client, r Request) (Sound, error) {
	pieces := Pieces(r.Text, longest)
	said := make([]Sound, len(pieces))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, text := range pieces {
		group.Go(func() (err error) {
			_, err = c.Speak(ctx, gemini.SpeakRequest{
				Model: r.Model, Text: text, Style: r.Style, Voice: r.Voice, Key: r.Key,
				Check: func(s gemini.Speech) (err error) {
					said[i], err = whole(text, s)
					return err
				},
			})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return Join(pause, said...), nil
}

// whole decodes speech and checks that its length fits the text.
func whole(text string, s gemini.Speech) (Sound, error) {
	sound, err := Decode(s.MIMEType, s.Data)
	if err != nil {
		return nil, err
	}
	got, want := sound.Duration(), Expected(text)
	if got < want*2/3 || got > 4*want+10*time.Second {
		return nil, fmt.Errorf("%v of speech for a text of about %v", got.Round(time.Millisecond), want.Round(time.Millisecond))
	}
	return sound, nil
}
