package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
)

// openCommand opens the service's page.
type openCommand struct {
	elsewhere
	View string `arg:"" optional:"" help:"What to show: search, weather, discover, results, review, catalogue or batches; results/ID for one of them."`
}

// Help is shown behind the flags.
func (openCommand) Help() string {
	return `Prints the page's address, and opens it where there is a browser. For a service that only you may call, run
gcloud run services proxy, which signs you in, and give its address as --url.`
}

// Run opens it.
func (o *openCommand) Run(ctx context.Context, c *console) error {
	s, err := o.open(c)
	if err != nil {
		return err
	}
	address := strings.TrimSuffix(s.base, "/") + "/"
	if o.View != "" {
		address += "#" + strings.TrimPrefix(o.View, "#")
	}
	if _, err := fmt.Fprintln(c.out, address); err != nil {
		return err
	}
	words := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if words == nil {
		words = []string{"xdg-open"}
	}
	if err := exec.CommandContext(ctx, words[0], append(words[1:], address)...).Run(); err != nil {
		c.say("no browser was opened (%s): use the address", err)
	}
	return nil
}
