package main

import "testing"

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{"snapshot", "fetch", t.TempDir()}, 0},
		{[]string{"snapshot", "fetch", "no such folder"}, exitFailed},
		{[]string{"snapshot", "fetch", "ftp://host/graph"}, exitFailed},
		{[]string{"snapshot", "fetch"}, exitUsage},
		{[]string{"fly"}, exitUsage},
	} {
		if got := run(c.args); got != c.want {
			t.Errorf("motif-cluster %q: exit status %d, want %d", c.args, got, c.want)
		}
	}
}
