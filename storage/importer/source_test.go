package importer

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const smallGraph = "1 2\n2 3\n3 1\n"

const smallDump = "(0 {id: 1})\n(1 {id: 2})\n(2 {id: 3})\n(0)-[:EDGE]->(1)\n(0)-[:EDGE]->(2)\n(1)-[:EDGE]->(2)\n"

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func zstandard(text string) string {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		panic(err)
	}
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// windowed compresses text in a frame that declares its whole window, as zstd --long does for a long file.
func windowed(text string, window int) string {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithWindowSize(window))
	if err != nil {
		panic(err)
	}
	io.WriteString(w, text[:4])
	w.Flush()
	io.WriteString(w, text[4:])
	w.Close()
	return b.String()
}

func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func writeZip(t *testing.T, path string, members ...string) string {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for i := 0; i < len(members); i += 2 {
		w, err := z.Create(members[i])
		if err == nil {
			_, err = io.WriteString(w, members[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCompressed(t *testing.T) {
	two := gzipped(smallGraph[:4]) + gzipped(smallGraph[4:])
	frames := "\x50\x2a\x4d\x18\x02\x00\x00\x00hi" + zstandard(smallGraph[:4]) + zstandard(smallGraph[4:])
	for name, text := range map[string]string{
		"a.txt.gz": gzipped(smallGraph), "named wrongly.txt": gzipped(smallGraph), "two members.gz": two,
		"a.txt.zst": zstandard(smallGraph), "two frames.zst": frames, "window.zst": windowed(smallGraph, 1<<28),
		"plain.gz": smallGraph,
	} {
		t.Run(name, func(t *testing.T) {
			checkLoad(t, Spec{Files: []string{name}, FS: memory(map[string]string{name: text})}, smallDump, 0, 0)
		})
	}
}

func TestDamaged(t *testing.T) {
	var long strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&long, "%d %d\n", i, i*i%20011)
	}
	gz, zst := gzipped(long.String()), zstandard(long.String())
	flip := func(s string, i int) string { return s[:i] + string(s[i]^0x55) + s[i+1:] }
	for name, tt := range map[string]struct{ text, want string }{
		"cut gzip":        {gz[:len(gz)/2], "a.txt: the compressed data ends too early: unexpected EOF"},
		"cut zstd":        {zst[:len(zst)/2], "a.txt: the compressed data ends too early: unexpected EOF"},
		"gzip checksum":   {flip(gz, len(gz)-6), "a.txt: gzip: invalid checksum"},
		"zstd checksum":   {flip(zst, len(zst)-2), "a.txt: CRC check failed"},
		"gzip header":     {"\x1f\x8b\x09", "a.txt: unexpected EOF"},
		"an archive":      {"PK\x03\x04....", "a.txt: this is a zip archive; name the archive with the suffix .zip and the member after it (archive.zip/member.csv)"},
		"a Parquet table": {"PAR1....", "a.txt: this is a Parquet file; load it as a node or relationship file, under a name that ends in .parquet"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Load(context.Background(), Spec{Files: []string{"a.txt"}, Format: FormatEdges, FS: memory(map[string]string{"a.txt": tt.text})}, nil)
			var e *Error
			if !errors.As(err, &e) || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestZip(t *testing.T) {
	dir := t.TempDir()
	one := writeZip(t, filepath.Join(dir, "one.zip"), "folder/", "", "folder/g.txt", smallGraph)
	two := writeZip(t, filepath.Join(dir, "two.ZIP"), "a/g.txt", smallGraph, "g.txt.zst", zstandard(smallGraph))
	for _, path := range []string{one, one + "/folder/g.txt", one + "!folder/g.txt", two + "/a/g.txt", two + "!g.txt.zst"} {
		s, r, err := Load(context.Background(), Spec{Files: []string{path}}, nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if got := dump(s); got != smallDump || r.Format != FormatEdges {
			t.Errorf("%s as %s:\n%s", path, r.Format, got)
		}
	}
	for path, want := range map[string]string{
		two:                                      two + ": found no node file (its header has :ID), no relationship file (:START_ID, :END_ID) and not one graph file among 2 files (" + two + "/a/g.txt, " + two + "/g.txt.zst); name what to load: one graph file, or node and relationship files",
		two + "/b.txt":                           two + `/b.txt: the archive has no member "b.txt"; it has a/g.txt, g.txt.zst`,
		dir + "/no.zip/b.txt":                    dir + "/no.zip/b.txt: cannot open: no such file or directory",
		dir:                                      dir + ": found no node file (its header has :ID), no relationship file (:START_ID, :END_ID) and not one graph file among 3 files (" + dir + "/bad.zip, " + one + ", " + two + "); name what to load: one graph file, or node and relationship files",
		writeFile(t, dir+"/bad.zip", smallGraph): dir + "/bad.zip: zip: not a valid zip file",
	} {
		_, _, err := Load(context.Background(), Spec{Files: []string{path}}, nil)
		var e *Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if _, _, err := Load(context.Background(), Spec{Files: []string{dir + "/none"}}, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
}

func TestProgress(t *testing.T) {
	files := map[string]string{"a.txt": strings.Repeat(smallGraph, 10), "b.txt": gzipped(strings.Repeat(smallGraph, 20))}
	l := newLoader(Spec{Files: []string{"a.txt", "b.txt"}}, openIn(memory(files)), nil)
	l.chunk = 16
	var last Progress
	stages := 0
	l.progress = func(p Progress) {
		if p.Bytes < last.Bytes || p.Bytes > p.Total || p.Lines < last.Lines || p.Total != uint64(len(files["a.txt"])+len(files["b.txt"])) {
			t.Errorf("%+v after %+v", p, last)
		}
		if p.Stage != last.Stage {
			stages++
		}
		last = p
	}
	if _, _, err := l.load(context.Background()); err != nil {
		t.Fatal(err)
	}
	if last.Stage != "build" || stages != 2 || last.Lines != 90 || last.Bytes != last.Total {
		t.Errorf("last %+v after %d stages", last, stages)
	}
}

// TestCancel stops loads at many points: each ends with the context's error, and no goroutine stays.
func TestCancel(t *testing.T) {
	before := runtime.NumGoroutine()
	text := strings.Repeat(smallGraph, 200)
	for stop := range 40 {
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		l := newLoader(Spec{Files: []string{"a.txt"}}, openIn(memory(map[string]string{"a.txt": zstandard(text)})), func(Progress) {
			if calls++; calls > stop {
				cancel()
			}
		})
		l.chunk = 32
		if _, _, err := l.load(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped after %d calls: %v", stop, err)
		}
		cancel()
	}
	for wait := 0; runtime.NumGoroutine() > before; wait++ {
		if wait == 100 {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// failing is a file that breaks off with an error of the device.
type failing struct{ io.Reader }

func (failing) Close() error { return nil }

func TestReadError(t *testing.T) {
	broken := errors.New("input/output error")
	open := func(string) (io.ReadCloser, int64, error) {
		return failing{io.MultiReader(strings.NewReader(strings.Repeat(smallGraph, 100000)), iotestErr{broken})}, 1200000, nil
	}
	_, _, err := newLoader(Spec{Files: []string{"a.txt"}}, open, nil).load(context.Background())
	if !errors.Is(err, broken) || err.Error() != "a.txt: input/output error" {
		t.Errorf("got %v", err)
	}
}

type iotestErr struct{ err error }

func (e iotestErr) Read([]byte) (int, error) { return 0, e.err }
