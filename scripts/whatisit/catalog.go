package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/schollz/progressbar/v3"

	"example.com/whatis/internal/app"
	"example.com/whatis/internal/catalog"
)

// catalogCommand works on the catalogue.
type catalogCommand struct {
	Import  importCommand  `cmd:"" help:"Import the products of a file into the catalogue."`
	Prune   pruneCommand   `cmd:"" help:"Remove the records that earlier versions of a file brought and that it no longer has."`
	List    listCommand    `cmd:"" help:"List records: all, those with a status, or those that begin with some words."`
	Show    showCommand    `cmd:"" help:"Print a record with its provenance."`
	Export  exportCommand  `cmd:"" help:"Write the records as a file that can be imported."`
	Stats   statsCommand   `cmd:"" help:"Count the records."`
	Confirm confirmCommand `cmd:"" help:"Confirm a record: its code alone then identifies the product."`
	Delete  deleteCommand  `cmd:"" help:"Delete a record."`
	Index   indexCommand   `cmd:"" help:"Make the index of a shop, which searches read, of all its products."`
	Reembed reembedCommand `cmd:"" help:"Move the records to another embedding model without downtime."`
}

// importCommand imports a file.
type importCommand struct {
	catalogFile
	Diff bool `help:"Only print what would be new, changed, renamed, kept because people said otherwise, or undecided; nothing is written and no model called."`
}

// A catalogFile is a file of products, and how to read it.
type catalogFile struct {
	File    string            `arg:"" help:"The file, gs://bucket/products.jsonl.gz, or - for standard input."`
	Status  string            `enum:"imported,confirmed" default:"imported" help:"The status of the products; confirmed means that you vouch for them (${enum})."`
	Map     map[string]string `placeholder:"COLUMN=FIELD" mapsep:"none" help:"For CSV: the column that holds a field of a product; may be repeated."`
	Charset string            `placeholder:"NAME" help:"The character set of the file, such as windows-1252, euc-kr or shift_jis, if it is not recognised."`
	Restore bool              `help:"Restore the lines of an export with their status, reviews and tombstones. Only for your own file: it decides what is confirmed."`
	Report  string            `placeholder:"FILE" help:"Write the errors of records to this file, one line of JSON each."`
	Verbose bool              `short:"v" help:"Also print every retry."`
}

// Help is shown after the flags.
func (importCommand) Help() string {
	var fields strings.Builder
	for _, f := range catalog.ProductFields {
		fmt.Fprintf(&fields, "  %-13s  %s\n", f.Name, f.Meaning)
	}
	return `The file is one of these, compressed by gzip or not:

  JSON        {"products": [ … ]}, {"products": {"0": …}}, a list, or a product a line, of objects with product_name, brand,
              category, key_features and, if known, gtin, country, lang, aliases (other names that are printed) and brand_aliases
  JSON Lines  as Open Food Facts, Open Beauty Facts and their siblings export them: what has a code
  an export   of whatisit catalog export: with --restore the records come back as they were, otherwise those that are not guesses
              are products as of any file
  CSV         whose first line names the columns: --map 'Artikel=product_name' --map EAN=gtin
  a feed      of Google Merchant Center: RSS 2.0, Atom, or text with tabs whose first line has id, title and link, image_link or
              availability. A sale's price counts if the import is within its dates; shipping, tax and the like are not read

The fields of a product, which are columns in CSV:

` + fields.String() + `
  sku,product_name,brand,category,price,currency,stock,facets.color
  T-2-BW,Ridge 2,Northfell,Tent,249.00,USD,0,black|white

A record that is not a product, or whose code is wrong, is reported and skipped, and so is a line of JSON Lines that is no JSON: the
terminal shows the first twenty, --report has all. Reported too: columns and fields that are not read, and lists that were cut.

UTF-8 and UTF-16 are recognised. A row in neither is read as Windows-1252 if that makes words of it, and its words are reported;
otherwise it is skipped: --charset says what the file is in.

The catalogue is that of the environment: GOOGLE_CLOUD_PROJECT, FIRESTORE_DATABASE, SHOP, EMBEDDING_MODEL, COUNTRY and
LANGUAGE_TAG, as the services have them, and a key or project for the model, which is paid for each product that is new.
Existing records are neither embedded nor written again: start an interrupted import again to continue it.

--diff prints, before anything is written, what would be new, changed, renamed, kept or undecided; prune removes what a newer file lacks.

The code of an imported product decides with probability 0.95, and only if no other brand was read; that of a confirmed one with 1.

To have it done in the cloud, put the file into a bucket that the service account of Task may read, and publish
{"agent":"catalog","kind":"import","payload":{"uri":"gs://bucket/products_db.json","status":"imported","columns":{"gtin":"EAN"},"charset":"euc-kr","restore":true}}
to the topic of the long tasks.`
}

// Run imports the file.
func (i *importCommand) Run(ctx context.Context, c *console) error {
	a, file, faults, done, err := i.openFile(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	if i.Diff {
		err = i.compare(ctx, c, a, file)
		return fileError(ctx, errors.Join(err, faults.end()))
	}
	file.Progress = c.imported
	n, err := a.ImportFile(ctx, file)
	c.end()
	if written := faults.end(); written != nil {
		err = errors.Join(err, written)
	}
	c.say("%s: %s", i.File, n)
	if err = fileError(ctx, err); err == nil || errors.Is(err, errInterrupted) || errors.As(err, new(usageError)) {
		return err
	}
	return fmt.Errorf("%w: run the same command again to continue", err)
}

// fileError returns the error of reading a file as the command ends with it.
func fileError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errInterrupted
	case errors.Is(err, catalog.ErrFile):
		return usageError{err}
	}
	return err
}

// openFile opens the file, and the report of its faults. The caller calls done.
func (i *catalogFile) openFile(ctx context.Context, c *console) (a *app.App, file app.CatalogFile, found *faults, done func(), err error) {
	elsewhere{Verbose: i.Verbose}.log(c)
	config, err := app.ReadConfig(ctx)
	if err != nil {
		return nil, file, nil, nil, usageError{err}
	}
	a = app.New(config)
	columns, err := i.columns()
	if err != nil {
		return nil, file, nil, nil, err
	}
	if err := apart("--report", i.Report, i.File); err != nil {
		return nil, file, nil, nil, err
	}
	r, size, err := i.open(ctx, a, c)
	if err != nil {
		return nil, file, nil, nil, usage("%s", err)
	}
	if found, err = newFaults(c, i.Report); err != nil {
		r.Close()
		return nil, file, nil, nil, usage("--report: %s", err)
	}
	return a, app.CatalogFile{
		Reader: c.counted(r, size), Status: catalog.Status(i.Status), From: i.from(), Columns: columns, Charset: i.Charset, Restore: i.Restore, Fault: found.add,
	}, found, func() { r.Close() }, nil
}

// columns returns the CSV column of each product field.
func (i *catalogFile) columns() (map[string]string, error) {
	columns := map[string]string{}
	for column, field := range i.Map {
		if other, twice := columns[field]; twice {
			return nil, usage("--map: %s and %s are both %s: choose one", column, other, field)
		}
		columns[field] = column
	}
	return columns, nil
}

// from returns the source of the products, for their provenance.
func (i *catalogFile) from() string {
	switch {
	case i.File == "-":
		return "standard input"
	case strings.HasPrefix(i.File, "gs://"):
		return i.File
	}
	return filepath.Base(i.File)
}

// open returns the file and its size in bytes, -1 if that is unknown.
func (i *catalogFile) open(ctx context.Context, a *app.App, c *console) (io.ReadCloser, int64, error) {
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
		return nil, 0, errors.Join(err, fmt.Errorf("%s is not a file", i.File))
	}
	return f, info.Size(), nil
}

// counted returns r; on a terminal a progress bar counts the bytes read from it.
func (c *console) counted(r io.Reader, size int64) io.Reader {
	if !c.watched() {
		return r
	}
	c.show(size, progressbar.OptionShowBytes(true), progressbar.OptionSetPredictTime(true))
	return io.TeeReader(r, barOf{c})
}

// A barOf advances the progress bar by the number of bytes written to it.
type barOf struct{ c *console }

func (b barOf) Write(p []byte) (int, error) {
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	if b.c.bar == nil {
		return len(p), nil
	}
	return len(p), b.c.bar.Add(len(p))
}

// imported shows the progress of an import: beside the bar, or as a line.
func (c *console) imported(i catalog.Imports) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.quiet:
		return
	case c.bar == nil:
		c.print(i.String())
		return
	}
	c.bar.Describe(i.String())
}
