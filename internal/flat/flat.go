// Package flat keeps sections of a graph in one file that is mapped instead of read.
//
// A Writer takes named sections of bytes in, such as the targets of a relationship type. Open maps the file that comes out, and Array gives a
// section as a slice of numbers: the pages of the file themselves, which all processes share.
//
// The caller names the owner of a file: what it is derived from. Open refuses the file for another owner. Sections are read only, and
// sorted by nothing but the order in which they were written.
//
// Opening reads the index and nothing else, so its time does not depend on the length of the sections. The first use of a section compares its
// checksums, block by block on several cores; later uses are free. So damage is found before anybody sees the section. Memory is
// what has been touched, and the system takes it back when it needs it. Checksums are CRC32C, as elsewhere in a store: SHA-256 took about 25
// times as long, and the first row of an answer waits for them. The index has a SHA-256.
//
// It never says what a section means, and never changes a file: a new one replaces it.
package flat

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// The file, all numbers little-endian:
//
//	header    64 bytes: magic, version and place of the index, and its hash
//	sections  each from a multiple of align on
//	index     owner, number of sections; for each section name, tag, place, length and the checksums of its blocks
const (
	magic     = "motifflt"
	version   = 3 // 1 had rows as plain arrays, by source alone; 2 had degrees in the blocks of rows
	headerLen = 64
	align     = 64

	// BlockLen is how many bytes one checksum covers, but in the last block of a section.
	BlockLen = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Owner says what a file is derived from.
type Owner [sha256.Size]byte

// ErrOther is the error of Open for a file of another owner.
var ErrOther = errors.New("the flat file belongs to another graph")

// section is what the index holds of a section.
type section struct {
	tag        byte
	at, length uint64
	sums       []byte // of its blocks
}

// blocks is the number of blocks of a section.
func blocks(length uint64) uint64 { return (length + BlockLen - 1) / BlockLen }

// header is the contents of the first headerLen bytes.
func header(at uint64, index []byte) []byte {
	sum := sha256.Sum256(index)
	dst := append(make([]byte, 0, headerLen), magic...)
	dst = binary.LittleEndian.AppendUint64(dst, version)
	dst = binary.LittleEndian.AppendUint64(dst, at)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(index)))
	return append(dst, sum[:]...)
}

// readIndex reads the header and the index of a file of some size, and checks both.
func readIndex(from io.ReaderAt, size int64) ([]byte, error) {
	head := make([]byte, headerLen)
	if _, err := from.ReadAt(head, 0); err != nil {
		return nil, err
	}
	if string(head[:len(magic)]) != magic || binary.LittleEndian.Uint64(head[8:]) != version {
		return nil, errors.New("it does not begin like one")
	}
	at, length := binary.LittleEndian.Uint64(head[16:]), binary.LittleEndian.Uint64(head[24:])
	if at > uint64(size) || length != uint64(size)-at {
		return nil, errors.New("its length is wrong")
	}
	index := make([]byte, length)
	if _, err := from.ReadAt(index, int64(at)); err != nil {
		return nil, err
	}
	if !bytes.Equal(header(at, index), head) {
		return nil, errors.New("the hash of its index differs")
	}
	return index, nil
}

// parse takes an index apart. Sections lie before end.
func parse(index []byte, owner Owner, end uint64) (map[string]*section, error) {
	r := reader{b: index}
	if !bytes.Equal(r.take(uint64(len(owner))), owner[:]) {
		return nil, ErrOther
	}
	n := r.uvarint()
	if n > uint64(len(index)) {
		return nil, errIndex
	}
	sections := make(map[string]*section, n)
	for range n {
		name := r.take(r.uvarint())
		s := &section{tag: r.byte(), at: r.uvarint(), length: r.uvarint()}
		s.sums = r.take(crc32.Size * min(blocks(s.length), math.MaxInt64/crc32.Size))
		if r.failed || s.at%align != 0 || s.at > end || s.length > end-s.at || sections[string(name)] != nil {
			return nil, errIndex
		}
		sections[string(name)] = s
	}
	if r.failed || len(r.b) > 0 {
		return nil, errIndex
	}
	return sections, nil
}

var errIndex = errors.New("its index is malformed")

// reader reads an index from its front.
type reader struct {
	b      []byte
	failed bool
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.b, r.failed = nil, true
		return nil
	}
	head := r.b[:n]
	r.b = r.b[n:]
	return head
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	x, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.b, r.failed = nil, true
		return 0
	}
	r.b = r.b[n:]
	return x
}

// Writer writes a file. After an error nothing else of it is of use.
type Writer struct {
	to    io.WriterAt
	at    uint64 // first free byte
	count uint64
	owner Owner
	index []byte         // entries so far
	last  *SectionWriter // a section that still grows; nil: none does
}

// NewWriter writes to an empty file.
func NewWriter(to io.WriterAt, owner Owner) *Writer {
	return &Writer{to: to, at: headerLen, owner: owner}
}

// SectionWriter takes the bytes of one section, in order.
type SectionWriter struct {
	w       *Writer
	name    string
	section section
	pending []byte // of the block that is not full
	written uint64 // bytes handed to the file
	grows   bool
}

// Section reserves room for a section of some length. Several may be written at once by one goroutine.
func (w *Writer) Section(name string, tag byte, length uint64) *SectionWriter {
	s := &SectionWriter{w: w, name: name, section: section{tag: tag, at: (w.at + align - 1) / align * align, length: length}}
	w.at = s.section.at + length
	return s
}

// Growing begins a section whose length shows when it is closed. Until then no other section can begin.
func (w *Writer) Growing(name string, tag byte) *SectionWriter {
	s := w.Section(name, tag, math.MaxInt64)
	w.at, s.grows, w.last = s.section.at, true, s
	return s
}

// Write adds bytes to the section.
func (s *SectionWriter) Write(p []byte) (int, error) {
	n := len(p)
	if last := s.w.last; last != nil && s.section.at >= last.section.at && s != last {
		return 0, fmt.Errorf("section %q begins before section %q ends", s.name, last.name)
	}
	if uint64(n) > s.section.length-s.written-uint64(len(s.pending)) {
		return 0, fmt.Errorf("section %q is longer than %d bytes", s.name, s.section.length)
	}
	for len(p) > 0 {
		part := p[:min(len(p), BlockLen-len(s.pending))]
		s.pending, p = append(s.pending, part...), p[len(part):]
		if len(s.pending) == BlockLen {
			if err := s.flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

func (s *SectionWriter) flush() error {
	s.section.sums = binary.LittleEndian.AppendUint32(s.section.sums, crc32.Checksum(s.pending, castagnoli))
	_, err := s.w.to.WriteAt(s.pending, int64(s.section.at+s.written))
	s.written += uint64(len(s.pending))
	s.pending = s.pending[:0]
	return err
}

// Close ends the section.
func (s *SectionWriter) Close() error {
	if len(s.pending) > 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	w := s.w
	if s.grows {
		s.section.length = s.written
		w.at, w.last = s.section.at+s.written, nil
	}
	if s.written != s.section.length {
		return fmt.Errorf("section %q has %d of %d bytes", s.name, s.written, s.section.length)
	}
	w.count++
	w.index = binary.AppendUvarint(w.index, uint64(len(s.name)))
	w.index = append(append(w.index, s.name...), s.section.tag)
	w.index = binary.AppendUvarint(binary.AppendUvarint(w.index, s.section.at), s.section.length)
	w.index = append(w.index, s.section.sums...)
	return nil
}

// Add writes a whole section.
func (w *Writer) Add(name string, tag byte, contents []byte) error {
	s := w.Section(name, tag, uint64(len(contents)))
	if _, err := s.Write(contents); err != nil {
		return err
	}
	return s.Close()
}

// Finish writes the index and, last, the header. The caller makes the file durable.
func (w *Writer) Finish() error {
	index := binary.AppendUvarint(w.owner[:len(w.owner):len(w.owner)], w.count)
	index = append(index, w.index...)
	if _, err := w.to.WriteAt(index, int64(w.at)); err != nil {
		return err
	}
	_, err := w.to.WriteAt(header(w.at, index), 0)
	return err
}
