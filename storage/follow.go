package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/motifql/motif/internal/csr"
)

// A shared store follows what other processes publish. An epoch never changes, HEAD is replaced in one step, and a log only
// grows; so reading needs no lock. A read that meets a write in progress may find half an entry, or a file that is gone.
// It is then tried again: what stays wrong is damage.

// followedFiles is what a shared store has seen of the files that others change.
type followedFiles struct {
	head, log os.FileInfo
	at        time.Time // just before they were read
	tail      []byte    // the last bytes of the log before the end that was read; nil: read everything anew
}

const (
	followTries = 40
	tailLen     = 128
	// stampDoubt is how much older than a look a file's time must be, so that no later write can have the same time.
	stampDoubt = 100 * time.Millisecond
)

// catchUp takes up what other processes have published. The caller has busy.
func (sh *sharing) catchUp(ctx context.Context) error {
	if sh.locked.Load() || sh.unchanged() {
		return nil
	}
	var err error
	for try := range followTries {
		if err = sh.follow(ctx); err == nil || ctx.Err() != nil {
			return err
		}
		sh.followed.tail = nil
		select {
		case <-time.After(time.Duration(try) * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// loaded returns the graph in memory if no file has changed since it was read, else nil. It does not wait.
func (sh *sharing) loaded() *csr.Snapshot {
	s := sh.store
	select {
	case s.busy <- struct{}{}:
	default:
		return nil
	}
	defer s.release()
	if s.usable() != nil || !sh.locked.Load() && !sh.unchanged() {
		return nil
	}
	return s.cached.Load()
}

// unchanged reports whether no file has changed since the last look.
func (sh *sharing) unchanged() bool {
	s := sh.store
	seen := &sh.followed
	if seen.tail == nil || seen.head == nil {
		return false
	}
	now, err := sh.lookAtFiles(s.head.Load().epoch)
	if err != nil || !sameFiles([]os.FileInfo{now.head, now.log}, []os.FileInfo{seen.head, seen.log}) {
		return false
	}
	if seen.old() {
		return true
	}
	if !sh.sameBytes() {
		return false
	}
	now.tail = seen.tail // what was read stood in the files a moment ago, too: from now on, their times may tell
	sh.followed = now
	return true
}

// old reports whether the files were so old when they were read that each later write changes their times.
func (f *followedFiles) old() bool {
	sure := f.at.Add(-stampDoubt)
	return f.head.ModTime().Before(sure) && f.log.ModTime().Before(sure)
}

// sameBytes looks into files whose times are too young to tell: is HEAD the same, and has the log no entry behind the last one read?
func (sh *sharing) sameBytes() bool {
	s := sh.store
	live, end := s.head.Load(), s.log.Load().end
	h, err := readHead(s.disk, s.dir)
	if err != nil || h == nil || h.store != live.store || h.epoch != live.epoch || h.published != live.published {
		return false
	}
	f, err := s.disk.Open(filepath.Join(s.dir, logName(h.epoch)), false)
	if err != nil {
		return false
	}
	now := make([]byte, len(sh.followed.tail)+1)
	_, err = f.ReadAt(now, end+1-int64(len(now)))
	if errors.Is(err, io.EOF) { // the log is full
		now, err = append(now[:len(now)-1], 0), nil
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return false
	}
	return bytes.Equal(now[:len(now)-1], sh.followed.tail) && now[len(now)-1] == 0
}

func (sh *sharing) lookAtFiles(epoch uint64) (f followedFiles, err error) {
	s := sh.store
	f.at = time.Now()
	if f.head, err = os.Stat(filepath.Join(s.dir, headName)); err == nil {
		f.log, err = os.Stat(filepath.Join(s.dir, logName(epoch)))
	}
	return f, err
}

// follow reads HEAD, and of the log what is new. The graph in memory takes the new transactions, or goes if the epoch is another.
func (sh *sharing) follow(ctx context.Context) error {
	s := sh.store
	h, err := readHead(s.disk, s.dir)
	if err != nil {
		return err
	}
	if h == nil {
		if _, err := inspect(s.disk, s.dir); err != nil {
			return err
		}
		return notStore(s.dir, "the store has gone", "check the path", nil)
	}
	seen, err := sh.lookAtFiles(h.epoch)
	if err != nil {
		return logError(s.dir, h, err)
	}
	f, err := s.disk.Open(filepath.Join(s.dir, logName(h.epoch)), false)
	if err != nil {
		return logError(s.dir, h, err)
	}
	next, err := sh.readOn(ctx, f, h)
	if err = errors.Join(err, f.Close()); err != nil {
		return logError(s.dir, h, err)
	}
	snap := s.cached.Load()
	if !next.continues {
		snap = nil
	} else if snap != nil && len(next.changes) > 0 {
		if snap, err = csr.Replay(ctx, snap, next.changes); err != nil {
			return err
		}
	}
	seen.tail = next.tail
	sh.followed = seen
	s.head.Store(h)
	s.claimed = h.epoch
	s.log.Store(&next.state)
	s.cached.Store(snap)
	return nil
}

// newEntries is what follow finds in a log.
type newEntries struct {
	state     logState
	tail      []byte
	continues bool         // state continues the one before
	changes   []csr.Change // of the transactions that are new, if state continues
}

// readOn reads a log from where the last look ended, if it is still the same log, or else from its beginning.
func (sh *sharing) readOn(ctx context.Context, f file, h *head) (*newEntries, error) {
	s := sh.store
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	before, live := *s.log.Load(), s.head.Load()
	next := &newEntries{state: logState{end: logHeaderLen}}
	if tail := sh.followed.tail; tail != nil && h.store == live.store && h.epoch == live.epoch && before.end <= size {
		now, err := readTail(f, before.end)
		if err != nil {
			return nil, err
		}
		if next.continues = bytes.Equal(now, tail); next.continues {
			next.state = before
		}
	}
	if !next.continues {
		if _, err := checkLogHeader(f, h, size); err != nil {
			return nil, err
		}
	}
	if err := next.read(ctx, f, h, size); err != nil {
		return nil, err
	}
	next.tail, err = readTail(f, next.state.end)
	return next, err
}

// read scans a log up to its last whole transaction.
func (n *newEntries) read(ctx context.Context, f file, h *head, size int64) error {
	scan := &logScan{end: n.state.end, size: size}
	end := scan.end
	entries := func(yield func(key, value []byte) error) error {
		return scan.read(ctx, f, h.epoch, func(key, value []byte) error {
			if _, _, part, ok := parseChangeKey(key); ok && part == lastPart {
				end = scan.end + entryHead + int64(len(value))
			}
			return yield(key, value)
		})
	}
	st, err := scanLogFrom(n.state, h.epoch, entries, func(e logEntry) error {
		if !n.continues {
			return nil
		}
		changes, err := e.changesOf(h.epoch)
		n.changes = append(n.changes, changes...)
		return err
	})
	if err != nil {
		return err
	}
	scan.state = st
	if err := scan.judge(f, h.epoch); err != nil {
		return err
	}
	if scan.closed {
		end = scan.end
	}
	st.end, st.orphans = end, 0
	if st.cut == 0 { // a transaction that is being written does not count yet
		st.lastSeq = st.committed
	}
	n.state = st
	return nil
}

// readTail reads the bytes before an end of a log, which tell whether it is still the same log.
func readTail(f file, end int64) ([]byte, error) {
	tail := make([]byte, min(end, tailLen))
	_, err := f.ReadAt(tail, end-int64(len(tail)))
	return tail, err
}

// logError gives an error in reading a log its words.
func logError(dir string, h *head, err error) error {
	var block *blockError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return corrupt(dir, "the file "+logName(h.epoch)+" is missing", nil)
	case errors.As(err, &block):
		return corrupt(dir, new(names).describe(block.key), block.err)
	case isSystemError(err):
		return wrap(dir, "reading the change log", err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return corrupt(dir, "the file "+logName(h.epoch), err)
}

// snapshot is Snapshot for a shared store: the graph that was published last.
func (sh *sharing) snapshot(ctx context.Context) (*csr.Snapshot, error) {
	s := sh.store
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	for try := 0; ; try++ {
		if err := sh.catchUp(ctx); err != nil {
			return nil, err
		}
		if snap := s.cached.Load(); snap != nil {
			return snap, nil
		}
		snap, err := s.load(ctx)
		if err == nil {
			s.cached.Store(snap)
			return snap, nil
		}
		if ctx.Err() != nil || try == followTries || !sh.epochGone() {
			return nil, err
		}
		sh.followed.tail = nil
	}
}
