package storage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync/atomic"
)

// The change log of an epoch is one file. A header names the store and the epoch. Then come entries, each a key of the
// log, the length of its value (4 bytes, little-endian), and the value. Zeros follow: the file grows in steps ahead of what is
// written, so that an append neither changes its length nor fails for lack of space.
//
// Entries are appended by plain writes, one for a small transaction. A synced commit makes the file durable before it returns.
const (
	logHeaderLen = 64
	logStep      = 256 << 10 // the length of the file is a multiple of it
	entryHead    = logKeyLen + 4
	logReachAt   = 48      // where the header says how far the log reached when it was last closed
	logReserve   = 4 << 10 // space kept for closing
)

var logHeaderKey = []byte("\x00log")

func logName(epoch uint64) string { return fmt.Sprintf("log-%06d", epoch) }

func logHeader(id storeID, epoch uint64) []byte {
	header := sealAs(plainFormat, logHeaderKey, binary.BigEndian.AppendUint64(id[:len(id):len(id)], epoch), true)
	return append(header, make([]byte, logHeaderLen-len(header))...)
}

var logReachKey = []byte("\x00reach")

const logReachLen = sealOverhead + 8

// logReach is what the header holds from logReachAt on. All entries before end are durable.
func logReach(end int64) []byte {
	return sealAs(plainFormat, logReachKey, binary.BigEndian.AppendUint64(nil, uint64(end)), true)
}

// reachOf reads how far a log reached when it was last closed; 0 if it never was, or if a crash interrupted the writing.
func reachOf(header []byte) int64 {
	payload, _, err := unseal(logReachKey, header[logReachAt:logReachAt+logReachLen])
	if err != nil {
		return 0
	}
	return int64(binary.BigEndian.Uint64(payload))
}

// closedPart is the part number of the entry that a store writes to its log when it is closed. All before it is durable.
const closedPart = lastPart - 1

// logFile is a log open for appending.
type logFile struct {
	disk   disk
	f      file
	path   string
	epoch  uint64
	end    int64        // where the next entry goes
	size   int64        // of the file
	closed bool         // the last entry is that of closing
	synced atomic.Int64 // the entries up to there are durable; set by who syncs, without the lock of those who append
}

// createLog makes an empty log, durable but for its name.
func createLog(d disk, dir string, id storeID, epoch uint64) (*logFile, error) {
	l := &logFile{disk: d, path: filepath.Join(dir, logName(epoch)), epoch: epoch, end: logHeaderLen, size: logStep}
	l.synced.Store(l.end)
	var err error
	if l.f, err = d.Create(l.path); err != nil {
		return nil, err
	}
	if err = l.f.Allocate(0, l.size); err == nil {
		_, err = l.f.WriteAt(logHeader(id, epoch), 0)
	}
	if err == nil {
		err = l.f.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, l.f.Close(), removeIfThere(d, l.path))
	}
	return l, nil
}

func (l *logFile) close() error { return l.f.Close() }

// reserve makes room for n more bytes, and some that are spared.
func (l *logFile) reserve(n, spare int) error {
	need := l.end + int64(n) + int64(spare)
	if need <= l.size {
		return nil
	}
	grown := (need + logStep - 1) / logStep * logStep
	if err := l.f.Allocate(l.size, grown); err != nil {
		return errors.Join(err, l.f.Truncate(l.size)) // allocating may have got half way
	}
	l.size = grown
	return nil
}

// append writes entries at the end. After an error nothing of them is there, unless the error is a *unknownEnd.
func (l *logFile) append(entries []storedPart) error { return l.appendSparing(entries, logReserve) }

// appendSparing appends entries and leaves some bytes of reserved space free behind them.
func (l *logFile) appendSparing(entries []storedPart, spare int) error {
	n := 0
	for _, e := range entries {
		n += entryHead + len(e.value)
	}
	if err := l.reserve(n, spare); err != nil {
		return err
	}
	data := make([]byte, 0, n)
	for _, e := range entries {
		data = append(data, e.key...)
		data = binary.LittleEndian.AppendUint32(data, uint32(len(e.value)))
		data = append(data, e.value...)
	}
	if _, err := l.f.WriteAt(data, l.end); err != nil {
		return l.undo(l.end, l.end+int64(n), err)
	}
	l.end += int64(n)
	l.closed = false
	return nil
}

// rewind takes back all entries from an earlier end on.
func (l *logFile) rewind(to int64) error {
	if to == l.end {
		return nil
	}
	from := l.end
	l.end = to
	return l.undo(to, from, nil)
}

// unknownEnd says that what was written to a log may be there at the next open, or not.
type unknownEnd struct{ err error }

func (e *unknownEnd) Error() string { return e.err.Error() }
func (e *unknownEnd) Unwrap() error { return e.err }

// undo makes a range of the file zeros again, durably. The error is that of the write before.
func (l *logFile) undo(from, to int64, err error) error {
	undone := writeZeros(l.f, from, to)
	if undone == nil {
		undone = l.f.Sync()
	}
	if undone != nil {
		return &unknownEnd{errors.Join(err, undone)}
	}
	return err
}

// sync makes all entries durable.
func (l *logFile) sync() error { return l.syncTo(l.end) }

// syncTo makes the entries up to an end durable. Others may append meanwhile.
func (l *logFile) syncTo(end int64) error {
	if err := l.f.Sync(); err != nil {
		return &unknownEnd{err}
	}
	l.synced.Store(end)
	return nil
}

// settled reports whether all entries are durable.
func (l *logFile) settled() bool { return l.synced.Load() >= l.end }

// finish ends a log that was appended to. What it says is durable before the entry that says so. The header says it too: one damage
// may hit both the last commit record and the entry of closing.
func (l *logFile) finish(committed uint64) error {
	if l.closed || l.end == logHeaderLen {
		return nil
	}
	err := l.sync()
	if err == nil {
		key := changeKey(l.epoch, committed, closedPart)
		_, err = l.f.WriteAt(logReach(l.end), logReachAt)
		if err == nil {
			err = l.appendSparing([]storedPart{{key, seal(key, nil, true)}}, 0)
		}
	}
	if err == nil {
		err = l.sync()
	}
	l.closed = err == nil
	return err
}

// repeat writes the last n bytes again, so that the next sync covers them. The sync after the entry of closing may have failed. Then
// the system's cache holds an entry that is not on the disk, and that no other sync would bring there.
func (l *logFile) repeat(n int64) error {
	entry := make([]byte, n)
	_, err := l.f.ReadAt(entry, l.end-n)
	if err == nil && n > 0 {
		_, err = l.f.WriteAt(entry, l.end-n)
	}
	return err
}

// logScan is what reading a log file found.
type logScan struct {
	state  logState
	end    int64 // of the entries that can be read
	size   int64
	last   int64  // the length of the last entry
	closed bool   // the last entry is that of closing
	doubt  string // why the last transaction may be missing; "": it is not
}

// tidy reports whether the next entry can be appended as the file is.
func (l *logScan) tidy() bool {
	return l.doubt == "" && l.state.orphans == 0 && (l.closed || l.end == logHeaderLen)
}

// scanLogFile reads the log of a head's epoch and hands its transactions to each. If upTo is not 0, the log is known to
// reach that far, and what is behind is being written by others.
func scanLogFile(ctx context.Context, f file, h *head, upTo int64, each func(logEntry) error) (*logScan, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	if upTo > size {
		return nil, fmt.Errorf("it was cut off at %d bytes", size)
	}
	if upTo > 0 {
		size = upTo
	}
	scan := &logScan{end: logHeaderLen, size: size}
	reach, err := checkLogHeader(f, h, size)
	if err != nil {
		return nil, err
	}
	entries := func(yield func(key, value []byte) error) error { return scan.read(ctx, f, h.epoch, yield) }
	if scan.state, err = scanLog(h.epoch, entries, each); err != nil {
		return nil, err
	}
	scan.state.end = scan.end
	if upTo > 0 {
		reach = min(reach, upTo) // another process may have written more since, and closed the log
	}
	if scan.end < reach {
		return nil, fmt.Errorf("an entry at byte %d cannot be read, and the log was closed at byte %d", scan.end, reach)
	}
	if upTo == 0 {
		return scan, scan.judge(f, h.epoch)
	}
	if scan.end != upTo {
		err = fmt.Errorf("an entry at byte %d cannot be read", scan.end)
	}
	return scan, err
}

// checkLogHeader sees that a log belongs to an epoch, and returns how far it reached when it was last closed.
func checkLogHeader(f file, h *head, size int64) (reach int64, err error) {
	header := make([]byte, min(size, logHeaderLen))
	if _, err := f.ReadAt(header, 0); err != nil {
		return 0, err
	}
	if len(header) < logHeaderLen || !bytes.Equal(header[:logReachAt], logHeader(h.store, h.epoch)[:logReachAt]) {
		return 0, logHeaderError(header)
	}
	return reachOf(header), nil
}

func logHeaderError(header []byte) error {
	if len(header) == logHeaderLen {
		if payload, _, err := unseal(logHeaderKey, header[:sealOverhead+len(storeID{})+8]); err == nil {
			return fmt.Errorf("it belongs to another store, or another epoch (%d)", binary.BigEndian.Uint64(payload[len(storeID{}):]))
		}
	}
	return errors.New("its beginning cannot be read")
}

// logRead is how many bytes of a log are read at once.
const logRead = 64 << 10

// read hands entries to yield up to the first that cannot be read.
func (l *logScan) read(ctx context.Context, f file, epoch uint64, yield func(key, value []byte) error) error {
	in := bufio.NewReaderSize(io.NewSectionReader(f, l.end, l.size-l.end), logRead)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		key, value, err := readEntry(in, l.size-l.end, epoch)
		if err != nil || key == nil {
			return err
		}
		_, _, part, _ := parseChangeKey(key)
		if l.closed = part == closedPart; !l.closed {
			if err := yield(key, value); err != nil {
				return err
			}
		}
		l.last = int64(entryHead + len(value))
		l.end += l.last
	}
}

// readEntry reads the next entry; nil if it cannot be read.
func readEntry(in *bufio.Reader, room int64, epoch uint64) (key, value []byte, err error) {
	head, err := in.Peek(entryHead)
	if err == io.EOF {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	of, _, _, ok := parseChangeKey(head[:logKeyLen])
	n := int64(binary.LittleEndian.Uint32(head[logKeyLen:]))
	if !ok || of != epoch || n > room-entryHead || n > maxLogPart+sealOverhead {
		return nil, nil, nil
	}
	entry := make([]byte, entryHead+n)
	if _, err := io.ReadFull(in, entry); err != nil {
		return nil, nil, err
	}
	key, value = entry[:logKeyLen], entry[entryHead:]
	if _, _, err := unseal(key, value); err != nil {
		return nil, nil, nil
	}
	return key, value, nil
}

// openLogFile opens the log of an epoch and reads it. For writing, a log that was not closed is written anew: what a crash left at its
// end goes, and what was never made durable is.
func (s *Store) openLogFile(h *head) (*logFile, *logScan, error) {
	path := filepath.Join(s.dir, logName(h.epoch))
	damaged := func(err error) error { return logError(s.dir, h, err) }
	f, err := s.disk.Open(path, !s.opt.ReadOnly)
	if err != nil {
		return nil, nil, damaged(err)
	}
	scan, err := scanLogFile(context.Background(), f, h, 0, func(logEntry) error { return nil })
	if err != nil {
		return nil, nil, damaged(errors.Join(err, f.Close()))
	}
	if scan.doubt != "" && !s.opt.copied {
		s.say("the last transaction cannot be read: it was being written, or the log is damaged", "path", showPath(s.dir), "log", scan.doubt)
	}
	if scan.state.cut > 0 {
		s.say("transactions that were not yet synced were lost", "path", showPath(s.dir), "from", scan.state.cut)
	}
	l := &logFile{disk: s.disk, f: f, path: path, epoch: h.epoch, end: scan.end, size: scan.size, closed: scan.closed}
	if scan.closed || scan.end == logHeaderLen {
		l.synced.Store(l.end)
	}
	if s.opt.ReadOnly {
		return l, scan, nil
	}
	if scan.tidy() {
		if err := l.repeat(scan.last); err != nil {
			return nil, nil, wrap(s.dir, "opening the change log", errors.Join(err, l.close()))
		}
		return l, scan, nil
	}
	tidy, err := s.rewriteLog(l, h)
	if err = errors.Join(err, l.close()); err != nil {
		if tidy != nil {
			err = errors.Join(err, tidy.close())
		}
		return nil, nil, wrap(s.dir, "writing the change log anew", err)
	}
	scan.state.orphans, scan.state.cut, scan.state.end, scan.doubt = 0, 0, tidy.end, ""
	return tidy, scan, nil
}

// rewriteLog copies the transactions of a log into a new file, which takes its place.
func (s *Store) rewriteLog(old *logFile, h *head) (*logFile, error) {
	fresh, err := createLog(newNames{s.disk}, s.dir, h.store, h.epoch)
	if err != nil {
		return nil, err
	}
	_, err = scanLogFile(context.Background(), old.f, h, 0, func(e logEntry) error { return fresh.copyEntry(&e) })
	if err == nil {
		err = fresh.sync()
	}
	if err == nil {
		err = s.disk.Rename(old.path+newSuffix, old.path)
	}
	if err == nil {
		err = s.disk.SyncDir(s.dir)
	}
	if err != nil {
		return nil, errors.Join(err, fresh.close(), removeIfThere(s.disk, old.path+newSuffix))
	}
	return fresh, nil
}

// newNames is a disk where a file is created under the name that a new version of it has.
type newNames struct{ disk }

func (d newNames) Create(path string) (file, error) { return d.disk.Create(path + newSuffix) }
func (d newNames) Remove(path string) error         { return d.disk.Remove(path + newSuffix) }

// copyEntry appends a transaction of another log, under the epoch of this one.
func (l *logFile) copyEntry(e *logEntry) error {
	r := e.commitRecord
	r.parts = 0
	for part := range slices.Chunk(e.stream, maxLogPart) {
		key := changeKey(l.epoch, e.seq, uint32(r.parts))
		if err := l.append([]storedPart{{key, seal(key, part, false)}}); err != nil {
			return err
		}
		r.parts++
	}
	key := changeKey(l.epoch, e.seq, lastPart)
	return l.append([]storedPart{{key, seal(key, r.encode(), true)}})
}
