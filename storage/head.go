package storage

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// The file HEAD says which graph is live, and replacing it publishes a graph. It names the files of the graph with their
// lengths and checksums, so that opening knows what has to be there.
const headName = "HEAD"

// storeID tells the files of one store from those of others.
type storeID [16]byte

func newStoreID() (id storeID) {
	_, _ = rand.Read(id[:]) // ends the program rather than fail
	return id
}

// head is what the file HEAD holds: which epoch is live, and what Info tells of it without reading more.
type head struct {
	epoch     uint64
	published int64  // Unix time in nanoseconds
	bytes     uint64 // of keys and values
	vertices  uint64
	edges     uint64

	format byte // plainFormat, or a later one if the graph or its log needs it; 0: plainFormat
	store  storeID
	tables []tableSum // the files of the epoch's database, in order of their numbers
}

// tableSum is what has to be in the file of a table.
type tableSum struct {
	size int64
	sum  uint32 // CRC32C of the whole file
}

// encode is the head as formats 1 and 2 and backups have it.
func (h *head) encode() []byte {
	dst := binary.AppendUvarint(nil, h.epoch)
	dst = appendVarint(dst, h.published)
	for _, x := range [...]uint64{h.bytes, h.vertices, h.edges} {
		dst = binary.AppendUvarint(dst, x)
	}
	return dst
}

// encodeFile is the contents of the file HEAD.
func (h *head) encodeFile() []byte {
	return sealAs(max(h.format, plainFormat), headKey(), h.payload(), true)
}

// payload is what the file HEAD says of the graph. No two graphs have the same.
func (h *head) payload() []byte {
	dst := append(h.store[:len(h.store):len(h.store)], h.encode()...)
	dst = binary.AppendUvarint(dst, uint64(len(h.tables)))
	for _, t := range h.tables {
		dst = binary.AppendUvarint(dst, uint64(t.size))
		dst = binary.LittleEndian.AppendUint32(dst, t.sum)
	}
	return dst
}

// fields reads what encode has written.
func (h *head) fields(c *cursor) {
	h.epoch, h.published, h.bytes, h.vertices, h.edges = c.uvarint(), c.varint(), c.uvarint(), c.uvarint(), c.uvarint()
}

func decodeHead(payload []byte) (*head, error) {
	c := cursor{b: payload}
	h := new(head)
	h.fields(&c)
	if c.err == nil && h.epoch == 0 {
		c.fail(errors.New("epoch 0"))
	}
	return h, c.end()
}

func decodeHeadFile(payload []byte) (*head, error) {
	c := cursor{b: payload}
	h := new(head)
	copy(h.store[:], c.take(uint64(len(h.store))))
	h.fields(&c)
	n := c.uvarint()
	if n > uint64(len(payload)) {
		return nil, errTruncated
	}
	for range n {
		t := tableSum{size: int64(c.uvarint())}
		if sum := c.take(crc32.Size); c.err == nil {
			t.sum = binary.LittleEndian.Uint32(sum)
		}
		if t.size < 0 {
			c.fail(errors.New("a table of negative length"))
		}
		h.tables = append(h.tables, t)
	}
	return h, c.end()
}

// readHead reads the file HEAD of a store of this format. nil: there is none, or an older format has written it.
func readHead(d disk, dir string) (*head, error) {
	value, err := d.ReadFile(filepath.Join(dir, headName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wrap(dir, "reading the file HEAD", err)
	}
	if len(value) > 0 && value[0] < plainFormat {
		return nil, nil
	}
	if len(value) > 0 && value[0] > formatVersion {
		return nil, newerFormat(dir, value[0], "")
	}
	payload, _, err := unseal(headKey(), value)
	var h *head
	if err == nil {
		h, err = decodeHeadFile(payload)
	}
	if err != nil {
		return nil, corrupt(dir, "the file HEAD", err)
	}
	h.format = value[0]
	return h, nil
}

// The file MANIFEST marks a directory as a store. It begins like that of a Badger database with a version that none has:
// so programs that know older formats refuse the store by name. HEAD says all that it says.
const (
	markName    = "MANIFEST"
	markVersion = 0xFFFF

	badgerVersion uint16 = 8             // of the MANIFEST of formats 1 and 2
	externalMagic uint16 = 0x4D46        // stands in it, and tells our stores from other Badger databases
	keyRegistry          = "KEYREGISTRY" // a file that only Badger writes
)

// mark is the contents of the file MANIFEST.
func mark(id storeID) []byte {
	dst := binary.BigEndian.AppendUint16([]byte("Bdgr"), externalMagic)
	dst = binary.BigEndian.AppendUint16(dst, markVersion)
	return append(dst, sealAs(plainFormat, formatKey, append(id[:], engineVersion()...), true)...)
}

// readMark reads the mark of a store of this format, or of a newer one.
func readMark(contents []byte) (id storeID, err error) {
	value := contents[min(len(contents), markLen):]
	if len(value) > 0 && value[0] > formatVersion {
		return id, fmt.Errorf("format %d", value[0])
	}
	payload, _, err := unseal(formatKey, value)
	if err == nil && len(payload) < len(id) {
		err = errTruncated
	}
	if err != nil {
		return id, err
	}
	copy(id[:], payload)
	return id, nil
}

const markLen = 8 // of what Badger programs read of a MANIFEST

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

func epochFolder(epoch uint64) string { return fmt.Sprintf("epoch-%06d", epoch) }

// flatName is the name of the flat file of an epoch.
func flatName(epoch uint64) string { return fmt.Sprintf("flat-%06d", epoch) }

// isEpochFile reports whether a store's file belongs to some epoch: a folder of blocks, a change log, or a flat file.
func isEpochFile(name string) bool {
	return strings.HasPrefix(name, "epoch-") || strings.HasPrefix(name, "log-") || strings.HasPrefix(name, "flat-")
}
