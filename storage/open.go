package storage

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const lockName = "LOCK"

// leftovers are the files that a creation cut short may leave alone in a directory.
var leftovers = []string{lockName, "MANIFEST-REWRITE", markName + newSuffix, headName + newSuffix}

// Open opens the store in dir, or one in memory for Memory. Errors are *Error; those of package-level sentinels say
// what is wrong and what to do.
func Open(dir string, opt Options) (*Store, error) { return openOn(realDisk{}, dir, opt) }

// openOn is Open with a disk of its own.
func openOn(d disk, dir string, opt Options) (*Store, error) {
	if opt.Snapshot && dir != Memory && OnDisk {
		return openCopy(dir, opt)
	}
	s := newStore(dir, opt)
	s.disk = d
	if s.inMemory() {
		s.opt.Shared = false // no other process sees it
		return s, nil
	}
	if !OnDisk {
		return nil, &Error{Reason: ErrNotStore, Path: showPath(dir), What: "this build of Motif keeps graphs in memory only", Do: "open " + Memory}
	}
	kind, err := s.prepare()
	if err != nil {
		return nil, err
	}
	if s.opt.Shared = s.opt.Shared && kind != oldStore; s.opt.Shared {
		return s.sharing.open(kind)
	}
	if s.lock, err = waitForLock(context.Background(), s.dir, s.opt.ReadOnly, false); err != nil {
		return nil, err
	}
	if err := s.start(kind); err != nil {
		return nil, errors.Join(err, s.lock.release())
	}
	return s, nil
}

// storeKind is what a directory holds.
type storeKind int

const (
	noStore storeKind = iota // nothing, or what a creation cut short has left
	oldStore
	currentStore
)

// prepare looks at what is in the directory before anything is touched, and makes it if it may.
func (s *Store) prepare() (storeKind, error) {
	create := s.opt.Create && !s.opt.ReadOnly
	kind, err := inspect(s.disk, s.dir)
	if err != nil || kind != noStore {
		return kind, err
	}
	_, err = os.Stat(s.dir)
	missing := errors.Is(err, fs.ErrNotExist)
	if !create {
		what, cause := "the directory is empty: it is not a store", error(nil)
		if missing {
			what, cause = "there is no such directory", fs.ErrNotExist
		}
		return kind, notStore(s.dir, what, "check the path; loading, or a statement that writes, creates a store", cause)
	}
	if !missing {
		return kind, nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return kind, wrap(s.dir, "creating the directory", err)
	}
	return kind, wrap(s.dir, "creating the directory", s.disk.SyncDir(filepath.Dir(filepath.Clean(s.dir))))
}

// inspect tells what dir holds. noStore: it is missing or as good as empty, so that a store can be created. Nothing is changed.
func inspect(d disk, dir string) (storeKind, error) {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return noStore, nil
	}
	if err != nil {
		return noStore, wrap(dir, "looking at the directory", err)
	}
	if !info.IsDir() {
		return noStore, notStore(dir, "this is a file, not a store", "name the directory of a store; data files are loaded into one", nil)
	}
	live, headErr := readHead(d, dir)
	if headErr == nil && live != nil {
		return currentStore, nil
	}
	contents, err := d.ReadFile(filepath.Join(dir, markName))
	if errors.Is(err, fs.ErrNotExist) {
		if headErr != nil && isSystemError(headErr) {
			return noStore, headErr
		}
		return noStore, inspectOther(d, dir)
	}
	if err != nil {
		return noStore, wrap(dir, "reading MANIFEST", err)
	}
	if err := checkMagic(dir, contents[:min(len(contents), markLen)]); err != nil {
		return noStore, err
	}
	if binary.BigEndian.Uint16(contents[6:]) != markVersion {
		return oldStore, headErr
	}
	if len(contents) > markLen && contents[markLen] > formatVersion {
		return noStore, newerFormat(dir, contents[markLen], "")
	}
	if headErr != nil {
		return noStore, headErr
	}
	return noStore, checkUnborn(d, dir)
}

func checkMagic(dir string, magic []byte) error {
	if len(magic) < markLen {
		return corrupt(dir, "the file MANIFEST is cut short", nil)
	}
	if string(magic[:4]) != "Bdgr" {
		return notStore(dir, "the directory belongs to another program", doName, nil)
	}
	if v := binary.BigEndian.Uint16(magic[6:]); v > badgerVersion && v != markVersion {
		return newerFormat(dir, formatVersion+1, fmt.Sprintf("a program with Badger format %d", v))
	}
	if binary.BigEndian.Uint16(magic[4:]) != externalMagic {
		return notStore(dir, "the directory is the Badger database of another program", doName, nil)
	}
	return nil
}

// checkUnborn sees that a directory with a mark and without HEAD is a store whose creation was cut short: it holds nothing.
func checkUnborn(d disk, dir string) error {
	entries, err := d.ReadDir(dir)
	if err != nil {
		return wrap(dir, "listing the directory", err)
	}
	for _, e := range entries {
		if !isEpochFile(e.Name()) {
			continue
		}
		empty := false
		if e.Name() == logName(0) {
			if empty, err = emptyLog(d, filepath.Join(dir, e.Name())); err != nil {
				return wrap(dir, "reading "+e.Name(), err)
			}
		}
		if !empty {
			return corrupt(dir, "the file HEAD is missing", nil)
		}
	}
	return nil
}

// emptyLog reports whether a log has no entries.
func emptyLog(d disk, path string) (bool, error) {
	f, err := d.Open(path, false)
	if err != nil {
		return false, err
	}
	first := make([]byte, 1)
	if _, err = f.ReadAt(first, logHeaderLen); err == io.EOF { // not even the header is whole
		err = nil
	}
	return first[0] == 0, errors.Join(err, f.Close())
}

// inspectOther tells a directory without MANIFEST that is as good as empty from others.
func inspectOther(d disk, dir string) error {
	entries, err := d.ReadDir(dir)
	if err != nil {
		return wrap(dir, "listing the directory", err)
	}
	var others []string
	head := false
	for _, e := range entries {
		switch name := e.Name(); {
		case slices.Contains(leftovers, name):
		case name == headName:
			head = true
		case name == keyRegistry, strings.HasSuffix(name, ".sst"), isEpochFile(name):
			return corrupt(dir, "the file MANIFEST is missing", nil)
		default:
			others = append(others, name)
		}
	}
	if len(others) == 0 && head {
		return corrupt(dir, "the file MANIFEST is missing", nil)
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

// start reads what is live. For writing, it removes what loads and transactions left unfinished.
func (s *Store) start(kind storeKind) error {
	// Another process may have created or upgraded the store before the lock was taken.
	now, err := inspect(s.disk, s.dir)
	switch {
	case err != nil:
		return err
	case now == noStore && kind != noStore:
		return notStore(s.dir, "the store has gone", "check the path", nil)
	case now == noStore:
		return wrap(s.dir, "creating the store", s.create())
	case now == oldStore:
		return s.startOld()
	}
	live, err := readHead(s.disk, s.dir)
	if err != nil {
		return err
	}
	if live == nil {
		return corrupt(s.dir, "the file HEAD is missing", nil)
	}
	l, scan, err := s.openLogFile(live)
	if err != nil {
		return err
	}
	s.head.Store(live)
	s.log.Store(&scan.state)
	s.claimed = live.epoch
	if s.opt.ReadOnly {
		return wrap(s.dir, "closing the change log", l.close())
	}
	s.wal = l
	if err := s.tidyUp(live); err != nil {
		return errors.Join(wrap(s.dir, "opening the store", err), l.close())
	}
	return nil
}

// create makes an empty store. HEAD comes last: without it there is no store yet.
func (s *Store) create() error {
	live := &head{store: newStoreID()}
	if _, err := replaceFile(s.disk, s.dir, markName, mark(live.store)); err != nil {
		return err
	}
	l, err := createLog(s.disk, s.dir, live.store, 0)
	if err != nil {
		return err
	}
	if _, err := replaceHead(s.disk, s.dir, live); err != nil {
		return errors.Join(err, l.close())
	}
	s.head.Store(live)
	s.log.Store(&logState{end: l.end})
	s.wal = l
	return nil
}

// startOld opens a store of an older format.
func (s *Store) startOld() error {
	old, err := openLegacy(s.dir, s.opt, s.say)
	if err != nil {
		return err
	}
	s.old = old
	s.head.Store(old.head)
	s.claimed = old.head.epoch
	st, err := scanLog(old.head.epoch, old.logEntries(old.head.epoch), func(logEntry) error { return nil })
	s.log.Store(&st)
	if err == nil && st.cut > 0 {
		s.say("transactions that were not yet synced were lost", "path", showPath(s.dir), "from", st.cut)
	}
	return nil // what is wrong with the log shows when the graph is read
}

// tidyUp removes what does not belong to the live epoch, once HEAD is durable for sure.
func (s *Store) tidyUp(live *head) error {
	entries, err := s.disk.ReadDir(s.dir)
	if err != nil {
		return err
	}
	var stale []string
	for _, e := range entries {
		name := e.Name()
		ours := isEpochFile(name) && name != epochFolder(live.epoch) && name != logName(live.epoch) && name != flatName(live.epoch)
		if ours || legacyFile(name) || strings.HasSuffix(name, newSuffix) && name != newSuffix {
			stale = append(stale, name)
		}
	}
	contents, err := s.disk.ReadFile(filepath.Join(s.dir, markName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if id, err := readMark(contents); err != nil || id != live.store {
		if _, err := replaceFile(s.disk, s.dir, markName, mark(live.store)); err != nil {
			return err
		}
	}
	if len(stale) == 0 && s.wal.end > logHeaderLen {
		return nil
	}
	// The program before may have failed to make these names durable. Without an entry in the log nobody has relied on them yet.
	if err := s.syncHead(); err != nil {
		return err
	}
	for _, name := range stale {
		if err := s.removeAny(name); err != nil {
			s.say("a file that is not needed any more is left in the store", "file", name, "why", err)
		}
	}
	return nil
}

// syncHead makes HEAD and the directory durable as they are.
func (s *Store) syncHead() error {
	f, err := s.disk.Open(filepath.Join(s.dir, headName), true)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return s.disk.SyncDir(s.dir)
}

// removeAny removes a file of the store, or a folder of files.
func (s *Store) removeAny(name string) error {
	path := filepath.Join(s.dir, name)
	if strings.HasPrefix(name, "epoch-") {
		return removeFolder(s.disk, path)
	}
	return removeIfThere(s.disk, path)
}

// dropEpoch removes the files of an epoch that is not live. What stays the next open for writing removes.
func (s *Store) dropEpoch(epoch uint64) {
	for _, name := range [...]string{logName(epoch), epochFolder(epoch), flatName(epoch)} {
		if err := s.removeAny(name); err != nil {
			s.say("a file that is not needed any more is left in the store", "file", name, "why", err)
		}
	}
}

// diskBytes adds up what the files in dir and the folders below take on disk.
func diskBytes(dir string) (uint64, error) {
	sum := uint64(0)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if path == dir || !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil // a file may go while we look
		}
		if info, err := e.Info(); err == nil && !e.IsDir() {
			sum += allocated(info)
		}
		return nil
	})
	return sum, wrap(dir, "listing the directory", err)
}
