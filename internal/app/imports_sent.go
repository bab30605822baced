package app

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/google/uuid"

	"example.com/whatis/internal/api"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/web"
)

// openSent returns a file that is sent to the API, or that a request names. The caller calls done.
func (a *App) openSent(ctx context.Context, sent api.ImportFile, fault func(catalog.Fault)) (file CatalogFile, done func(), err error) {
	file = CatalogFile{Reader: sent.Reader, Shop: sent.Shop, Status: sent.Status, From: cmp.Or(sent.Name, sent.URI), Format: sent.Format, Fault: fault}
	uri := sent.URI
	if catalog.IsWebAddress(uri) {
		at, err := a.storeFeed(ctx, uuid.NewString(), uri)
		if err != nil {
			return file, nil, fmt.Errorf("%w: %w", catalog.ErrFile, err)
		}
		uri = at.URI()
	}
	if uri == "" {
		return file, func() {}, nil
	}
	object, _, err := a.OpenObject(ctx, uri)
	if err != nil {
		return file, nil, fmt.Errorf("%w: %w", catalog.ErrFile, err)
	}
	file.Reader = object
	return file, func() { object.Close() }, nil
}

// compareSent tells what an import of a file that is sent to the API would do.
func (a *App) compareSent(ctx context.Context, sent api.ImportFile, fault func(catalog.Fault), tell func(catalog.Difference)) error {
	file, done, err := a.openSent(ctx, sent, fault)
	if err != nil {
		return err
	}
	defer done()
	_, err = a.CompareFile(ctx, file, tell)
	return err
}

// pruneSent does what p says with a file that is sent to the API.
func (a *App) pruneSent(ctx context.Context, sent api.ImportFile, fault func(catalog.Fault), p catalog.Prune) (catalog.Pruned, error) {
	file, done, err := a.openSent(ctx, sent, fault)
	if err != nil {
		return catalog.Pruned{}, err
	}
	defer done()
	return a.PruneFile(ctx, file, p)
}

// startImport stores a file that is sent in the results bucket, and has a task import it. It returns the ID by which
// importState tells of it.
func (a *App) startImport(ctx context.Context, sent api.ImportFile) (id string, err error) {
	c, err := a.clients.Get(ctx)
	if err != nil {
		return "", fmt.Errorf("app: %w", err)
	}
	task, uri := uuid.NewString(), sent.URI
	if uri == "" {
		place := blob.Place{Bucket: a.Platform.ResultsBucket, Name: blob.Catalogues + task + "/" + sent.Name, ContentType: "application/octet-stream"}
		_, err := c.objects.Create(ctx, place, func(w io.Writer) error {
			_, err := io.Copy(w, sent.Reader)
			return err
		})
		if err != nil {
			return "", err
		}
		uri = blob.ObjectRef{Bucket: place.Bucket, Name: place.Name}.URI()
	} else if _, err := parseObject(uri); err != nil && !catalog.IsWebAddress(uri) {
		return "", fmt.Errorf("%w: %w", catalog.ErrFile, err)
	}
	return importID(task), c.tasks.PublishLong(ctx, queue.Task{Agent: "catalog", Kind: "import", Payload: importPayload{
		ID: task, URI: uri, From: sent.Name, Shop: sent.Shop, Status: sent.Status, Format: sent.Format,
	}})
}

// startReembed has a task move the catalogue from one embedding model to another. It returns the ID by which
// importState tells of it.
func (a *App) startReembed(ctx context.Context, move api.Reembedding) (id string, err error) {
	if err := a.checkReembed(move.From, move.To, move.Drop); err != nil {
		return "", fmt.Errorf("%w: %w", web.ErrOption, err)
	}
	c, err := a.clients.Get(ctx)
	if err != nil {
		return "", fmt.Errorf("app: %w", err)
	}
	task := uuid.NewString()
	return importID(task), c.tasks.PublishLong(ctx, queue.Task{Agent: "catalog", Kind: "import", Payload: importPayload{ID: task, Reembed: &move}})
}
