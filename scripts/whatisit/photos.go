package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	pictures "example.com/whatis/internal/photo"
)

// A photo is a file, or an object in a bucket.
type photo struct {
	name string  // as it was named: a path or gs://bucket/object; standardInput
	more []photo // further photos of the same product, with --as-one
	data []byte  // of standardInput, which can be read once
}

// standardInput names a photo that comes from standard input.
const standardInput = "-"

// inBucket reports whether p is an object that the service reads from its bucket.
func (p photo) inBucket() bool { return strings.HasPrefix(p.name, "gs://") }

// asOne returns photos as one, of one product. Files are sent as a form, which keeps their
// names, and objects by their addresses, so that they do not mix.
func asOne(photos []photo) ([]photo, error) {
	for _, p := range photos {
		if p.inBucket() != photos[0].inBucket() {
			return nil, usage("--as-one takes files, or objects in buckets, and not both: %s, %s", photos[0].name, p.name)
		}
	}
	if len(photos) > intake.MaxGroup {
		return nil, usage("--as-one takes %d photos at most, and these are %d", intake.MaxGroup, len(photos))
	}
	one := photos[0]
	one.more = photos[1:]
	return []photo{one}, nil
}

// split returns args without a final count, and the count, 0 if there is none. A whole
// number is a count unless a file has that name.
func split(args []string) (paths []string, count int, err error) {
	last := args[len(args)-1]
	if !wholeNumber(last) || exists(last) {
		return args, 0, nil
	}
	count, err = strconv.Atoi(last)
	switch {
	case err != nil || count < 1:
		return nil, 0, usage("COUNT is %s: want how many photos, 1 or more", last)
	case len(args) == 1:
		return nil, 0, usage("%s is a count: name the photos or the folder before it", last)
	}
	return args[:len(args)-1], count, nil
}

func wholeNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// photosAt returns the photos that paths name, those of a folder sorted by name, and
// whether paths name a single photo. It checks that each file can be read. Subfolders
// are skipped. standardInput is read from in.
func photosAt(in io.Reader, paths []string) (photos []photo, single bool, err error) {
	single = len(paths) == 1
	for i, path := range paths {
		if path == standardInput {
			if slices.Contains(paths[:i], path) {
				return nil, false, usage("%s stands for standard input, which holds one photo: name it once", path)
			}
			data, err := io.ReadAll(io.LimitReader(in, maxPhoto+1))
			if err != nil {
				return nil, false, fmt.Errorf("standard input: %w", err)
			}
			photos = append(photos, photo{name: path, data: data})
			continue
		}
		if strings.HasPrefix(path, "gs://") {
			if err := object(path); err != nil {
				return nil, false, err
			}
			photos = append(photos, photo{name: path})
			continue
		}
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, false, usage("%s: there is no such file or folder", path)
		case err != nil:
			return nil, false, usage("%s", err)
		case !info.IsDir():
			photos = append(photos, photo{name: path})
			continue
		}
		single = false
		if photos, err = appendFolder(photos, path); err != nil {
			return nil, false, err
		}
	}
	return photos, single, readable(photos)
}

// object refuses a URI that does not name a single object.
func object(uri string) error {
	at, err := blob.ParseURI(uri)
	if err != nil || at.Name == "" || strings.HasSuffix(at.Name, "/") {
		return usage("%s: want gs://bucket/photo.jpg; for all photos of a bucket or folder there is whatisit batch", uri)
	}
	return nil
}

func appendFolder(photos []photo, folder string) ([]photo, error) {
	entries, err := os.ReadDir(folder) // sorted by name
	if err != nil {
		return nil, usage("%s", err)
	}
	before := len(photos)
	for _, e := range entries {
		if pictures.Named(e.Name()) && !isFolder(folder, e) {
			photos = append(photos, photo{name: filepath.Join(folder, e.Name())})
		}
	}
	if len(photos) == before {
		return nil, usage("%s: there are no photos in this folder (%s)", folder, strings.Join(pictures.Extensions, " "))
	}
	return photos, nil
}

// isFolder follows links. A broken link counts as a photo, and then is an error as it
// cannot be read.
func isFolder(folder string, e fs.DirEntry) bool {
	info, err := os.Stat(filepath.Join(folder, e.Name()))
	return err == nil && info.IsDir()
}

// readable refuses photos that cannot be opened, before any costs money.
func readable(photos []photo) error {
	for _, p := range photos {
		if p.inBucket() || p.name == standardInput {
			continue
		}
		info, err := os.Stat(p.name)
		if err == nil && !info.Mode().IsRegular() {
			return usage("%s is not a regular file", p.name)
		}
		f, err := os.Open(p.name)
		if err != nil {
			return usage("%s", err)
		}
		f.Close()
	}
	return nil
}

// sample returns n of photos, or all if there are fewer: the first ones or, if draw is
// set, a random sample with that seed. Their order is kept.
func sample(photos []photo, n int, draw *uint64) []photo {
	if n >= len(photos) {
		return photos
	}
	if draw == nil {
		return photos[:n]
	}
	chosen := rand.New(rand.NewPCG(*draw, 0)).Perm(len(photos))[:n]
	slices.Sort(chosen)
	drawn := make([]photo, n)
	for i, at := range chosen {
		drawn[i] = photos[at]
	}
	return drawn
}
