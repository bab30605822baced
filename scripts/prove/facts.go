package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Status is the result of checking an assumption.
type Status string

// The statuses. An assumption is not checked if no answer decides it, or if an emulated
// model answered and the assumption is about a model's behaviour.
const (
	Held       Status = "held"
	Failed     Status = "failed"
	NotChecked Status = "not checked"
)

// A Fact is an assumption about the service, and how it is checked.
type Fact struct {
	ID         string `json:"id"`
	Assumption string `json:"assumption"`
	Stands     string `json:"stands"` // where in this repo it is relied on
	check      func(context.Context, *prober) (Status, string)
}

// A group is facts about one side of the service.
type group struct {
	name  string
	facts []Fact
}

// A Finding is a checked fact.
type Finding struct {
	Fact
	Group  string `json:"group"`
	Status Status `json:"status"`
	Seen   string `json:"seen"`
}

// takes checks that each request is taken.
func takes(requests ...sending) func(context.Context, *prober) (Status, string) {
	return each(requests, func(a answered) bool { return a.status == http.StatusOK })
}

// refuses checks that each request is refused with that status.
func refuses(status int, requests ...sending) func(context.Context, *prober) (Status, string) {
	return each(requests, func(a answered) bool { return a.status == status })
}

// A sending is a request to a model.
type sending struct {
	name, model, method string
	body                any
	header              map[string]string
	patience            time.Duration // longestProbe where it is 0
}

func each(requests []sending, right func(answered) bool) func(context.Context, *prober) (Status, string) {
	return func(ctx context.Context, p *prober) (Status, string) {
		status := Held
		var seen []string
		for _, r := range requests {
			a := p.send(ctx, r)
			switch {
			case a.err == nil && right(a):
			case a.undecided():
				status = worse(status, NotChecked)
			default:
				status = Failed
			}
			seen = append(seen, strings.TrimSpace(r.name+" "+r.model)+": "+a.outcome())
		}
		return status, strings.Join(seen, "; ")
	}
}

func worse(a, b Status) Status {
	if a == Failed {
		return a
	}
	return b
}

func (a answered) outcome() string {
	if a.err == nil && a.status == http.StatusOK {
		return "200"
	}
	return a.text()
}

// generated sends r and returns what a real model answers. If none does, status is what that comes to, and
// why says so; else status is "".
func (p *prober) generated(ctx context.Context, r sending) (g generated, status Status, why string) {
	a := p.send(ctx, r)
	g = a.generated()
	switch {
	case a.undecided():
		return g, NotChecked, a.outcome()
	case a.status != http.StatusOK:
		return g, Failed, a.outcome()
	case g.ModelVersion == emulatedVersion:
		return g, NotChecked, "an emulated model answered"
	}
	return g, "", ""
}

// observes checks a model's answer. An emulated model's answer proves nothing.
func observes(r sending, judge func(generated) (bool, string)) func(context.Context, *prober) (Status, string) {
	return func(ctx context.Context, p *prober) (Status, string) {
		g, status, why := p.generated(ctx, r)
		if status != "" {
			return status, why
		}
		ok, seen := judge(g)
		return verdict(ok), seen
	}
}

func verdict(ok bool) Status {
	if ok {
		return Held
	}
	return Failed
}

// emulatedVersion is the model version of the project's emulator.
const emulatedVersion = "emulated"

// check checks all facts, one after the other.
func (w *world) check(ctx context.Context, out io.Writer) []Finding {
	var all []Finding
	for _, g := range w.groups {
		fmt.Fprintf(out, "%s\n", g.name)
		for _, f := range g.facts {
			status, seen := NotChecked, "interrupted"
			if ctx.Err() == nil {
				status, seen = f.check(ctx, w.prober)
			}
			all = append(all, Finding{f, g.name, status, seen})
			fmt.Fprintf(out, "  %-12s %s\n", status, f.Assumption)
			if status != Held {
				fmt.Fprintf(out, "               %q\n", seen)
			}
		}
	}
	return all
}

// failed returns an error if an assumption did not hold.
func failed(all []Finding) error {
	var ids []string
	for _, f := range all {
		if f.Status == Failed {
			ids = append(ids, f.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return fmt.Errorf("these assumptions did not hold: %s", strings.Join(ids, ", "))
}

// keepFacts writes the list, as JSON and as Markdown.
func keepFacts(folder string, w *world, all []Finding) error {
	made := time.Now().UTC().Truncate(time.Second)
	data, err := json.MarshalIndent(struct {
		Made    time.Time `json:"made"`
		Service string    `json:"service"`
		Facts   []Finding `json:"facts"`
	}{made, w.upstream, all}, "", "  ")
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# What we assume about the service\n\nAsked of %s, %s. The requests and answers are in recordings/.\n\n| | about | assumption | where it stands | seen |\n| --- | --- | --- | --- | --- |\n", w.upstream, made.Format(time.RFC3339))
	cell := strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;")
	for _, f := range all {
		fmt.Fprintf(&b, "| **%s** | %s | %s | %s | %s |\n", f.Status, f.Group, cell.Replace(f.Assumption), cell.Replace(f.Stands), cell.Replace(f.Seen))
	}
	return errors.Join(
		os.WriteFile(filepath.Join(folder, "assumptions.json"), append(data, '\n'), 0o644),
		os.WriteFile(filepath.Join(folder, "assumptions.md"), []byte(b.String()), 0o644))
}
