package storage

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// A stored value is
//
//	version  1 byte   format version that wrote it
//	flags    1 byte   1: the last part of its block
//	payload
//	crc      4 bytes  CRC32C of key, version, flags and payload, little-endian
//
// The checksum covers the key, so a value that turns up under another key is found out too. A block longer than
// one value holds is cut into parts, numbered at the end of their keys.
const (
	formatVersion byte = 4 // the newest of a store; see sealVersion for that of a value
	plainFormat   byte = 3 // of a store without rules of format 4; programs that know no later one read it
	flagLast      byte = 1

	maxValue     = 64 << 10
	sealOverhead = 2 + crc32.Size
	maxPayload   = maxValue - sealOverhead
	maxParts     = math.MaxUint16 + 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	errChecksum  = errors.New("the checksum differs")
	errTruncated = errors.New("the block is too short")
	errVersion   = errors.New("the block has an unknown format version")
)

// sealVersion is the first format version that has values like those under key.
func sealVersion(key []byte) byte {
	switch {
	case key[0] == kindChange, bytes.Equal(key, formatKey):
		return 2
	case key[0] == kindMeta && len(key) >= epochPrefixLen && bytes.HasPrefix(key[epochPrefixLen:], []byte(recordSchema)):
		return 2
	}
	return 1
}

// seal wraps one part of a block.
func seal(key, payload []byte, last bool) []byte { return sealAs(sealVersion(key), key, payload, last) }

// sealAs is seal for a value of some format version.
func sealAs(version byte, key, payload []byte, last bool) []byte {
	value := make([]byte, 0, len(payload)+sealOverhead)
	value = append(value, version, 0)
	if last {
		value[1] = flagLast
	}
	value = append(value, payload...)
	return binary.LittleEndian.AppendUint32(value, checksum(key, value))
}

func checksum(key, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, body)
}

// unseal checks a stored value and returns its payload, which shares value's memory.
func unseal(key, value []byte) (payload []byte, last bool, err error) {
	if len(value) < sealOverhead {
		return nil, false, errTruncated
	}
	body := value[:len(value)-crc32.Size]
	if checksum(key, body) != binary.LittleEndian.Uint32(value[len(body):]) {
		return nil, false, errChecksum
	}
	if body[0] == 0 || body[0] > formatVersion || body[1]&^flagLast != 0 {
		return nil, false, errVersion
	}
	return body[2:], body[1] == flagLast, nil
}

// partKey is the stored key of one part of a block.
func partKey(logical []byte, part int) []byte {
	key := make([]byte, 0, len(logical)+partLen)
	return binary.BigEndian.AppendUint16(append(key, logical...), uint16(part))
}

// split cuts a block into the values it is stored as and hands each to put, which keeps them.
func split(logical, payload []byte, put func(key, value []byte) error) error {
	return splitAs(0, logical, payload, put)
}

// splitAs is split for values of some format version; 0 stands for that of sealVersion.
func splitAs(version byte, logical, payload []byte, put func(key, value []byte) error) error {
	if len(payload) > maxParts*maxPayload {
		return fmt.Errorf("a block of %d bytes is too long to store", len(payload))
	}
	for part := 0; ; part++ {
		n := min(len(payload), maxPayload)
		key := partKey(logical, part)
		if err := put(key, sealAs(cmp.Or(version, sealVersion(key)), key, payload[:n], n == len(payload))); err != nil {
			return err
		}
		if payload = payload[n:]; len(payload) == 0 {
			return nil
		}
	}
}

// storedPart is one stored value with its key.
type storedPart struct{ key, value []byte }

// join checks the parts of one block, which must be all of them and in order, and returns its payload. On an error,
// at is the key of the part it is about.
func join(parts []storedPart) (payload, at []byte, err error) {
	for i, p := range parts {
		_, number, ok := splitPart(p.key)
		if !ok || int(number) != i {
			return nil, p.key, fmt.Errorf("part %d of the block is missing", i)
		}
		body, last, err := unseal(p.key, p.value)
		if err != nil {
			return nil, p.key, err
		}
		if last != (i == len(parts)-1) {
			return nil, p.key, errors.New("the block does not end with its last part")
		}
		if len(parts) == 1 {
			return body, p.key, nil
		}
		payload = append(payload, body...)
	}
	return payload, nil, nil
}
