package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCommand struct{}

// Run prints the version, commit, Go version and platform.
func (versionCommand) Run(c *console) error {
	if c.json {
		return c.line(map[string]string{"version": version()})
	}
	_, err := fmt.Fprintln(c.out, version())
	return err
}

// version returns the line of this binary.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(info)
}

// versionOf formats info, which is nil for a binary built without modules.
func versionOf(info *debug.BuildInfo) string {
	var version, commit, modified string
	if info != nil {
		version = info.Main.Version
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = " (modified)"
			}
		}
	}
	return fmt.Sprintf("whatisit %s, commit %s%s, %s %s/%s",
		cmp.Or(version, "(devel)"), cmp.Or(commit, "unknown"), modified, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
