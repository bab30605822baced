package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/text/language"

	"example.com/whatis/internal/analyze/expiry"
	"example.com/whatis/internal/analyze/intake"
)

// dateCommand parses dates as they are printed on packs.
type dateCommand struct {
	Strings []string `arg:"" optional:"" name:"string" help:"Printed text: the date with the words beside it. Without arguments, each line of standard input."`
	Country string   `placeholder:"CC" help:"The country of the packs, two letters: it decides which reading of 05/06/2027 comes first."`
	Lang    string   `placeholder:"TAG" help:"The language of the packs, where no country is given."`
}

// Help returns the help text of whatisit date, without its flags.
func (dateCommand) Help() string {
	return `Each string gives a line of JSON on standard output, in the same order: raw with date, precision and kind; ambiguous lists all readings if there are several. Text that is not a date is refused, never guessed: raw with error (a code), detail and advice. Each input line, also an empty one, gives one output line, so that line N answers line N. Put -- before strings that begin with a dash.

    whatisit date 'BB 31 DEC 26 L1234'
    whatisit date --country US '05/06/2027' | jq -r .date
    whatisit date < prints.txt

Exit codes: 0 every string has its line; 1 the input cannot be read; 2 wrong usage.`
}

// hint returns the country and language that the flags give.
func (d *dateCommand) hint(now time.Time) (expiry.Hint, error) {
	h := expiry.Hint{Now: now}
	if d.Country != "" {
		country, err := language.ParseRegion(d.Country)
		if err != nil || !country.IsCountry() {
			return h, usage("--country is %q: want two letters, as KR", d.Country)
		}
		h.Country = country.String()
	}
	if d.Lang != "" {
		lang, err := intake.ParseLang(d.Lang)
		if err != nil {
			return h, usage("--lang is %q: want a language tag, as ko", d.Lang)
		}
		h.Lang = lang.String()
	}
	return h, nil
}

// Run reads the dates.
func (d *dateCommand) Run(ctx context.Context, c *console) error {
	hint, err := d.hint(time.Now())
	if err != nil {
		return err
	}
	for _, text := range d.Strings {
		if err := c.line(dateOf(text, hint)); err != nil {
			return err
		}
	}
	if len(d.Strings) > 0 {
		return nil
	}
	return eachLine(ctx, c.in, func(text string) error { return c.line(dateOf(text, hint)) })
}

// dateOf returns the date in text, or why there is none.
func dateOf(text string, hint expiry.Hint) any {
	date, err := expiry.Parse(text, hint)
	var refusal *expiry.Error
	if errors.As(err, &refusal) {
		return refusal
	}
	return date
}

// eachLine calls do with each line of r, without line end and byte order mark.
func eachLine(ctx context.Context, r io.Reader, do func(string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	first := true
	for lines.Scan() {
		if ctx.Err() != nil {
			return errInterrupted
		}
		text := lines.Text()
		if first {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		first = false
		if err := do(text); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	return nil
}
