package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"

	"example.com/whatis/internal/app"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gs1"
)

// A shopOf names the shop whose records a service is asked for.
type shopOf struct {
	elsewhere
	Shop string `placeholder:"NAME" help:"The shop; the default is the service's own."`
}

// query returns the parameters that select a shop's records with a status, any if it is "any".
func (s shopOf) query(status string) url.Values {
	query := url.Values{}
	if s.Shop != "" {
		query.Set("shop", s.Shop)
	}
	if status != "any" {
		query.Set("status", status)
	}
	return query
}

// listCommand lists records.
type listCommand struct {
	Words  string `arg:"" optional:"" help:"A name or brand or how it begins, a code, an SKU, or words, which costs one embedding."`
	Status string `enum:"any,confirmed,imported,unconfirmed,rejected" default:"any" help:"${enum}."`
	Brand  string `help:"All of a brand, in any spelling."`
	NoGTIN bool   `name:"no-gtin" help:"Only those without a code."`
	Limit  int    `default:"50" help:"How many at most; 0 is all."`
	shopOf
}

// A listed record is one of GET /catalog.
type listedRecord struct {
	ID          string `json:"id"`
	ProductName string `json:"product_name"`
	Brand       string `json:"brand"`
	GTIN        string `json:"gtin"`
	Status      string `json:"status"`
}

// Run lists them, newest first, or the best matches of words first.
func (l *listCommand) Run(ctx context.Context, c *console) error {
	if l.Limit < 0 {
		return usage("--limit is %d: want 0 or more", l.Limit)
	}
	s, err := l.open(c)
	if err != nil {
		return err
	}
	query := l.query(l.Status)
	if l.Words != "" {
		query.Set("q", l.Words)
	}
	if l.Brand != "" {
		query.Set("brand", l.Brand)
	}
	if l.NoGTIN {
		query.Set("gtin", "none")
	}
	all, err := s.pages(ctx, "/catalog", "records", query, l.Limit)
	if err != nil {
		return because(ctx, err)
	}
	if c.json {
		return printLines(c.out, all)
	}
	if len(all) == 0 {
		c.say("there are no such records: whatisit catalog import FILE brings a shop's products")
	}
	var table table
	for _, raw := range all {
		var r listedRecord
		if err := json.Unmarshal(raw, &r); err != nil {
			return fmt.Errorf("%s does not answer with records: is it a whatis service? (%w)", s.base, err)
		}
		table.row(r.ID, string(r.Status), cmp.Or(r.GTIN, "-"), cmp.Or(r.Brand, "-"), r.ProductName)
	}
	return table.print(c.out)
}

// printLines prints a line of JSON for each record.
func printLines(out io.Writer, all []json.RawMessage) error {
	var lines bytes.Buffer
	for _, raw := range all {
		if err := json.Compact(&lines, raw); err != nil {
			return err
		}
		lines.WriteByte('\n')
	}
	_, err := lines.WriteTo(out)
	return err
}

// A recordArgument names one record of a service.
type recordArgument struct {
	Record string `arg:"" help:"The record: its ID, as list prints it, or its code."`
	shopOf
}

// find returns the service and the ID of the record that r names.
func (r recordArgument) find(ctx context.Context, c *console) (*service, string, error) {
	s, err := r.open(c)
	if err != nil {
		return nil, "", err
	}
	if _, code := gs1.GTIN(r.Record); !code {
		return s, r.Record, nil
	}
	query := r.query("any")
	query.Set("q", r.Record)
	all, err := s.pages(ctx, "/catalog", "records", query, 2)
	if err != nil {
		return nil, "", because(ctx, err)
	}
	var found listedRecord
	if len(all) == 0 {
		return nil, "", r.absent()
	}
	if len(all) != 1 || json.Unmarshal(all[0], &found) != nil {
		return nil, "", usage("%s is the code of %d records: name one by its ID (whatisit catalog list %s)", r.Record, len(all), r.Record)
	}
	return s, found.ID, nil
}

// absent is the error for a record that there is not.
func (r recordArgument) absent() error {
	return usage("there is no record %s: whatisit catalog list prints the IDs", r.Record)
}

// does asks the service to do something to the record, and decodes its answer.
func (r recordArgument) does(ctx context.Context, c *console, method, act string, body map[string]any, answer any) error {
	s, id, err := r.find(ctx, c)
	if err != nil {
		return err
	}
	asked := request{method: method, path: "/catalog/" + url.PathEscape(id) + act}
	if body != nil {
		asked.kind, asked.body = "application/json", encode(body)
	}
	err = s.answer(ctx, asked, answer)
	var refused *problem
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return r.absent()
	}
	return because(ctx, err)
}

// showCommand prints a record.
type showCommand struct{ recordArgument }

// Run prints it.
func (s *showCommand) Run(ctx context.Context, c *console) error {
	var record json.RawMessage
	if err := s.does(ctx, c, http.MethodGet, "", nil, &record); err != nil {
		return err
	}
	return printJSON(c, record)
}

// A signedArgument names one record, and who does something to it.
type signedArgument struct {
	By string `default:"owner" help:"Who does it (${default})."`
	recordArgument
}

// confirmCommand confirms a record.
type confirmCommand struct{ signedArgument }

// Run confirms the record.
func (s *confirmCommand) Run(ctx context.Context, c *console) error {
	var p listedRecord
	err := s.does(ctx, c, http.MethodPost, "/confirm", map[string]any{"by": s.By}, &p)
	if err == nil {
		c.say("%s: %s, %s is confirmed by %s", p.ID, p.ProductName, p.Brand, s.By)
	}
	return err
}

// patch sends an edit, and prints the record as it is then.
func (s signedArgument) patch(ctx context.Context, c *console, edit map[string]any) error {
	edit["by"] = s.By
	var record json.RawMessage
	if err := s.does(ctx, c, http.MethodPatch, "", edit, &record); err != nil {
		return err
	}
	return printJSON(c, record)
}

// hideCommand hides a product.
type hideCommand struct {
	Undo bool `help:"Show it again."`
	signedArgument
}

// Run hides it.
func (h *hideCommand) Run(ctx context.Context, c *console) error {
	return h.patch(ctx, c, map[string]any{"hidden": !h.Undo})
}

// editCommand changes a record.
type editCommand struct {
	Name     *string `placeholder:"TEXT" help:"The product's name."`
	Brand    *string `placeholder:"TEXT" help:"Its brand."`
	Category *string `placeholder:"TEXT" help:"Its category."`
	GTIN     *string `name:"gtin" placeholder:"CODE" help:"Its code; an empty one removes it."`
	signedArgument
}

// Run changes it.
func (e *editCommand) Run(ctx context.Context, c *console) error {
	edit := map[string]any{}
	for field, text := range map[string]*string{"product_name": e.Name, "brand": e.Brand, "category": e.Category, "gtin": e.GTIN} {
		if text != nil {
			edit[field] = *text
		}
	}
	if len(edit) == 0 {
		return usage("nothing is to be changed: give --name, --brand, --category or --gtin")
	}
	return e.patch(ctx, c, edit)
}

// deleteCommand deletes a record.
type deleteCommand struct{ signedArgument }

// Run deletes it.
func (s *deleteCommand) Run(ctx context.Context, c *console) error {
	var done struct {
		ID string `json:"id"`
		catalog.Deletion
	}
	switch err := s.does(ctx, c, http.MethodDelete, "?"+url.Values{"by": {s.By}}.Encode(), nil, &done); {
	case err != nil:
		return err
	case done.Tombstone:
		c.say("%s is deleted, and not learnt again", done.ID)
	default:
		c.say("%s is deleted; a file that has it brings it back", done.ID)
	}
	if done.Overrules != "" {
		c.say("this overrules %s, who had confirmed it; photos that people have reviewed and that still show it: %d", done.Overrules, done.Photos)
	}
	return nil
}

// mergeCommand makes one record of two.
type mergeCommand struct {
	signedArgument
	Into string `arg:"" help:"The ID of the record that stays."`
}

// Run merges them.
func (m *mergeCommand) Run(ctx context.Context, c *console) error {
	var record json.RawMessage
	if err := m.does(ctx, c, http.MethodPost, "/merge", map[string]any{"into": m.Into, "by": m.By}, &record); err != nil {
		return err
	}
	return printJSON(c, record)
}

// renameBrandCommand gives a brand another name.
type renameBrandCommand struct {
	From string `arg:"" help:"The brand as it is called now, in any spelling."`
	To   string `arg:"" help:"What it is to be called."`
	By   string `default:"owner" help:"Who does it (${default})."`
	shopOf
}

// Run renames it.
func (r *renameBrandCommand) Run(ctx context.Context, c *console) error {
	s, err := r.open(c)
	if err != nil {
		return err
	}
	changed := 0
	for more := true; more; {
		var done struct {
			Changed int  `json:"changed"`
			More    bool `json:"more"`
		}
		body := encode(map[string]string{"from": r.From, "to": r.To, "by": r.By})
		if err := s.answer(ctx, request{method: http.MethodPost, path: "/catalog-brands/rename?" + r.query("any").Encode(), kind: "application/json", body: body}, &done); err != nil {
			return because(ctx, err)
		}
		changed, more = changed+done.Changed, done.More
	}
	c.say("%d records of %s are %s now", changed, r.From, r.To)
	return nil
}

// exportCommand writes the catalogue.
type exportCommand struct {
	File   string `arg:"" optional:"" default:"-" help:"The file to write, or to replace, once all has come; - is standard output."`
	Status string `enum:"any,confirmed,imported,unconfirmed,rejected" default:"any" help:"${enum}."`
	CSV    bool   `name:"csv" help:"A table of the products, for other programs; without what people said of them."`
	shopOf
}

// Help is shown after the flags.
func (exportCommand) Help() string {
	return `One record a line, ordered by ID, without vectors, then what is left of rejected records. whatisit catalog import --restore restores it:
status, source, probability and what reviews said, under the same IDs in the same shop with the same EMBEDDING_MODEL.

It names people (confirmed_by) and photos (their SHA-256) as the catalogue does: forgetting a photo does not change files that were exported.
Where callers have roles, it takes an owner.`
}

// Run writes it.
func (e *exportCommand) Run(ctx context.Context, c *console) (err error) {
	s, err := e.open(c)
	if err != nil {
		return err
	}
	out := c.out
	if e.File != "-" {
		file, failed := os.Create(e.File + ".part") // part of a catalogue is not to be taken for all of it
		if failed != nil {
			return usage("%s", failed)
		}
		defer func() {
			if err = errors.Join(err, file.Close()); err == nil {
				err = os.Rename(file.Name(), e.File)
			}
			if err != nil {
				_ = os.Remove(file.Name())
			}
		}()
		out = file
	}
	query := e.query(e.Status)
	if e.CSV {
		query.Set("format", "csv")
	}
	resp, err := s.do(ctx, request{method: http.MethodGet, path: "/catalog-export?" + query.Encode()})
	if err != nil {
		return because(ctx, err)
	}
	defer resp.Body.Close()
	var lines lineCount
	if _, err := io.Copy(io.MultiWriter(out, &lines), resp.Body); err != nil {
		return because(ctx, fmt.Errorf("the export is incomplete after %d records: %w", lines, err))
	}
	if e.CSV {
		c.say("%d lines written", lines)
		return nil
	}
	c.say("%d records exported", lines)
	return nil
}

// A lineCount counts the lines that are written to it.
type lineCount int

func (n *lineCount) Write(p []byte) (int, error) {
	*n += lineCount(bytes.Count(p, []byte("\n")))
	return len(p), nil
}

// statsCommand counts the catalogue.
type statsCommand struct{ shopOf }

// Run prints how many records there are.
func (st *statsCommand) Run(ctx context.Context, c *console) error {
	s, err := st.open(c)
	if err != nil {
		return err
	}
	var stats catalog.Stats
	if err := s.answer(ctx, request{method: http.MethodGet, path: "/catalog-stats?" + st.query("any").Encode()}, &stats); err != nil {
		return because(ctx, err)
	}
	return printJSON(c, stats)
}

// reembedCommand moves the catalogue to another embedding model.
type reembedCommand struct {
	elsewhere
	From string `arg:"" help:"The embedding model that made the vectors."`
	To   string `arg:"" help:"The embedding model to make the new vectors."`
	Drop bool   `help:"Afterwards remove the vectors of the first model from the records that have both; use it after the switch."`
}

// Help is shown behind the flags.
func (reembedCommand) Help() string {
	return `Adds vectors of the other model to each record, so that services with either EMBEDDING_MODEL work. In this order:

  whatisit catalog reembed gemini-embedding-001 gemini-embedding-2           as often as you like; the model is paid for each record that has no such vectors
  …set EMBEDDING_MODEL to the second in all services: the switch…
  EMBEDDING_MODEL=gemini-embedding-2 whatisit catalog reembed gemini-embedding-001 gemini-embedding-2 --drop

A record keeps its ID, and what people have said of it. One whose text changes meanwhile needs the first command again.`
}

// Run moves it.
func (r *reembedCommand) Run(ctx context.Context, c *console) error {
	if r.served() {
		s, err := r.open(c)
		if err != nil {
			return err
		}
		query := url.Values{"from": {r.From}, "to": {r.To}, "drop": {strconv.FormatBool(r.Drop)}}
		now, err := done(ctx, c, s, request{method: http.MethodPost, path: "/catalog-reembed?" + query.Encode()})
		if err == nil {
			c.embedded(now.Imports, now.Dropped)
		}
		return err
	}
	r.log(c)
	for _, model := range []string{r.From, r.To} {
		if _, err := catalog.VectorSpaceOf(model); err != nil {
			return usageError{err}
		}
	}
	config, err := app.ReadConfig(ctx)
	if err != nil {
		return usageError{err}
	}
	n, dropped, err := app.New(config).Reembed(ctx, r.From, r.To, r.Drop, c.imported)
	c.embedded(n, dropped)
	return err
}

// embedded says what became of the records of a catalogue that moved to another model.
func (c *console) embedded(n catalog.Imports, dropped int) {
	c.say("embedded: %d records, %d had such vectors before; the first model's are removed from %d", n.New, n.Known, dropped)
}

// indexCommand writes the index of a shop.
type indexCommand struct{ shopOf }

// Help is shown behind the flags.
func (indexCommand) Help() string {
	return `Makes the file that searches of a shop begin with (INDEX_BUCKET) of all its products, itself or by a task of the service at --url. Imports and tasks keep it; make it anew after you have restored the database, or deleted documents by other means.`
}

// Run writes it.
func (i *indexCommand) Run(ctx context.Context, c *console) error {
	if i.served() {
		s, err := i.open(c)
		if err != nil {
			return err
		}
		var started json.RawMessage
		if err := s.answer(ctx, request{method: http.MethodPost, path: "/catalog-index?" + i.query("any").Encode()}, &started); err != nil {
			return because(ctx, err)
		}
		c.say("a task writes the index: instances that begin after it use it")
		return nil
	}
	config, err := app.ReadConfig(ctx)
	if err != nil {
		return usageError{err}
	}
	if config.Search.IndexBucket == "" {
		return usage("INDEX_BUCKET is not set: without it each instance makes its own index of the catalogue, and there is no file to write")
	}
	if err := app.New(config).WriteIndex(ctx, i.Shop, true); err != nil {
		return err
	}
	c.say("the index is written: instances that begin from now on use it")
	return nil
}
