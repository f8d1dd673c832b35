package storage

import (
	"encoding/binary"
	"errors"
	"runtime/debug"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// head is the value of the key "head": which epoch is live, and what Info tells of it without reading more.
type head struct {
	epoch     uint64
	published int64 // Unix time in nanoseconds
	bytes     uint64
	vertices  uint64
	edges     uint64
}

func (h *head) encode() []byte {
	dst := binary.AppendUvarint(nil, h.epoch)
	dst = appendVarint(dst, h.published)
	for _, x := range [...]uint64{h.bytes, h.vertices, h.edges} {
		dst = binary.AppendUvarint(dst, x)
	}
	return dst
}

func decodeHead(payload []byte) (*head, error) {
	c := cursor{b: payload}
	h := &head{epoch: c.uvarint(), published: c.varint(), bytes: c.uvarint(), vertices: c.uvarint(), edges: c.uvarint()}
	if c.err == nil && h.epoch == 0 {
		c.fail(errors.New("epoch 0"))
	}
	return h, c.end()
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
func (s *Store) readRoot() (formatted bool, err error) {
	txn := s.db.NewTransaction(false)
	defer txn.Discard()
	format, err := get(txn, formatKey)
	if err != nil {
		return false, wrap(s.dir, "reading the format version", err)
	}
	pointer, err := get(txn, headKey())
	if err != nil {
		return false, wrap(s.dir, "reading the pointer to the live graph", err)
	}
	if format != nil {
		if err := s.checkFormat(format); err != nil {
			return true, err
		}
		s.format = format[0]
	}
	var live *head
	if !s.inMemory() {
		if live, err = readHeadFile(s.dir); err != nil {
			return format != nil, err
		}
	}
	if format == nil {
		if pointer != nil || live != nil {
			return false, corrupt(s.dir, "the format version is missing", nil)
		}
		return false, nil
	}
	if pointer != nil {
		payload, _, err := unseal(headKey(), pointer)
		if err != nil {
			return true, corrupt(s.dir, new(names).describe(headKey()), err)
		}
		h, err := decodeHead(payload)
		if err != nil {
			return true, corrupt(s.dir, new(names).describe(headKey()), err)
		}
		if live == nil || h.epoch > live.epoch {
			live = h
		}
	}
	if live != nil {
		s.head.Store(live)
	}
	return true, nil
}

// checkFormat looks at the version first: of what a newer program wrote, only the first byte is sure.
func (s *Store) checkFormat(value []byte) error {
	if len(value) > 0 && value[0] > formatVersion {
		writer := ""
		if len(value) >= sealOverhead {
			writer = printable(value[2 : len(value)-4])
		}
		return newerFormat(s.dir, value[0], writer)
	}
	if _, _, err := unseal(formatKey, value); err != nil {
		return corrupt(s.dir, new(names).describe(formatKey), err)
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

// writeFormat marks a new store, or one of an older format that is going to hold what its programs do not know.
func (s *Store) writeFormat() error {
	err := s.commit(formatKey, []byte(engineVersion()))
	if err == nil {
		s.format = formatVersion
	}
	return err
}

// upgrade marks a store of an older format before anything else is written to it. The caller has the writer's token.
func (s *Store) upgrade() error {
	if s.format == formatVersion {
		return nil
	}
	return wrap(s.dir, "writing the format version", s.writeFormat())
}

// engineVersion is the version of this module as the program was built.
func engineVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Path == modulePath {
			return "motif " + info.Main.Version
		}
		for _, dep := range info.Deps {
			if dep.Path == modulePath {
				return "motif " + dep.Version
			}
		}
	}
	return "motif"
}

const modulePath = "github.com/motifql/motif"

// commit sets one key in one transaction and makes it durable.
func (s *Store) commit(key, payload []byte) error {
	err := s.db.Update(func(txn *badger.Txn) error {
		return txn.Set(key, seal(key, payload, true))
	})
	if err != nil {
		return err
	}
	return s.syncLogs()
}

// setHead publishes an epoch, all of which is durable.
func (s *Store) setHead(h *head) error {
	h.published = time.Now().UnixNano()
	if !s.inMemory() {
		if err := writeHeadFile(s.dir, h); err != nil {
			return err
		}
	}
	return s.commit(headKey(), h.encode())
}
