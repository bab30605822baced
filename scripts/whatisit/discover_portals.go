package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/app"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/discover/fetch"
	"example.com/whatis/internal/usererror"
)

// portalsCommand is about the file of portals.
type portalsCommand struct {
	Check   bool   `help:"Ask each portal whether it answers, as a discovery would: robots.txt holds."`
	Country string `placeholder:"CC" help:"Only those of a country, by its code of ISO 3166-1; and those that serve all."`
	File    string `placeholder:"FILE" help:"Another file than the one of this program."`
}

// Help is what whatisit discover portals --help says besides its flags.
func (portalsCommand) Help() string {
	return `A line for each portal goes to standard output, with --json the file as it should be now: a portal that answers gets the day as its "checked".

    whatisit discover portals
    whatisit discover portals --check --country KR
    whatisit discover portals --check --json > internal/discover/portals.json

Exit codes: 0 every portal answers; 1 one does not; 2 wrong usage.`
}

// portalsAtOnce is how many portals are asked at a time. Each has a host of its own.
const portalsAtOnce = 8

// Run lists or checks.
func (p *portalsCommand) Run(ctx context.Context, c *console) error {
	all, err := p.read()
	if err != nil {
		return err
	}
	if !p.Check {
		return p.print(c, all, nil)
	}
	pages, err := fetch.New(fetch.Config{Agent: app.UserAgent, Allow: os.Getenv("FETCH_ALLOW"), Service: os.Getenv("K_SERVICE")})
	if err != nil {
		return usageError{err}
	}
	defer pages.Close()
	answers := check(ctx, c, pages, all)
	if ctx.Err() != nil {
		return errInterrupted
	}
	return p.print(c, all, answers)
}

// read is the file, as far as it is asked for.
func (p *portalsCommand) read() ([]discover.Portal, error) {
	data, name := discover.PortalsFile(), "portals.json"
	if p.File != "" {
		var err error
		if data, err = os.ReadFile(p.File); err != nil {
			return nil, usage("--file: %s", err)
		}
		name = p.File
	}
	all, err := discover.ReadPortals(data)
	if err != nil {
		return nil, usage("%s: %s", name, err)
	}
	if p.Country == "" {
		return all, nil
	}
	all = slices.DeleteFunc(all, func(of discover.Portal) bool { return of.Country != "" && !strings.EqualFold(of.Country, p.Country) })
	if !slices.ContainsFunc(all, func(of discover.Portal) bool { return of.Country != "" }) {
		return nil, usage("--country %s: no portal is of that country; want a code of ISO 3166-1, such as KR", p.Country)
	}
	return all, nil
}

// An answered portal is one that was asked.
type answeredPortal struct {
	status int
	moved  string // where it answers, if that is elsewhere
	err    error
}

func (a answeredPortal) String() string {
	switch {
	case a.err != nil:
		return usererror.Text(a.err)
	case a.moved != "":
		return fmt.Sprintf("%d at %s", a.status, a.moved)
	}
	return fmt.Sprint(a.status)
}

// check asks the portals. What they answer is in their order.
func check(ctx context.Context, c *console, pages *fetch.Fetcher, all []discover.Portal) []answeredPortal {
	answers := make([]answeredPortal, len(all))
	var asking errgroup.Group
	asking.SetLimit(portalsAtOnce)
	c.begin(len(all), "portals")
	defer c.end()
	var mu sync.Mutex
	done := 0
	for i, portal := range all {
		asking.Go(func() error {
			page, err := pages.Get(ctx, portal.URL)
			a := answeredPortal{status: page.Status, err: err}
			if canonical, bad := fetch.Canonical(portal.URL); bad == nil && page.URL != canonical {
				a.moved = page.URL
			}
			answers[i] = a
			mu.Lock()
			defer mu.Unlock()
			done++
			c.step(fmt.Sprintf("[%d/%d] %s %s", done, len(all), portal.URL, a), false)
			return nil
		})
	}
	_ = asking.Wait() // what went wrong is an answer
	return answers
}

// print prints portals, and what they answered if they were asked.
func (p *portalsCommand) print(c *console, all []discover.Portal, answers []answeredPortal) error {
	failed := 0
	for i, a := range answers {
		if a.err != nil {
			failed++
			continue
		}
		all[i].Checked = time.Now().UTC().Format(time.DateOnly)
	}
	var err error
	if c.json {
		err = portalLines(c.out, all)
	} else {
		table := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		for i, portal := range all {
			country, said := portal.Country, portal.Checked
			if country == "" {
				country = "--"
			}
			if said == "" {
				said = "never checked"
			}
			if answers != nil {
				said = answers[i].String()
			}
			row(table, country, portal.Name, portal.URL, said)
		}
		err = table.Flush()
	}
	if err != nil || answers == nil {
		return err
	}
	c.say("%d of %d portals answer", len(all)-failed, len(all))
	if failed > 0 {
		return errTold
	}
	return nil
}

// portalLines writes a file of portals, a line each.
func portalLines(w io.Writer, all []discover.Portal) error {
	var b strings.Builder
	for i, portal := range all {
		line, err := json.Marshal(portal)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s%s", map[bool]string{true: "[\n", false: ",\n"}[i == 0], line)
	}
	_, err := fmt.Fprintf(w, "%s\n]\n", b.String())
	return err
}
