package importer

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// endless is a file that repeats a text, with a head, until n bytes are read; n 0: for ever.
type endless struct {
	head, text string
	n, at      int64
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		switch {
		case e.n > 0 && e.at == e.n:
			return i, io.EOF
		case e.at < int64(len(e.head)):
			p[i] = e.head[e.at]
		default:
			p[i] = e.text[(e.at-int64(len(e.head)))%int64(len(e.text))]
		}
		e.at++
	}
	return len(p), nil
}

// opens is an opener of one made-up file, afresh each time.
func opens(head, text string, n int64) opener {
	return func(string) (io.ReadCloser, int64, error) {
		return io.NopCloser(&endless{head: head, text: text, n: n}), n, nil
	}
}

// numbered writes n lines by a format with their number.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

const tinyLimit = 4 << 20

// hostile are files that ask for far more memory than tinyLimit, or never end.
var hostile = map[string]struct {
	file       string
	head, text string
	n          int64
	nodes      bool // a node file
	line       bool // the error has to name a line
}{
	"edges without end":            {file: "a.txt", text: "1 2\n", line: true},
	"text ids without end":         {file: "a.txt", text: "one two\n", line: true},
	"a line without end":           {file: "a.txt", head: "1 2\n", text: "x", line: true},
	"zeros":                        {file: "a.txt", text: "\x00"},
	"a quoted field without end":   {file: "a.csv", head: "a,b\n1,\"", text: "x,\n", line: true},
	"columns without end":          {file: "a.csv", head: "id:ID", text: ",a", nodes: true, line: true},
	"empty columns without end":    {file: "a.csv", head: "1,2\n", text: ",", line: true},
	"200,000 columns":              {file: "a.csv", head: "id:ID" + numbered(200_000, ",a%d:int") + "\n", text: "1" + strings.Repeat(",1", 200_000) + "\n", n: 4 << 20, nodes: true, line: true},
	"texts of nodes without end":   {file: "a.csv", head: "name,other\n", text: "someone,else\n", nodes: true, line: true},
	"words without end":            {file: "a.graph-txt", head: "100\n", text: "1 ", line: true},
	"neighbours without end":       {file: "a.metis", head: "100 100\n", text: "1 ", line: true},
	"nodes of METIS":               {file: "a.metis", head: "4000000000 0\n", text: "\n", n: 12 + 8<<20, line: true},
	"t/v/e without end":            {file: "a.graph", head: "t 1 1\nv 0 0 0\nv 1 0 0\n", text: "e 0 1\n", line: true},
	"JSON lists without end":       {file: "a.jsonl", head: `{"type":"node","id":1,"labels":[`, text: `[],`, line: true},
	"JSON text without end":        {file: "a.jsonl", head: `{"type":"node","id":1,"labels":["`, text: `x`, line: true},
	"JSON depth without end":       {file: "a.jsonl", head: `{"type":"node","id":1,"properties":`, text: `[`, line: true},
	"JSON keys without end":        {file: "a.jsonl", head: `{"type":"node","id":1`, text: `,"a":1`, line: true},
	"labels":                       {file: "a.jsonl", head: numbered(100_000, `{"type":"node","id":%d,"labels":["L%[1]d"]}`+"\n"), text: " ", n: 0, line: true},
	"relationships without a node": {file: "a.jsonl", text: `{"type":"relationship","label":"R","start":1,"end":2}` + "\n", line: true},
	"an XML text without end":      {file: "a.graphml", head: `<graphml><graph><node id="1"><data key="labels">`, text: "x", line: true},
	"an XML attribute without end": {file: "a.graphml", head: `<graphml><graph><node id="`, text: "x", line: true},
	"XML attributes without end":   {file: "a.graphml", head: `<graphml><graph><node`, text: ` a="1"`, line: true},
	"an XML name without end":      {file: "a.graphml", head: `<graphml><graph><`, text: `x`, line: true},
	"an XML comment without end":   {file: "a.graphml", head: `<graphml><!--`, text: `x`, line: true},
	"XML depth without end":        {file: "a.graphml", head: `<graphml><desc>`, text: `<a>`, line: true},
	"XML edges without end":        {file: "a.graphml", head: `<graphml><graph>`, text: `<edge source="a" target="b"/>`, line: true},
	"entries without end":          {file: "a.mtx", head: "%%MatrixMarket matrix coordinate pattern general\n9 9 1\n", text: "1 2\n", line: true},
	"nodes of a matrix":            {file: "a.mtx", head: "%%MatrixMarket matrix coordinate pattern general\n4000000000 4000000000 0\n", text: "\n", n: 100},
	"a GML text without end":       {file: "a.gml", head: `graph [ node [ id "`, text: "x", line: true},
	"GML attributes without end":   {file: "a.gml", head: `graph [ node [ id 1 `, text: `x "y" `, line: true},
	"GML depth without end":        {file: "a.gml", text: `x [ `, line: true},
	"GML nodes without end":        {file: "a.gml", head: `graph [ node [ id 1 ]`, text: ` edge [ source 1 target 1 ]`, line: true},
	"GEXF edges without end":       {file: "a.gexf", head: `<gexf>`, text: `<edge source="a" target="b"/>`, line: true},
	"vertices of Pajek":            {file: "a.net", head: "*Vertices 4000000000\n", text: "\n", n: 100},
	"arcs without end":             {file: "a.net", head: "*Vertices 9\n*Arcs\n", text: "1 2\n", line: true},
	"TGF without end":              {file: "a.tgf", head: "1\n#\n", text: "1 1 label\n", line: true},
	"a JSON graph without end":     {file: "a.json", head: `{"nodes": [`, text: `{},`},
	"DOT edges without end":        {file: "a.dot", head: "graph {", text: "a -- b;", line: true},
	"DOT subgraphs without end":    {file: "a.dot", head: "graph {", text: "{", line: true},
	"a DOT text without end":       {file: "a.dot", head: "graph { \"", text: "x", line: true},
	"DOT products":                 {file: "a.dot", head: "graph { {" + numbered(3000, "a%d;") + "} -- {" + numbered(3000, "b%d;") + "} }", text: " ", line: true},
	"a DOT comment without end":    {file: "a.dot", head: "graph { /* ", text: "x", n: 1 << 20, line: true},
	"a Parquet file without end":   {file: "a.parquet", text: "PAR1", nodes: true},
}

func hostileSpec(file string, nodes bool, limit int64) Spec {
	spec := Spec{Files: []string{file}, Workers: 2, Memory: limit}
	if nodes {
		spec.Files, spec.Nodes = nil, []NodeFile{{Paths: []string{file}}}
	}
	return spec
}

// TestLoadMemory loads hostile files under a small limit: each ends by an error that names file and line.
func TestLoadMemory(t *testing.T) {
	for name, test := range hostile {
		t.Run(name, func(t *testing.T) {
			l := newLoader(hostileSpec(test.file, test.nodes, tinyLimit), opens(test.head, test.text, test.n), nil)
			_, _, err := l.load(t.Context())
			var e *Error
			if !errors.As(err, &e) || e.File != test.file || (e.Line > 0) != test.line {
				t.Fatalf("%v, want an error about %s, with a line: %t", err, test.file, test.line)
			}
			if l.mem.Peak() > 2*tinyLimit {
				t.Errorf("%d bytes were charged under a limit of %d", l.mem.Peak(), tinyLimit)
			}
		})
	}
}

// TestLoadMemoryCancel interrupts the loads of hostile files, without a limit.
func TestLoadMemoryCancel(t *testing.T) {
	for name, test := range hostile {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			open := opens(test.head, test.text, 0)
			done := make(chan error, 1)
			go func() {
				_, _, err := abandonable(ctx, nil, func(progress func(Progress)) (*csr.Snapshot, *Report, error) {
					l := newLoader(hostileSpec(test.file, test.nodes, 1<<30), open, progress)
					l.ctx = ctx
					return l.load(ctx)
				})
				done <- err
			}()
			time.Sleep(20 * time.Millisecond)
			stop()
			select {
			case <-done:
			case <-time.After(10 * time.Second): // the aim is 0.3 s; a loaded machine may be slow
				t.Fatal("the load goes on")
			}
		})
	}
}

// TestLoadMemoryEnough sees that a limit well above the need changes nothing.
func TestLoadMemoryEnough(t *testing.T) {
	files := map[string]string{
		"a.txt":     numbered(2000, "%d 1\n"),
		"b.txt":     "a b\nb c\n",
		"a.csv":     "s,t\n" + numbered(2000, "%d,7\n"),
		"a.graph":   "t 2 1\nv 0 0 1\nv 1 0 1\ne 0 1\n",
		"a.jsonl":   numbered(2000, `{"type":"node","id":%d,"labels":["L"],"properties":{"name":"x"}}`+"\n"),
		"a.metis":   "2 1\n2\n1\n",
		"a.graphml": `<graphml><graph><node id="1"/><node id="2"/><edge source="1" target="2"/></graph></graphml>`,
	}
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		plain, _, err := Load(t.Context(), Spec{Files: []string{path}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		limited, _, err := Load(t.Context(), Spec{Files: []string{path}, Memory: 64 << 20}, nil)
		if err != nil || limited.N() != plain.N() || limited.M() != plain.M() {
			t.Errorf("%s: with a limit %v, %v", name, limited, err)
		}
	}
}

// TestLoadMemoryUnpacked loads small compressed files that unpack to far more than the limit.
func TestLoadMemoryUnpacked(t *testing.T) {
	dir := t.TempDir()
	body := bytes.Repeat([]byte("1 2\n"), 16<<20)
	write := func(name string, pack func(w io.Writer) io.Writer) string {
		var b bytes.Buffer
		w := pack(&b)
		if _, err := w.Write(body); err != nil {
			t.Fatal(err)
		}
		if c, ok := w.(io.Closer); ok {
			c.Close()
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gz := write("bomb.txt.gz", func(w io.Writer) io.Writer { return gzip.NewWriter(w) })
	var z *zip.Writer
	zipped := write("bomb.zip", func(w io.Writer) io.Writer {
		z = zip.NewWriter(w)
		f, err := z.Create("bomb.txt")
		if err != nil {
			t.Fatal(err)
		}
		return struct {
			io.Writer
			io.Closer
		}{f, z}
	})
	for _, path := range []string{gz, zipped} {
		_, _, err := Load(t.Context(), Spec{Files: []string{path}, Memory: 16 << 20}, nil)
		var e *Error
		if !errors.Is(err, pattern.ErrMemory) || !errors.As(err, &e) || e.Line == 0 {
			t.Errorf("%s: %v, want an error of memory with a line", filepath.Base(path), err)
		}
	}
}

// TestManyMembers loads an archive of many node files, whose directory is read once.
func TestManyMembers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "many.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	const n = 3000
	for i := range n {
		w, err := z.Create(fmt.Sprintf("n%d.csv", i))
		if err == nil {
			_, err = fmt.Fprintf(w, ":ID,name\n%d,x\n", i)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	s, _, err := Load(t.Context(), Spec{Files: []string{path}, Memory: 64 << 20}, nil)
	if err != nil || s.N() != n {
		t.Errorf("%v nodes, %v; want %d", s, err, n)
	}
}
