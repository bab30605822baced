package forecast

import (
	"strings"
	"time"

	"example.com/whatis/internal/agent"
)

// Render returns r for people: the forecast and the values that it tells, with a link to the
// audio.
func (r Result) Render() agent.Rendering {
	if r.Place.ID == "" { // an answer to a message, without a forecast
		return agent.Rendering{Text: r.Text + "\nSession: " + r.Session}
	}
	var facts []string
	for _, f := range r.Facts {
		facts = append(facts, f.Slot+" "+f.Value)
	}
	place := r.Place.Name
	if r.Place.Country != "" {
		place += ", " + r.Place.Country
	}
	lines := []string{r.Text, "Place: " + place + ", as of " + r.GeneratedAt.UTC().Format(time.RFC3339), "Data: " + strings.Join(facts, "; ")}
	if r.Session != "" {
		lines = append(lines, "Session: "+r.Session)
	}
	if len(r.Warnings) > 0 {
		lines = append(lines, "Warnings: "+strings.Join(r.Warnings, ", "))
	}
	of := agent.Rendering{Text: strings.Join(lines, "\n")}
	if r.AudioURL != "" {
		of.Links = []agent.Link{{URL: r.AudioURL, Name: "The forecast of " + place + ", spoken", MediaType: "audio/wav"}}
	}
	return of
}
