package storage

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// judge looks at what follows the entries that could be read. Zeros are the rule; a crash may have stopped the file from growing by
// a whole step. After a crash it may be what was being written: the
// transactions that waited for one sync, none of which returned. More than that is damage.
func (l *logScan) judge(f file, epoch uint64) error {
	zero, err := allZero(f, l.end, l.size)
	if err != nil {
		return err
	}
	if zero {
		if l.size%logStep != 0 && l.end == l.size {
			return fmt.Errorf("it was cut off at %d bytes", l.size)
		}
		return nil
	}
	rest := make([]byte, l.size-l.end)
	if _, err := f.ReadAt(rest, l.end); err != nil && len(rest) > 0 {
		return err
	}
	unread := len(bytes.TrimRight(rest, "\x00")) // the last entry may end in zeros of its own, so rest keeps them
	if l.size%logStep != 0 && cutOff(rest) {
		return fmt.Errorf("it was cut off at %d bytes, within an entry", l.size)
	}
	for at := range entriesIn(rest, epoch) {
		r, closed := endAt(rest[at:])
		if r == nil && !closed {
			continue
		}
		if closed || r.settled && r.previous != l.state.committed {
			return fmt.Errorf("transactions were committed after byte %d, where an entry cannot be read", l.end)
		}
	}
	l.doubt = fmt.Sprintf("%d bytes after byte %d cannot be read", unread, l.end)
	return nil
}

// allZero reports whether bytes [from, to) of a file are zeros.
func allZero(f file, from, to int64) (bool, error) {
	room := make([]byte, min(to-from, logRead))
	for from < to {
		part := room[:min(to-from, logRead)]
		if _, err := f.ReadAt(part, from); err != nil {
			return false, err
		}
		if len(bytes.TrimRight(part, "\x00")) > 0 {
			return false, nil
		}
		from += int64(len(part))
	}
	return true, nil
}

// cutOff reports whether the entry that rest begins with reaches past the end of the file. No append writes such an entry, for it
// reserves the space first. The length of the file alone tells nothing: growing it may have failed half way.
func cutOff(rest []byte) bool {
	if len(rest) < entryHead {
		return true
	}
	_, _, _, ok := parseChangeKey(rest[:logKeyLen])
	return ok && entryHead+int64(binary.LittleEndian.Uint32(rest[logKeyLen:])) > int64(len(rest))
}

// entriesIn yields where keys of an epoch's entries that end transactions stand in data.
func entriesIn(data []byte, epoch uint64) func(yield func(at int) bool) {
	prefix := epochPrefix(kindChange, epoch)
	return func(yield func(at int) bool) {
		for at := 0; ; at++ {
			next := bytes.Index(data[at:], prefix)
			if next < 0 || len(data)-at-next < entryHead {
				return
			}
			at += next
			if _, _, part, ok := parseChangeKey(data[at : at+logKeyLen]); ok && part >= closedPart && !yield(at) {
				return
			}
		}
	}
}

// endAt reads the entry that data begins with: a commit record, or the entry of closing. Neither: it is not whole.
func endAt(data []byte) (r *commitRecord, closed bool) {
	n := int(binary.LittleEndian.Uint32(data[logKeyLen:]))
	if n > len(data)-entryHead {
		return nil, false
	}
	key := data[:logKeyLen]
	payload, _, err := unseal(key, data[entryHead:entryHead+n])
	if err != nil {
		return nil, false
	}
	if _, _, part, _ := parseChangeKey(key); part == closedPart {
		return nil, true
	}
	r, err = decodeCommit(payload)
	if err != nil {
		return nil, false
	}
	return r, false
}
