package discover

import (
	"fmt"
	"strings"

	"example.com/whatis/internal/agent"
)

// maxRendered is how many records a text has at most.
const maxRendered = 30

// Render returns o for people: how far the run is or how it ended, and each record with its
// address and its quote.
func (o Outcome) Render() agent.Rendering {
	lines := []string{o.Message()}
	if o.Found != nil {
		lines = append(lines, o.Found.Note...)
		for i, item := range o.Found.Items[:min(len(o.Found.Items), maxRendered)] {
			lines = append(lines, fmt.Sprintf("%d. %s", i+1, item.line()))
		}
		if more := len(o.Found.Items) - maxRendered; more > 0 {
			lines = append(lines, fmt.Sprintf("and %d more", more))
		}
	}
	if o.ResultURI != "" {
		lines = append(lines, "Result: "+o.ResultURI)
	}
	return agent.Rendering{Text: strings.Join(lines, "\n")}
}

// line describes a record.
func (i StructuredDataItem) line() string {
	of := i.Name
	if i.Publisher != "" {
		of += ", " + i.Publisher
	}
	switch {
	case i.FirstYear > 0 && i.LastYear == 0:
		of += fmt.Sprintf(", since %d", i.FirstYear)
	case i.FirstYear == 0 && i.LastYear > 0:
		of += fmt.Sprintf(", up to %d", i.LastYear)
	case i.LastYear > 0:
		of += fmt.Sprintf(", %d to %d", i.FirstYear, i.LastYear)
	}
	return fmt.Sprintf("%s: %s %q", of, i.URL, i.Quote)
}
