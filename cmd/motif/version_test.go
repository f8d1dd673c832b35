package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestDescribeBuild(t *testing.T) {
	built := " " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "motif (devel)"},
		{&debug.BuildInfo{}, "motif (devel)"},
		{&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "motif v1.2.3"},
		{&debug.BuildInfo{Settings: []debug.BuildSetting{revision}}, "motif (devel) (commit 0123456789ab)"},
		{&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{revision,
			{Key: "vcs.time", Value: "2026-11-22T03:04:00Z"}, {Key: "vcs.modified", Value: "true"}}},
			"motif (devel) (commit 0123456789ab, 2026-11-22, with changes)"},
		{&debug.BuildInfo{Settings: []debug.BuildSetting{revision, {Key: "vcs.modified", Value: "false"}}}, "motif (devel) (commit 0123456789ab)"},
	} {
		if got := describeBuild(c.info); got != c.want+built {
			t.Errorf("got %q, want %q", got, c.want+built)
		}
	}
}
