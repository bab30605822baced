package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/app"
)

// importing is the -function of a process that imports a catalogue and ends.
const importing = "catalog_import"

// importProducts fills the catalogue before anybody is served, in a process of its
// own, which has the environment of the functions. What is there already stays as
// it is and costs nothing.
func (w *world) importProducts(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "-function", importing)
	cmd.Env, cmd.Stdin, cmd.Stderr = w.forFunctions(), bytes.NewReader(samples.ProductsDB), os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the catalogue could not be imported, and no photo would get a result either: %w", err)
	}
	return nil
}

// importCatalogue is what that process does: it imports what it reads.
func importCatalogue(ctx context.Context) error {
	c, err := app.ReadConfig(ctx)
	if err != nil {
		return err
	}
	_, err = app.New(c).Import(ctx, os.Stdin, nil, nil)
	return err
}
