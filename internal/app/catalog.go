package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/money"
)

// Catalog configures the catalogue of products, which agents share.
type Catalog struct {
	// The catalogue's name, where one database holds several.
	Shop string `env:"SHOP, default=default"`
	// Currency is that of the shop's prices whose file names none, as `EUR`.
	Currency string `env:"CURRENCY"`
	// The model of the catalogue's vectors: `gemini-embedding-2` or
	// `gemini-embedding-001`. Vectors of two models are never compared: after a change the
	// catalogue must be embedded again.
	EmbeddingModel string `env:"EMBEDDING_MODEL, default=gemini-embedding-2"`
	// Where Vertex AI is asked for embeddings: a model need not be in every region.
	EmbeddingLocation string `env:"EMBEDDING_LOCATION"`
	// PictureBuckets are where the pictures of products lie that may be shown and
	// embedded, whatever else a file names: a photo in the bucket of uploads only if that is
	// one of them. Without any none is.
	PictureBuckets []string `env:"PICTURE_BUCKETS"`
	// Directory is the address of a directory of products, as Open Food Facts', that is
	// asked about a code which the catalogue does not know. Its data is under the Open
	// Database License. Without one none is asked.
	Directory string `env:"GTIN_DIRECTORY"`
	// DirectoryContact is whom the directory may write to, which it asks for.
	DirectoryContact string `env:"GTIN_DIRECTORY_CONTACT"`
}

// check refuses invalid settings, naming the variable.
func (c Catalog) check() error {
	if c.Shop == "" {
		return errors.New("app: SHOP is empty: leave it out, or name the catalogue")
	}
	if _, err := catalog.VectorSpaceOf(c.EmbeddingModel); err != nil {
		return fmt.Errorf("app: EMBEDDING_MODEL: %w", err)
	}
	if c.Currency != "" && !money.IsCurrency(c.Currency) {
		return fmt.Errorf("app: CURRENCY is %q: want a code of ISO 4217, as EUR", c.Currency)
	}
	if c.Directory == "" {
		return nil
	}
	if _, err := c.openDirectory(); err != nil {
		return fmt.Errorf("app: GTIN_DIRECTORY and GTIN_DIRECTORY_CONTACT: %w", err)
	}
	return nil
}

// A CatalogFile is a file of products.
type CatalogFile struct {
	io.Reader
	Shop   string         // of the products; "" is the configured shop
	Status catalog.Status // of the products: imported, or confirmed if the owner vouches for them; "" is imported
	From   string         // the file's name or address, stored as the provenance of its products
	Format catalog.Format // without a currency, that is the configured one
	Folder string         // of pictures that the file names by a path; "" allows gs:// only

	Total    int64                 // of its products, if somebody has counted them
	Fault    func(catalog.Fault)   // may be nil
	Progress func(catalog.Imports) // may be nil

	// As of a catalog.Import, to continue an interrupted import of the same file.
	ID    string
	After catalog.Checkpoint
	Keep  func(context.Context, catalog.Checkpoint) error
}

// Import imports the products of a file into the catalogue. Products that were imported
// before cost nothing, so a failed import can be repeated. fault and progress may be
// nil. A file without products returns catalog.ErrFile.
func (a *App) Import(ctx context.Context, file io.Reader, fault func(catalog.Fault), progress func(catalog.Imports)) (catalog.Imports, error) {
	return a.ImportFile(ctx, CatalogFile{Reader: file, Fault: fault, Progress: progress})
}

// ImportFile imports a file like Import, with the options of a CatalogFile.
func (a *App) ImportFile(ctx context.Context, file CatalogFile) (catalog.Imports, error) {
	defer a.Begin()()
	c, err := a.catalogClients(ctx)
	if err != nil {
		return catalog.Imports{}, fmt.Errorf("app: %w", err)
	}
	im, err := a.importer(ctx, c, file.Folder)
	if err != nil {
		return catalog.Imports{}, fmt.Errorf("app: %w", err)
	}
	im = file.of(im)
	if im.Format.Pictures && im.EmbedImages == nil {
		return catalog.Imports{}, fmt.Errorf("%w: pictures: EMBEDDING_MODEL %s embeds none: leave them out, or use gemini-embedding-2", catalog.ErrFile, c.space.Model)
	}
	filled := filling(ctx, &im, file.Total)
	done, err := im.Run(gemini.WithAccount(ctx, &gemini.Account{Attempts: gemini.CallerAttempts}), file)
	if err != nil {
		if errors.Is(err, catalog.ErrFile) { // others are tried again
			filled()
		}
		return done, err
	}
	if err := a.WriteIndex(ctx, im.Shop, false); err != nil { // searches read the changes from the catalogue, and a task writes the file
		slog.WarnContext(ctx, "import: the shop's index is not written", "shop", im.Shop, "error", err)
	}
	filled()
	return done, nil
}

// filling has searches know, until the function that it returns is called, that im is the first import into
// its shop, if it is, or goes on with that one. Where that cannot be said the import goes on all the same.
func filling(ctx context.Context, im *catalog.Import, total int64) (filled func()) {
	of, shop, told := im.Catalog, im.Shop, im.Progress
	warn := func(err error) {
		if err != nil {
			slog.WarnContext(ctx, "import: searches are told wrongly whether the shop is being filled", "shop", shop, "error", err)
		}
	}
	known, err := of.KnownShop(ctx, shop)
	if err == nil && known {
		var under *catalog.Filling
		under, err = of.FillingOf(ctx, shop)
		known = under == nil
	}
	if warn(err); err != nil || known {
		return func() {}
	}
	warn(of.Fill(ctx, shop, total))
	im.Progress = func(i catalog.Imports) {
		warn(of.Fill(ctx, shop, total))
		if told != nil {
			told(i)
		}
	}
	return func() { warn(of.Filled(ctx, shop)) }
}

// of returns im as the import of the file.
func (file CatalogFile) of(im catalog.Import) catalog.Import {
	known := im.Format
	im.Shop, im.Status, im.From, im.Format = cmp.Or(file.Shop, im.Shop), file.Status, file.From, file.Format
	im.Format.KnownFacet, im.Format.Currency = known.KnownFacet, cmp.Or(file.Format.Currency, known.Currency)
	im.Fault, im.Progress, im.ID, im.After, im.Keep = file.Fault, file.Progress, file.ID, file.After, file.Keep
	return im
}

// CompareFile tells what ImportFile would do with each product of a file. It writes nothing, and
// needs no model.
func (a *App) CompareFile(ctx context.Context, file CatalogFile, tell func(catalog.Difference)) (catalog.Imports, error) {
	defer a.Begin()()
	im, err := a.reader(ctx)
	if err != nil {
		return catalog.Imports{}, fmt.Errorf("app: %w", err)
	}
	im.Differ = tell
	return file.of(im).Run(ctx, file)
}

// CountImported returns how many records of the shop are of files.
func (a *App) CountImported(ctx context.Context) (int64, error) {
	c, err := a.catalogClients(ctx)
	if err != nil {
		return 0, fmt.Errorf("app: %w", err)
	}
	return c.products.CountImported(ctx, a.Catalog.Shop)
}

// PruneFile finds the records of earlier versions of a file that it no longer has, and removes them, as p says. It
// needs no model.
func (a *App) PruneFile(ctx context.Context, file CatalogFile, p catalog.Prune) (catalog.Pruned, error) {
	defer a.Begin()()
	im, err := a.reader(ctx)
	if err != nil {
		return catalog.Pruned{}, fmt.Errorf("app: %w", err)
	}
	p.Import = file.of(im)
	return p.Leftovers(ctx, file)
}

// reader returns the import into the catalogue, without what embeds its products.
func (a *App) reader(ctx context.Context) (im catalog.Import, err error) {
	known, err := a.knownFacet(ctx)
	if err != nil {
		return im, err
	}
	db, err := a.firestore.Get(ctx)
	if err != nil {
		return im, err
	}
	space, err := catalog.VectorSpaceOf(a.Catalog.EmbeddingModel)
	return catalog.Import{
		Catalog: catalog.New(db), Shop: a.Catalog.Shop, Space: space, Country: a.Analyze.Country, Lang: a.Analyze.Lang, Format: catalog.Format{KnownFacet: known, Currency: a.Catalog.Currency},
	}, err
}

// importer returns the import into the catalogue, with pictures of a folder; "" allows
// objects only.
func (a *App) importer(ctx context.Context, c clients, folder string) (im catalog.Import, err error) {
	if im, err = a.reader(ctx); err != nil {
		return im, err
	}
	texts := func(prefix string) func(context.Context, []string) ([][]float32, error) {
		return func(ctx context.Context, texts []string) ([][]float32, error) {
			return c.gemini.Embed(ctx, gemini.EmbedRequest{Model: c.space.Model, Prefix: prefix, Texts: texts})
		}
	}
	_, document := catalog.SearchPrefixes(c.space.Model)
	im.Space, im.Embed, im.EmbedDocuments = c.space, texts(c.space.Prefix), texts(document)
	if gemini.EmbedsImages(c.space.Model) {
		im.EmbedImages = pictures{a, c.gemini, c.space.Model, folder, map[string]int{}}.embed
	}
	return im, nil
}

// checkReembed returns an error for a move of the catalogue that cannot be made.
func (a *App) checkReembed(from, to string, drop bool) error {
	for _, model := range []string{from, to} {
		if _, err := catalog.VectorSpaceOf(model); err != nil {
			return fmt.Errorf("app: %w", err)
		}
	}
	if drop && from == a.Catalog.EmbeddingModel {
		return fmt.Errorf("app: EMBEDDING_MODEL is still %s: its vectors are searched, and dropped only after the switch to %s", from, to)
	}
	return nil
}

// Reembed gives the records with vectors of one embedding model those of another. With drop it
// then removes the first model's from records with both, unless the configuration still uses it.
func (a *App) Reembed(ctx context.Context, from, to string, drop bool, progress func(catalog.Imports)) (done catalog.Imports, dropped int, err error) {
	defer a.Begin()()
	if err := a.checkReembed(from, to, drop); err != nil {
		return done, 0, err
	}
	of, err := catalog.VectorSpaceOf(from)
	if err != nil {
		return done, 0, fmt.Errorf("app: %w", err)
	}
	c, err := a.catalogClients(ctx)
	if err != nil {
		return done, 0, fmt.Errorf("app: %w", err)
	}
	if c.space, err = catalog.VectorSpaceOf(to); err != nil {
		return done, 0, fmt.Errorf("app: %w", err)
	}
	im, err := a.importer(ctx, c, "")
	if err != nil {
		return done, 0, fmt.Errorf("app: %w", err)
	}
	im.Progress = progress
	move := catalog.Move{Import: im, From: of}
	done, err = move.Run(gemini.WithAccount(ctx, &gemini.Account{Attempts: gemini.CallerAttempts}))
	if err != nil || !drop {
		return done, 0, err
	}
	dropped, left, err := move.Drop(ctx)
	if err == nil && left > 0 {
		err = fmt.Errorf("app: %d records have only the vectors of %s, which stay: run it again", left, from)
	}
	return done, dropped, err
}

// OpenObject opens the object at gs://bucket/object, and returns its size in bytes, -1 if
// that is unknown. The caller closes the reader.
func (a *App) OpenObject(ctx context.Context, uri string) (io.ReadCloser, int64, error) {
	at, err := parseObject(uri)
	if err != nil {
		return nil, 0, err
	}
	objects, err := a.objects.Get(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("app: %w", err)
	}
	r, err := objects.Open(ctx, at)
	if err != nil {
		return nil, 0, fmt.Errorf("app: %w", err) // do not return r: an interface that holds a nil pointer is not nil
	}
	return r, r.Size, nil
}

// parseObject parses gs://bucket/object.
func parseObject(uri string) (blob.ObjectRef, error) {
	at, err := blob.ParseURI(uri)
	if err == nil && at.Name == "" {
		err = blob.ErrURI
	}
	if err != nil {
		return at, fmt.Errorf("app: %.1100q: %w", uri, err)
	}
	return at, nil
}
