package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"example.com/whatis/internal/spend"
)

// spendCommand prints what a service's models have cost today.
type spendCommand struct {
	elsewhere
}

// Help returns the help text of whatisit spend, without its flags.
func (spendCommand) Help() string {
	return `Prints what the models have cost since midnight UTC, in US dollars by list prices: the day, then each agent and each model, the dearest first; with --json what the service sends. Where a day has a limit (MAX_USD_PER_DAY) it is the cost over all instances, else that of the instance that answers.

    whatisit spend
    whatisit results show ID | grep cost_usd    that of one photo

Exit codes: 0 printed, even if nothing was spent; 1 the service does not say; 2 wrong usage; 130 after Ctrl-C.`
}

// Run prints it.
func (s *spendCommand) Run(ctx context.Context, c *console) error {
	return s.costs(ctx, c, request{method: http.MethodGet, path: "/spend"})
}

// pauseCommand stops paid work.
type pauseCommand struct {
	elsewhere
}

// Help returns the help text of whatisit pause, without its flags.
func (pauseCommand) Help() string {
	return `Stops all that costs, in all instances, within ten seconds: calls that are under way are finished, and photos, batches and runs wait, over midnight too, until whatisit resume. What costs nothing (results, searches from memory, reviews) goes on. It needs the role owner, and a service with a daily limit (MAX_USD_PER_DAY), as scripts/deploy asks for. Prints the costs of the day, as whatisit spend.

    whatisit pause
    whatisit resume

Exit codes: 0 paused; 1 the service refuses, or has no daily limit; 2 wrong usage; 130 after Ctrl-C.`
}

// Run pauses.
func (p *pauseCommand) Run(ctx context.Context, c *console) error {
	return p.costs(ctx, c, request{method: http.MethodPost, path: "/spend/pause"})
}

// resumeCommand lets paid work go on.
type resumeCommand struct {
	elsewhere
}

// Help returns the help text of whatisit resume, without its flags.
func (resumeCommand) Help() string {
	return `Ends what whatisit pause began. What waits is tried again within ten minutes. It needs the role owner. Prints the costs of the day, as whatisit spend.

    whatisit resume

Exit codes: 0 paid work goes on; 1 the service refuses; 2 wrong usage; 130 after Ctrl-C.`
}

// Run resumes.
func (r *resumeCommand) Run(ctx context.Context, c *console) error {
	return r.costs(ctx, c, request{method: http.MethodDelete, path: "/spend/pause"})
}

// costs sends a request whose answer are the costs of a day, and prints them.
func (e *elsewhere) costs(ctx context.Context, c *console, r request) error {
	service, err := e.open(c)
	if err != nil {
		return err
	}
	var all json.RawMessage
	if err := service.answer(ctx, r, &all); err != nil {
		return because(ctx, err)
	}
	if c.json {
		return printJSON(c, all)
	}
	var day spend.Day
	if err := json.Unmarshal(all, &day); err != nil || day.Day == "" {
		return fmt.Errorf("%s does not answer with the costs of a day: is it a whatis service? (%w)", service.base, err)
	}
	return c.asCosts(day)
}

// asCosts prints the costs of a day as a table.
func (c *console) asCosts(day spend.Day) error {
	if p := day.Paused; p != nil {
		by := ""
		if p.By != "" {
			by = " by " + p.By
		}
		c.say("paid work is paused since %s%s: whatisit resume", p.At.UTC().Format("2006-01-02 15:04 UTC"), by)
	}
	total := dollars(day.USD)
	if day.Limit > 0 {
		total += " of " + strconv.FormatFloat(day.Limit, 'f', -1, 64)
	}
	if len(day.Agents) == 0 {
		c.say("nothing was spent today, %s UTC (%s USD): whatisit analyze photo.jpg asks a model; emulated and local ones cost nothing", day.Day, total)
		return nil
	}
	var table table
	table.row("OF", "NAME", "USD")
	table.row("day", day.Day+" UTC", total)
	for _, part := range []struct {
		of     string
		shares []spend.Share
	}{{"agent", day.Agents}, {"model", day.Models}} {
		for _, share := range part.shares {
			table.row(part.of, share.Name, dollars(share.USD))
		}
	}
	return table.print(c.out)
}

func dollars(usd float64) string { return strconv.FormatFloat(usd, 'f', 6, 64) }
