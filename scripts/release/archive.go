package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path"
	"path/filepath"
	"time"
)

// mode returns the permissions of the file at place i of an archive: the program is first.
func mode(i int) os.FileMode {
	if i == 0 {
		return 0o755
	}
	return 0o644
}

// tarred returns files as a gzipped tar file, in a folder.
func tarred(folder string, files []string, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	compressed := gzip.NewWriter(&b)
	w := tar.NewWriter(compressed)
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		h := &tar.Header{Name: path.Join(folder, filepath.Base(file)), Mode: int64(mode(i)), Size: int64(len(data)), ModTime: at}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
	}
	err := errors.Join(w.Close(), compressed.Close())
	return b.Bytes(), err
}

// zipped returns files as a ZIP file, in a folder.
func zipped(folder string, files []string, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		h := &zip.FileHeader{Name: path.Join(folder, filepath.Base(file)), Method: zip.Deflate, Modified: at}
		h.SetMode(mode(i))
		part, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
