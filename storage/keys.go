package storage

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// The first byte of a key says what the value is. All integers in keys are big-endian, so that Badger's order
// of keys is the order of epochs, types, vertices and chunks.
const (
	kindStore     byte = 0x00 // "format"; "head" graph
	kindMeta      byte = 0x01 // graph epoch record part
	kindAdjacency byte = 0x02 // graph epoch direction type vertex part
	kindColumn    byte = 0x03 // graph epoch column key chunk part
	kindLabel     byte = 0x04 // graph epoch label chunk part
	kindLookup    byte = 0x05 // graph epoch space block part: external id -> vertex
	kindExternal  byte = 0x06 // graph epoch space chunk part: vertex -> external id
	kindQuery     byte = 0x07 // graph name: a saved query, as JSON
	kindChange    byte = 0x08 // graph epoch seq part: change log

	firstEpochKind = kindMeta
	lastEpochKind  = kindExternal
)

// graphID is the number of the one graph of a store; the key layout has room for more.
const graphID uint32 = 0

// What a column of kindColumn holds.
const (
	columnVertex byte = 0 // the vertex property named by key
	columnEdge   byte = 1 // the relationship property named by key
	columnNodeID byte = 2 // stable node ids, key 0
	columnRelID  byte = 3 // stable relationship ids, key 0
)

// The records of kindMeta.
const (
	recordMeta    = "meta"
	recordDict    = "dict"
	recordClasses = "classes"
	recordStats   = "stats"
	recordSchema  = "schema" // only where there are indexes or constraints
)

var records = []string{recordMeta, recordDict, recordClasses, recordStats, recordSchema}

const (
	epochPrefixLen = 1 + 4 + 8
	partLen        = 2
)

var formatKey = []byte("\x00format")

func headKey() []byte {
	return binary.BigEndian.AppendUint32([]byte("\x00head"), graphID)
}

// epochPrefix begins every key of one kind in one epoch.
func epochPrefix(kind byte, epoch uint64) []byte {
	key := make([]byte, 0, 32)
	key = append(key, kind)
	key = binary.BigEndian.AppendUint32(key, graphID)
	return binary.BigEndian.AppendUint64(key, epoch)
}

// epochPrefixes are the prefixes that together hold all blocks of an epoch.
func epochPrefixes(epoch uint64) [][]byte {
	var prefixes [][]byte
	for kind := firstEpochKind; kind <= lastEpochKind; kind++ {
		prefixes = append(prefixes, epochPrefix(kind, epoch))
	}
	return prefixes
}

// The functions below make logical keys: what a block is, without the number of a part of it.

func metaKey(epoch uint64, record string) []byte {
	return append(epochPrefix(kindMeta, epoch), record...)
}

func adjacencyKey(epoch uint64, typ, first uint32) []byte {
	key := append(epochPrefix(kindAdjacency, epoch), 0) // direction: out; csr derives the other
	key = binary.BigEndian.AppendUint32(key, typ)
	return binary.BigEndian.AppendUint32(key, first)
}

func columnKey(epoch uint64, column byte, key uint32, chunk uint64) []byte {
	k := append(epochPrefix(kindColumn, epoch), column)
	k = binary.BigEndian.AppendUint32(k, key)
	return binary.BigEndian.AppendUint64(k, chunk)
}

func labelKey(epoch uint64, label, chunk uint32) []byte {
	key := binary.BigEndian.AppendUint32(epochPrefix(kindLabel, epoch), label)
	return binary.BigEndian.AppendUint32(key, chunk)
}

func lookupKey(epoch uint64, space, block uint32) []byte {
	key := binary.BigEndian.AppendUint32(epochPrefix(kindLookup, epoch), space)
	return binary.BigEndian.AppendUint32(key, block)
}

func externalKey(epoch uint64, space uint32, chunk uint64) []byte {
	key := binary.BigEndian.AppendUint32(epochPrefix(kindExternal, epoch), space)
	return binary.BigEndian.AppendUint64(key, chunk)
}

// blockKey is a logical key taken apart. Which fields mean something depends on the kind.
type blockKey struct {
	kind   byte
	epoch  uint64
	record string
	column byte   // columnVertex ...
	group  uint32 // type, property key, label or external space
	at     uint64 // first vertex, chunk or block
}

// fieldsLen is the length of what follows the epoch in a logical key, -1 if it varies.
var fieldsLen = [...]int{kindMeta: -1, kindAdjacency: 9, kindColumn: 13, kindLabel: 8, kindLookup: 8, kindExternal: 12}

// parseKey takes a logical key apart; false if it is none.
func parseKey(key []byte) (blockKey, bool) {
	if len(key) < epochPrefixLen || key[0] < firstEpochKind || key[0] > lastEpochKind {
		return blockKey{}, false
	}
	k := blockKey{kind: key[0], epoch: binary.BigEndian.Uint64(key[5:])}
	rest := key[epochPrefixLen:]
	if binary.BigEndian.Uint32(key[1:]) != graphID || fieldsLen[k.kind] >= 0 && fieldsLen[k.kind] != len(rest) {
		return blockKey{}, false
	}
	switch k.kind {
	case kindMeta:
		k.record = string(rest)
	case kindAdjacency:
		if rest[0] != 0 {
			return blockKey{}, false
		}
		k.group, k.at = binary.BigEndian.Uint32(rest[1:]), uint64(binary.BigEndian.Uint32(rest[5:]))
	case kindColumn:
		k.column, k.group, k.at = rest[0], binary.BigEndian.Uint32(rest[1:]), binary.BigEndian.Uint64(rest[5:])
	case kindLabel, kindLookup:
		k.group, k.at = binary.BigEndian.Uint32(rest), uint64(binary.BigEndian.Uint32(rest[4:]))
	case kindExternal:
		k.group, k.at = binary.BigEndian.Uint32(rest), binary.BigEndian.Uint64(rest[4:])
	}
	return k, true
}

// splitPart cuts the part number off a stored key.
func splitPart(key []byte) (logical []byte, part uint16, ok bool) {
	n := len(key) - partLen
	if n < epochPrefixLen {
		return key, 0, false
	}
	return key[:n], binary.BigEndian.Uint16(key[n:]), true
}

// names are what the numbers in keys stand for, as far as they are known.
type names struct{ labels, types, keys, spaces []string }

func nameOf(names []string, i uint32) string {
	if int(i) < len(names) {
		return fmt.Sprintf("%q", names[i])
	}
	return fmt.Sprintf("number %d", i)
}

// describe says in words what a stored key holds.
func (n *names) describe(stored []byte) string {
	if bytes.Equal(stored, formatKey) {
		return "the format version"
	}
	if bytes.Equal(stored, headKey()) {
		return "the pointer to the live graph"
	}
	if epoch, seq, part, ok := parseChangeKey(stored); ok {
		if part == lastPart {
			return fmt.Sprintf("the end of transaction %d, epoch %d", seq, epoch)
		}
		return fmt.Sprintf("transaction %d, part %d, epoch %d", seq, part, epoch)
	}
	logical, part, ok := splitPart(stored)
	k, known := parseKey(logical)
	if !ok || !known {
		return fmt.Sprintf("unknown key %x", stored)
	}
	words := fmt.Sprintf("%s, epoch %d", n.words(k), k.epoch)
	if part > 0 {
		words += fmt.Sprintf(", part %d", part)
	}
	return words
}

// words says what a block holds.
func (n *names) words(k blockKey) string {
	switch k.kind {
	case kindMeta:
		return fmt.Sprintf("record %q", k.record)
	case kindAdjacency:
		return fmt.Sprintf("relationships of type %s from vertex %d on", nameOf(n.types, k.group), k.at)
	case kindColumn:
		return n.columnWords(k)
	case kindLabel:
		return fmt.Sprintf("vertices of label %s, chunk %d", nameOf(n.labels, k.group), k.at)
	case kindLookup:
		return fmt.Sprintf("lookup of external ids %s, block %d", nameOf(n.spaces, k.group), k.at)
	case kindExternal:
		return fmt.Sprintf("external ids %s, chunk %d", nameOf(n.spaces, k.group), k.at)
	}
	return fmt.Sprintf("block of kind %d", k.kind)
}

func (n *names) columnWords(k blockKey) string {
	switch k.column {
	case columnVertex:
		return fmt.Sprintf("node property %s, chunk %d", nameOf(n.keys, k.group), k.at)
	case columnEdge:
		return fmt.Sprintf("relationship property %s, chunk %d", nameOf(n.keys, k.group), k.at)
	case columnNodeID:
		return fmt.Sprintf("node ids, chunk %d", k.at)
	case columnRelID:
		return fmt.Sprintf("relationship ids, chunk %d", k.at)
	}
	return fmt.Sprintf("column of kind %d, chunk %d", k.column, k.at)
}
