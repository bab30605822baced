package forecast

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"example.com/whatis/internal/forecast/speech"
	"example.com/whatis/internal/gemini"
)

// withAudio returns res with its audio, existing or new. If that fails, res says why, and
// the next request tries again.
func (p *Pipeline) withAudio(ctx context.Context, v variant, res Result) Result {
	if res.AudioFile != "" {
		return res
	}
	spoken, err := p.speak(ctx, v, res)
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

// speak makes the audio of res, once for all concurrent callers.
func (p *Pipeline) speak(ctx context.Context, v variant, res Result) (gemini.Ledger, error) {
	file := v.audioFile(res.GeneratedAt)
	return p.sounds.Get(ctx, file, func(ctx context.Context) (gemini.Ledger, bool, error) {
		all, err := p.store.list(ctx, v.dir(), p.Now())
		spoken := slices.ContainsFunc(all, func(l listed) bool { return l.at.Equal(res.GeneratedAt) && l.audio > 0 })
		return gemini.Ledger{}, spoken, err
	}, func(ctx context.Context) (gemini.Ledger, error) {
		s := speaking{file: file, result: res}
		err := p.speaking.Run(ctx, &s, nil)
		return s.ledger, err
	})
}

// say asks the speech model to speak a text, and stores the audio as WAV.
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
	p.charge(ledger)
	if err != nil {
		return ledger, err
	}
	return ledger, p.store.write(context.WithoutCancel(ctx), file, speech.MIMEType, sound.WAV())
}
