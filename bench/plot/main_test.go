package main

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sample = `row,group,workers,status,edges,best_s,peak_bytes,reference,reference_s,kuzu_s,kuzu_stopped
growth/house-14,growth,1,ok,1000,0.01,2000000,,,,false
growth/house-16,growth,1,ok,4000,0.04,5000000,,,,false
growth/house-16,growth,2,ok,4000,0.03,5000000,,,,false
growth/house-18,growth,1,stopped,16000,0,0,,,,false
kron16/cycle4,labelled,1,ok,4000,0.1,5000000,,1.79,60,true
kron16/k4,kernels,1,ok,4000,2.1,5000000,kClist,1.5,,false
`

// The pictures come out, and differ: each has something else on it.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "s.csv")
	if err := os.WriteFile(file, []byte(sample), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(file, filepath.Join(dir, "img")); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, name := range []string{"growth-time.png", "growth-memory.png", "ratios.png"} {
		text, err := os.ReadFile(filepath.Join(dir, "img", name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(strings.NewReader(string(text))); err != nil || seen[string(text)] {
			t.Errorf("%s: %v, seen before: %v", name, err, seen[string(text)])
		}
		seen[string(text)] = true
	}
}

const largeSample = `row,scale,edges,workers,status,seconds,cpu_s,anonymous_bytes,file_bytes,peak_bytes,anonymous_bytes_an_edge,disk_bytes,answer,note
large/load-14,14,1000,0,ok,1,1,2000000,1,1,2000,1,,
large/load-16,16,4000,0,ok,4,4,9000000,1,1,2250,1,,
large/clique4-14,14,1000,0,ok,0.1,0.1,1000000,1,1,1000,,7,
large/clique4-16,16,4000,0,failed,9,9,1000000,1,1,1000,,,more than 9s
`

// Large graphs have pictures of their own, without the steps that failed.
func TestLarge(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "l.csv")
	if err := os.WriteFile(file, []byte(largeSample), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(file, dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"large-time.png", "large-memory.png"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(strings.NewReader(string(text))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	table, err := readTable(strings.NewReader(largeSample))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readLarge(table)
	if err != nil || len(rows) != 3 || rows[1].seconds != 4 || rows[1].peak != 9e6 || series(rows[2].name) != "4-clique" {
		t.Errorf("%v, %+v", err, rows)
	}
}

func readText(text string) ([]row, error) {
	t, err := readTable(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return read(t)
}

func TestRead(t *testing.T) {
	rows, err := readText(sample)
	if err != nil || len(rows) != 5 || rows[4].code != "kClist" || rows[3].kuzu != 60 || !rows[3].stopped || rows[4].stopped || series(rows[0].name) != "house, 5 labels" {
		t.Errorf("%v, %+v", err, rows)
	}
	for _, text := range []string{"", "row,group\n", strings.Replace(sample, "0.01", "soon", 1)} {
		if _, err := readText(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestTicks(t *testing.T) {
	for x, want := range map[float64]string{0.0005: "500 µs", 0.05: "50 ms", 2: "2 s"} {
		if got := seconds(x); got != want {
			t.Errorf("%v: %s", x, got)
		}
	}
	labels := 0
	for _, tick := range logTicks(plain).Ticks(900, 21000) {
		if tick.Label != "" {
			labels++
		}
	}
	if labels != 5 || plain(2000) != "2k" || bytes(5e7) != "50 MB" {
		t.Errorf("%d labels, %s, %s", labels, plain(2000), bytes(5e7))
	}
}

// Every picture of a GPU comes out, from rows made up; those that there are no rows for are left out.
func TestGPU(t *testing.T) {
	dir := t.TempDir()
	if err := run(filepath.Join("testdata", "gpu.csv"), dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gpu-scale.png", "gpu-ablation.png", "gpu-bfs.png", "gpu-cores.png", "gpu-queries.png", "gpu-deal.png", "gpu-lanes.png", "gpu-lambda.png"} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
	}
	all, err := os.ReadFile(filepath.Join("testdata", "gpu.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(all), "\n")
	table, err := readTable(strings.NewReader(lines[0] + lines[1]))
	if err != nil {
		t.Fatal(err)
	}
	list, err := readGPU(table)
	if err != nil || len(list) != 1 || list[0].part != "cliques" || list[0].call != 0.003 || list[0].cpu != 0.04 || list[0].workers != 16 {
		t.Errorf("%v, %+v", err, list)
	}
	if table, err = readTable(strings.NewReader(lines[0] + strings.Replace(lines[1], "3.0000", "soon", 1))); err != nil {
		t.Fatal(err)
	}
	if _, err := readGPU(table); err == nil || !strings.Contains(err.Error(), "line 2, call_ms") {
		t.Error(err)
	}
	if err := drawGPU(nil, dir); err != nil {
		t.Error(err)
	}
}
