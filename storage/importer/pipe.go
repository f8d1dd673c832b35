package importer

import (
	"io"
	"os"
	"sync"
)

// stdinPath is the path that stands for Spec.Stdin.
const stdinPath = "-"

// pipes opens files for a load. It copies what comes through a pipe, or from Spec.Stdin, to a temporary file while the load
// reads it: a load reads the beginning of a file twice, and some files whole.
type pipes struct {
	stdin io.Reader
	local bool // paths lead to the machine's files
	files opener
	kept  map[string]*pipeCopy
}

// open is an opener. The size of a pipe is not known: -1.
func (p *pipes) open(path string) (io.ReadCloser, int64, error) {
	c := p.kept[path]
	if c == nil {
		from, err := p.pipe(path)
		if err != nil {
			return nil, 0, err
		}
		if from == nil {
			return p.files(path)
		}
		f, err := os.CreateTemp("", "motif-load-*")
		if err != nil {
			from.Close()
			return nil, 0, err
		}
		_ = os.Remove(f.Name()) // close removes it where an open file cannot be removed
		c = &pipeCopy{file: f, from: from}
		p.kept[path] = c
	}
	return &pipeReader{c: c}, -1, nil
}

// pipe opens path if it is a pipe; nil if it is a file or missing.
func (p *pipes) pipe(path string) (io.ReadCloser, error) {
	if path == stdinPath && p.stdin != nil {
		return io.NopCloser(p.stdin), nil
	}
	if !p.local {
		return nil, nil
	}
	if info, err := os.Stat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil, nil
	}
	return os.Open(path)
}

func (p *pipes) close() {
	for _, c := range p.kept {
		c.from.Close()
		c.file.Close()
		_ = os.Remove(c.file.Name())
	}
}

// pipeCopy is what has come through a pipe so far.
type pipeCopy struct {
	mu   sync.Mutex
	file *os.File
	from io.ReadCloser
	size int64
	err  error // of the pipe, once it has ended
}

// pipeReader reads a pipe from its beginning.
type pipeReader struct {
	c  *pipeCopy
	at int64
}

// Read reads the copy, and behind it the pipe.
func (r *pipeReader) Read(p []byte) (n int, err error) {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	if r.at < r.c.size {
		n, err = r.c.file.ReadAt(p[:min(int64(len(p)), r.c.size-r.at)], r.at)
		r.at += int64(n)
		return n, err
	}
	if r.c.err != nil {
		return 0, r.c.err
	}
	n, r.c.err = r.c.from.Read(p)
	if _, err := r.c.file.WriteAt(p[:n], r.c.size); err != nil {
		r.c.err = err
	}
	r.c.size += int64(n)
	r.at += int64(n)
	return n, r.c.err
}

// Close leaves the copy for the next reader.
func (r *pipeReader) Close() error { return nil }

// readSoFar is the progress of a load that has read so many bytes of the file that it reads now.
func readSoFar(l *loader, file string, bytes uint64) Progress {
	p := Progress{Stage: l.stage, File: file, Bytes: l.done + bytes, Total: l.total, Lines: l.report.Lines}
	if l.piped {
		p.Total = 0
	} else {
		p.Bytes = min(p.Bytes, p.Total)
	}
	return p
}
