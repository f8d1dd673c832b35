//go:build !js

package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/dgraph-io/ristretto/v2/z"
)

// manifest is what Badger's MANIFEST says, beside the tables that are there.
type manifest struct {
	named   []uint64 // in rising order
	unnamed []uint64 // on disk, but not named: Badger removes them on every open, even a read-only one
	missing bool     // some of named are not on disk
	cut     bool     // the file ends within a record
}

// odd reports whether the MANIFEST does not match the tables. A killed process may leave that: it made a table and died
// before naming it, or it named the successors of a table and died before removing it.
func (m *manifest) odd() bool { return m.cut || len(m.unnamed) > 0 }

// readManifest changes nothing. Without a MANIFEST the result is empty.
func readManifest(dir string, opt badger.Options) (*manifest, error) {
	m := new(manifest)
	f, err := os.Open(filepath.Join(dir, markName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, wrap(dir, "reading MANIFEST", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, wrap(dir, "reading MANIFEST", err)
	}
	content, end, err := badger.ReplayManifestFile(f, externalMagic, opt)
	if err != nil {
		return nil, corrupt(dir, "the file MANIFEST", err)
	}
	m.cut = end != info.Size()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, wrap(dir, "listing the directory", err)
	}
	there := make(map[uint64]bool)
	for _, e := range entries {
		if id, ok := table.ParseFileID(e.Name()); ok {
			there[id] = true
			if _, ok := content.Tables[id]; !ok {
				m.unnamed = append(m.unnamed, id)
			}
		}
	}
	for id := range content.Tables {
		m.named = append(m.named, id)
		m.missing = m.missing || !there[id]
	}
	slices.Sort(m.named)
	return m, nil
}

// checkManifest returns an error unless all of the live graph is in tables that the MANIFEST names. Badger takes a MANIFEST
// that is cut short for a shorter one, and removes all other tables. If the MANIFEST matches the tables, nothing is wrong.
// The files of a killed process do not match, but they pass: a graph is published when its blocks stand in named tables, and
// they stay named until the next graph is published. The named tables have to be sound.
func checkManifest(dir string, m *manifest) error {
	if !m.odd() {
		return nil
	}
	damaged := func(how string) error { return corrupt(dir, "the file MANIFEST is cut short: "+how, nil) }
	if m.missing {
		return damaged("it names tables that are gone")
	}
	live, err := readHeadFile(dir)
	if err != nil {
		return err
	}
	if live == nil {
		live = new(head)
	}
	live, loose, err := newestHead(dir, m, live)
	if err != nil {
		return err
	}
	if err := checkNamedLog(dir, m, live.epoch); err != nil {
		return err
	}
	if live.epoch == 0 {
		return nil // nothing was ever published
	}
	if loose && !unclean(dir) { // else it is in a log still
		return damaged("it does not name the table that says which graph is live")
	}
	bytes, err := namedBytes(dir, m, live.epoch)
	if err != nil {
		return err
	}
	if bytes != live.bytes {
		return damaged(fmt.Sprintf("the tables that it names hold %d of the %d bytes of the graph", bytes, live.bytes))
	}
	return nil
}

// newestHead returns the newest of live and the heads in tables. loose says that it stands in a table alone that the
// MANIFEST does not name.
func newestHead(dir string, m *manifest, live *head) (newest *head, loose bool, err error) {
	newest = live
	for i, id := range slices.Concat(m.named, m.unnamed) {
		if i >= len(m.named) {
			if where, err := checkTableFile(table.NewFilename(id, dir)); where != "" || err != nil {
				continue // half written
			}
		}
		err := scanTable(dir, id, headKey(), func(key, value []byte) {
			payload, _, err := unseal(key, value)
			if err != nil {
				return
			}
			if h, err := decodeHead(payload); err == nil && h.epoch > newest.epoch {
				newest, loose = h, i >= len(m.named)
			}
		})
		if err != nil {
			return nil, false, err
		}
	}
	return newest, loose, nil
}

// namedBytes sums the keys and values of an epoch in the tables that the MANIFEST names.
func namedBytes(dir string, m *manifest, epoch uint64) (bytes uint64, err error) {
	seen := make(map[string]bool)
	for _, id := range m.named {
		for _, prefix := range epochPrefixes(epoch) {
			err := scanTable(dir, id, prefix, func(key, value []byte) {
				if !seen[string(key)] {
					seen[string(key)] = true
					bytes += uint64(len(key) + len(value))
				}
			})
			if err != nil {
				return 0, err
			}
		}
	}
	return bytes, nil
}

// scanTable calls fn with every key of a prefix in a table that is sound.
func scanTable(dir string, id uint64, prefix []byte, fn func(key, value []byte)) (err error) {
	path := table.NewFilename(id, dir)
	defer func() {
		if r := recover(); r != nil { // Badger trusts what it reads
			err = corrupt(dir, "file "+filepath.Base(path), fmt.Errorf("malformed: %v", r))
		}
	}()
	f, err := z.OpenMmapFile(path, os.O_RDONLY, 0)
	if err != nil {
		return wrap(dir, "reading "+filepath.Base(path), err)
	}
	t, err := table.OpenTable(f, table.Options{ReadOnly: true})
	if err != nil {
		return wrap(dir, "reading "+filepath.Base(path), err)
	}
	defer t.Close(-1) // and not DecrRef, which removes the file
	it := t.NewIterator(0)
	defer it.Close()
	for it.Seek(y.KeyWithTs(prefix, math.MaxUint64)); it.Valid(); it.Next() {
		key := y.ParseKey(it.Key())
		if len(key) < len(prefix) || string(key[:len(prefix)]) != string(prefix) {
			break
		}
		fn(key, it.Value().Value)
	}
	return nil
}

// readHeadFile reads the file HEAD of an older format, which holds the value of the key "head". nil: nothing was published, or by a
// version that did not write the file.
func readHeadFile(dir string) (*head, error) {
	value, err := os.ReadFile(filepath.Join(dir, headName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wrap(dir, "reading the file HEAD", err)
	}
	if len(value) > 0 && value[0] > formatVersion {
		return nil, newerFormat(dir, value[0], "")
	}
	payload, _, err := unseal(headKey(), value)
	if err != nil {
		return nil, corrupt(dir, "the file HEAD", err)
	}
	h, err := decodeHead(payload)
	if err != nil {
		return nil, corrupt(dir, "the file HEAD", err)
	}
	return h, nil
}
