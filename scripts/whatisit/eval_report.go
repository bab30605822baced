package main

import (
	"fmt"
	"strings"

	"example.com/whatis/scripts/whatisit/accuracy"
)

// tell prints the report, keeps it, and is an error where it is worse than before.
func (e *evalPhotosCommand) tell(c *console, report accuracy.Report, photos []accuracy.Photo, compared *accuracy.Comparison) error {
	if err := e.keep(c, report, photos, compared); err != nil {
		return err
	}
	var err error
	if c.json {
		_, err = c.out.Write(encode(report))
	} else {
		err = report.WriteText(c.out, compared)
	}
	if err != nil {
		return err
	}
	if compared != nil && len(compared.Regressions) > 0 {
		return fmt.Errorf("worse than %s: %s", e.Against, strings.Join(compared.Regressions, "; "))
	}
	failed := 0
	for _, m := range report.Runs {
		failed += m.Figures.Failed
	}
	if failed > 0 {
		return fmt.Errorf("%d photos failed", failed)
	}
	return nil
}

// keep writes the JSON and the page.
func (e *evalPhotosCommand) keep(c *console, report accuracy.Report, photos []accuracy.Photo, compared *accuracy.Comparison) error {
	if e.Out == "" || e.Out == noFolder {
		return nil
	}
	paths, err := report.Keep(e.Out, photos, compared)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	c.say("%s", strings.Join(paths, ", "))
	return nil
}
