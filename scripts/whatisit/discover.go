package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/gemini"
)

// discoverCommand is about data on emissions.
type discoverCommand struct {
	Seek    seekCommand    `cmd:"" default:"withargs" help:"Find the data that a place publishes (the default command)."`
	Mark    markCommand    `cmd:"" help:"Mark a record as right or wrong, for the next discovery of its place."`
	Verify  verifyCommand  `cmd:"" help:"Check each quote of a result against the stored pages, offline."`
	Portals portalsCommand `cmd:"" help:"List the portals of official publishers, or check whether they answer."`
}

// Help returns the help text of whatisit discover, without its commands.
func (discoverCommand) Help() string {
	return `    whatisit discover --emulated --country Kenya --sector waste
    whatisit discover --url https://… --city 'Linz, AT' --json > linz.json
    whatisit discover mark ID KEY wrong --by kim
    whatisit discover verify linz.json
    whatisit discover portals --check

whatisit discover seek --help lists all options of a discovery.`
}

// seekCommand starts, follows or cancels a discovery.
type seekCommand struct {
	Country       string   `placeholder:"NAME" help:"Name, or code of ISO 3166-1."`
	Region        string   `placeholder:"NAME" help:"Name, or code of ISO 3166-2."`
	City          string   `placeholder:"NAME" help:"With its country if the name is ambiguous: 'Linz, AT'."`
	Sector        string   `placeholder:"SECTOR" help:"afolu, ippu, stationary_energy, transportation or waste; optional for a city."`
	English       bool     `help:"Search in English only."`
	Start         []string `placeholder:"URL" help:"An address to read first; repeat it for several."`
	Catalogue     []string `placeholder:"URL" help:"A CKAN catalogue to ask; repeat it for several."`
	Only          []string `placeholder:"DOMAIN" help:"Read pages of this domain, and of others so named, only."`
	Prefer        []string `placeholder:"DOMAIN" help:"Extract from pages of this domain first."`
	LeaveOut      []string `placeholder:"DOMAIN" help:"Read no pages of this domain."`
	MaxIterations int      `placeholder:"N" help:"Rounds of research and review (the service's default)."`
	Since         string   `placeholder:"ID" help:"Compare with an earlier discovery of the same place and sector."`
	Tier          string   `placeholder:"standard|flex" help:"The models' service tier: flex costs half and takes longer (the service's default)."`
	Follow        string   `placeholder:"ID" help:"Follow a running discovery, and fetch its result."`
	Cancel        string   `placeholder:"ID" help:"Cancel a discovery; its result has what it found so far."`
	CSV           bool     `name:"csv" help:"Print the records, and the dropped ones, as CSV."`
	LogLevel      string   `default:"info" enum:"debug,info,error" help:"info prints decisions, error none of them, debug also every retry."`
	where
}

// Help returns the help text of whatisit discover, without its flags.
func (seekCommand) Help() string {
	return `The service does the work and continues when this command ends. Its decisions are printed on standard error, with a progress line on a terminal, and a summary at the end; the records are printed on standard output, as a table, or with --json or --csv as the service sends them.

    whatisit discover --emulated --country Kenya --sector waste
    whatisit discover --url https://… --city 'Linz, AT' --json > linz.json
    whatisit discover --country Chile --sector waste --catalogue https://datos.gob.cl/ --only gob.cl
    whatisit discover --follow ID
    whatisit discover --cancel ID
    whatisit discover verify linz.json    does each quote stand on its page?

--emulated asks a small web that is made up here.

Exit codes: 0 there is a result, even one without records; 1 none, or of a discovery that failed or was cancelled; 2 wrong usage; 130 after Ctrl-C: the discovery goes on.`
}

// check refuses a command line without an action, or with two.
func (d *seekCommand) check(c *console) error {
	place := d.Country != "" || d.Region != "" || d.City != "" || d.Sector != ""
	switch {
	case d.Follow != "" && d.Cancel != "" || place && d.Follow+d.Cancel != "":
		return usage("want only one of a place, --follow ID and --cancel ID")
	case d.Follow+d.Cancel == "" && d.Country+d.Region+d.City == "":
		return usage("no place is named: use --country, --region or --city, and --sector (see whatisit discover --help)")
	case gemini.Tier(d.Tier).Check() != nil:
		return usage("--tier is %v", gemini.Tier(d.Tier).Check())
	case c.json && d.CSV:
		return usage("--json and --csv are two forms of the result: choose one")
	case d.MaxIterations < 0:
		return usage("--max-iterations is %d: a count is 1 or more", d.MaxIterations)
	case d.Emulated && d.Follow+d.Cancel != "":
		return usage("no emulators run here, and --emulated without them keeps nothing after it ends: there are no earlier discoveries")
	}
	return nil
}

// Run starts, follows or cancels a discovery.
func (d *seekCommand) Run(ctx context.Context, c *console) error {
	d.where = d.found(c)
	if err := d.check(c); err != nil {
		return err
	}
	s, err := d.open(ctx, c)
	if err != nil {
		return err
	}
	defer s.close()
	if d.Cancel != "" {
		return d.cancel(ctx, c, s)
	}
	var status discover.Status
	if d.Follow != "" {
		err = s.answer(ctx, request{method: http.MethodGet, path: discoveryPath(d.Follow)}, &status)
	} else {
		err = d.begin(ctx, s, &status)
	}
	if err != nil {
		return because(ctx, err)
	}
	c.say("discovery %s", status.ID)
	f := &seeking{service: s, console: c, status: status, quiet: d.LogLevel == "error"}
	if err := f.follow(ctx); err != nil {
		return d.left(ctx, c, status.ID, err)
	}
	return d.finish(ctx, c, s, f.status)
}

// open returns the service: a remote one, or one in this process with emulators, as
// otherwise no process would run its tasks.
func (d *seekCommand) open(ctx context.Context, c *console) (*service, error) {
	w := d.where
	w.Verbose = w.Verbose || d.LogLevel == "debug"
	switch {
	case w.Emulated && w.URL != nil:
		return nil, usage("--emulated and --url are two different services: choose one")
	case w.Emulated:
		s, _, err := w.emulatedWeb(ctx, c, modelEmulated, site.Options{})
		return s, err
	case w.address() == "":
		return nil, usage("no service is named: use --emulated (no key, no cost: the emulators that run here, or everything in this process), or --url https://… (or API_URL)")
	}
	return at(w.address(), w.noter(c))
}

func discoveryPath(id string) string { return "/discover/" + url.PathEscape(id) }

func (d *seekCommand) begin(ctx context.Context, s *service, status *discover.Status) error {
	body := encode(discover.Request{
		Country: d.Country, Region: d.Region, City: d.City, Sector: d.Sector, EnglishOnly: d.English, Since: d.Since, Tier: d.Tier, Pointing: discover.Pointing{StartURLs: d.Start, Catalogues: d.Catalogue, OnlyDomains: d.Only, PreferDomains: d.Prefer, LeaveOut: d.LeaveOut}, Limits: discover.Limits{Iterations: d.MaxIterations},
	})
	return s.patiently(ctx, "discovery", func() error {
		return s.answer(ctx, request{method: http.MethodPost, path: "/discover", kind: "application/json", body: body}, status)
	})
}

func (d *seekCommand) cancel(ctx context.Context, c *console, s *service) error {
	var status discover.Status
	if err := s.answer(ctx, request{method: http.MethodDelete, path: discoveryPath(d.Cancel)}, &status); err != nil {
		return err
	}
	c.say("discovery %s is %s: %s", status.ID, status.State, discover.Outcome{Status: status}.Message())
	return nil
}

// left adds to err what happens to the discovery after this command.
func (d *seekCommand) left(ctx context.Context, c *console, id string, err error) error {
	advice := fmt.Sprintf("the discovery goes on: whatisit discover --follow %s looks again, --cancel %s ends it", id, id)
	if d.Emulated {
		advice = "the discovery has ended with this command, as everything emulated does"
	}
	if ctx.Err() != nil {
		c.say("%s", advice)
		return errInterrupted
	}
	return fmt.Errorf("%w; %s", err, advice)
}

// finish prints the result of a discovery.
func (d *seekCommand) finish(ctx context.Context, c *console, s *service, status discover.Status) error {
	var r discover.Result
	var data []byte
	err := s.patiently(ctx, "result", func() (err error) {
		data, err = s.whole(ctx, discoveryPath(status.ID)+"/result")
		return err
	})
	if err == nil {
		err = decode(data, &r)
	}
	if err != nil {
		return fmt.Errorf("the discovery has ended (%s: %s), but its result cannot be fetched: %w", status.Action, status.Reason, because(ctx, err))
	}
	if d.CSV {
		data = r.CSV()
	}
	if c.json || d.CSV {
		_, err = c.out.Write(data)
	} else {
		err = c.records(r)
	}
	for _, line := range summed(r, status) {
		c.say("%s", line)
	}
	if err == nil && (r.Action == "failed" || r.Action == "canceled" || r.Action == "not_on_emulated_web") {
		return errPrinted
	}
	return err
}

// whole reads a response body without decoding it.
func (s *service) whole(ctx context.Context, path string) ([]byte, error) {
	resp, err := s.do(ctx, request{method: http.MethodGet, path: path})
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, longestAnswer))
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errCut, err)
	}
	return data, nil
}
