package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/motifql/motif/cmd/motif-cluster/storetest"
)

// fence matches a block of shell commands, with the name of a file if it is one.
var fence = regexp.MustCompile("(?ms)^```sh(?: (\\S+))?\n(.*?)^```$")

// sbatch stands for Slurm's command: it runs the tasks of an array one after the other.
const sbatch = `#!/bin/sh
last=${2#--array=0-}
for i in $(seq 0 "$last"); do SLURM_ARRAY_TASK_ID=$i sh -e "$3" || exit 1; done
`

// TestDocs runs the commands of docs/cluster.md in order, with a stand-in for Slurm.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	at, dir := newStore(t), t.TempDir()
	files := map[string]string{"bin/motif-cluster": "#!/bin/sh\nexec \"$SELF\" \"$@\"\n", "bin/sbatch": sbatch}
	script := "set -e\n"
	for _, block := range fence.FindAllStringSubmatch(string(page), -1) {
		if name := block[1]; name != "" {
			files[name] = block[2]
		} else {
			script += block[2]
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "web.db"), os.DirFS(at)); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c := command(t, t.TempDir(), "sh", "-c", script)
	c.Dir = dir
	c.Env = append(c.Env, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := storetest.Answer(t, at, "MATCH (a)-->(b)-->(c)-->(a) RETURN count(*) AS n", nil)
	if n := strings.Count(string(out), want); n != 2 {
		t.Errorf("the answer came %d times, want it from xargs and from Slurm:\n%s\nwant\n%s", n, out, want)
	}
}
