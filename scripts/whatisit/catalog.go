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
	Edit    editCommand    `cmd:"" help:"Change what a record says."`
	Hide    hideCommand    `cmd:"" help:"Hide a product from searches, whatever a file says, until --undo."`
	Delete  deleteCommand  `cmd:"" help:"Delete a record."`
	Merge   mergeCommand   `cmd:"" help:"Make one record of two: the second gets the first one's names and code."`

	RenameBrand renameBrandCommand `cmd:"" help:"Give a brand another name on all its records."`

	Index   indexCommand   `cmd:"" help:"Make the index of a shop, which searches read, of all its products."`
	Reembed reembedCommand `cmd:"" help:"Move the records to another embedding model without downtime."`
}

// importCommand imports a file.
type importCommand struct {
	catalogFile
	Pictures bool    `help:"Fetch the first picture of each product from the web, once, so that searches by picture find it: one of a host at a time, and as its robots.txt allows."`
	FailOver float64 `default:"10" placeholder:"PERCENT" help:"End with exit code 1 if more than so many percent of the rows are left out (${default})."`
	Diff     bool    `help:"Only print what would be new, changed, renamed, kept because people said otherwise, or undecided; nothing is written and no model called."`
}

// A catalogFile is a file of products, and how to read it.
type catalogFile struct {
	File     string            `arg:"" help:"The file, gs://bucket/products.jsonl.gz, https://shop.example/feed.xml, or - for standard input."`
	Status   string            `enum:"imported,confirmed" default:"imported" help:"The status of the products; confirmed means that you vouch for them (${enum})."`
	Map      map[string]string `placeholder:"COLUMN=FIELD" mapsep:"none" help:"The column that holds a field of a product, where the file's origin is not known; may be repeated."`
	Currency string            `placeholder:"CODE" help:"The currency of prices that have none, as EUR; CURRENCY is the shop's."`
	Decimal  string            `enum:"point,comma,unknown" default:"unknown" help:"What separates decimals in prices that may be read in two ways, as 1,249 (${enum}); unknown leaves it to the file's other prices."`
	Charset  string            `placeholder:"NAME" help:"The character set of the file, such as windows-1252, euc-kr or shift_jis, if it is not recognised."`
	Restore  bool              `help:"Restore the lines of an export with their status, reviews and tombstones. Only for your own file: it decides what is confirmed."`
	Report   string            `placeholder:"FILE" help:"Write the errors of records to this file, one line of JSON each."`
	shopOf
}

// Help is shown after the flags.
func (importCommand) Help() string {
	var fields strings.Builder
	for _, f := range catalog.ProductFields {
		fmt.Fprintf(&fields, "  %-13s  %s\n", f.Name, f.Meaning)
	}
	return `The file is one of these, compressed by gzip or not:

  an export   of Shopify, WooCommerce, Magento, PrestaShop, BigCommerce, Wix, Squarespace, Vendure or Odoo, as it is: variants, options,
              sale prices, stock and what is hidden are read as the shop has them
  a feed      of Google Merchant Center or Facebook: RSS 2.0, Atom, other lists of XML, or text whose first line names the attributes
  a table     whose first line names the columns (CSV): what they hold is seen from common names in several languages, and
              --map 'Artikel=product_name' says it of others
  JSON        {"products": [ … ]}, a list, or a product a line, of objects with product_name, brand, category, key_features, gtin,
              country, lang, aliases (other names that are printed) and brand_aliases; other keys are read as columns are
  JSON Lines  as Open Food Facts, Open Beauty Facts and their siblings export them: what has a code
  whatisit    catalog export: with --restore the records come back as they were, otherwise those that are not guesses are products as
              of any file

The first line printed says what the file is taken for, and what is read from each column. Prices without a currency have that of
--currency, of CURRENCY, or of the file's other prices; without any they are not read. A price that may be read in two ways is
reported. A sale's price counts if the import is within its dates, and if it is lower.

The fields of a product, which are columns in CSV:

` + fields.String() + `
  sku,product_name,brand,category,price,currency,stock,facets.color
  T-2-BW,Ridge 2,Northfell,Tent,249.00,USD,0,black|white

A row that is not a product, or that cannot be read, is reported and skipped: the terminal shows the first twenty, --report has all.
Exit code 1 says that all rows were, or more of them than --fail-over. Reported too: what is not read, and what was cut.

UTF-8 and UTF-16 are recognised. A row in neither is read as Windows-1252 if that makes words of it, and its words are reported;
otherwise it is skipped: --charset says what the file is in.

With --url, or with API_URL where GOOGLE_CLOUD_PROJECT is not set, the file is sent to the service (at most 32 MiB), which
has it imported by a task, or has the service open gs:// and https:// itself. It tells of the first hundred errors of records.

Otherwise the catalogue is that of the environment: GOOGLE_CLOUD_PROJECT, FIRESTORE_DATABASE, SHOP, EMBEDDING_MODEL, COUNTRY and
LANGUAGE_TAG, as the services have them, and a key or project for the model, which is paid for each product that is new.
Existing records are neither embedded nor written again: start an interrupted import again to continue it.

--diff prints, before anything is written, what would be new, changed, renamed, kept or undecided; prune removes what a newer file lacks.

The code of an imported product decides with probability 0.95, and only if no other brand was read; that of a confirmed one with 1.

To have it done in the cloud, put the file into a bucket that the service account of Task may read, or give its address, and publish
{"agent":"catalog","kind":"import","payload":{"uri":"gs://bucket/products_db.json","status":"imported","columns":{"gtin":"EAN"},"charset":"euc-kr","currency":"KRW","restore":true,"pictures":true}}
to the topic of the long tasks.`
}

// Run imports the file.
func (i *importCommand) Run(ctx context.Context, c *console) error {
	if i.served() {
		return i.send(ctx, c)
	}
	a, file, faults, done, err := i.openFile(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	file.Format.Pictures = i.Pictures
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
	if err == nil {
		if err = i.shrunk(ctx, c, a, n); err != nil {
			return err
		}
		return i.verdict(n, faults.leftOut)
	}
	if err = fileError(ctx, err); errors.Is(err, errInterrupted) || errors.As(err, new(usageError)) {
		return err
	}
	return fmt.Errorf("%w: run the same command again to continue", err)
}

// shrunk says so if the shop has more than twice as many imported records as the file has products: an earlier
// version of it had more.
func (i *importCommand) shrunk(ctx context.Context, c *console, a *app.App, n catalog.Imports) error {
	all, err := a.CountImported(ctx)
	if has := int64(n.New + n.Changed + n.Known); err == nil && all > 2*has {
		c.say("%s has %d products, and the shop %d records of files: whatisit catalog prune shows those that this file had and has no longer", i.File, has, all)
	}
	return err
}

// verdict returns an error for a file of which nothing was imported, or too little.
func (i *importCommand) verdict(n catalog.Imports, leftOut int) error {
	rows := n.New + n.Changed + n.Known + leftOut
	switch {
	case leftOut > 0 && leftOut == rows:
		return fmt.Errorf("nothing was imported: all %d rows of %s are left out", rows, i.File)
	case 100*float64(leftOut) > i.FailOver*float64(rows):
		return fmt.Errorf("%d of %d rows of %s are left out, more than %g %%: mend them, or give --fail-over", leftOut, rows, i.File, i.FailOver)
	}
	return nil
}

// reading prints what the file was taken for, and what is read from each column.
func (c *console) reading(r catalog.Reading) {
	var columns []string
	for _, one := range r.Columns {
		columns = append(columns, one.Column+" → "+one.Field)
	}
	c.say("it is %s: %s", r.Origin, strings.Join(columns, ", "))
	if len(r.Unread) > 0 {
		c.say("not read: %s", strings.Join(r.Unread, ", "))
	}
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
	i.log(c)
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
		Reader: c.counted(r, size), Shop: i.Shop, Status: catalog.Status(i.Status), From: i.from(), Fault: found.add,
		Format: catalog.Format{Columns: columns, Charset: i.Charset, Restore: i.Restore, Currency: i.Currency, Decimal: map[string]string{"point": ".", "comma": ","}[i.Decimal], Reading: c.reading},
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
	case i.remote():
		return catalog.WithoutQuery(i.File)
	}
	return filepath.Base(i.File)
}

// open returns the file and its size in bytes, -1 if that is unknown.
func (i *catalogFile) open(ctx context.Context, a *app.App, c *console) (io.ReadCloser, int64, error) {
	switch {
	case i.File == "-":
		return io.NopCloser(c.in), -1, nil
	case catalog.IsWebAddress(i.File):
		return downloaded(ctx, a, i.File)
	case i.remote():
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

// remote reports whether the file is one that a service may open.
func (i *catalogFile) remote() bool {
	return strings.HasPrefix(i.File, "gs://") || catalog.IsWebAddress(i.File)
}

// downloaded returns the file that an address on the web has, and its size: whole, as an import may take longer than a
// site waits.
func downloaded(ctx context.Context, a *app.App, address string) (io.ReadCloser, int64, error) {
	of, err := os.CreateTemp("", "whatisit-*")
	if err != nil {
		return nil, 0, err
	}
	f := temporary{of}
	var size int64
	if err = a.Download(ctx, address, f); err == nil {
		size, err = f.Seek(0, io.SeekCurrent)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, size, nil
}

// A temporary is a file that is removed when it is closed.
type temporary struct{ *os.File }

func (t temporary) Close() error { return errors.Join(t.File.Close(), os.Remove(t.Name())) }

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
