package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

type versionCmd struct{}

// Run prints what --version prints.
func (versionCmd) Run() error {
	_, err := fmt.Println(version())
	return err
}

// version describes the running binary on one line.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return describeBuild(info)
}

// describeBuild names the module's version, the commit of a build from a checkout, the toolchain and the platform.
// A nil info, which a binary without modules has, counts as a development build.
func describeBuild(info *debug.BuildInfo) string {
	release := "(devel)"
	commit := make(map[string]string)
	if info != nil {
		release = cmp.Or(info.Main.Version, release)
		for _, s := range info.Settings {
			commit[s.Key] = s.Value
		}
	}
	line := "motif " + release
	if revision := commit["vcs.revision"]; revision != "" {
		about := []string{"commit " + revision[:min(12, len(revision))]}
		if day, _, ok := strings.Cut(commit["vcs.time"], "T"); ok {
			about = append(about, day)
		}
		if commit["vcs.modified"] == "true" {
			about = append(about, "with changes")
		}
		line += " (" + strings.Join(about, ", ") + ")"
	}
	return fmt.Sprintf("%s %s %s/%s", line, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
