package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/whatis/emulators/ollama"
)

// An ollamaFlag is -ollama or -ollama=URL.
type ollamaFlag struct {
	set bool
	url string
}

// String returns the address.
func (f *ollamaFlag) String() string { return f.url }

// Set takes true for the flag without a value.
func (f *ollamaFlag) Set(s string) error {
	f.set, f.url = s != "false", s
	if s == "true" || s == "false" {
		f.url = ""
	}
	return nil
}

// IsBoolFlag makes the value optional.
func (f *ollamaFlag) IsBoolFlag() bool { return true }

// hostAndPort is an address without a scheme, which no photo's name is.
var hostAndPort = regexp.MustCompile(`^[A-Za-z0-9.-]+:[0-9]+$`)

// withAddress returns args with the address after -ollama joined to it, as package flag
// takes no optional value that stands apart.
func withAddress(args []string) []string {
	i := slices.IndexFunc(args, func(arg string) bool { return arg == "-ollama" || arg == "--ollama" })
	if i < 0 || i+1 == len(args) || !strings.Contains(args[i+1], "://") && !hostAndPort.MatchString(args[i+1]) {
		return args
	}
	return slices.Concat(args[:i], []string{args[i] + "=" + args[i+1]}, args[i+2:])
}

// findLocal opens the models of -ollama. What is missing is wrong usage: the error says
// how to get it.
func (w *world) findLocal(ctx context.Context, o options) error {
	o.local.URL = o.ollama.url
	m, err := ollama.Open(ctx, o.local)
	if err != nil {
		return usageError{err}
	}
	w.ollama = m
	return nil
}

// modelNames returns the variables that name the emulated or local models.
func (w *world) modelNames() []string {
	if w.ollama == nil {
		return emulatedModels
	}
	return w.ollama.Settings()
}

func (w *world) localBanner() string {
	return fmt.Sprintf(`LOCAL MODEL: %v, on this machine. It may be slow, and is
wrong more often than Google's: do not take its answers for the service's.

`, w.ollama)
}
