package storage

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

const (
	// externalMagic stands in Badger's MANIFEST and tells stores of this package from other Badger databases.
	externalMagic uint16 = 0x4D46
	badgerVersion uint16 = 8 // of the MANIFEST

	manifestName = badger.ManifestFilename
	lockName     = "LOCK"
	memTableSize = 16 << 20 // Badger clears the memory of every memtable it makes, used or not
)

// leftovers are the files that a creation cut short may leave alone in a directory.
var leftovers = []string{lockName, "MANIFEST-REWRITE"}

// Open opens the store in dir, or one in memory for Memory. Errors are *Error; those of package-level sentinels say
// what is wrong and what to do.
func Open(dir string, opt Options) (*Store, error) {
	if opt.Snapshot && dir != Memory {
		return openCopy(dir, opt)
	}
	s := newStore(dir, opt)
	err := s.openAny()
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Store) openAny() error {
	if s.inMemory() {
		return s.openMemory()
	}
	if err := s.prepare(); err != nil {
		return err
	}
	lock, err := lockDir(s.dir, s.opt.ReadOnly)
	if err != nil {
		return err
	}
	s.lock = lock
	if err := s.start(); err != nil {
		_ = lock.release() // err says more
		return err
	}
	return nil
}

func (s *Store) openMemory() error {
	db, err := badger.Open(s.badgerOptions(false).WithDir("").WithValueDir("").WithInMemory(true))
	if err != nil {
		return wrap(s.dir, "opening a store in memory", err)
	}
	s.db = db
	return wrap(s.dir, "opening a store in memory", s.writeFormat())
}

func (s *Store) badgerOptions(readOnly bool) badger.Options {
	return badger.DefaultOptions(s.dir).
		WithReadOnly(readOnly).
		WithCompression(options.None). // nothing to gain on varint deltas
		WithBlockCacheSize(0).         // every block is read once
		WithValueLogFileSize(64 << 20).
		WithMemTableSize(memTableSize).
		WithNumMemtables(2).
		WithNumCompactors(2).
		WithDetectConflicts(false).
		WithMetricsEnabled(false).
		WithSyncWrites(false). // Publish says how writes become durable
		WithBypassLockGuard(!badgerLocks).
		WithExternalMagic(externalMagic).
		WithLogger(s.from)
}

// prepare looks at what is in the directory before anything is touched, and makes it if it may.
func (s *Store) prepare() error {
	create := s.opt.Create && !s.opt.ReadOnly
	present, err := inspect(s.dir)
	if err != nil || present {
		return err
	}
	_, err = os.Stat(s.dir)
	missing := errors.Is(err, fs.ErrNotExist)
	if !create {
		if missing {
			return notStore(s.dir, "there is no such directory", "check the path; loading, or a statement that writes, creates a store", fs.ErrNotExist)
		}
		return notStore(s.dir, "the directory is empty: it is not a store", "check the path; loading, or a statement that writes, creates a store", nil)
	}
	if !missing {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return wrap(s.dir, "creating the directory", err)
	}
	return wrap(s.dir, "creating the directory", syncDir(filepath.Dir(filepath.Clean(s.dir))))
}

// inspect reports whether dir holds a store. False and no error: it is missing or as good as empty, so that a store
// can be created. Nothing is changed.
func inspect(dir string) (present bool, err error) {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, wrap(dir, "looking at the directory", err)
	}
	if !info.IsDir() {
		return false, notStore(dir, "this is a file, not a store", "name the directory of a store; data files are loaded into one", nil)
	}
	magic, err := readMagic(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, inspectOther(dir)
	}
	if err != nil {
		return false, wrap(dir, "reading MANIFEST", err)
	}
	return true, checkMagic(dir, magic)
}

func readMagic(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	magic := make([]byte, 8)
	n, err := f.Read(magic)
	if n == 0 && err != nil {
		return nil, nil
	}
	return magic[:n], nil
}

func checkMagic(dir string, magic []byte) error {
	if len(magic) < 8 {
		return corrupt(dir, "the file MANIFEST is cut short", nil)
	}
	if string(magic[:4]) != "Bdgr" {
		return notStore(dir, "the directory belongs to another program", doName, nil)
	}
	if v := binary.BigEndian.Uint16(magic[6:]); v > badgerVersion {
		return newerFormat(dir, formatVersion+1, fmt.Sprintf("a program with Badger format %d", v))
	}
	if binary.BigEndian.Uint16(magic[4:]) != externalMagic {
		return notStore(dir, "the directory is the Badger database of another program", doName, nil)
	}
	return nil
}

// inspectOther tells a directory without MANIFEST that is as good as empty from others.
func inspectOther(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return wrap(dir, "listing the directory", err)
	}
	var others []string
	for _, e := range entries {
		switch name := e.Name(); {
		case slices.Contains(leftovers, name):
		case name == badger.KeyRegistryFileName, name == headName, strings.HasSuffix(name, ".sst"):
			return corrupt(dir, "the file MANIFEST is missing", nil)
		default:
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return nil
	}
	list := strings.Join(others[:min(3, len(others))], ", ")
	if len(others) > 3 {
		list += fmt.Sprintf(" and %d more", len(others)-3)
	}
	return notStore(dir, "the directory holds other things ("+list+"): it is not a store", doName, nil)
}

// start opens Badger and reads what is live. For writing, it removes what loads and transactions left unfinished.
func (s *Store) start() error {
	if err := s.openBadger(); err != nil {
		return err
	}
	formatted, err := s.readRoot()
	if err == nil && !formatted && !s.opt.ReadOnly {
		err = wrap(s.dir, "writing the format version", s.writeFormat())
	}
	if live := s.head.Load(); err == nil && !s.opt.ReadOnly && live.epoch > 0 {
		if file, _ := readHeadFile(s.dir); file == nil || file.epoch < live.epoch { // an older program's store
			err = wrap(s.dir, "writing the file HEAD", writeHeadFile(s.dir, live))
		}
	}
	if err == nil && !s.opt.ReadOnly {
		err = s.dropAllBut(s.head.Load().epoch)
	}
	if err == nil {
		err = s.openLog()
	}
	if err != nil {
		s.db.Close()
	}
	return err
}

// openBadger opens the database, repairing it first if a process that was killed left it behind.
func (s *Store) openBadger() error {
	m, err := readManifest(s.dir, s.badgerOptions(true))
	if err != nil {
		return err
	}
	if !m.missing || !m.odd() { // else the MANIFEST is to blame
		if err := checkTables(s.dir, m.named, s.opt.Workers); err != nil {
			return err
		}
	}
	if err := checkManifest(s.dir, m); err != nil {
		return err
	}
	db, err := s.open()
	if err != nil {
		return s.openError(err)
	}
	s.db = db
	return nil
}

func (s *Store) open() (*badger.DB, error) {
	if !s.opt.ReadOnly {
		return s.openForWriting()
	}
	if unclean(s.dir) { // trying first would leak the files that a failing open leaves open
		if err := s.repair(); err != nil {
			return nil, err
		}
	}
	return badger.Open(s.badgerOptions(true))
}

// unclean reports whether the last process that wrote to the store did not close it: closing leaves no log of
// writes behind.
func unclean(dir string) bool { return len(logFiles(dir, ".mem")) > 0 }

// logFiles lists Badger's log files of some kinds in dir.
func logFiles(dir string, extensions ...string) []fs.DirEntry {
	entries, _ := os.ReadDir(dir)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !slices.Contains(extensions, filepath.Ext(e.Name())) })
}

// openForWriting opens the database, and by that replays and truncates its logs. A process that is killed while it
// creates or removes a log leaves it behind empty, which Badger refuses; such a file holds nothing.
func (s *Store) openForWriting() (*badger.DB, error) {
	if err := s.roomToOpen(); err != nil {
		return nil, err
	}
	if unclean(s.dir) {
		if err := s.checkLeft(); err != nil {
			return nil, err
		}
	}
	for _, e := range logFiles(s.dir, ".mem", ".vlog") {
		if info, err := e.Info(); err == nil && info.Size() == 0 {
			if err := os.Remove(filepath.Join(s.dir, e.Name())); err != nil {
				return nil, err
			}
		}
	}
	return badger.Open(s.badgerOptions(false))
}

// checkLeft looks at the logs that a killed process left, and makes them durable: what was committed relaxed is about
// to have transactions behind it that are synced.
func (s *Store) checkLeft() error {
	epoch := uint64(0)
	switch live, err := readHeadFile(s.dir); {
	case err != nil:
		return err
	case live != nil:
		epoch = live.epoch
	}
	if !s.opt.copied {
		doubt, err := checkLogs(s.dir, epoch)
		if err != nil {
			return err
		}
		if doubt != "" {
			s.say("the last transaction cannot be read: it was being written, or the log is damaged", "path", showPath(s.dir), "log", doubt)
		}
	}
	return syncFiles(s.dir, logFiles(s.dir, ".mem"))
}

// repair opens the database once for writing. It needs the store alone.
func (s *Store) repair() error {
	failed := func(err error) error {
		if errors.Is(err, ErrCorrupt) {
			return err
		}
		return &Error{Reason: ErrRepair, Path: showPath(s.dir), Err: err,
			What: "the store was left by a process that was killed, and could not be repaired",
			Do:   "open it once for writing, as a user who may write there and while no other process uses it"}
	}
	if err := s.lock.take(s.dir, false); err != nil {
		return failed(err)
	}
	db, err := s.openForWriting()
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		return failed(s.openError(err))
	}
	if err := os.Remove(filepath.Join(s.dir, lockName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed(err)
	}
	if err := s.lock.take(s.dir, true); err != nil {
		return err
	}
	s.say("repaired a store that was not closed", "path", showPath(s.dir))
	return nil
}

// openError gives an error of badger.Open its reason. Where Badger locks the directory, and for what is damaged, text is
// all there is.
func (s *Store) openError(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "Cannot acquire directory lock"), strings.Contains(text, "Cannot create lock file"):
		return &Error{Reason: ErrLocked, Path: showPath(s.dir), Err: err,
			What: "another process is using the store", Do: "wait until it is done, or end it"}
	case strings.Contains(text, "manifest has"), strings.Contains(text, "Manifest file might be corrupted"):
		return corrupt(s.dir, "the file MANIFEST", err)
	case strings.Contains(text, "Level validation"):
		return corrupt(s.dir, "the tables overlap", err)
	}
	err = wrap(s.dir, "opening the store", err)
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
			return corrupt(s.dir, part.where, e.Err)
		}
	}
	e.Do = "see whether the disk works and the directory is whole; else " + doReload
	return e
}

// epochs lists, in rising order, the epochs that any block belongs to.
func epochs(db *badger.DB) []uint64 {
	txn := db.NewTransaction(false)
	defer txn.Discard()
	it := txn.NewIterator(badger.IteratorOptions{})
	defer it.Close()
	var found []uint64
	for _, kind := range epochKinds {
		prefix := epochPrefix(kind, 0)[:epochPrefixLen-8]
		for it.Seek(prefix); it.ValidForPrefix(prefix); {
			key := it.Item().Key()
			if len(key) < epochPrefixLen {
				it.Next()
				continue
			}
			epoch := binary.BigEndian.Uint64(key[epochPrefixLen-8:])
			found = append(found, epoch)
			if epoch+1 == 0 {
				break
			}
			it.Seek(epochPrefix(kind, epoch+1))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// dropAllBut removes the blocks of all epochs but one. No reader needs them: within the process graphs are read
// under the store's token, and other processes are locked out. If the disk is too full for that, the blocks
// stay until a later open.
func (s *Store) dropAllBut(live uint64) error {
	var prefixes [][]byte
	for _, epoch := range epochs(s.db) {
		if epoch != live {
			prefixes = append(prefixes, append(epochPrefixes(epoch), epochPrefix(kindChange, epoch))...)
		}
	}
	if len(prefixes) == 0 {
		return nil
	}
	if err := s.roomToDrop(); err != nil {
		s.say("old blocks are left in the store", "why", err)
		return nil
	}
	s.life.Lock()
	defer s.life.Unlock()
	return s.guard("removing old blocks", func() error { return s.db.DropPrefix(prefixes...) })
}

// settle makes all that was written durable, by closing and reopening the database.
//
// Sync would not do: it reaches the log of the memtable in use, not those of memtables that are full and wait to be
// written. Close writes every memtable as a table, syncs each table before the MANIFEST names it, and syncs the
// MANIFEST and the directory. What it leaves shows that it did: no log of writes is left, so every block stands in a
// synced table.
func (s *Store) settle(ctx context.Context) error {
	if s.inMemory() {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.syncs.Add(1)
	s.life.Lock()
	defer s.life.Unlock()
	if err := s.guard("writing the graph to disk", s.db.Close); err != nil {
		return s.breakdown(err)
	}
	if unclean(s.dir) {
		return s.breakdown(&Error{Reason: ErrIO, Path: showPath(s.dir),
			What: "the graph was not written to disk completely", Do: "load it again"})
	}
	if err := s.openBadger(); err != nil {
		return s.breakdown(err)
	}
	return nil
}

// breakdown records that the database can no longer be used.
func (s *Store) breakdown(err error) error {
	s.broken.Store(&err)
	return err
}

// diskBytes adds up what the files in dir take on disk.
func diskBytes(dir string) (uint64, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, wrap(dir, "listing the directory", err)
	}
	sum := uint64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // a file may go while we look
			sum += allocated(info)
		}
	}
	return sum, nil
}
