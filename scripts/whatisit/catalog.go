package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/schollz/progressbar/v3"

	"example.com/whatis/internal/app"
	"example.com/whatis/internal/catalog"
)

// catalogCommand works on the catalogue.
type catalogCommand struct {
	Import importCommand `cmd:"" help:"Bring the products of a products_db.json into the catalogue."`
}

// importCommand imports a file.
type importCommand struct {
	File    string `arg:"" help:"The file, gs://bucket/products_db.json, or - for standard input."`
	Verbose bool   `short:"v" help:"Also print every retry."`
}

// Help is shown behind the flags.
func (importCommand) Help() string {
	return `The file is {"products": [ … ]}, {"products": {"0": …}} or a list, of objects with product_name, brand, category,
key_features and, if known, gtin, country and lang. A record that is no product is told and left out.

The catalogue is that of the environment: GOOGLE_CLOUD_PROJECT, FIRESTORE_DATABASE, SHOP, EMBEDDING_MODEL, COUNTRY and
LANGUAGE_TAG, as the services have them, and a key or project for the model, which is paid for each product that is new.
What is there already is neither embedded nor written again: an import that broke off is begun again.

To have it done in the cloud, put the file into a bucket that the service account of Task may read, and publish
{"agent":"catalog","kind":"import","payload":{"uri":"gs://bucket/products_db.json"}} to the topic of the long tasks.`
}

// Run imports the file.
func (i *importCommand) Run(ctx context.Context, c *console) error {
	where{Verbose: i.Verbose}.log(c)
	config, err := app.ReadConfig(ctx)
	if err != nil {
		return usageError{err}
	}
	a := app.New(config)
	file, size, err := i.open(ctx, a, c)
	if err != nil {
		return usage("%s", err)
	}
	defer file.Close()
	done, err := a.Import(ctx, c.counted(file, size), func(f catalog.Fault) {
		kept := "left out"
		if !f.LeftOut {
			kept = "imported without it"
		}
		c.say("%s: %s (%s)", f.Record, f.Why, kept)
	}, c.imported)
	c.end()
	c.say("%s: %s", i.File, done)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errInterrupted
	case errors.Is(err, catalog.ErrFile):
		return usageError{err}
	}
	return fmt.Errorf("%w: the same command goes on behind what is imported", err)
}

// open returns the file and how many bytes it has, -1 if that is unknown.
func (i *importCommand) open(ctx context.Context, a *app.App, c *console) (io.ReadCloser, int64, error) {
	switch {
	case i.File == "-":
		return io.NopCloser(c.in), -1, nil
	case strings.HasPrefix(i.File, "gs://"):
		return a.OpenObject(ctx, i.File)
	}
	f, err := os.Open(i.File)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		f.Close()
		return nil, 0, errors.Join(err, fmt.Errorf("%s is no file", i.File))
	}
	return f, info.Size(), nil
}

// counted is r, whose bytes a bar counts from now on, if people watch a terminal.
func (c *console) counted(r io.Reader, size int64) io.Reader {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !isTerminal(c.err) {
		return r
	}
	c.bar = progressbar.NewOptions64(size, progressbar.OptionSetWriter(c.err), progressbar.OptionShowBytes(true),
		progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(barThrottle))
	_ = c.bar.RenderBlank()
	return io.TeeReader(r, barOf{c})
}

// A barOf moves the bar by what is written to it.
type barOf struct{ c *console }

func (b barOf) Write(p []byte) (int, error) {
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	if b.c.bar == nil {
		return len(p), nil
	}
	return len(p), b.c.bar.Add(len(p))
}

// imported tells how far an import is: beside the bar, or on a line.
func (c *console) imported(i catalog.Imports) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar == nil {
		c.print(i.String())
		return
	}
	c.bar.Describe(i.String())
}
