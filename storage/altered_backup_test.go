package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestAlteredBackups alters values of a backup as an attacker would, who can compute its checksums. Restore refuses the backup and leaves
// the store empty, or the graph passes Check and its values can be used. MOTIF_SEED repeats one alteration, MOTIF_ALTERATIONS sets how
// many there are.
func TestAlteredBackups(t *testing.T) {
	seed, rounds := uint64(time.Now().UnixNano()), 150
	if n, err := strconv.Atoi(os.Getenv("MOTIF_ALTERATIONS")); err == nil {
		rounds = n
	}
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
		rounds = 1
	}
	fmt.Printf("TestAlteredBackups: MOTIF_SEED=%d and on\n", seed) // a panic would hide the test's log
	s := changed(t, Memory, 1)
	for i := range 3 {
		if err := s.SaveQuery(t.Context(), SavedQuery{Name: fmt.Sprint("q", i), Text: "RETURN 1"}); err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	if _, err := s.Backup(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	parts, head := backupParts(t, file.Bytes())
	if again := backupOf(parts, uint64(len(parts)-3), head); !bytes.Equal(again, file.Bytes()) {
		t.Fatal("the test writes another backup than Backup")
	}
	restored := 0
	for i := range uint64(rounds) {
		rng := rand.New(rand.NewPCG(seed+i, 35))
		to := mustOpen(t, Memory, Options{Create: true})
		_, err := to.Restore(t.Context(), bytes.NewReader(alterBackup(rng, parts, head)))
		switch {
		case err == nil:
			restored++
			mustBeClean(t, to)
			snap := mustSnapshot(t, to)
			useValues(snap)
			_ = modelOf(snap).String()
			if _, err := to.Queries(t.Context()); err != nil {
				t.Errorf("MOTIF_SEED=%d: %v", seed+i, err)
			}
		case !errors.As(err, new(*Error)) || !to.Empty():
			t.Errorf("MOTIF_SEED=%d: %v, empty: %t", seed+i, err, to.Empty())
		}
		mustClose(t, to)
	}
	t.Logf("%d alterations, of which %d were restored", rounds, restored)
}

// backupParts takes a backup apart: its blocks and queries, and the value of its head.
func backupParts(t *testing.T, file []byte) (parts []storedPart, head []byte) {
	t.Helper()
	c := cursor{b: file[len(backupMagic) : len(file)-crc32.Size]}
	for {
		key := c.take(c.uvarint())
		if len(key) == 0 {
			break
		}
		parts = append(parts, storedPart{key, c.take(c.uvarint())})
	}
	c.uvarint()
	head = c.take(c.uvarint())
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
	return parts, head
}

func backupOf(parts []storedPart, blocks uint64, head []byte) []byte {
	out := []byte(backupMagic)
	for _, p := range parts {
		out = appendString(appendString(out, string(p.key)), string(p.value))
	}
	out = binary.AppendUvarint(append(out, 0), blocks)
	out = appendString(out, string(head))
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

// alterBackup changes one to three values, mostly; sometimes the head, or which values there are.
func alterBackup(rng *rand.Rand, parts []storedPart, head []byte) []byte {
	parts, blocks := slices.Clone(parts), uint64(len(parts)-3)
	for range 1 + rng.IntN(3) {
		at := rng.IntN(len(parts))
		p := parts[at]
		switch rng.IntN(12) {
		case 0:
			head = alterBytes(rng, head)
		case 1:
			parts = slices.Delete(parts, at, at+1)
			blocks--
		case 2:
			other := parts[rng.IntN(len(parts))]
			payload, _, _ := unseal(other.key, other.value)
			parts[at].value = sealAs(p.value[0], p.key, payload, p.value[1] == flagLast)
		case 3:
			payload, _, _ := unseal(p.key, p.value)
			key := bytes.Clone(p.key)
			key[len(key)-1-rng.IntN(min(6, len(key)))] ^= 1 << rng.IntN(8)
			parts[at] = storedPart{key, sealAs(p.value[0], key, payload, p.value[1] == flagLast)}
		default:
			payload, _, _ := unseal(p.key, p.value)
			parts[at].value = sealAs(p.value[0], p.key, alterBytes(rng, payload), p.value[1] == flagLast)
		}
	}
	return backupOf(parts, blocks, head)
}

// alterBytes flips a bit, sets a byte, or takes bytes out or puts some in.
func alterBytes(rng *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	if len(data) == 0 {
		return []byte{byte(rng.IntN(256))}
	}
	at := rng.IntN(len(data))
	n := 1 + rng.IntN(min(8, len(data)-at))
	switch rng.IntN(6) {
	case 0, 1:
		data[at] ^= 1 << rng.IntN(8)
	case 2:
		data[at] = []byte{0, 1, 0x7f, 0x80, 0xff}[rng.IntN(5)]
	case 3:
		return slices.Delete(data, at, at+n)
	case 4:
		return slices.Insert(data, at, data[at:at+n]...)
	case 5:
		return slices.Insert(data, at, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01)
	}
	return data
}
