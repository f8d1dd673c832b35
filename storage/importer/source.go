package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// opener opens a file as it is stored and says how many bytes it holds.
type opener func(path string) (io.ReadCloser, int64, error)

// maxWindow is the largest zstd window read: that of zstd --long=31.
const maxWindow = 1 << 31

// source is one file, decompressed. What it is compressed with shows from its first bytes, not from its name.
type source struct {
	file   string
	r      io.Reader
	stored io.Closer
	unzstd *zstd.Decoder // nil unless the file is zstd
	read   atomic.Int64  // bytes of the stored form taken so far
	ctx    context.Context
	limit  int64 // bytes that the load may hold; 0: no limit
}

// window is the largest zstd window to read: an eighth of what the load may hold.
func (s *source) window() uint64 {
	if s.limit <= 0 {
		return maxWindow
	}
	return uint64(min(maxWindow, max(1<<20, s.limit/8)))
}

func (l *loader) openSource(file string) (*source, error) {
	stored, _, err := l.open(file)
	if err != nil {
		return nil, fileError(file, err)
	}
	s := &source{file: file, stored: stored, ctx: l.ctx, limit: l.Memory}
	raw := bufio.NewReaderSize(&counter{stored, &s.read}, 64<<10)
	magic, err := raw.Peek(8)
	if err != nil && err != io.EOF {
		stored.Close()
		return nil, fileError(file, err)
	}
	if s.r, err = s.decompressor(raw, magic); err != nil {
		stored.Close()
		return nil, fileError(file, err)
	}
	return s, nil
}

// unreadable are formats that look like a graph file by name only.
var unreadable = []struct{ magic, what string }{
	{"BZh", "bzip2 data; decompress it first"},
	{"\xfd7zXZ", "xz data; decompress it first"},
	{"PK\x03\x04", "a zip archive; name the archive with the suffix .zip and the member after it (archive.zip/member.csv)"},
	{"PAR1", "a Parquet file; load it as a node or relationship file, under a name that ends in .parquet"},
}

func (s *source) decompressor(raw *bufio.Reader, magic []byte) (io.Reader, error) {
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return gzip.NewReader(raw)
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}), len(magic) >= 4 && magic[0]&0xf0 == 0x50 && bytes.HasPrefix(magic[1:], []byte{0x2a, 0x4d, 0x18}):
		d, err := zstd.NewReader(raw, zstd.WithDecoderMaxWindow(s.window()), zstd.WithDecoderLowmem(s.limit > 0))
		s.unzstd = d
		return d, err
	}
	for _, u := range unreadable {
		if bytes.HasPrefix(magic, []byte(u.magic)) {
			if err := refuseForeign(s.file, nil); err != nil { // a workbook is a zip archive
				return nil, err
			}
			return nil, errors.New("this is " + u.what)
		}
	}
	if looksUTF16(magic) {
		return nil, &Error{File: s.file, Msg: "this is UTF-16 text; convert it to UTF-8", Hint: convertHint("UTF-16", s.file)}
	}
	return raw, nil
}

// looksUTF16 recognises UTF-16 by its byte order mark, or by a NUL byte beside each letter.
func looksUTF16(b []byte) bool {
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return true
	}
	if len(b) < 4 {
		return false
	}
	text := func(b byte) bool { return b >= ' ' && b < 0x7f }
	return text(b[0]) && b[1] == 0 && text(b[2]) && b[3] == 0 || b[0] == 0 && text(b[1]) && b[2] == 0 && text(b[3])
}

// Read reads decompressed bytes, at most a mebibyte at a time, until the load's context ends. Its errors name the file.
func (s *source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.r.Read(p[:min(len(p), 1<<20)])
	if err != nil && err != io.EOF {
		if errors.Is(err, zstd.ErrWindowSizeExceeded) && s.limit > 0 {
			return n, limitError(s.file, 0, s.limit, fmt.Sprintf("to decompress with a window of more than %s", byteSize(int64(s.window()))))
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("the compressed data ends too early: %w", err)
		}
		err = fileError(s.file, err)
	}
	return n, err
}

func (s *source) Close() error {
	if s.unzstd != nil {
		s.unzstd.Close()
	}
	return s.stored.Close()
}

type counter struct {
	r io.Reader
	n *atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// fileError turns an error of the file system or a decompressor into an *Error about the file.
func fileError(file string, err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	msg := err.Error()
	var pe *os.PathError
	if errors.As(err, &pe) {
		msg = fmt.Sprintf("cannot %s: %v", pe.Op, pe.Err)
	}
	return &Error{File: file, Msg: msg, Err: err}
}

// openPath opens a file, or a member of a zip archive written archive.zip/member or archive.zip!member.
func openPath(path string) (io.ReadCloser, int64, error) {
	if archive, member := splitZip(path); archive != "" {
		return openMember(archive, member)
	}
	return openFile(path)
}

func openFile(path string) (io.ReadCloser, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("this is a folder; name the files in it")
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// splitZip finds the archive in a path that leads into or to one; archive is "" for any other path.
func splitZip(path string) (archive, member string) {
	lower := strings.ToLower(path)
	if strings.HasSuffix(lower, ".zip") {
		return path, ""
	}
	if isFile(path) {
		return "", ""
	}
	for i := 0; i < len(path); i++ {
		if !strings.HasPrefix(lower[i:], ".zip") || i+5 >= len(path) || !strings.ContainsRune("/!"+string(filepath.Separator), rune(path[i+4])) {
			continue
		}
		if archive, member = path[:i+4], path[i+5:]; isFile(archive) {
			return archive, filepath.ToSlash(member)
		}
	}
	return "", ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
