package forecast

import (
	"context"
	"fmt"
	"log/slog"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/speech"
)

// withAudio is res with its audio: one that is there, or a new one. Without it res says
// why, and the next who asks has it made.
func (p *Pipeline) withAudio(ctx context.Context, v variant, res Result) Result {
	if res.AudioFile != "" {
		return res
	}
	spoken, err := p.speak(ctx, v, res, "")
	if err != nil {
		slog.WarnContext(ctx, "forecast not spoken", "place", v.place.ID, "error", err)
		res.SpeechProblem, res.Warnings = err, append(res.Warnings, WarnSpeech)
		return res
	}
	res.AudioFile, res.AudioURL = v.audioFile(res.GeneratedAt), v.audioURL(res.GeneratedAt)
	res.CostUSD += spoken.USD
	for _, w := range spoken.Warnings {
		if !oneOf(w, res.Warnings...) {
			res.Warnings = append(res.Warnings, w)
		}
	}
	return res
}

// speak makes the audio of res, once for all who ask for it meanwhile, in a tone: the
// writer's unless another is said.
func (p *Pipeline) speak(ctx context.Context, v variant, res Result, tone string) (gemini.Ledger, error) {
	file := v.audioFile(res.GeneratedAt)
	return once(ctx, p, file, func(ctx context.Context) (gemini.Ledger, bool, error) {
		all, err := p.store.list(ctx, v.dir(), p.Now())
		for _, l := range all {
			if l.at.Equal(res.GeneratedAt) && l.audio > 0 {
				return gemini.Ledger{}, true, nil
			}
		}
		return gemini.Ledger{}, false, err
	}, func(ctx context.Context) (gemini.Ledger, error) {
		if tone == "" {
			tone = p.toneOf(ctx, v, res)
		}
		return p.say(ctx, file, res.Text, tone)
	})
}

// toneOf is the tone that the writer chose.
func (p *Pipeline) toneOf(ctx context.Context, v variant, res Result) string {
	k, ok, err := p.store.newest(ctx, v, p.Now())
	if err != nil || !ok || k.Tone == "" || !k.At.Equal(res.GeneratedAt) {
		return "calm"
	}
	return k.Tone
}

// say has a text spoken, and stores it as a WAV.
func (p *Pipeline) say(ctx context.Context, file, text, tone string) (gemini.Ledger, error) {
	if p.Speech == "" {
		return gemini.Ledger{}, &gemini.Error{Kind: gemini.Gone, Err: fmt.Errorf("no model for speech is set")}
	}
	ctx, cancel := context.WithTimeout(ctx, p.SpeechTimeout)
	defer cancel()
	account := &gemini.Account{Attempts: gemini.CallerAttempts}
	sound, err := speech.Say(gemini.WithAccount(ctx, account), p.Gemini, speech.Request{
		Model: p.Speech, Text: text, Style: "Say in the " + tone + " tone", Voice: p.Voice, Key: "forecast_speaker_agent",
	})
	ledger := account.Ledger()
	p.count.spoken.Add(1)
	p.count.microUSD.Add(int64(ledger.USD * 1e6))
	if err != nil {
		return ledger, err
	}
	return ledger, p.store.write(context.WithoutCancel(ctx), file, speech.MIMEType, sound.WAV())
}
