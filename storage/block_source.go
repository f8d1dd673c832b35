package storage

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
)

// blockSource is where the blocks of an epoch are read from: a database, or a backup in memory.
type blockSource interface {
	// keys hands all keys with a prefix to fn in order, with the lengths of their values. fn must not keep a key.
	keys(prefix []byte, fn func(key []byte, size uint64))
	// reader is for one goroutine, until done is called.
	reader() (read readValue, done func())
}

// readValue hands the value under a key to fn, which must not keep it.
type readValue func(key []byte, fn func(value []byte) error) error

var errNoKey = errors.New("key not found")

// memoryBlocks are blocks in memory, in order of their keys.
type memoryBlocks []storedPart

// newMemoryBlocks sorts values; a key that stands there twice is an error.
func newMemoryBlocks(values []storedPart) (memoryBlocks, error) {
	slices.SortFunc(values, func(a, b storedPart) int { return bytes.Compare(a.key, b.key) })
	for i := 1; i < len(values); i++ {
		if bytes.Equal(values[i-1].key, values[i].key) {
			return nil, fmt.Errorf("%s is there twice", new(names).describe(values[i].key))
		}
	}
	return values, nil
}

func (b memoryBlocks) find(key []byte) (int, bool) {
	return slices.BinarySearchFunc(b, key, func(p storedPart, key []byte) int { return bytes.Compare(p.key, key) })
}

func (b memoryBlocks) keys(prefix []byte, fn func(key []byte, size uint64)) {
	at, _ := b.find(prefix)
	for ; at < len(b) && bytes.HasPrefix(b[at].key, prefix); at++ {
		fn(b[at].key, uint64(len(b[at].value)))
	}
}

func (b memoryBlocks) reader() (read readValue, done func()) {
	return func(key []byte, fn func(value []byte) error) error {
		at, there := b.find(key)
		if !there {
			return errNoKey
		}
		return fn(b[at].value)
	}, func() {}
}

// catchFault turns a fault of mapped memory in fn into an error. A file that gets shorter while it is read, or a disk that
// fails, would otherwise end the process.
func catchFault(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface {
			error
			Addr() uintptr
		}:
			err = &Error{Reason: ErrIO, What: "a file of the store could not be read", Do: "see whether the disk works", Err: r}
		default:
			panic(r)
		}
	}()
	return fn()
}
