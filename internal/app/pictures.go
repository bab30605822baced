package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
)

const (
	maxPicture  = 30 << 20 // bytes of a picture: package photo refuses larger ones
	maxPictures = 14 << 20 // bytes of the pictures that wait to be embedded, beside the last
	hostTries   = 3
)

// pictures embeds the pictures that an imported file names.
type pictures struct {
	app    *App
	model  *gemini.Client
	name   string         // of the model
	folder string         // of pictures that are named by a path
	away   map[string]int // how many pictures in a row a host has not sent
}

// embed reads pictures and embeds those that are not as before. Its error is an outage, which concerns all of them.
func (p pictures) embed(ctx context.Context, all []*catalog.Picture) error {
	var read []*catalog.Picture
	var parts []gemini.Part
	size := 0
	for i, one := range all {
		part, bytes, err := p.open(ctx, one)
		switch {
		case errors.Is(err, errPicture):
			one.Fault = err
		case err != nil:
			return err
		case bytes > 0:
			read, parts, size = append(read, one), append(parts, part), size+bytes
		}
		if len(parts) == 0 || size < maxPictures && i+1 < len(all) {
			continue
		}
		vectors, err := p.model.Embed(ctx, gemini.EmbedRequest{Model: p.name, Images: parts})
		if err != nil {
			return err
		}
		for i, v := range vectors {
			read[i].Vector = v
		}
		read, parts, size = nil, nil, 0
	}
	return nil
}

// errPicture marks a picture that is missing or invalid, which a retry cannot help.
var errPicture = errors.New("no picture")

// open reads a picture in the form that the model accepts, and tells its size; 0 is that it is as before.
func (p pictures) open(ctx context.Context, one *catalog.Picture) (part gemini.Part, size int, err error) {
	data, err := p.read(ctx, one.URI)
	if err != nil {
		return part, 0, err
	}
	upload := photo.NewUpload(data)
	if upload.SHA256 == one.Hash {
		return part, 0, nil
	}
	ready, err := upload.Prepare(ctx, p.app.memory, photo.Limits{MaxMemory: p.app.memory.MaxWork()})
	var fault *photo.Error
	if errors.As(err, &fault) {
		err = fmt.Errorf("%w: %w", errPicture, err)
	}
	if err != nil {
		return part, 0, err
	}
	one.Hash = upload.SHA256
	return gemini.Blob(ready.SentType, ready.Sent), len(ready.Sent), nil
}

// read returns the bytes of a picture.
func (p pictures) read(ctx context.Context, uri string) ([]byte, error) {
	if catalog.IsWebAddress(uri) {
		return p.download(ctx, uri)
	}
	file, err := p.file(ctx, uri)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxPicture+1))
	if err != nil && !strings.HasPrefix(uri, "gs://") {
		err = fmt.Errorf("%w: %w", errPicture, err)
	}
	if err != nil {
		return nil, fmt.Errorf("app: %s: %w", uri, err)
	}
	return data, nil
}

// download fetches a picture from the web. A host that has not sent several in a row is not asked again by this
// import: each costs the time that it may take.
func (p pictures) download(ctx context.Context, address string) ([]byte, error) {
	host := ""
	if at, err := url.Parse(address); err == nil {
		host = at.Host
	}
	if p.away[host] >= hostTries {
		return nil, fmt.Errorf("%w: %s has not sent the %d before it: the next import tries again", errPicture, host, hostTries)
	}
	web, err := p.app.pictureWeb()
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	err = web.Download(ctx, address, maxPicture, &data)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case fetch.Away(err):
		p.away[host]++
	default:
		p.away[host] = 0
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPicture, err)
	}
	return data.Bytes(), nil
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
