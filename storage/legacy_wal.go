//go:build !js

package storage

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4/table"
)

// Badger ends the reading of a log of writes at the first entry that does not fit its checksum, and cuts the log there: after
// a kill that is an entry that was being written, and nothing follows it. But a bit that has changed looks the same. So
// before Badger opens what a killed process left, the rest of the log is looked through for commit records. One
// transaction is written at a time, and the next only when the one before is done; so the rest holds at most one,
// unless the log is damaged.

const walHeader = 20 // of a log; see Badger's vlogHeaderSize

// checkLogs sees that the logs of writes in dir are sound up to what was being written last. doubt names a log in which that
// may be a transaction that was committed.
func checkLogs(dir string, epoch uint64) (doubt string, err error) {
	last := uint64(0) // transaction that Badger gives back; 0: not known
	for _, e := range logFiles(dir, ".mem") {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", wrap(dir, "reading "+e.Name(), err)
		}
		sound, ended := soundPart(data)
		cut := false     // a transaction is whole, but for the entry that ends it
		durable := false // a synced transaction was done before what comes next
		for at := range commitsIn(data[:sound], epoch) {
			if cut = at >= ended; !cut {
				_, last, _, _ = parseChangeKey(data[at : at+logKeyLen])
				continue
			}
			r := commitAt(data[at:sound])
			durable = r != nil && !r.relaxed
		}
		rest := data[sound:]
		synced := 0
		for at := range commitsIn(rest, epoch) {
			r := commitAt(rest[at:])
			if r == nil || r.relaxed && !durable { // what comes behind one that was synced was written after that
				continue
			}
			durable = true
			if synced++; cut || last > 0 && r.previous != last {
				synced++ // that one was committed, too
			}
		}
		switch synced {
		case 0:
		case 1:
			doubt = e.Name()
		default:
			return "", corrupt(dir, fmt.Sprintf("file %s: transactions were committed after an entry that cannot be read", e.Name()), nil)
		}
	}
	return doubt, nil
}

// soundPart measures the part of a log that can be read: entries of two bytes, the lengths of key and value and
// an expiry (uvarints), key, value, and the CRC32C of all that, big-endian. The first byte says whether the entry is part of a
// transaction and whether it ends one. Badger drops a transaction without such an end: ended is where the last whole one ends.
func soundPart(data []byte) (at, ended int) {
	const part, end = 1 << 6, 1 << 7 // Badger's bitTxn and bitFinTxn
	at = min(walHeader, len(data))
	ended = at
	for {
		entry := data[at:]
		if len(entry) < 2 {
			return at, ended
		}
		n := 2
		var lengths [3]uint64
		for i := range lengths {
			x, size := binary.Uvarint(entry[n:])
			if size <= 0 {
				return at, ended
			}
			lengths[i] = x
			n += size
		}
		room := uint64(len(entry) - n)
		if lengths[0] == 0 || lengths[0] > room || lengths[1] > room-lengths[0] || room-lengths[0]-lengths[1] < crc32.Size {
			return at, ended
		}
		size := n + int(lengths[0]+lengths[1])
		if crc32.Checksum(entry[:size], castagnoli) != binary.BigEndian.Uint32(entry[size:]) {
			return at, ended
		}
		at += size + crc32.Size
		if entry[0]&part == 0 || entry[0]&end != 0 {
			ended = at
		}
	}
}

// commitsIn yields where keys of commit records of an epoch stand in data.
func commitsIn(data []byte, epoch uint64) func(yield func(at int) bool) {
	prefix := epochPrefix(kindChange, epoch)
	return func(yield func(at int) bool) {
		for at := 0; ; at++ {
			next := bytes.Index(data[at:], prefix)
			if next < 0 {
				return
			}
			at += next
			if len(data)-at < logKeyLen {
				return
			}
			if _, _, part, ok := parseChangeKey(data[at : at+logKeyLen]); ok && part == lastPart && !yield(at) {
				return
			}
		}
	}
}

// commitAt reads the commit record whose entry's key data begins with; nil if it is not whole.
func commitAt(data []byte) *commitRecord {
	const stamp = 8 // Badger's, behind the key
	if len(data) < logKeyLen+stamp {
		return nil
	}
	key, value := data[:logKeyLen], data[logKeyLen+stamp:]
	for n := sealOverhead; n <= min(len(value), sealOverhead+70); n++ { // its length stands before the key
		payload, last, err := unseal(key, value[:n])
		if err != nil || !last {
			continue
		}
		if r, err := decodeCommit(payload); err == nil {
			return r
		}
	}
	return nil
}

// checkNamedLog sees that no transaction of an epoch stands in tables alone that the MANIFEST does not name.
func checkNamedLog(dir string, m *manifest, epoch uint64) error {
	loose := make(map[string]bool)
	scan := func(id uint64, found func(key []byte)) error {
		return scanTable(dir, id, epochPrefix(kindChange, epoch), func(key, _ []byte) {
			if _, _, part, ok := parseChangeKey(key); ok && part == lastPart {
				found(key)
			}
		})
	}
	for _, id := range m.unnamed {
		if where, err := checkTableFile(table.NewFilename(id, dir)); where != "" || err != nil {
			continue // half written
		}
		if err := scan(id, func(key []byte) { loose[string(key)] = true }); err != nil {
			return err
		}
	}
	for _, id := range m.named {
		if len(loose) == 0 {
			return nil
		}
		if err := scan(id, func(key []byte) { delete(loose, string(key)) }); err != nil {
			return err
		}
	}
	for _, e := range logFiles(dir, ".mem") { // what a killed process did not come to name is in its log still
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return wrap(dir, "reading "+e.Name(), err)
		}
		for at := range commitsIn(data, epoch) {
			delete(loose, string(data[at:at+logKeyLen]))
		}
	}
	if len(loose) > 0 {
		return corrupt(dir, fmt.Sprintf("the file MANIFEST is cut short: it does not name the tables of %d transactions", len(loose)), nil)
	}
	return nil
}
