// Package spool keeps lists of 64-bit words in a temporary file: what a load needs and cannot hold in memory.
//
// Each list is written at its end and read from its beginning. Its words lie in pieces of one size, so the place of a list that is
// dropped serves the next one. The file has no name where the system allows that, so a process that dies leaves nothing behind.
package spool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"unsafe"
)

// pieceWords is the length of a piece: 16 KiB. A list holds less than a piece in memory.
const pieceWords = 2048

const pieceBytes = 8 * pieceWords

// Spool is a temporary file of lists. It is safe for concurrent use; a List is not while it is written to.
type Spool struct {
	dir    string
	file   *os.File
	linked bool // the file has a name, which Close removes
	charge func(n int64)

	mu   sync.Mutex
	free []int64 // places of pieces that no list uses
	end  int64
}

// pattern is how the names of temporary files look.
const pattern = "load-*.spool"

// New makes a spool in the folder dir, and removes the files there that ended processes have left. charge, if not nil, learns how many bytes of
// memory lists take, or give back as a negative number.
func New(dir string, charge func(n int64)) (*Spool, error) {
	if left, err := filepath.Glob(filepath.Join(dir, pattern)); err == nil {
		for _, path := range left {
			_ = os.Remove(path) // where an open file has a name, this fails for one in use
		}
	}
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, &Error{fmt.Errorf("making a temporary file for the load: %w", err)}
	}
	if charge == nil {
		charge = func(int64) {}
	}
	return &Spool{dir: dir, file: f, linked: os.Remove(f.Name()) != nil, charge: charge}, nil
}

// Close removes the file. A nil Spool needs none.
func (s *Spool) Close() error {
	if s == nil {
		return nil
	}
	err := s.file.Close()
	if s.linked {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}

// place returns where a piece may be written.
func (s *Spool) place() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		at := s.free[n-1]
		s.free = s.free[:n-1]
		return at
	}
	at := s.end
	s.end += pieceBytes
	return at
}

// fault words an error of the file.
func (s *Spool) fault(doing string, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Error{fmt.Errorf("%s a temporary file of the load, %.1f MiB in the folder %s: %w", doing, float64(s.end)/(1<<20), s.dir, err)}
}

// Error is a failure of the temporary file, such as a full disk.
type Error struct{ error }

// Unwrap returns the error of the system.
func (e *Error) Unwrap() error { return errors.Unwrap(e.error) }

// List is a list of words. The zero List is none; NewList makes one.
type List struct {
	spool  *Spool
	pieces []int64
	tail   []uint64 // behind the pieces
}

// NewList returns an empty list.
func (s *Spool) NewList() *List { return &List{spool: s} }

// Len is the number of words. A nil list has none.
func (l *List) Len() uint64 {
	if l == nil {
		return 0
	}
	return uint64(len(l.pieces))*pieceWords + uint64(len(l.tail))
}

// Append adds words.
func (l *List) Append(words ...uint64) error {
	for len(words) > 0 {
		n := min(len(words), pieceWords-len(l.tail))
		before := cap(l.tail)
		l.tail = append(l.tail, words[:n]...)
		if grown := cap(l.tail) - before; grown > 0 {
			l.spool.charge(8 * int64(grown))
		}
		if words = words[n:]; len(l.tail) == pieceWords {
			if err := l.write(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Put is Append for one word.
func (l *List) Put(word uint64) error {
	if n := len(l.tail); n < cap(l.tail) && n+1 < pieceWords {
		l.tail = append(l.tail, word)
		return nil
	}
	return l.Append(word)
}

// write moves the tail, a whole piece, to the file.
func (l *List) write() error {
	at := l.spool.place()
	l.pieces = append(l.pieces, at)
	if _, err := l.spool.file.WriteAt(bytesOf(l.tail), at); err != nil {
		return l.spool.fault("writing", err)
	}
	l.tail = l.tail[:0]
	return nil
}

// bytesOf is the memory of words. The file is read by the process that wrote it, so the order of bytes does not matter.
func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// Read fills words with those of the list from word at on.
func (l *List) Read(at uint64, words []uint64) error {
	for len(words) > 0 {
		piece, skip := at/pieceWords, at%pieceWords
		n := min(uint64(len(words)), pieceWords-skip)
		if piece < uint64(len(l.pieces)) {
			if _, err := l.spool.file.ReadAt(bytesOf(words[:n]), l.pieces[piece]+8*int64(skip)); err != nil {
				return l.spool.fault("reading", err)
			}
		} else {
			n = uint64(copy(words[:n], l.tail[skip:]))
		}
		words, at = words[n:], at+n
	}
	return nil
}

// Each hands all words in order to fn, in runs of an even number of words that fn must not keep. It ends early with fn's error or ctx's.
func (l *List) Each(ctx context.Context, fn func(words []uint64) error) error {
	room := make([]uint64, pieceWords)
	for at := uint64(0); at < l.Len(); at += pieceWords {
		run := room[:min(pieceWords, l.Len()-at)]
		err := ctx.Err()
		if err == nil {
			err = l.Read(at, run)
		}
		if err == nil {
			err = fn(run)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Drop gives up the words. The list is empty afterwards. A nil list stays nil.
func (l *List) Drop() {
	if l == nil {
		return
	}
	l.spool.charge(-8 * int64(cap(l.tail)))
	l.spool.mu.Lock()
	l.spool.free = append(l.spool.free, l.pieces...)
	l.spool.mu.Unlock()
	l.pieces, l.tail = nil, nil
}
