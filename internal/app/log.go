package app

import (
	"io"
	"log/slog"
	"os"

	"example.com/whatis/internal/trace"
)

// Logger returns a logger of lines of level and above. They are structured for Cloud
// Logging, which groups them by request, or plain text if service is "".
func Logger(w io.Writer, service string, level slog.Leveler) *slog.Logger {
	if service == "" {
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
	}
	lines := slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: cloudNames})
	return slog.New(trace.Handler(lines, os.Getenv("GOOGLE_CLOUD_PROJECT")))
}

// cloudNames gives the level and the message the names of a structured entry
// (cloud.google.com/logging/docs/structured-logging).
func cloudNames(groups []string, a slog.Attr) slog.Attr {
	if len(groups) > 0 {
		return a
	}
	switch a.Key {
	case slog.MessageKey:
		a.Key = "message"
	case slog.LevelKey:
		a.Key = "severity"
		if level, ok := a.Value.Any().(slog.Level); ok && level == slog.LevelWarn {
			a.Value = slog.StringValue("WARNING")
		}
	}
	return a
}
