package main

import (
	"context"
	"os"
	"path/filepath"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/app"
)

// importEyewear brings the frames that are drawn here into the catalogue, with their
// pictures.
func importEyewear(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "whatis-eyewear-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	path, err := samples.WriteEyewear(folder)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	config, err := app.ReadConfig(ctx)
	if err != nil {
		return usageError{err}
	}
	_, err = app.New(config).ImportFile(ctx, app.CatalogFile{Reader: file, Shop: samples.EyewearShop, Folder: filepath.Dir(path)})
	return err
}
