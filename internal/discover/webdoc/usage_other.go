//go:build !linux

package webdoc

// usage is not known here: pages are bounded by time alone.
func (*child) usage() usage { return usage{} }
