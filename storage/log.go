package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/motifql/motif/internal/csr"
)

// The change log holds the transactions since the live epoch was written: for each the parts of its stream of changes and a
// commit record, under keys that end in sequence number and part. The commit record is written last. Parts without
// one belong to a transaction that was rolled back or cut short; they do not count. The number of such a transaction is
// not used again while its parts are there. Every commit record names the one before, so that a missing one shows.
const (
	maxLogPart = 256 << 10 // bytes of changes in one value: well below what Badger would put into its value log
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
	orphans   uint64 // keys that do not count: parts without a commit record, and what follows cut
	cut       uint64 // the first transaction that a loss of power left, after one that it took; 0: none
}

// logEntry is one committed transaction as its commit record tells it.
type logEntry struct {
	seq uint64
	commitRecord
}

// scanLog reads the keys and commit records of an epoch's log, and hands the transactions to each in order. A
// log that cannot be trusted is an error.
func scanLog(txn *badger.Txn, epoch uint64, each func(logEntry) error) (st logState, err error) {
	it := txn.NewIterator(badger.IteratorOptions{Prefix: epochPrefix(kindChange, epoch)})
	defer it.Close()
	parts, of := uint64(0), uint64(0) // parts seen of transaction of
	for it.Rewind(); it.Valid(); it.Next() {
		key := it.Item().Key()
		_, seq, part, ok := parseChangeKey(key)
		if !ok {
			return st, &blockError{bytes.Clone(key), errors.New("unknown key in the change log")}
		}
		if seq != of {
			st.orphans += parts
			parts, of = 0, seq
		}
		st.lastSeq = seq
		if part != lastPart {
			parts++
			continue
		}
		r, err := readCommit(it.Item())
		if err == nil {
			err = st.follow(r, seq, parts)
		}
		if err != nil {
			return st, &blockError{bytes.Clone(key), err}
		}
		if st.cut > 0 {
			st.orphans += parts + 1
		} else if err := each(logEntry{seq, *r}); err != nil {
			return st, err
		}
		parts = 0
	}
	st.orphans += parts
	return st, nil
}

func readCommit(item *badger.Item) (r *commitRecord, err error) {
	err = item.Value(func(value []byte) error {
		payload, last, err := unseal(item.Key(), value)
		if err == nil && !last {
			err = errTruncated
		}
		if err == nil {
			r, err = decodeCommit(payload)
		}
		return err
	})
	return r, err
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

// readChanges checks and decodes the changes of one transaction.
func readChanges(txn *badger.Txn, epoch uint64, e *logEntry) ([]csr.Change, error) {
	payload, err := readParts(txn, epoch, e)
	if err != nil {
		return nil, err
	}
	changes, err := decodeChanges(payload, e.changes)
	if err != nil {
		return nil, &blockError{changeKey(epoch, e.seq, 0), err}
	}
	return changes, nil
}

// readParts checks the parts of one transaction and returns the stream.
func readParts(txn *badger.Txn, epoch uint64, e *logEntry) ([]byte, error) {
	var stream []byte
	for part := range e.parts {
		key := changeKey(epoch, e.seq, uint32(part))
		value, err := get(txn, key)
		if err == nil && value == nil {
			err = errors.New("missing")
		}
		var payload []byte
		if err == nil {
			payload, _, err = unseal(key, value)
		}
		if err != nil {
			return nil, &blockError{key, err}
		}
		stream = append(stream, payload...)
	}
	if uint64(len(stream)) != e.bytes || crc32.Checksum(stream, castagnoli) != e.sum {
		return nil, &blockError{changeKey(epoch, e.seq, lastPart), errors.New("its parts are others than those that were committed")}
	}
	return stream, nil
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

// logWriter writes one transaction to the log, a part at a time, so that its length in bytes does not matter.
type logWriter struct {
	store  *Store
	epoch  uint64
	seq    uint64
	enc    *changeEncoder
	record commitRecord
	unsure bool // whether the commit record will be found at the next open
}

func (s *Store) newLogWriter(epoch, seq, previous uint64) *logWriter {
	return &logWriter{store: s, epoch: epoch, seq: seq, enc: newChangeEncoder(), record: commitRecord{previous: previous}}
}

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

// drop removes the parts written so far. Without a commit record they do not count, so it does no harm if that fails.
func (w *logWriter) drop() {
	var keys [][]byte
	for part := range w.record.parts {
		keys = append(keys, changeKey(w.epoch, w.seq, uint32(part)))
	}
	if err := w.store.deleteKeys(keys); err != nil {
		w.store.say("parts of a transaction that failed are left in the store", "why", err)
	}
}

// add appends changes, and writes what fills a part.
func (w *logWriter) add(changes []csr.Change) error {
	for i := range changes {
		if err := w.enc.add(&changes[i]); err != nil {
			return err
		}
		w.record.changes++
		for len(w.enc.buf) >= maxLogPart {
			if err := w.flush(maxLogPart); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes the first n bytes as a part of their own.
func (w *logWriter) flush(n int) error {
	key, value, err := w.cut(n)
	if err != nil {
		return err
	}
	return w.store.put("writing the transaction", []storedPart{{key, value}})
}

// cut takes the first n bytes off the buffer for the next part.
func (w *logWriter) cut(n int) (key, value []byte, err error) {
	if w.record.parts == lastPart {
		return nil, nil, errors.New("a transaction of more than 1 PiB")
	}
	payload := w.enc.buf[:n]
	key = changeKey(w.epoch, w.seq, uint32(w.record.parts))
	value = seal(key, payload, false)
	w.record.parts++
	w.record.bytes += uint64(n)
	w.record.sum = crc32.Update(w.record.sum, castagnoli, payload)
	w.enc.buf = append(w.enc.buf[:0], w.enc.buf[n:]...)
	return key, value, nil
}

// commit writes what is left and the commit record, in one step of Badger. With Sync, the transaction and all that
// were committed before it are durable when commit returns.
func (w *logWriter) commit(d Durability) error {
	if err := w.finish(d, time.Now().UnixNano()); err != nil || d == Relaxed {
		return err
	}
	return w.store.guard("committing", w.store.syncLogs)
}

// finish is commit without making anything durable.
func (w *logWriter) finish(d Durability, now int64) error {
	var last []storedPart
	if len(w.enc.buf) > 0 {
		key, value, err := w.cut(len(w.enc.buf))
		if err != nil {
			return err
		}
		last = append(last, storedPart{key, value})
	}
	w.record.time, w.record.relaxed = now, d == Relaxed
	key := changeKey(w.epoch, w.seq, lastPart)
	last = append(last, storedPart{key, seal(key, w.record.encode(), true)})
	if err := w.store.roomFor(valueBytes(last)+commitSlack, "committing", doCommit); err != nil {
		return err
	}
	w.unsure = true
	return w.store.set("committing", last)
}

// doCommit is what the lack of room means for a transaction.
const doCommit = " more; nothing of the transaction was stored"

func valueBytes(values []storedPart) (size uint64) {
	for _, v := range values {
		size += uint64(len(v.key) + len(v.value))
	}
	return size
}

// put writes values in one transaction of Badger, if there is room.
func (s *Store) put(doing string, values []storedPart) error {
	if err := s.roomFor(valueBytes(values)+commitSlack, doing, doCommit); err != nil {
		return err
	}
	return s.set(doing, values)
}

func (s *Store) set(doing string, values []storedPart) error {
	return s.guard(doing, func() error {
		return s.db.Update(func(txn *badger.Txn) error {
			for _, v := range values {
				if err := txn.Set(v.key, v.value); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// deleteKeys removes keys, not all at once.
func (s *Store) deleteKeys(keys [][]byte) error {
	return s.guard("removing old parts", func() error {
		batch := s.db.NewWriteBatch()
		defer batch.Cancel()
		for _, key := range keys {
			if err := batch.Delete(key); err != nil {
				return err
			}
		}
		return batch.Flush()
	})
}

// syncLogs makes the logs of all memtables durable: of the one in use, and of those that wait to become tables, which
// DB.Sync does not reach.
func (s *Store) syncLogs() error {
	if s.inMemory() {
		return nil
	}
	s.syncs.Add(1)
	if err := s.db.Sync(); err != nil {
		return err
	}
	logs := logFiles(s.dir, ".mem")
	if len(logs) < 2 {
		return nil
	}
	return syncFiles(s.dir, logs)
}

// syncFiles makes files of dir durable; those that are gone need it no more.
func syncFiles(dir string, files []fs.DirEntry) error {
	for _, e := range files {
		f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// openLog reads the state of the live epoch's log. What is wrong with it shows when the graph is read. For writing,
// parts without a commit record are removed.
func (s *Store) openLog() error {
	txn := s.db.NewTransaction(false)
	defer txn.Discard()
	epoch := s.head.Load().epoch
	st, err := scanLog(txn, epoch, func(logEntry) error { return nil })
	s.log.Store(&st)
	if err != nil || st.orphans == 0 || s.opt.ReadOnly {
		return nil
	}
	if st.cut > 0 {
		s.say("transactions that were not yet synced were lost", "from", st.cut)
	}
	orphans := orphanParts(txn, epoch, st.cut)
	clean := st
	clean.cut, clean.orphans = 0, 0
	s.log.Store(&clean)
	return s.deleteKeys(orphans)
}

// orphanParts are the keys of parts without a commit record, and of transactions from cut on if that is not 0.
func orphanParts(txn *badger.Txn, epoch, cut uint64) (orphans [][]byte) {
	it := txn.NewIterator(badger.IteratorOptions{Prefix: epochPrefix(kindChange, epoch)})
	defer it.Close()
	start := 0 // of the transaction that the key belongs to, in orphans
	of := uint64(0)
	for it.Rewind(); it.Valid(); it.Next() {
		_, seq, part, _ := parseChangeKey(it.Item().Key())
		if seq != of {
			start, of = len(orphans), seq
		}
		if part == lastPart && (cut == 0 || seq < cut) {
			orphans = orphans[:start]
		} else {
			orphans = append(orphans, it.Item().KeyCopy(nil))
		}
	}
	return orphans
}

// replay applies the log of an epoch to the graph of its blocks.
func (s *Store) replay(ctx context.Context, txn *badger.Txn, epoch uint64, base *csr.Snapshot) (*csr.Snapshot, error) {
	var changes []csr.Change
	_, err := scanLog(txn, epoch, func(e logEntry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		of, err := readChanges(txn, epoch, &e)
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
