package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
)

// Import brings the products of a products_db.json into the catalogue. What is
// there already costs nothing, so that an import that broke off is begun again.
// Fault and progress may be nil. A file that holds no products is
// catalog.ErrFile.
func (a *App) Import(ctx context.Context, file io.Reader, fault func(catalog.Fault), progress func(catalog.Imports)) (catalog.Imports, error) {
	defer a.Begin()()
	model, err := a.gemini.get(ctx)
	if err != nil {
		return catalog.Imports{}, fmt.Errorf("app: %w", err)
	}
	db, err := a.firestore.get(ctx)
	if err != nil {
		return catalog.Imports{}, fmt.Errorf("app: %w", err)
	}
	stamp, err := catalog.StampOf(a.EmbeddingModel)
	if err != nil {
		return catalog.Imports{}, fmt.Errorf("app: %w", err)
	}
	ctx = gemini.WithAccount(ctx, &gemini.Account{Attempts: 3})
	return catalog.Import{
		Catalog: catalog.New(db), Shop: a.Shop, Stamp: stamp, Country: a.Country, Lang: a.Lang, Fault: fault, Progress: progress,
		Embed: func(ctx context.Context, texts []string) ([][]float32, error) {
			return model.Embed(ctx, gemini.EmbedRequest{Model: stamp.Model, Prefix: stamp.Prefix, Texts: texts})
		},
	}.Run(ctx, file)
}

// errURI is the error of an address that is none of an object.
var errURI = errors.New("want gs://bucket/object")

// OpenObject returns the bytes of the object at gs://bucket/object as they come,
// and how many they are. The reader must be closed.
func (a *App) OpenObject(ctx context.Context, uri string) (io.ReadCloser, int64, error) {
	rest, ok := strings.CutPrefix(uri, "gs://")
	bucket, name, _ := strings.Cut(rest, "/")
	if !ok || bucket == "" || name == "" {
		return nil, 0, fmt.Errorf("app: %q: %w", uri, errURI)
	}
	client, err := a.storage.get(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("app: %w", err)
	}
	objects, at := blob.New(client), blob.ObjectRef{Bucket: bucket, Name: name}
	size, err := objects.Size(ctx, at)
	if err != nil {
		return nil, 0, fmt.Errorf("app: %w", err)
	}
	r, err := objects.Open(ctx, at)
	return r, size, err
}

// catalogImport is the kind of the task that imports a catalogue:
//
//	{"task": "catalog_import", "uri": "gs://bucket/products_db.json"}
const catalogImport = "catalog_import"

// Task does what a message of the tasks' topic asks for: an import of the catalogue,
// or a step of a batch. An error asks for it to be delivered again.
func (a *App) Task(ctx context.Context, m batch.Message) error {
	var t struct {
		Kind string `json:"task"`
		URI  string `json:"uri"`
	}
	if json.Unmarshal(m.Data, &t) == nil && t.Kind == catalogImport {
		return a.importTask(ctx, t.URI, m.Dead)
	}
	batches, err := a.Batches(ctx)
	if err != nil {
		return err
	}
	return batches.Task(ctx, m)
}

// importTask imports the file at uri. A delivery that ends before the file does
// fails, and the next one goes on behind what is imported.
func (a *App) importTask(ctx context.Context, uri string, dead bool) error {
	if dead {
		slog.ErrorContext(ctx, "catalogue import given up: what is imported stays, and the same task goes on behind it", "uri", uri)
		return nil
	}
	file, _, err := a.OpenObject(ctx, uri)
	if errors.Is(err, errURI) || errors.Is(err, blob.ErrNotFound) {
		slog.ErrorContext(ctx, "catalogue import dropped", "uri", uri, "error", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	log := faultLog{ctx: ctx, uri: uri}
	done, err := a.Import(ctx, file, log.fault, nil)
	log.end()
	level, message := slog.LevelInfo, "catalogue imported"
	switch {
	case errors.Is(err, catalog.ErrFile):
		level, message = slog.LevelError, "catalogue import ended early: mend the file and send the task again"
	case err != nil:
		level, message = slog.LevelWarn, "catalogue import broken off, and begun again"
	}
	slog.Log(ctx, level, message, "uri", uri, "imported", done.New, "known_before", done.Known, "left_out", done.LeftOut, "error", err)
	if errors.Is(err, catalog.ErrFile) {
		return nil
	}
	return err
}

// maxFaultLines is how many faults of an imported file are logged one by one.
const maxFaultLines = 20

// A faultLog logs what is wrong with the records of a file.
type faultLog struct {
	ctx   context.Context
	uri   string
	count int
}

func (l *faultLog) fault(f catalog.Fault) {
	if l.count++; l.count <= maxFaultLines {
		slog.WarnContext(l.ctx, "catalogue import: wrong record", "uri", l.uri, "record", f.Record, "why", f.Why, "left_out", f.LeftOut)
	}
}

func (l *faultLog) end() {
	if more := l.count - maxFaultLines; more > 0 {
		slog.WarnContext(l.ctx, "catalogue import: more wrong records, which are not listed", "uri", l.uri, "records", more)
	}
}
