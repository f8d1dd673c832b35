//go:build !js

package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// legacy is a store of format 1 or 2: one Badger database, which holds blocks, change log and saved queries. It is only read. What a
// process that was killed left behind is repaired in a copy. The first write to the store replaces it, see Store.upgrade.
type legacy struct {
	dir  string // of the store
	from badgerLog
	db   *badger.DB
	temp string // the folder of the copy that db reads; "": db reads the store itself
	head *head
}

// OnDisk says that this build of Motif keeps stores on disk.
const OnDisk = true

const memTableSize = 16 << 20 // of the stores of formats 1 and 2

func badgerOptions(dir string, readOnly bool, from badgerLog) badger.Options {
	return badger.DefaultOptions(dir).
		WithReadOnly(readOnly).
		WithCompression(options.None). // nothing to gain on varint deltas
		WithBlockCacheSize(0).         // every block is read once
		WithValueLogFileSize(64 << 20).
		WithMemTableSize(memTableSize).
		WithNumMemtables(2).
		WithNumCompactors(2).
		WithDetectConflicts(false).
		WithMetricsEnabled(false).
		WithBypassLockGuard(true). // the store has a lock of its own
		WithExternalMagic(externalMagic).
		WithLogger(from)
}

// openLegacy opens a store of an older format. copied says that it is a copy, whose logs may have been written to meanwhile.
func openLegacy(dir string, opt Options, say func(msg string, args ...any)) (*legacy, error) {
	l := &legacy{dir: dir, from: badgerLog{opt.Logger}, head: new(head)}
	m, err := readManifest(dir, badgerOptions(dir, true, l.from))
	if err != nil {
		return nil, err
	}
	if !m.missing || !m.odd() { // else the MANIFEST is to blame
		if err := checkTables(dir, m.named, opt.Workers); err != nil {
			return nil, err
		}
	}
	if err := checkManifest(dir, m); err != nil {
		return nil, err
	}
	at := dir
	if unclean(dir) || m.odd() || emptyLogs(dir) {
		if at, err = l.repair(opt, say); err != nil {
			return nil, err
		}
	}
	db, err := badger.Open(badgerOptions(at, true, l.from))
	if err != nil {
		return nil, errors.Join(l.openError(err), l.close())
	}
	l.db = db
	if err := l.readRoot(); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

func (l *legacy) close() error {
	var err error
	if l.db != nil {
		err = l.db.Close()
	}
	if l.temp != "" {
		err = errors.Join(err, os.RemoveAll(l.temp))
	}
	return err
}

// repair copies the store and lets Badger repair the copy, whose folder it returns.
func (l *legacy) repair(opt Options, say func(msg string, args ...any)) (at string, err error) {
	if !opt.copied {
		if err := l.checkLeft(say); err != nil {
			return "", err
		}
	}
	failed := func(err error) error {
		err = errors.Join(l.openError(err), l.close())
		if errors.Is(err, ErrCorrupt) {
			return err
		}
		return &Error{Reason: ErrRepair, Path: showPath(l.dir), Err: err,
			What: "the store was left by a process that was killed, and could not be repaired in a copy",
			Do:   "make room for a copy in the folder for temporary files (" + os.TempDir() + ")"}
	}
	if l.temp, err = os.MkdirTemp("", "motif-repair-"); err != nil {
		return "", failed(err)
	}
	at = filepath.Join(l.temp, "store")
	if err = os.Mkdir(at, 0o700); err == nil {
		err = copyLegacy(l.dir, at)
	}
	if err == nil {
		err = removeEmptyLogs(at)
	}
	var db *badger.DB
	if err == nil {
		db, err = badger.Open(badgerOptions(at, false, l.from))
	}
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		return "", failed(err)
	}
	say("repaired a copy of a store that was not closed", "path", showPath(l.dir))
	return at, nil
}

// checkLeft looks at the logs that a killed process left, before Badger cuts them where they cannot be read.
func (l *legacy) checkLeft(say func(msg string, args ...any)) error {
	epoch := uint64(0)
	switch live, err := readHeadFile(l.dir); {
	case err != nil:
		return err
	case live != nil:
		epoch = live.epoch
	}
	doubt, err := checkLogs(l.dir, epoch)
	if err == nil && doubt != "" {
		say("the last transaction cannot be read: it was being written, or the log is damaged", "path", showPath(l.dir), "log", doubt)
	}
	return err
}

// unclean reports whether the last process that wrote to the store did not close it: closing leaves no log of
// writes behind.
func unclean(dir string) bool { return len(logFiles(dir, ".mem")) > 0 }

// logFiles lists Badger's log files of some kinds in dir.
func logFiles(dir string, extensions ...string) []fs.DirEntry {
	entries, _ := os.ReadDir(dir)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !slices.Contains(extensions, filepath.Ext(e.Name())) })
}

// emptyLogs reports whether there are logs without contents. A process that is killed while it creates or removes a log leaves it
// behind empty, which Badger refuses; such a file holds nothing.
func emptyLogs(dir string) bool {
	return slices.ContainsFunc(logFiles(dir, ".mem", ".vlog"), isEmpty)
}

func removeEmptyLogs(dir string) error {
	for _, e := range logFiles(dir, ".mem", ".vlog") {
		if isEmpty(e) {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func isEmpty(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && info.Size() == 0
}

// openError gives an error of badger.Open its reason. Where Badger locks the directory, and for what is damaged, text is
// all there is.
func (l *legacy) openError(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "Cannot acquire directory lock"), strings.Contains(text, "Cannot create lock file"):
		return &Error{Reason: ErrLocked, Path: showPath(l.dir), Err: err,
			What: "another process is using the store", Do: "wait until it is done, or end it"}
	case strings.Contains(text, "manifest has"), strings.Contains(text, "Manifest file might be corrupted"):
		return corrupt(l.dir, "the file MANIFEST", err)
	case strings.Contains(text, "Level validation"):
		return corrupt(l.dir, "the tables overlap", err)
	}
	err = wrap(l.dir, "opening the store", err)
	var e *Error
	if !errors.As(err, &e) || e.Reason != ErrIO {
		return err
	}
	for _, part := range [...]struct{ text, where string }{
		{"db.vlog.open", "a file .vlog"},
		{"opening memtables", "a file .mem"},
		{"key registry", "the file KEYREGISTRY"},
		{"keyRegistry", "the file KEYREGISTRY"},
		{"data key", "the file KEYREGISTRY"},
		{"sanity text", "the file KEYREGISTRY"},
		{badger.ErrEncryptionKeyMismatch.Error(), "the file KEYREGISTRY"},
	} {
		if strings.Contains(text, part.text) {
			return corrupt(l.dir, part.where, e.Err)
		}
	}
	e.Do = "see whether the disk works and the directory is whole; else " + doReload
	return e
}

// get returns a copy of the stored value of a key, nil if there is none.
func get(txn *badger.Txn, key []byte) ([]byte, error) {
	item, err := txn.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return item.ValueCopy(nil)
}

// readRoot reads "format", "head" and the file HEAD. A store without them is one whose creation was cut short: it is empty.
// Of the two heads that of the later epoch counts: the file is written first, and an older program writes the key alone.
func (l *legacy) readRoot() error {
	txn := l.db.NewTransaction(false)
	defer txn.Discard()
	format, err := get(txn, formatKey)
	if err != nil {
		return wrap(l.dir, "reading the format version", err)
	}
	pointer, err := get(txn, headKey())
	if err != nil {
		return wrap(l.dir, "reading the pointer to the live graph", err)
	}
	if format != nil {
		if err := l.checkFormat(format); err != nil {
			return err
		}
	}
	live, err := readHeadFile(l.dir)
	if err != nil {
		return err
	}
	if format == nil {
		if pointer != nil || live != nil {
			return corrupt(l.dir, "the format version is missing", nil)
		}
		return nil
	}
	if pointer != nil {
		var h *head
		payload, _, err := unseal(headKey(), pointer)
		if err == nil {
			h, err = decodeHead(payload)
		}
		if err != nil {
			return corrupt(l.dir, new(names).describe(headKey()), err)
		}
		if live == nil || h.epoch > live.epoch {
			live = h
		}
	}
	if live != nil {
		l.head = live
	}
	return nil
}

// checkFormat looks at the version first: of what a newer program wrote, only the first byte is sure.
func (l *legacy) checkFormat(value []byte) error {
	if len(value) > 0 && value[0] > formatVersion {
		writer := ""
		if len(value) >= sealOverhead {
			writer = printable(value[2 : len(value)-4])
		}
		return newerFormat(l.dir, value[0], writer)
	}
	if _, _, err := unseal(formatKey, value); err != nil {
		return corrupt(l.dir, new(names).describe(formatKey), err)
	}
	return nil
}

// printable is text if it can be shown in a message, else empty.
func printable(text []byte) string {
	if len(text) > 64 {
		return ""
	}
	for _, b := range text {
		if b < ' ' || b > '~' {
			return ""
		}
	}
	return string(text)
}

// logEntries reads the change log of an epoch.
func (l *legacy) logEntries(epoch uint64) logEntries {
	return l.entries(epochPrefix(kindChange, epoch))
}

// queries reads the saved queries.
func (l *legacy) queries() (list []storedPart, err error) {
	err = l.entries(queryKey(""))(func(key, value []byte) error {
		list = append(list, storedPart{slices.Clone(key), slices.Clone(value)})
		return nil
	})
	return list, err
}

// entries hands all keys of a prefix and their values to yield.
func (l *legacy) entries(prefix []byte) logEntries {
	return func(yield func(key, value []byte) error) error {
		return catchFault(func() error {
			txn := l.db.NewTransaction(false)
			defer txn.Discard()
			it := txn.NewIterator(badger.IteratorOptions{Prefix: prefix})
			defer it.Close()
			for it.Rewind(); it.Valid(); it.Next() {
				err := it.Item().Value(func(value []byte) error { return yield(it.Item().Key(), value) })
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// legacyFile reports whether a file of a store is one that only older formats have.
func legacyFile(name string) bool {
	switch filepath.Ext(name) {
	case ".sst", ".mem", ".vlog":
		return true
	}
	return name == keyRegistry || name == "DISCARD" || name == "MANIFEST-REWRITE"
}

func (l *legacy) blocks() blockSource { return dbBlocks{l.db} }

// dbBlocks are the blocks in a Badger database.
type dbBlocks struct{ db *badger.DB }

func (b dbBlocks) keys(prefix []byte, fn func(key []byte, size uint64)) {
	txn := b.db.NewTransaction(false)
	defer txn.Discard()
	it := txn.NewIterator(badger.IteratorOptions{Prefix: prefix})
	defer it.Close()
	for it.Rewind(); it.Valid(); it.Next() {
		fn(it.Item().Key(), uint64(it.Item().ValueSize()))
	}
}

func (b dbBlocks) reader() (read readValue, done func()) {
	txn := b.db.NewTransaction(false)
	return func(key []byte, fn func(value []byte) error) error {
		item, err := txn.Get(key)
		if err != nil {
			return err
		}
		return item.Value(fn)
	}, txn.Discard
}

// databaseClosed reports whether an error of Badger says that its database was closed.
func databaseClosed(err error) bool { return errors.Is(err, badger.ErrDBClosed) }
