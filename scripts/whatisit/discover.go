package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"
)

// discoverCommand has data on emissions sought.
type discoverCommand struct {
	URL           *string       `name:"url" placeholder:"URL" help:"The service to ask; API_URL in the environment is the default."`
	Country       string        `placeholder:"NAME" help:"Name, or code of ISO 3166-1."`
	Region        string        `placeholder:"NAME" help:"Name, or code of ISO 3166-2."`
	City          string        `placeholder:"NAME" help:"With its country where that is not clear: 'Linz, AT'."`
	Sector        string        `placeholder:"SECTOR" help:"afolu, ippu, stationary_energy, transportation or waste; a city does without."`
	English       bool          `help:"Search in English only."`
	MaxIterations int           `placeholder:"N" help:"Rounds of research and review (the service's)."`
	CSV           bool          `name:"csv" help:"Print the records as CSV."`
	LogLevel      string        `default:"info" enum:"debug,info,error" help:"info prints each decision, error none, debug every retry too."`
	Poll          time.Duration `default:"2s" hidden:""`
}

// Help is what whatisit discover --help says besides its flags.
func (discoverCommand) Help() string {
	return "The service does the work: it goes on when this command ends. Decisions go to standard error, the result to standard output.\n\n" +
		"  whatisit discover --country Uruguay --sector waste\n  whatisit discover --city 'Linz, AT' --csv"
}

// A discovery is what of a run is shown.
type discovery struct {
	ID, Action, Reason string
	Items, Pages       int
	Iteration          int
	CostUSD            float64 `json:"cost_usd"`
	Calls              int     `json:"model_calls"`
	Decisions          []struct {
		Time                  time.Time
		Agent, Action, Reason string
	}
}

// Run begins, watches and prints.
func (d *discoverCommand) Run(ctx context.Context, c *console) error {
	address := os.Getenv("API_URL")
	if d.URL != nil {
		address = *d.URL
	}
	if address == "" {
		return usage("no service is named: use --url https://…, or set API_URL; go run ./emulators has one that costs nothing")
	}
	s, err := at(address, where{Verbose: d.LogLevel == "debug"}.noter(c))
	if err != nil {
		return err
	}
	body := encode(map[string]any{
		"country": d.Country, "region": d.Region, "city": d.City, "sector": d.Sector, "english_only": d.English, "limits": map[string]int{"max_iterations": d.MaxIterations},
	})
	var now discovery
	if err := s.answer(ctx, request{method: http.MethodPost, path: "/discover", kind: "application/json", body: body}, &now); err != nil {
		return err
	}
	path := "/discover/" + url.PathEscape(now.ID)
	c.say("discovery %s has begun", now.ID)
	if err := d.watch(ctx, c, s, path, &now); err != nil {
		return fmt.Errorf("%w; it goes on: see %s%s", because(ctx, err), s.base, path)
	}
	c.say("%s: %s; %d records of %d pages in %d iterations, %d calls of models, $%.4f", now.Action, now.Reason, now.Items, now.Pages, now.Iteration, now.Calls, now.CostUSD)
	return d.print(ctx, c, s, path+"/result")
}

// watch prints decisions until the run is over.
func (d *discoverCommand) watch(ctx context.Context, c *console, s *service, path string, now *discovery) error {
	var told time.Time
	for now.Action == "" {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d.Poll):
		}
		if err := s.answer(ctx, request{method: http.MethodGet, path: path}, now); err != nil {
			return err
		}
		for _, decision := range now.Decisions {
			if decision.Time.After(told) && d.LogLevel != "error" {
				c.say("%s %s: %s", decision.Agent, decision.Action, decision.Reason)
				told = decision.Time
			}
		}
	}
	return nil
}

// print prints the result.
func (d *discoverCommand) print(ctx context.Context, c *console, s *service, path string) error {
	if d.CSV {
		path += "?format=csv"
	}
	resp, err := s.do(ctx, request{method: http.MethodGet, path: path})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(c.out, resp.Body)
	return err
}
