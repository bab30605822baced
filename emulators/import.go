package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/catalog"
)

// importing is the -function of a process that imports a catalogue and ends.
const importing = "catalog_import"

// importProducts fills the catalogue before the functions start, in a process of its own
// with the functions' environment. Existing products stay unchanged and cost nothing.
func (w *world) importProducts(ctx context.Context) error {
	return w.importFile(ctx, bytes.NewReader(samples.ProductsDB), "samples", "", "")
}

// catalogueBucket holds the pictures of the eyewear that -catalog brings.
const catalogueBucket = "catalog"

// shopOf returns the shop that -catalog fills, named after the file.
func shopOf(name string) string {
	name, _ = strings.CutSuffix(filepath.Base(name), ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// importCatalogue imports what -catalog names, a file or the sample frames, into a shop
// of its own. Photos are matched with the products of a file, by code or printed text.
func (w *world) importCatalogue(ctx context.Context, name string) error {
	if name == samples.EyewearShop {
		return w.importFile(ctx, &prepared{func() error { return w.storePictures(ctx) }, bytes.NewReader(samples.EyewearFile("gs://" + catalogueBucket + "/"))}, name, w.shop, "")
	}
	file, err := os.Open(name)
	if err != nil {
		return usageError{fmt.Errorf("-catalog: %w", err)}
	}
	defer file.Close()
	return w.importFile(ctx, file, filepath.Base(name), w.shop, filepath.Dir(name))
}

// A prepared file is read once prepare has ended: meanwhile searches are told that the shop is being filled.
type prepared struct {
	prepare func() error
	io.Reader
}

// Read implements io.Reader.
func (p *prepared) Read(b []byte) (int, error) {
	if p.prepare != nil {
		if err := p.prepare(); err != nil {
			return 0, err
		}
		p.prepare = nil
	}
	return p.Reader.Read(b)
}

// fills reports whether the sample shop is filled behind the photos: where nothing is paid
// or recorded for it, and somebody stays to search it.
func (o options) fills() bool {
	return o.catalog == "" && !o.once && !o.real && !o.ollama.set && o.record == "" && o.replay == ""
}

// fill fills the sample shop while ctx lasts.
func (w *world) fill(ctx context.Context) {
	if err := w.importCatalogue(ctx, samples.EyewearShop); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "emulators: the sample shop:", err)
		return
	}
	if ctx.Err() == nil {
		w.print(fmt.Sprintf("The shop %s is filled: %d frames.\n\n%s", w.shop, len(samples.Frames()), w.firstSearch()))
	}
}

// storePictures stores the pictures of the frames in the bucket that an import and the API
// read.
func (w *world) storePictures(ctx context.Context) error {
	if err := w.storage.CreateBucket(catalogueBucket); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range samples.Frames() {
		group.Go(func() error { return w.storePicture(ctx, f) })
	}
	return group.Wait()
}

func (w *world) storePicture(ctx context.Context, f samples.Frame) error {
	url := w.storage.URL() + "/upload/storage/v1/b/" + catalogueBucket + "/o?uploadType=media&name=" + f.SKU + ".png"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(f.PNG()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "image/png")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the picture %s.png could not be stored: %s", f.SKU, answer.Status)
	}
	return nil
}

// importFile imports a file with that name and pictures in folder into a shop; "" is the
// default shop.
func (w *world) importFile(ctx context.Context, file io.Reader, name, shop, folder string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "-function", importing, "-catalog", name)
	cmd.Env, cmd.Stdin, cmd.Stderr, cmd.Dir = w.forFunctions(), file, os.Stderr, folder
	if shop != "" {
		cmd.Env = append(cmd.Env, "SHOP="+shop)
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the catalogue could not be imported: %w", err)
	}
	return nil
}

// importCatalogue runs in that process: it imports its standard input, with the pictures
// in its working directory, and prints the first errors.
func importCatalogue(ctx context.Context, name string) error {
	c, err := app.ReadConfig(ctx)
	if err != nil {
		return err
	}
	const told = 5
	faults, total := 0, int64(0)
	if name == samples.EyewearShop {
		total = int64(len(samples.Frames()))
	}
	done, err := app.New(c).ImportFile(ctx, app.CatalogFile{Reader: os.Stdin, Total: total, From: name, Folder: ".", Fault: func(f catalog.Fault) {
		if faults++; faults <= told {
			fmt.Fprintf(os.Stderr, "%s: %s\n", f.Record, f.Why)
		}
	}})
	if faults > told {
		fmt.Fprintf(os.Stderr, "and %d more: whatisit catalog import --report FILE writes all of them (%v)\n", faults-told, done)
	}
	return err
}
