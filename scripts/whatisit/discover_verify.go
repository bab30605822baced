package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"example.com/whatis/internal/app"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/discover"
)

// verifyCommand checks the quotes of a result against the stored pages.
type verifyCommand struct {
	File  string `arg:"" help:"A result.json: a file, gs://bucket/discoveries/ID/result.json, or - for standard input."`
	Pages string `placeholder:"FOLDER" help:"The folder or gs://bucket/ that has the stored pages, scraped_content/… (the bucket of FILE, else RESULTS_BUCKET)."`
}

// Help returns the help text of whatisit discover verify, without its flags.
func (verifyCommand) Help() string {
	return `Checks every quote, of records and of sources that an inventory says are absent, against the copy of the page that was stored when the discovery read it, and of records the name, the years and whatever else the page is said to print. It contacts no site and no model.

    whatisit discover verify gs://results/discoveries/ID/result.json
    gcloud storage cp -r gs://results/scraped_content pages/
    whatisit discover verify result.json --pages pages/

Each record that does not stand is a line of JSON on standard output, with what is not there.

Exit codes: 0 every record stands on its page; 1 one does not, or pages cannot be read; 2 wrong usage.`
}

// An opener reads a file or an object.
type opener func(ctx context.Context, name string) ([]byte, error)

// Run verifies the quotes, and prints those that fail.
func (v *verifyCommand) Run(ctx context.Context, c *console) error {
	object := cloud()
	data, err := v.result(ctx, c, object)
	if err != nil {
		return usage("%s: %s", v.File, err)
	}
	var r discover.Result
	if err := decode(data, &r); err != nil {
		return usage("%s: %s", v.File, err)
	}
	if r.ID == "" || r.Sources == nil && len(r.Items) > 0 {
		return usage("%s is not the result of a discovery: want its result.json", v.File)
	}
	read, err := v.pages(object)
	if err != nil {
		return err
	}
	broken, err := discover.Verify(ctx, r, read)
	if err != nil {
		return because(ctx, err)
	}
	for _, b := range broken {
		if err := c.line(b); err != nil {
			return err
		}
	}
	all := len(r.Items) + len(r.Absent)
	c.say("%d of %d records stand on their pages", all-len(broken), all)
	if len(broken) > 0 {
		return errPrinted
	}
	return nil
}

// result reads the file.
func (v *verifyCommand) result(ctx context.Context, c *console, object opener) ([]byte, error) {
	switch {
	case v.File == "-":
		return io.ReadAll(io.LimitReader(c.in, longestAnswer))
	case strings.HasPrefix(v.File, "gs://"):
		return object(ctx, v.File)
	}
	return os.ReadFile(v.File)
}

// pages returns the opener that reads the stored pages.
func (v *verifyCommand) pages(object opener) (opener, error) {
	from := v.Pages
	if at, err := blob.ParseURI(v.File); from == "" && err == nil {
		from = "gs://" + at.Bucket + "/"
	} else if bucket := os.Getenv("RESULTS_BUCKET"); from == "" && bucket != "" {
		from = "gs://" + bucket + "/"
	}
	switch {
	case from == "":
		return nil, usage("the location of the stored pages is not known: use --pages FOLDER or --pages gs://bucket/, or set RESULTS_BUCKET")
	case strings.HasPrefix(from, "gs://"):
		if _, err := blob.ParseURI(strings.TrimSuffix(from, "/") + "/"); err != nil {
			return nil, usage("--pages %s: %s", from, err)
		}
		return func(ctx context.Context, name string) ([]byte, error) {
			return object(ctx, strings.TrimSuffix(from, "/")+"/"+name)
		}, nil
	}
	if info, err := os.Stat(from); err != nil || !info.IsDir() {
		return nil, usage("--pages %s: there is no such folder", from)
	}
	folder := os.DirFS(from)
	return func(_ context.Context, name string) ([]byte, error) { return kept(folder, name) }, nil
}

// kept reads a page from a folder copied from the bucket: scraped_content, its parent
// folder, or a folder with pages only.
func kept(folder fs.FS, name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrNotExist
	}
	for _, at := range []string{name, strings.TrimPrefix(name, "scraped_content/"), path.Base(name)} {
		if data, err := fs.ReadFile(folder, at); err == nil {
			return data, nil
		}
	}
	return nil, fs.ErrNotExist
}

// cloud reads objects of Cloud Storage.
func cloud() opener {
	var a *app.App
	return func(ctx context.Context, uri string) ([]byte, error) {
		if a == nil {
			a = app.New(app.Config{})
		}
		r, _, err := a.OpenObject(ctx, uri)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", uri, err)
		}
		defer r.Close()
		return io.ReadAll(io.LimitReader(r, longestAnswer))
	}
}
