package storage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"path/filepath"
	"time"

	"github.com/motifql/motif/internal/csr"
)

// The change log holds the transactions since the live epoch was written: for each the parts of its stream of changes and a
// commit record, under keys that end in sequence number and part. The commit record is written last. Parts without
// one belong to a transaction that was rolled back or cut short; they do not count. The number of such a transaction is
// not used again while its parts are there. Every commit record names the one before, so that a missing one shows.
const (
	maxLogPart = 256 << 10 // bytes of changes in one value
	lastPart   = math.MaxUint32
	logKeyLen  = epochPrefixLen + 8 + 4
)

func changePrefix(epoch, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(epochPrefix(kindChange, epoch), seq)
}

// changeKey is the key of a part of a transaction, or of its commit record for lastPart.
func changeKey(epoch, seq uint64, part uint32) []byte {
	return binary.BigEndian.AppendUint32(changePrefix(epoch, seq), part)
}

// parseChangeKey takes a key of the log apart; false if it is none.
func parseChangeKey(key []byte) (epoch, seq uint64, part uint32, ok bool) {
	if len(key) != logKeyLen || key[0] != kindChange || binary.BigEndian.Uint32(key[1:]) != graphID {
		return 0, 0, 0, false
	}
	return binary.BigEndian.Uint64(key[5:]), binary.BigEndian.Uint64(key[epochPrefixLen:]), binary.BigEndian.Uint32(key[epochPrefixLen+8:]), true
}

// logState is what the log of the live epoch amounts to.
type logState struct {
	lastSeq   uint64 // the greatest sequence number in use, of orphans too
	committed uint64 // of the last transaction committed; 0: none
	count     uint64 // transactions
	changes   uint64
	bytes     uint64 // of their changes as stored
	end       int64  // of the log in its file
	orphans   uint64 // keys that do not count: parts without a commit record, and what follows cut
	cut       uint64 // the first transaction that a loss of power left, after one that it took; 0: none
}

// logEntry is one committed transaction.
type logEntry struct {
	seq uint64
	commitRecord
	stream []byte // its changes, checked
}

// logEntries hands the keys and values of a log to yield, in order.
type logEntries func(yield func(key, value []byte) error) error

// scanLog reads an epoch's log and hands the committed transactions to each in order. A log that cannot be trusted is an error.
func scanLog(epoch uint64, entries logEntries, each func(logEntry) error) (logState, error) {
	return scanLogFrom(logState{}, epoch, entries, each)
}

// scanLogFrom is scanLog for the entries behind those that st describes.
func scanLogFrom(st logState, epoch uint64, entries logEntries, each func(logEntry) error) (logState, error) {
	var tx pendingEntry
	err := entries(func(key, value []byte) error {
		of, seq, part, ok := parseChangeKey(key)
		if !ok || of != epoch {
			return &blockError{bytes.Clone(key), errors.New("unknown key in the change log")}
		}
		if seq != tx.seq {
			st.orphans += tx.parts
			tx = pendingEntry{seq: seq, stream: tx.stream[:0]}
		}
		st.lastSeq = seq
		if part != lastPart {
			tx.add(key, value, part)
			return nil
		}
		r, err := readCommit(key, value)
		if err == nil {
			err = st.follow(r, seq, tx.parts)
		}
		if err != nil {
			return &blockError{bytes.Clone(key), err}
		}
		parts := tx.parts
		tx.parts = 0
		if st.cut > 0 {
			st.orphans += parts + 1
			return nil
		}
		if err := tx.check(epoch, r); err != nil {
			return err
		}
		return each(logEntry{seq, *r, tx.stream})
	})
	st.orphans += tx.parts
	return st, err
}

// pendingEntry is a transaction whose commit record has not been read yet.
type pendingEntry struct {
	seq    uint64
	parts  uint64
	stream []byte
	err    *blockError // the first part that cannot be read
}

func (p *pendingEntry) add(key, value []byte, part uint32) {
	payload, _, err := unseal(key, value)
	if err == nil && uint64(part) != p.parts {
		err = fmt.Errorf("part %d before it is missing", p.parts)
	}
	if err != nil && p.err == nil {
		p.err = &blockError{bytes.Clone(key), err}
	}
	p.parts++
	p.stream = append(p.stream, payload...)
}

// check sees that the parts are those that were committed.
func (p *pendingEntry) check(epoch uint64, r *commitRecord) error {
	if p.err != nil {
		return p.err
	}
	if uint64(len(p.stream)) != r.bytes || crc32.Checksum(p.stream, castagnoli) != r.sum {
		return &blockError{changeKey(epoch, p.seq, lastPart), errors.New("its parts are others than those that were committed")}
	}
	return nil
}

func readCommit(key, value []byte) (*commitRecord, error) {
	payload, last, err := unseal(key, value)
	if err == nil && !last {
		err = errTruncated
	}
	if err != nil {
		return nil, err
	}
	return decodeCommit(payload)
}

// follow takes up the next transaction committed. Of relaxed ones, a loss of power may have taken some and left later
// ones: the log ends at the first that is gone. One that was synced vouches for all before it.
func (st *logState) follow(r *commitRecord, seq, parts uint64) error {
	var err error
	switch {
	case st.cut > 0:
		err = fmt.Errorf("transactions before %d are missing", st.cut)
	case r.previous != st.committed:
		err = fmt.Errorf("transaction %d before it is missing", r.previous)
	case r.parts != parts:
		err = fmt.Errorf("%d of its %d parts are there", parts, r.parts)
	}
	if err != nil && r.relaxed {
		if st.cut == 0 {
			st.cut = seq
		}
		return nil
	}
	if err != nil {
		return err
	}
	st.committed = seq
	st.count++
	st.changes += r.changes
	st.bytes += r.bytes
	return nil
}

// decodeChanges reads a stream that holds count changes.
func decodeChanges(stream []byte, count uint64) ([]csr.Change, error) {
	d := changeDecoder{cursor: cursor{b: stream}}
	if count > uint64(len(stream))/2 { // a change takes two bytes at least
		return nil, fmt.Errorf("%d changes in %d bytes", count, len(stream))
	}
	changes := make([]csr.Change, 0, count)
	for len(d.b) > 0 && d.err == nil {
		changes = append(changes, d.next())
	}
	if d.err == nil && uint64(len(changes)) != count {
		return nil, fmt.Errorf("%d changes where %d were committed", len(changes), count)
	}
	return changes, d.err
}

// logWriter writes one transaction to a log, a part at a time, so that its length in bytes does not matter.
type logWriter struct {
	to     *logFile
	start  int64 // where the transaction begins
	seq    uint64
	enc    *changeEncoder
	record commitRecord
	now    func() int64
}

func newLogWriter(to *logFile, seq, previous uint64) *logWriter {
	record := commitRecord{previous: previous, settled: to.settled()}
	w := &logWriter{to: to, start: to.end, seq: seq, enc: newChangeEncoder(), record: record, now: unixNano}
	w.enc.flush = w.flush
	return w
}

func unixNano() int64 { return time.Now().UnixNano() }

// addAll appends changes until ctx ends.
func (w *logWriter) addAll(ctx context.Context, changes []csr.Change) error {
	for len(changes) > 0 && ctx.Err() == nil {
		n := min(len(changes), changesPerStep)
		if err := w.add(changes[:n]); err != nil {
			return err
		}
		changes = changes[n:]
	}
	return ctx.Err()
}

// drop takes back what was written so far.
func (w *logWriter) drop() error { return w.to.rewind(w.start) }

// add appends changes, and writes the parts that they fill.
func (w *logWriter) add(changes []csr.Change) error {
	for i := range changes {
		if err := w.enc.add(&changes[i]); err != nil {
			return err
		}
		w.record.changes++
		if err := w.flush(); err != nil {
			return err
		}
	}
	return nil
}

// flush writes what fills a part.
func (w *logWriter) flush() error {
	for len(w.enc.buf) >= maxLogPart {
		part, err := w.cut(maxLogPart)
		if err == nil {
			err = w.to.append([]storedPart{part})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cut takes the first n bytes off the buffer for the next part.
func (w *logWriter) cut(n int) (storedPart, error) {
	if w.record.parts == closedPart {
		return storedPart{}, errors.New("a transaction of more than 1 PiB")
	}
	payload := w.enc.buf[:n]
	key := changeKey(w.to.epoch, w.seq, uint32(w.record.parts))
	part := storedPart{key, seal(key, payload, false)}
	w.record.parts++
	w.record.bytes += uint64(n)
	w.record.sum = crc32.Update(w.record.sum, castagnoli, payload)
	w.enc.buf = append(w.enc.buf[:0], w.enc.buf[n:]...)
	return part, nil
}

// commit writes what is left and the commit record, in one write. With Sync, the transaction counts as durable once the log was synced.
func (w *logWriter) commit(d Durability) error {
	var last []storedPart
	if len(w.enc.buf) > 0 {
		part, err := w.cut(len(w.enc.buf))
		if err != nil {
			return err
		}
		last = append(last, part)
	}
	w.record.time, w.record.relaxed = w.now(), d == Relaxed
	key := changeKey(w.to.epoch, w.seq, lastPart)
	return w.to.append(append(last, storedPart{key, seal(key, w.record.encode(), true)}))
}

// eachTransaction hands the transactions of the live epoch's log to fn.
func (s *Store) eachTransaction(ctx context.Context, h *head, fn func(logEntry) error) (logState, error) {
	if s.old != nil {
		return scanLog(h.epoch, s.old.logEntries(h.epoch), fn)
	}
	f, err := s.disk.Open(filepath.Join(s.dir, logName(h.epoch)), false)
	if err != nil {
		return logState{}, err
	}
	scan, err := scanLogFile(ctx, f, h, s.log.Load().end, fn)
	if err = cmp.Or(err, f.Close()); err != nil {
		return logState{}, err
	}
	return scan.state, nil
}

// replay applies the log of an epoch to the graph of its blocks.
func (s *Store) replay(ctx context.Context, h *head, base *csr.Snapshot) (*csr.Snapshot, error) {
	var changes []csr.Change
	_, err := s.eachTransaction(ctx, h, func(e logEntry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		of, err := e.changesOf(h.epoch)
		changes = append(changes, of...)
		return err
	})
	if err != nil || len(changes) == 0 {
		return base, err
	}
	snap, err := csr.Replay(ctx, base, changes)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("the change log does not fit the graph: %w", err)
	}
	return snap, err
}

// changesOf decodes a transaction of an epoch.
func (e *logEntry) changesOf(epoch uint64) ([]csr.Change, error) {
	changes, err := decodeChanges(e.stream, e.changes)
	if err != nil {
		return nil, &blockError{changeKey(epoch, e.seq, 0), err}
	}
	return changes, nil
}
