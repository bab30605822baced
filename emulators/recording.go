package main

import (
	"fmt"
	"os"
	"strings"

	"example.com/whatis/emulators/replay"
)

// vertexVariable is the variable that is set in a recording of Vertex AI.
const vertexVariable = "GOOGLE_GENAI_USE_VERTEXAI"

// startRecorder starts a recorder between the functions and the model, real or emulated.
func (w *world) startRecorder(o options, env map[string]string) (err error) {
	settings := replay.Shaping(env)
	if w.gemini == nil && onVertex(env) {
		settings[vertexVariable] = "true"
	}
	if w.gemini != nil {
		for _, line := range w.modelNames() {
			name, value, _ := strings.Cut(line, "=")
			settings[name] = value
		}
	}
	w.recorder, err = at(recorderPort, func(addr string) (*replay.Recorder, error) {
		return replay.Record(replay.RecordOptions{Addr: addr, Dir: o.record, Upstream: w.upstream(env), Settings: settings, Log: complain})
	})
	if err != nil {
		return usageError{fmt.Errorf("-record: %w", err)}
	}
	w.closers = append(w.closers, func() {
		_ = w.recorder.Close()
		fmt.Printf("recorded %d answers in %s\n", w.recorder.Kept(), o.record)
	})
	return nil
}

// upstream returns the address of the service that is recorded.
func (w *world) upstream(env map[string]string) string {
	if w.gemini != nil {
		return w.gemini.URL()
	}
	return replay.Upstream(env, onVertex(env))
}

// startPlayer starts a server that answers from a recording instead of the model.
func (w *world) startPlayer(o options) (err error) {
	if w.replayed, err = replay.ReadRecording(o.replay); err != nil {
		return usageError{fmt.Errorf("-replay: %w", err)}
	}
	if w.replayed.Settings[vertexVariable] != "" {
		return usageError{fmt.Errorf("-replay: %s was recorded from Vertex AI, whose client needs credentials before it sends a request: record with a key of the Gemini API", o.replay)}
	}
	w.player, err = at(geminiPort, func(addr string) (*replay.Player, error) {
		return replay.Play(replay.PlayOptions{Addr: addr, Dir: o.replay, Log: complain})
	})
	if err != nil {
		return usageError{fmt.Errorf("-replay: %w", err)}
	}
	w.closers = append(w.closers, func() { _ = w.player.Close() })
	return nil
}

// missed returns an error if a request was not in the recording.
func (w *world) missed() error {
	if w.player == nil || w.player.Misses() == 0 {
		return nil
	}
	return fmt.Errorf("%d requests were not in the recording: see the differences above, or record again", w.player.Misses())
}

// emulatedModels are the variables that name the emulated models.
var emulatedModels = []string{
	"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding", "LEARN_FROM_SEARCH=true",
	"FORECAST_MODEL=emulated-forecast", "SPEECH_MODEL=emulated-speech",
	"THINKING_MODEL=emulated-thinking", "STRUCTURED_MODEL=emulated-structured", "RELEVANCE_CHECK_MODEL=emulated-relevance",
}

// modelSettings returns the variables that select the model: none for the real one.
func (w *world) modelSettings() []string {
	switch {
	case w.player != nil:
		lines := []string{"GOOGLE_GEMINI_BASE_URL=" + w.player.URL(), "GOOGLE_API_KEY=" + emulatedKey}
		for _, name := range replay.Variables {
			if value, ok := w.replayed.Settings[name]; ok {
				lines = append(lines, name+"="+value)
			}
		}
		return lines
	case w.gemini != nil:
		return append([]string{"GOOGLE_GEMINI_BASE_URL=" + w.modelURL(), "GOOGLE_API_KEY=" + emulatedKey}, w.modelNames()...)
	case w.recorder != nil:
		return []string{"GOOGLE_GEMINI_BASE_URL=" + w.recorder.URL(), "GOOGLE_VERTEX_BASE_URL=" + w.recorder.URL()}
	}
	return nil
}

// modelURL returns the address of the emulated model.
func (w *world) modelURL() string {
	if w.recorder != nil {
		return w.recorder.URL()
	}
	return w.gemini.URL()
}

// local reports whether no remote model is used.
func (w *world) local() bool { return w.gemini != nil || w.player != nil }

func complain(why string) { fmt.Fprintln(os.Stderr, "emulators:", why) }
