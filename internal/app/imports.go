package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"example.com/whatis/internal/api"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/store"
)

// An importPayload is the payload of the task that imports a catalogue:
//
//	{"agent": "catalog", "kind": "import", "payload": {"uri": "gs://bucket/products_db.json"}}
//
// The file may also be at an address on the web.
// Shop, status and those of the format are optional, as in a CatalogFile; so is the ID, by which an import that the
// API has started is found. With reembed no file is imported: the records get the vectors of another model.
type importPayload struct {
	ID      string           `json:"id,omitempty"`
	Reembed *api.Reembedding `json:"reembed,omitempty"`
	URI     string           `json:"uri"`
	From    string           `json:"from,omitempty"` // the provenance of its products; "" is the URI
	Shop    string           `json:"shop"`
	Status  catalog.Status   `json:"status"`
	catalog.Format
}

// object returns the object of the file, none of one on the web, or an error for an invalid payload.
func (p importPayload) object() (at blob.ObjectRef, err error) {
	if p.Status != "" && p.Status != catalog.Imported && p.Status != catalog.Confirmed {
		return blob.ObjectRef{}, fmt.Errorf("app: status %.40q: want %s or %s", p.Status, catalog.Imported, catalog.Confirmed)
	}
	if p.Reembed != nil || catalog.IsWebAddress(p.URI) {
		return at, nil
	}
	return parseObject(p.URI)
}

// name returns the name of the work.
func (p importPayload) name() string {
	if p.Reembed != nil {
		return p.Reembed.From + " to " + p.Reembed.To
	}
	return catalog.WithoutQuery(p.URI)
}

// imports does the tasks that import catalogues.
type imports struct {
	objects  *blob.Store
	store    func(ctx context.Context, id, address string) (blob.ObjectRef, error) // a file that is on the web
	settings []string                                                              // of the catalogue: they decide the result
	run      func(context.Context, CatalogFile) (catalog.Imports, error)
	reembed  func(ctx context.Context, from, to string, drop bool, progress func(catalog.Imports)) (catalog.Imports, int, error)
	executor jobs.Runner[importResult, any]
}

func (a *App) openImports(_ context.Context, c clients) (*imports, error) {
	executor, err := jobs.NewExecutor[importResult, any](importKind{}, jobs.ExecutorConfig{
		Work: c.runs, Failures: c.failures, GiveUpAfter: a.Platform.GiveUpAfter,
	})
	settings := []string{a.Catalog.Shop, c.space.ID(), a.Analyze.Country, a.Analyze.Lang, a.Catalog.Currency}
	return &imports{c.objects, a.storeFeed, settings, a.ImportFile, a.Reembed, executor}, err
}

// handleImports registers the handler of imports with d.
func handleImports(d *queue.Dispatcher, open func(context.Context) (*imports, error)) {
	d.Handle("catalog", "import", func(ctx context.Context, payload queue.Payload, m queue.Meta) error {
		var p importPayload
		if err := payload.Decode(&p); err != nil {
			return err
		}
		at, err := p.object()
		if err != nil {
			slog.ErrorContext(ctx, "catalogue import dropped", "uri", catalog.WithoutQuery(p.URI), "error", err)
			return nil
		}
		in, err := open(ctx)
		if err == nil {
			_, err = in.executor.Deliver(ctx, in.job(p, at, m))
		}
		return err
	})
}

// An importResult is the result of a task. Its work record holds it, and the message that
// it was given up.
type importResult struct {
	URI        string `json:"uri"`
	Generation int64  `json:"generation,omitempty"` // of the object
	catalog.Imports
	api.ImportFindings
	Error   string `json:"error,omitempty"`    // import_failed; "" is success
	GivenUp bool   `json:"given_up,omitempty"` // the file may be good
	Message string `json:"message,omitempty"`  // of the error
}

// An importKind is the kind of job that imports a catalogue.
type importKind struct{}

// Describe implements jobs.Kind.
func (importKind) Describe(r importResult) jobs.Facts {
	return jobs.Facts{Error: r.Error, GivenUp: r.GivenUp}
}

// Public implements jobs.Kind.
func (importKind) Public(r importResult) importResult { return r }

// Fault implements jobs.Kind. A file that is mended or stored later is imported by a new task.
func (importKind) Fault(err error) jobs.Fault {
	return jobs.Fault{Permanent: errors.Is(err, catalog.ErrFile) || errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrEncoding) || errors.Is(err, blob.ErrTooLarge)}
}

// Log implements jobs.Kind.
func (importKind) Log(ctx context.Context, uri string, attempt int, r importResult, err error) {
	level, message := slog.LevelInfo, "catalogue imported"
	switch {
	case err != nil:
		level, message = slog.LevelWarn, "catalogue import broken off, and continued by the next delivery"
	case r.GivenUp:
		level, message = slog.LevelError, "catalogue import given up: what is imported stays, and a new task imports the rest"
	case r.Error != "" && r.Generation == 0:
		level, message = slog.LevelError, "catalogue import dropped"
	case r.Error != "":
		level, message = slog.LevelError, "catalogue import ended early: mend the file and send the task again"
	}
	if r.Message != "" {
		err = errors.New(r.Message)
	}
	slog.Log(ctx, level, message, "uri", uri, "attempt", attempt, "imported", r.New, "changed", r.Changed, "known_before", r.Known, "left_out", r.LeftOut, "error", err)
}

// A catalogImport is the job of one task. A task that is published later is new work, also
// for the same file: it finds what is in the catalogue, and adds what is not.
type catalogImport struct {
	jobs.Uncached[importResult]
	in   *imports
	task importPayload
	at   blob.ObjectRef
	file *blob.Reader // nil until it is open
}

func (in *imports) job(p importPayload, at blob.ObjectRef, m queue.Meta) *catalogImport {
	task, _ := json.Marshal(p) // text only
	id := importID(p.ID)
	if p.ID == "" {
		id = store.HashID(append([]string{"catalog", "import", string(task), strconv.FormatInt(m.Published.UnixMilli(), 10)}, in.settings...)...)
	}
	name := p.name()
	return &catalogImport{in: in, task: p, at: at, Uncached: jobs.Uncached[importResult]{Spec: jobs.Spec{
		Item: jobs.Item{ID: id, Kind: importRecords, Subject: name}, Name: name, Published: m.Published,
		FailureAttributes: map[string]string{"agent": "catalog", "kind": "import", "object": name},
	}}}
}

// Open opens the latest generation of the file.
func (j *catalogImport) Open(ctx context.Context) (err error) {
	if j.task.Reembed != nil {
		return nil
	}
	if j.at.Name == "" {
		if j.at, err = j.in.store(ctx, j.Item.ID, j.task.URI); err != nil {
			return err
		}
	}
	j.file, err = j.in.objects.Open(ctx, j.at)
	return err
}

// Close closes the file.
func (j *catalogImport) Close() {
	if j.file != nil {
		_ = j.file.Close() // it was only read
	}
}

// importRecords is the kind of the records of imports.
const importRecords = "catalog_import"

// importID returns the ID of the record of an import that the API has started.
func importID(started string) string { return store.HashID("catalog", "import", started) }

// importState tells how far an import is that the API has started.
func (a *App) importState(ctx context.Context, id string) (api.ImportState, error) {
	c, err := a.clients.Get(ctx)
	if err != nil {
		return api.ImportState{}, fmt.Errorf("app: %w", err)
	}
	record, err := c.runs.Get(ctx, id)
	if err == nil && record.Kind != importRecords {
		err = jobs.ErrNotFound
	}
	if err != nil {
		return api.ImportState{}, err
	}
	if record.State != jobs.Done {
		stored := jobs.Kept[imported](jobs.WithCheckpoints(ctx, jobs.Checkpoints{Kept: record.Kept}), importedKey)
		return api.ImportState{ID: id, State: jobs.Working, Imports: stored.Imports}, nil
	}
	r, err := jobs.Decode[importResult](record.Result)
	state := api.ImportState{ID: id, State: jobs.Done, URI: r.URI, Imports: r.Imports, ImportFindings: r.ImportFindings, Message: r.Message}
	if r.Error != "" {
		state.State = jobs.Failed
	}
	return state, err
}

// importedKey is the key of the checkpoint that holds what is stored, an imported.
const importedKey = "imported"

// An imported is what is stored of a generation of the file.
type imported struct {
	Generation int64 `json:"generation"`
	catalog.Checkpoint
}

// Do imports the file, from where an earlier attempt at this generation stopped, or embeds the records that an
// earlier attempt has not. An attempt that has stored products and then fails is continued, however many it takes.
func (j *catalogImport) Do(ctx context.Context, _ func(any)) (done importResult, err error) {
	if j.task.Reembed != nil {
		done, err = j.move(ctx, *j.task.Reembed)
	} else {
		done, err = j.bring(ctx)
	}
	if err != nil && !errors.Is(err, catalog.ErrFile) && jobs.CheckpointsOf(ctx).Progressed() {
		err = fmt.Errorf("%w: %w", jobs.ErrContinue, err)
	}
	return done, err
}

// bring imports the file.
func (j *catalogImport) bring(ctx context.Context) (importResult, error) {
	done := importResult{URI: j.Name, Generation: j.file.Generation}
	before := jobs.Kept[imported](ctx, importedKey)
	if before.Generation != done.Generation {
		before = imported{}
	}
	faults := faultLog{ctx: ctx, uri: done.URI, told: &done.ImportFindings}
	format := j.task.Format
	format.Reading = func(r catalog.Reading) { done.Reading = &r }
	var err error
	done.Imports, err = j.in.run(ctx, CatalogFile{
		Reader: j.file, Shop: j.task.Shop, Status: j.task.Status, From: cmp.Or(j.task.From, done.URI), Format: format,
		Fault: faults.fault, ID: j.Item.ID + "/" + strconv.FormatInt(done.Generation, 10), After: before.Checkpoint,
		Keep: func(ctx context.Context, stored catalog.Checkpoint) error {
			return jobs.Keep(ctx, importedKey, imported{done.Generation, stored})
		},
	})
	faults.end()
	return done, err
}

// move moves the catalogue to another embedding model.
func (j *catalogImport) move(ctx context.Context, to api.Reembedding) (importResult, error) {
	var kept error
	n, dropped, err := j.in.reembed(ctx, to.From, to.To, to.Drop, func(n catalog.Imports) {
		kept = errors.Join(kept, jobs.Keep(ctx, importedKey, imported{Checkpoint: catalog.Checkpoint{Imports: n}}))
	})
	return importResult{URI: j.Name, Imports: n, ImportFindings: api.ImportFindings{Dropped: dropped}}, cmp.Or(err, kept)
}

// Failed returns the result of an import that failed permanently with err.
func (j *catalogImport) Failed(ctx context.Context, r importResult, err error, _ time.Duration) importResult {
	if r.URI == "" { // it was not begun
		stored := jobs.Kept[imported](ctx, importedKey)
		r = importResult{URI: j.Name, Generation: stored.Generation, Imports: stored.Imports}
	}
	var given *jobs.GivenUp
	r.Error, r.GivenUp, r.Message = "import_failed", errors.As(err, &given), jobs.Cause(err)
	if errors.Is(err, catalog.ErrFile) {
		r.Message = err.Error()
	}
	return r
}

// maxFaultLines bounds the faults of an imported file that are logged one by one.
const maxFaultLines = 20

// A faultLog logs what is wrong with the records of a file, and tells whoever asks.
type faultLog struct {
	ctx   context.Context
	uri   string
	count int
	told  *api.ImportFindings
}

func (l *faultLog) fault(f catalog.Fault) {
	l.told.Add(f)
	if l.count++; l.count <= maxFaultLines {
		slog.WarnContext(l.ctx, "catalogue import: wrong record", "uri", l.uri, "record", f.Record, "code", f.Code, "reason", f.Reason, "why", f.Why, "left_out", f.LeftOut, "line", f.Line, "field", f.Field)
	}
}

func (l *faultLog) end() {
	if more := l.count - maxFaultLines; more > 0 {
		slog.WarnContext(l.ctx, "catalogue import: more wrong records, which are not listed", "uri", l.uri, "records", more)
	}
}
