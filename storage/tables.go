//go:build !js

package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/proto"
)

// checkTables verifies the checksums of table files in dir, those that Badger's MANIFEST names, in parallel. Badger itself
// trusts the structure of a table and ends the process over a damaged one, in a goroutine that nobody can recover; so
// every open looks first. It reads at the speed of CRC32C what is about to be read anyway.
func checkTables(dir string, ids []uint64, workers int) error {
	var group errgroup.Group
	group.SetLimit(workers)
	var mu sync.Mutex
	var first *Error
	damaged := 0
	for _, id := range ids {
		path := table.NewFilename(id, dir)
		group.Go(func() error {
			where, err := checkTableFile(path)
			if err == nil {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			if errors.Is(err, fs.ErrNotExist) {
				where, err = "a table", errors.New("the file is missing")
			}
			if where == "" {
				return wrap(dir, "reading "+filepath.Base(path), err)
			}
			if damaged++; first == nil {
				first = corrupt(dir, where+" in file "+filepath.Base(path), err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil || damaged == 0 {
		return err
	}
	if damaged > 1 {
		first.What += fmt.Sprintf(", and %d more files", damaged-1)
	}
	return first
}

// checkTableFile verifies the table in a file. where is empty if the file could not be read.
func checkTableFile(path string) (where string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	return checkTable(f, info.Size())
}

// checkTable verifies one table. A table is blocks, each with entries, entry offsets, their number, a checksum and
// the checksum's length; then the index; then the index's length, checksum and the checksum's length. Of a
// damaged one, where says which key is concerned as far as that can be told; it is empty if r fails.
func checkTable(r io.ReaderAt, size int64) (where string, err error) {
	defer func() {
		if r := recover(); r != nil { // flatbuffers trusts what it reads
			where, err = "the index", fmt.Errorf("malformed: %v", r)
		}
	}()
	raw, blocksEnd, err := readIndex(r, size)
	if errors.Is(err, errTruncated) || errors.Is(err, errChecksum) {
		return "the index", err
	}
	if err != nil {
		return "", err
	}
	index := fb.GetRootAsTableIndex(raw, 0)
	var block fb.BlockOffset
	var buf []byte
	for i := range index.OffsetsLength() {
		if !index.Offsets(&block, i) {
			return "the index", errTruncated
		}
		key := new(names).describe(y.ParseKey(block.KeyBytes()))
		lo, n := int64(block.Offset()), int64(block.Len())
		if lo+n > blocksEnd {
			return key, errTruncated
		}
		buf = slices.Grow(buf[:0], int(n))[:n]
		if _, err := r.ReadAt(buf, lo); err != nil {
			return "", err
		}
		if err := checkTableBlock(buf); err != nil {
			return key, err
		}
	}
	return "", nil
}

// readIndex reads and verifies the index of a table of some size, and says where the blocks before it end.
func readIndex(r io.ReaderAt, size int64) (raw []byte, blocksEnd int64, err error) {
	tail := make([]byte, min(size, 512)) // the checksum takes some twenty bytes
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil {
		return nil, 0, err
	}
	rest, sum, err := cutChecksum(tail)
	if err != nil {
		return nil, 0, err
	}
	if len(rest) < 4 {
		return nil, 0, errTruncated
	}
	n := int64(binary.BigEndian.Uint32(rest[len(rest)-4:]))
	blocksEnd = size - int64(len(tail)) + int64(len(rest)) - 4 - n
	if blocksEnd < 0 {
		return nil, 0, errTruncated
	}
	raw = make([]byte, n)
	if _, err := r.ReadAt(raw, blocksEnd); err != nil {
		return nil, 0, err
	}
	if err := y.VerifyChecksum(raw, sum); err != nil {
		return nil, 0, errChecksum
	}
	return raw, blocksEnd, nil
}

// checkTableBlock verifies one block of a table: its checksum covers all but itself.
func checkTableBlock(data []byte) error {
	body, sum, err := cutChecksum(data)
	if err != nil {
		return err
	}
	if err := y.VerifyChecksum(body, sum); err != nil {
		return errChecksum
	}
	if len(body) < 4 || uint64(binary.BigEndian.Uint32(body[len(body)-4:]))*4+4 > uint64(len(body)) {
		return errTruncated
	}
	return nil
}

// cutChecksum cuts a checksum and its length off the end of data.
func cutChecksum(data []byte) (body []byte, sum *pb.Checksum, err error) {
	if len(data) < 4 {
		return nil, nil, errTruncated
	}
	body = data[:len(data)-4]
	size := uint64(binary.BigEndian.Uint32(data[len(body):]))
	if size > uint64(len(body)) {
		return nil, nil, errTruncated
	}
	cut := uint64(len(body)) - size
	sum = new(pb.Checksum)
	if err := proto.Unmarshal(body[cut:], sum); err != nil {
		return nil, nil, errChecksum
	}
	if sum.Algo != pb.Checksum_CRC32C && sum.Algo != pb.Checksum_XXHash64 {
		return nil, nil, errChecksum
	}
	return body[:cut], sum, nil
}
