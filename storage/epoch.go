//go:build !js

package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/proto"
)

// The blocks of an epoch are a Badger database in a folder of their own. It is written once, as tables that are full and in
// order, and never changed; so Badger has nothing to compact, to log or to remove, and only reads. The tables are
// built by Badger's own builder and written here with plain writes, whose errors reach the caller. What was written is read back
// and compared before HEAD names it.
const (
	tableTarget = 16 << 20 // bytes of a table
	tableLevel  = 6        // Badger's last: tables there do not overlap
	tableStamp  = 1        // the version of every key
)

// epochWriter writes the database of an epoch from values in order of their keys.
type epochWriter struct {
	disk   disk
	folder string
	ctx    context.Context

	pending []storedPart // of the next table
	size    int
	last    []byte
	tables  []tableSum
}

func newEpochWriter(ctx context.Context, d disk, folder string) (*epochWriter, error) {
	if err := removeFolder(d, folder); err != nil { // what a load that failed has left
		return nil, err
	}
	return &epochWriter{disk: d, folder: folder, ctx: ctx}, d.Mkdir(folder)
}

// add takes the next value. The parts of a block stay in one table.
func (w *epochWriter) add(key, value []byte) error {
	if bytes.Compare(key, w.last) <= 0 {
		return fmt.Errorf("key %x follows key %x", key, w.last)
	}
	_, part, _ := splitPart(key)
	if w.size >= tableTarget && part == 0 {
		if err := w.cut(); err != nil {
			return err
		}
	}
	w.last = key
	w.pending = append(w.pending, storedPart{key, value})
	w.size += len(key) + len(value)
	return nil
}

// restart begins a new table, whose keys all come before those of the tables so far.
func (w *epochWriter) restart() error {
	w.last = nil
	return w.cut()
}

// cut writes what is pending as a table.
func (w *epochWriter) cut() error {
	if len(w.pending) == 0 {
		return nil
	}
	builder := table.NewTableBuilder(table.Options{TableSize: uint64(w.size + w.size/8), BlockSize: 4 << 10, Compression: options.None})
	defer builder.Close()
	for _, p := range w.pending {
		builder.Add(y.KeyWithTs(p.key, tableStamp), y.ValueStruct{Value: p.value}, 0)
	}
	data := builder.Finish()
	w.tables = append(w.tables, tableSum{int64(len(data)), crc32.Checksum(data, castagnoli)})
	w.pending, w.size = w.pending[:0], 0
	return w.write(table.NewFilename(uint64(len(w.tables)), w.folder), data)
}

// writeStep is how much is written between two looks at the context.
const writeStep = 1 << 20

func (w *epochWriter) write(path string, data []byte) error {
	f, err := w.disk.Create(path)
	if err != nil {
		return err
	}
	for at := 0; at < len(data) && err == nil; at += writeStep {
		if err = w.ctx.Err(); err == nil {
			_, err = f.WriteAt(data[at:min(at+writeStep, len(data))], int64(at))
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		f.Forget()
	}
	return errors.Join(err, f.Close())
}

// finish writes what is left, makes all of it durable, and reads it back.
func (w *epochWriter) finish() error {
	if err := w.cut(); err != nil {
		return err
	}
	if err := writeFile(w.disk, filepath.Join(w.folder, badger.ManifestFilename), databaseManifest(len(w.tables))); err != nil {
		return err
	}
	if err := w.disk.SyncDir(w.folder); err != nil {
		return err
	}
	for i, t := range w.tables {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		path := table.NewFilename(uint64(i+1), w.folder)
		if err := compareFile(w.disk, path, t); err != nil {
			return fmt.Errorf("reading back %s: %w", filepath.Base(path), err)
		}
	}
	return nil
}

// databaseManifest is the MANIFEST of a Badger database of n tables: magic, and one set of changes after its length and checksum.
func databaseManifest(n int) []byte {
	set := new(pb.ManifestChangeSet)
	for i := range n {
		set.Changes = append(set.Changes, &pb.ManifestChange{Id: uint64(i + 1), Op: pb.ManifestChange_CREATE, Level: tableLevel})
	}
	changes, err := proto.Marshal(set)
	if err != nil {
		panic(err) // the set has nothing that could fail
	}
	dst := binary.BigEndian.AppendUint16([]byte("Bdgr"), externalMagic)
	dst = binary.BigEndian.AppendUint16(dst, badgerVersion)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(changes)))
	dst = binary.BigEndian.AppendUint32(dst, crc32.Checksum(changes, castagnoli))
	return append(dst, changes...)
}

// compareFile sees that a file holds what was written to it.
func compareFile(d disk, path string, want tableSum) (err error) {
	f, err := d.Open(path, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := f.Size()
	if err != nil {
		return err
	}
	if size != want.size {
		return fmt.Errorf("%w: %d bytes instead of %d", errTruncated, size, want.size)
	}
	sum := uint32(0)
	buf := make([]byte, min(size, writeStep))
	for at := int64(0); at < size; at += int64(len(buf)) {
		part := buf[:min(int64(len(buf)), size-at)]
		if _, err := f.ReadAt(part, at); err != nil {
			return err
		}
		sum = crc32.Update(sum, castagnoli, part)
	}
	if sum != want.sum {
		return errChecksum
	}
	return nil
}

// readEpoch maps the tables of a head's epoch, when all its files are found to be sound, and calls fn with their blocks. fn must not keep
// a value.
func (s *Store) readEpoch(h *head, fn func(from blockSource) error) error {
	folder := filepath.Join(s.dir, epochFolder(h.epoch))
	if err := s.checkEpochFiles(folder, h); err != nil {
		return err
	}
	var tables epochTables
	err := catchFault(func() (err error) {
		if tables, err = openTables(folder, len(h.tables)); err != nil {
			return wrap(s.dir, "reading "+epochFolder(h.epoch), err)
		}
		blocks, err := tables.blocks()
		if err != nil {
			return wrap(s.dir, "reading "+epochFolder(h.epoch), err)
		}
		return fn(blocks)
	})
	return errors.Join(err, wrap(s.dir, "closing "+epochFolder(h.epoch), tables.close()))
}

// checkEpochFiles compares the files of an epoch with what HEAD says of them. Badger trusts them, and would remove those that its
// MANIFEST does not name.
func (s *Store) checkEpochFiles(folder string, h *head) error {
	entries, err := s.disk.ReadDir(folder)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return corrupt(s.dir, "the folder "+filepath.Base(folder)+" is missing", nil)
		}
		return wrap(s.dir, "listing "+filepath.Base(folder), err)
	}
	for _, e := range entries {
		id, ok := table.ParseFileID(e.Name())
		if e.Name() != badger.ManifestFilename && (!ok || id == 0 || id > uint64(len(h.tables))) {
			return corrupt(s.dir, fmt.Sprintf("the file %s in %s does not belong there", e.Name(), filepath.Base(folder)), nil)
		}
	}
	at := filepath.Join(folder, badger.ManifestFilename)
	switch manifest, err := s.disk.ReadFile(at); {
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return wrap(s.dir, "reading "+at, err)
	case err != nil || !bytes.Equal(manifest, databaseManifest(len(h.tables))):
		return corrupt(s.dir, "the file MANIFEST in "+filepath.Base(folder), err)
	}
	var group errgroup.Group
	group.SetLimit(s.opt.Workers)
	for i, t := range h.tables {
		group.Go(func() error { return s.checkEpochTable(table.NewFilename(uint64(i+1), folder), t) })
	}
	return group.Wait()
}

// checkEpochTable verifies a table, and says of a damaged one which block is concerned as far as that can be told.
func (s *Store) checkEpochTable(path string, want tableSum) error {
	err := compareFile(s.disk, path, want)
	name := filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrNotExist):
		return corrupt(s.dir, "the file "+name+" is missing", nil)
	case !errors.Is(err, errTruncated) && !errors.Is(err, errChecksum):
		return wrap(s.dir, "reading "+name, err)
	}
	if where, inner := checkTableFile(path); where != "" {
		return corrupt(s.dir, where+" in file "+name, inner)
	}
	return corrupt(s.dir, "file "+name, err)
}
