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
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/app"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/usererror"
)

// portalsCommand lists or checks the portals of official publishers.
type portalsCommand struct {
	Check   bool   `help:"Request each portal as a discovery would, respecting robots.txt."`
	Country string `placeholder:"CC" help:"Only the portals of a country (ISO 3166-1 code), and those for all countries."`
	File    string `placeholder:"FILE" help:"A file of portals instead of the built-in one."`
}

// Help returns the help text of whatisit discover portals, without its flags.
func (portalsCommand) Help() string {
	return `Prints a line for each portal, or with --json the updated file: a portal that answers gets today's date as "checked".

    whatisit discover portals
    whatisit discover portals --check --country KR
    whatisit discover portals --check --json > portals.json
    mv portals.json internal/discover/                      once it is whole

Exit codes: 0 every portal answers; 1 one does not; 2 wrong usage.`
}

// portalsAtOnce is the number of concurrent requests. Each portal has its own host.
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

// read returns the portals of the file that the flags select.
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

// An answered is a portal with the response to its check.
type answeredPortal struct {
	status int
	moved  string // the address it redirects to, if any
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

// check requests the portals and returns the responses in their order.
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
	_ = asking.Wait() // errors are part of the responses
	return answers
}

// print prints portals, with their responses if they were checked.
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
		var table table
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
			table.row(country, portal.Name, portal.URL, said)
		}
		err = table.print(c.out)
	}
	if err != nil || answers == nil {
		return err
	}
	c.say("%d of %d portals answer", len(all)-failed, len(all))
	if failed > 0 {
		return errPrinted
	}
	return nil
}

// portalLines formats a file of portals, one a line.
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
