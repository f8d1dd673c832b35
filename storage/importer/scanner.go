package importer

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// scanner reads a file byte by byte, for formats that cannot be cut at line ends. It keeps the place of the token that it reads,
// and charges the token's text.
type scanner struct {
	l            *loader
	src          *source
	r            *bufio.Reader
	line, column int // of the next byte
	at           [2]int
	token        []byte
	held         int64
	steps        int
}

func newScanner(l *loader) (*scanner, error) {
	src, err := l.openSource(l.Files[0])
	if err != nil {
		return nil, err
	}
	l.report.Files++
	s := &scanner{l: l, src: src, r: bufio.NewReaderSize(src, 64<<10), line: 1, column: 1}
	if mark, err := s.r.Peek(3); err == nil && bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		s.r.Discard(3)
	}
	return s, nil
}

// close ends the reading.
func (s *scanner) close() {
	s.l.take(-s.held)
	s.l.report.Lines += uint64(s.line)
	s.l.done += uint64(s.src.read.Load())
	s.src.Close()
}

// peek returns the next byte; 0 at the end of the file.
func (s *scanner) peek() (byte, error) {
	b, err := s.r.ReadByte()
	if err == io.EOF {
		return 0, nil
	}
	if err == nil {
		err = s.r.UnreadByte()
	}
	if err == nil && b == 0 {
		err = s.errorHere("found a NUL byte, expected text")
	}
	return b, err
}

// skip passes the byte that peek returned.
func (s *scanner) skip() {
	b, _ := s.r.ReadByte()
	s.l.report.Bytes++
	switch {
	case b == '\n':
		s.line, s.column = s.line+1, 1
	case b&0xc0 != 0x80: // no later byte of a character
		s.column++
	}
}

// begin starts a token at the next byte, and now and then shows progress.
func (s *scanner) begin() error {
	s.at, s.token = [2]int{s.line, s.column}, s.token[:0]
	if s.steps++; s.steps%4096 == 0 {
		s.l.progress(readSoFar(s.l, s.src.file, uint64(s.src.read.Load())))
		return s.l.fits(s.src.file, s.line)
	}
	return nil
}

// keep adds a byte to the token.
func (s *scanner) keep(b byte) error {
	if len(s.token) == cap(s.token) {
		grown := int64(2*cap(s.token) + 64)
		s.l.take(grown - s.held)
		s.held = grown
		if err := s.l.fits(s.src.file, s.line); err != nil {
			return err
		}
		s.token = append(make([]byte, 0, grown), s.token...)
	}
	s.token = append(s.token, b)
	return nil
}

// while reads bytes into the token as long as ok says so.
func (s *scanner) while(ok func(byte) bool) error {
	for {
		b, err := s.peek()
		if err != nil || b == 0 || !ok(b) {
			return err
		}
		if err := s.keep(b); err != nil {
			return err
		}
		s.skip()
	}
}

// text is the token, which must be UTF-8.
func (s *scanner) text() (string, error) {
	if !utf8.Valid(s.token) {
		return "", s.errorAtToken("found %s, which is not UTF-8 text; convert the file to UTF-8 first", shown(s.token))
	}
	return string(s.token), nil
}

func (s *scanner) errorHere(format string, args ...any) error {
	return &Error{File: s.src.file, Line: s.line, Column: s.column, Msg: fmt.Sprintf(format, args...)}
}

func (s *scanner) errorAtToken(format string, args ...any) error {
	return &Error{File: s.src.file, Line: s.at[0], Column: s.at[1], Msg: fmt.Sprintf(format, args...)}
}
