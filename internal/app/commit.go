package app

import "runtime/debug"

// commit is set by the linker, for a program that is built outside of its repository, such as
// by Cloud Build: -ldflags=-X=example.com/whatis/internal/app.commit=….
var commit string

// Commit returns the commit that the program was built from, with "+changes" after it if there
// were more changes; "unknown" if neither the linker nor a repository said so.
func Commit() string {
	if commit != "" {
		return commit
	}
	info, _ := debug.ReadBuildInfo()
	return commitOf(info)
}

// commitOf returns the commit of info, which is nil for a program built without modules.
func commitOf(info *debug.BuildInfo) string {
	built, changes := "unknown", ""
	if info == nil {
		return built
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			built = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	return built + changes
}
