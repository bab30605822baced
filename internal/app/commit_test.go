package app

import (
	"runtime/debug"
	"testing"
)

func TestCommitOf(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	for _, test := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "unknown"},
		{&debug.BuildInfo{Settings: []debug.BuildSetting{setting("GOOS", "linux")}}, "unknown"},
		{&debug.BuildInfo{Settings: []debug.BuildSetting{setting("vcs.revision", "0123abc"), setting("vcs.modified", "false")}}, "0123abc"},
		{&debug.BuildInfo{Settings: []debug.BuildSetting{setting("vcs.revision", "0123abc"), setting("vcs.modified", "true")}}, "0123abc+changes"},
	} {
		if got := commitOf(test.info); got != test.want {
			t.Errorf("commitOf(%v) = %q, want %q", test.info, got, test.want)
		}
	}
}
