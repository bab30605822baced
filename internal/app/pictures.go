package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
)

// picturesAtOnce bounds the pictures in memory.
const picturesAtOnce = 50

// pictures embeds the pictures that an imported file names.
type pictures struct {
	app    *App
	model  *gemini.Client
	name   string // of the model
	folder string // of pictures that are named by a path
}

// embed returns for each picture its vector or its fault. err is an outage, which concerns
// all of them.
func (p pictures) embed(ctx context.Context, uris []string) (vectors [][]float32, faults []error, err error) {
	for some := range slices.Chunk(uris, picturesAtOnce) {
		v, wrong, err := p.embedSome(ctx, some)
		if err != nil {
			return nil, nil, err
		}
		vectors, faults = append(vectors, v...), append(faults, wrong...)
	}
	return vectors, faults, nil
}

func (p pictures) embedSome(ctx context.Context, uris []string) ([][]float32, []error, error) {
	vectors, faults := make([][]float32, len(uris)), make([]error, len(uris))
	var parts []gemini.Part
	var places []int
	for i, uri := range uris {
		part, err := p.open(ctx, uri)
		switch {
		case err == nil:
			parts, places = append(parts, part), append(places, i)
		case errors.Is(err, errPicture):
			faults[i] = err
		default:
			return nil, nil, err
		}
	}
	if len(parts) == 0 {
		return vectors, faults, nil
	}
	embedded, err := p.model.Embed(ctx, gemini.EmbedRequest{Model: p.name, Images: parts})
	if err != nil {
		return nil, nil, err
	}
	for i, place := range places {
		vectors[place] = embedded[i]
	}
	return vectors, faults, nil
}

// errPicture marks a picture that is missing or invalid, which a retry cannot help.
var errPicture = errors.New("no picture")

// open reads a picture in the form that the model accepts.
func (p pictures) open(ctx context.Context, uri string) (gemini.Part, error) {
	file, err := p.file(ctx, uri)
	if err != nil {
		return gemini.Part{}, err
	}
	defer file.Close()
	limits := photo.Limits{MaxMemory: p.app.memory.MaxWork()}
	data, err := io.ReadAll(io.LimitReader(file, 30<<20+1)) // package photo refuses larger ones
	if err != nil && !strings.HasPrefix(uri, "gs://") {
		err = fmt.Errorf("%w: %w", errPicture, err)
	}
	if err != nil {
		return gemini.Part{}, fmt.Errorf("app: %s: %w", uri, err)
	}
	ready, err := photo.NewUpload(data).Prepare(ctx, p.app.memory, limits)
	var fault *photo.Error
	if errors.As(err, &fault) {
		err = fmt.Errorf("%w: %w", errPicture, err)
	}
	if err != nil {
		return gemini.Part{}, err
	}
	return gemini.Blob(ready.SentType, ready.Sent), nil
}

// file opens a picture: an object in one of the buckets for pictures, or a file inside the folder.
func (p pictures) file(ctx context.Context, uri string) (io.ReadCloser, error) {
	if strings.HasPrefix(uri, "gs://") {
		if at, err := parseObject(uri); err == nil && !slices.Contains(p.app.Config.Catalog.PictureBuckets, at.Bucket) {
			return nil, fmt.Errorf("%w: the bucket %.222s is none of PICTURE_BUCKETS: add it there, if its pictures may be shown", errPicture, at.Bucket)
		}
		file, _, err := p.app.OpenObject(ctx, uri)
		if errors.Is(err, blob.ErrURI) || errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrEncoding) {
			err = fmt.Errorf("%w: %w", errPicture, err)
		}
		return file, err
	}
	if p.folder == "" {
		return nil, fmt.Errorf("%w: want gs://bucket/object, or a path beside a file that is imported from a folder", errPicture)
	}
	file, err := os.OpenInRoot(p.folder, filepath.FromSlash(uri))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPicture, err)
	}
	return file, nil
}
