package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	imaging "example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/barcode"
	"example.com/whatis/internal/photo/phash"
	"example.com/whatis/internal/usererror"
)

// inspectCommand prints what can be read from photos without a model.
type inspectCommand struct {
	Paths []string `arg:"" name:"path" help:"Photos, and folders of photos; - for a photo on standard input."`
	Jobs  int      `default:"2" placeholder:"N" help:"How many photos are read at a time (${default}); a large one takes about 400 MB."`
}

// Help returns the help text of whatisit inspect, without its flags.
func (inspectCommand) Help() string {
	return `It uses no service, network, model or key. A folder stands for the same photos as with whatisit analyze. Each photo is a line of JSON on standard output, in the order of the photos: file, sha256, mime_type, width and height (upright), phash (how it looks: copies differ in 10 bits or less, other photos in 12 or more), gtins (GTIN-14), gs1 (what QR Codes and DataMatrix say) and codes (where each stands, in thousandths: top, left, bottom, right). A photo that cannot be decoded here, as HEIC, has a note instead of phash, gtins and codes; a file that is no photo has an error.

    whatisit inspect photos/ | jq -r 'select(.gtins[0]) | [.file, .gtins[]] | @tsv'

Exit codes: 0 every file is a photo; 1 some file is not a photo, or is broken; 2 wrong usage; 130 after Ctrl-C.`
}

// An inspection is an output line of inspect.
type inspection struct {
	File     string     `json:"file"`
	SHA256   string     `json:"sha256,omitempty"`
	PHash    string     `json:"phash,omitempty"`
	MIMEType string     `json:"mime_type,omitempty"`
	Width    int        `json:"width,omitempty"`
	Height   int        `json:"height,omitempty"`
	GTINs    []string   `json:"gtins"` // GTIN-14, each once
	GS1      []elements `json:"gs1,omitempty"`
	Codes    []symbol   `json:"codes,omitempty"`
	Note     string     `json:"note,omitempty"`  // why pixels were not decoded
	Error    string     `json:"error,omitempty"` // why it is not a photo
}

// A symbol is one code and its position.
type symbol struct {
	GTIN      string `json:"gtin,omitempty"`
	Symbology string `json:"symbology"`
	Text      string `json:"text"`
	Box       [4]int `json:"box"` // top, left, bottom, right in thousandths
}

// An elements is the GS1 data of a two-dimensional symbol.
type elements struct {
	GTIN       string `json:"gtin,omitempty"`
	Lot        string `json:"lot,omitempty"`
	Serial     string `json:"serial,omitempty"`
	Production string `json:"production,omitempty"` // ISO 8601, 2026-12 where no day is named
	BestBefore string `json:"best_before,omitempty"`
	UseBy      string `json:"use_by,omitempty"`
}

// files returns the photos that the command line names.
func (i *inspectCommand) files(c *console) ([]photo, error) {
	if i.Jobs < 1 || i.Jobs > maxJobs {
		return nil, usage("--jobs is %d: want 1 to %d", i.Jobs, maxJobs)
	}
	photos, _, err := photosAt(c.in, i.Paths)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(photos, photo.inBucket); at >= 0 {
		return nil, usage("%s: inspect reads local files only: copy it first", photos[at].name)
	}
	return photos, nil
}

// Run inspects the photos.
func (i *inspectCommand) Run(ctx context.Context, c *console) error {
	photos, err := i.files(c)
	if err != nil {
		return err
	}
	lines := &ordered{print: c.line}
	var broken atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(i.Jobs)
	for at, p := range photos {
		group.Go(func() error {
			found := inspect(ctx, p)
			if err := ctx.Err(); err != nil {
				return err
			}
			if found.Error != "" {
				broken.Add(1)
			}
			return lines.add(at, found)
		})
	}
	switch err := group.Wait(); {
	case errors.Is(err, context.Canceled):
		return errInterrupted
	case err != nil:
		return err
	case broken.Load() > 0:
		c.say("%d of %d files are not photos, or cannot be read", broken.Load(), len(photos))
		return errPrinted
	}
	return nil
}

// inspect reads one photo. Its result is invalid once ctx has ended.
func inspect(ctx context.Context, p photo) inspection {
	found := inspection{File: p.name, GTINs: []string{}}
	if ctx.Err() != nil {
		return found
	}
	data, err := p.read()
	if err != nil {
		found.Error = usererror.Text(err)
		return found
	}
	sum := sha256.Sum256(data)
	found.SHA256 = hex.EncodeToString(sum[:])
	ready, err := imaging.Prepare(data, imaging.Limits{})
	if err != nil {
		found.Error = usererror.Text(err)
		return found
	}
	found.MIMEType, found.Width, found.Height = ready.MIMEType, ready.Width, ready.Height
	img, err := ready.Pixels(imaging.Limits{})
	var fault *imaging.Error
	switch {
	case errors.As(err, &fault) && fault.Code == imaging.UnsupportedFormat:
		found.Note = usererror.Text(err)
	case err != nil:
		found.Error = usererror.Text(err)
	default:
		found.PHash = phash.Of(img).String()
		found.take(barcode.Read(ctx, img), time.Now())
	}
	return found
}

// take records codes. The time now decides the century of their dates.
func (i *inspection) take(codes []barcode.Code, now time.Time) {
	for _, c := range codes {
		if c.GTIN != "" && !slices.Contains(i.GTINs, c.GTIN) {
			i.GTINs = append(i.GTINs, c.GTIN)
		}
		i.Codes = append(i.Codes, symbol{GTIN: c.GTIN, Symbology: c.Symbology, Text: c.Text, Box: c.Box})
		if e := c.GS1; e != nil {
			i.GS1 = append(i.GS1, elements{
				GTIN: e.GTIN, Lot: e.Lot, Serial: e.Serial,
				Production: e.Production.ISO(now.Year()), BestBefore: e.BestBefore.ISO(now.Year()), UseBy: e.UseBy.ISO(now.Year()),
			})
		}
	}
}

// An ordered prints lines in order: each as soon as it and all lines before it are done.
type ordered struct {
	print func(any) error

	mu      sync.Mutex
	waiting map[int]any
	next    int
}

// add prints the line with this number, from 0, or keeps it until its turn.
func (o *ordered) add(number int, line any) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting == nil {
		o.waiting = map[int]any{}
	}
	o.waiting[number] = line
	for {
		line, ok := o.waiting[o.next]
		if !ok {
			return nil
		}
		delete(o.waiting, o.next)
		o.next++
		if err := o.print(line); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
	}
}
