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

// dateCommand reads dates as packs print them.
type dateCommand struct {
	Strings []string `arg:"" optional:"" name:"string" help:"What is printed: the date with the words beside it. Without any, each line of standard input."`
	Country string   `placeholder:"CC" help:"The country that the packs are from, two letters: it tells in which order 05/06/2027 is read first."`
	Lang    string   `placeholder:"TAG" help:"The language of the packs, where no country is given."`
}

// Help is what whatisit date --help says besides its flags.
func (dateCommand) Help() string {
	return `Each string is a line of JSON on standard output, in their order: raw with date, precision and kind; ambiguous names all readings where there are several. What is no date is refused, never guessed: raw with error (a code), detail and advice. That is an answer like any other, to an empty line too, so that line N answers line N. Put -- before strings that begin with a dash.

    whatisit date 'BB 31 DEC 26 L1234'
    whatisit date --country US '05/06/2027' | jq -r .date
    whatisit date < prints.txt

Exit codes: 0 every string has its line; 1 the input cannot be read; 2 wrong usage.`
}

// hint is what the flags say of the packs.
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

// dateOf is the date that text says, or why there is none.
func dateOf(text string, hint expiry.Hint) any {
	date, err := expiry.Parse(text, hint)
	var refusal *expiry.Error
	if errors.As(err, &refusal) {
		return refusal
	}
	return date
}

// eachLine hands on the lines of r, without what ends them and without the mark
// that some editors begin a file with.
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
