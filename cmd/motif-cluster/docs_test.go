package main

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

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

// TestHosts parses the command lines of docs/cluster-hosts.md, those in YAML too.
func TestHosts(t *testing.T) {
	page, err := os.ReadFile("../../docs/cluster-hosts.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]int{}
	parse := func(args []string) {
		c, err := newParser(t.Context(), &cli{}).Parse(args)
		if err != nil {
			t.Errorf("%q: %v", args, err)
			return
		}
		commands[c.Command()]++
	}
	for _, block := range regexp.MustCompile("(?ms)^```(yaml)?\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		if block[1] == "yaml" {
			for objects := yaml.NewDecoder(strings.NewReader(block[2])); ; {
				var object yaml.Node
				if err := objects.Decode(&object); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%v in\n%s", err, block[2])
				}
				eachCommand(&object, parse)
			}
			continue
		}
		for line := range strings.Lines(block[2]) {
			if args, ok := strings.CutPrefix(line, "motif-cluster "); ok {
				parse(words(args))
			}
		}
	}
	want := map[string]int{"worker": 4, "snapshot push <db> <url>": 1, "run <query>": 1, "unit run <spec> <unit>": 1}
	if !maps.Equal(commands, want) {
		t.Errorf("commands %v, want %v", commands, want)
	}
}

// eachCommand passes what containers run: their arguments, or a line of a shell.
func eachCommand(n *yaml.Node, parse func(args []string)) {
	for i, child := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 {
			eachCommand(child, parse)
			continue
		}
		var list []string
		if child.Value == "args" || child.Value == "command" {
			if err := n.Content[i+1].Decode(&list); err != nil {
				parse([]string{err.Error()})
			}
		}
		switch {
		case child.Value == "args":
			parse(list)
		case child.Value == "command":
			parse(words(strings.TrimPrefix(list[len(list)-1], "motif-cluster ")))
		}
	}
}

// words splits a line as a shell does, with single quotes only.
func words(line string) (list []string) {
	for i, part := range strings.Split(strings.TrimSpace(line), "'") {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}
