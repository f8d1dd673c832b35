package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shownBlocks are the blocks of code that no test runs, by page and first line.
var shownBlocks = []string{
	// They download modules or other programs' sources, or install something.
	"README.md: git clone https://github.com/motifql/motif && cd motif",
	"docs/getting-started.md: git clone https://github.com/motifql/motif && cd motif",
	"docs/embedding.md: go get github.com/motifql/motif",
	".github/CONTRIBUTING.md: git clone https://github.com/motifql/motif && cd motif",
	// The tests of package examples and of examples/maze run the same: one needs data that is not in the tree.
	"examples/README.md: motif run pole.db pole/08-circles.cypher",
	"examples/maze/README.md: go run ./examples/maze            # writes maze.svg",
	"examples/maze/README.md: CALL algo.shortestPath($from, $to, {label: 'Free', avoid: $taken, direction: 'BOTH'}) YIELD path",
	// They measure for minutes.
	"bench/peers/README.md: ./run.sh DATA peers.csv                                   # all rows",
	"docs/performance.md: motif bench suite                                   # generated graphs only: nothing else is needed",
	"docs/performance.md: motif bench large                                                # scales 20, 21 and 22",
	"docs/performance.md: bench/renew.sh DIR                                  # DIR has the real graphs",
	"docs/performance.md: bench/renew_user.sh DIR",
	// They need a Temporal server. The tests of cmd/motif-cluster run the rest of the page.
	"docs/cluster.md: go build -C cmd/motif-cluster -o ../../bin/motif-cluster .",
	"docs/cluster.md: motif-cluster worker --engine temporal://HOST:7233 --cache /fast/disk",
	"docs/cluster.md: motif-cluster run --engine temporal://HOST:7233 --snapshot s3://bucket/web --blobs s3://bucket/parts -o csv 'MATCH (a)-->(b)-->(c)-->(a) RETURN count(*)'",
	"docs/cluster.md: go build -C cmd/motif-cluster/dev -o ../../../bin/motif-cluster-dev .",
	// They need two hosts, or Kubernetes. A test of cmd/motif-cluster parses the commands.
	"docs/cluster-hosts.md: motif-cluster-dev server --ip 10.0.0.1 --file /var/lib/temporal.db",
	"docs/cluster-hosts.md: motif-cluster worker --engine temporal://10.0.0.1:7233 --role units --cache /var/cache/motif",
	"docs/cluster-hosts.md: motif-cluster snapshot push web.db file:///shared/web",
	"docs/cluster-hosts.md: FROM debian:bookworm-slim",
	"docs/cluster-hosts.md: apiVersion: apps/v1",
	"docs/cluster-hosts.md: apiVersion: batch/v1",
	// They need a GPU, or clang for the emulator.
	"docs/performance-gpu.md: make -C kernels/cuda",
	"docs/gpu.md: make -C kernels/cuda       # bin/motif; needs Linux, Go and gcc",
	"docs/gpu.md: cliques on GPU (upload 137 MB ~21 ms + kernel ~38 ms against CPU ~980 ms with 16 workers)",
	"docs/gpu.md: mkdir /tmp/emulator && kernels/cuda/emulate.sh /tmp/emulator",
	"docs/gpu.md: mkdir /tmp/asan && SANITIZE=-fsanitize=address kernels/cuda/emulate.sh /tmp/asan",
}

// ranBlocks are the languages of blocks that tests run, by page, beside docPages.
var ranBlocks = map[string][]string{
	"docs/language.md":   {"cypher", "", "text", "ebnf"}, // TestLanguageExamples; the last two by package lang
	"docs/procedures.md": {"cypher", "text"},             // by package repl
	"docs/gallery.md":    {"cypher"},                     // TestGallery
	"docs/cluster.md":    {"sh"},                         // by cmd/motif-cluster
}

// TestEveryBlockRuns finds blocks of code that no test runs and that are not in shownBlocks, and entries of shownBlocks without a block.
func TestEveryBlockRuns(t *testing.T) {
	var shown []string
	for _, page := range allPages(t) {
		before := ""
		for _, b := range blocksOf(page, readPage(t, page)) {
			ran := slices.Contains(ranBlocks[page], b.language)
			if slices.Contains(docPages, page) {
				ran = b.file != "" || b.language == "console" || b.language == "cypher" || b.language == "go" ||
					b.language == "text" && (before == "cypher" || before == "go")
			}
			if !ran {
				first, _, _ := strings.Cut(b.code, "\n")
				shown = append(shown, page+": "+first)
				parseCommands(t, b)
			}
			before = b.language
		}
	}
	for _, b := range shown {
		if !slices.Contains(shownBlocks, b) {
			t.Errorf("no test runs this block: %s", b)
		}
	}
	for _, b := range shownBlocks {
		if !slices.Contains(shown, b) {
			t.Errorf("shownBlocks has a block that is gone, or that runs now: %s", b)
		}
	}
}

var (
	shownCommand = regexp.MustCompile(`(?m)^(?:bin/)?motif ([^#\n]*)`)
	argument     = regexp.MustCompile(`'[^']*'|\S+`)
)

// parseCommands parses the command lines of a block that is only shown.
func parseCommands(t *testing.T, b block) {
	for _, m := range shownCommand.FindAllStringSubmatch(b.code, -1) {
		args := argument.FindAllString(m[1], -1)
		for i := range args {
			args[i] = strings.Trim(args[i], "'")
		}
		var c cli
		if _, err := newParser(&c).Parse(args); err != nil {
			t.Errorf("%s:%d: motif %s: %v", b.page, b.line, m[1], err)
		}
	}
}

// allPages returns the Markdown files of the tree.
func allPages(t *testing.T) (pages []string) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if name := d.Name(); d.IsDir() && (name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") && rel != "." && name != ".github") {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			pages = append(pages, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages (%v)", len(pages), err)
	}
	return pages
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
