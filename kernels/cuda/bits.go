//go:build cuda && cgo && linux

package cuda

import "github.com/motifql/motif/internal/csr"

// bitmap is a set of vertices on the device, and how many bits there are before each word of 32.
type bitmap struct {
	words, ranks buffer
	n            int // words
	members      int
}

// atLeast is the set of vertices whose number is at least so much, and whose top bit is 0 (GONE in cores.cu).
func (t *task) atLeast(numbers buffer, vertices int, least uint32) (*bitmap, error) {
	b := &bitmap{n: (vertices + 31) / 32}
	var err error
	if b.words, err = t.alloc(4 * int64(b.n)); err != nil {
		return nil, err
	}
	err = t.d.launch("core_atleast", t.d.grid(vertices, 256), 256, 0, numbers.arg(), uint64(vertices), uint64(least), b.words.arg())
	if err != nil {
		return nil, err
	}
	var total uint64
	b.ranks, total, err = t.scanBits(b.words, int64(b.n))
	b.members = int(total)
	return b, err
}

// list puts the members into a list on the device, rising.
func (t *task) list(b *bitmap) (buffer, error) {
	to, err := t.alloc(4 * int64(b.members))
	if err != nil {
		return to, err
	}
	return to, t.d.launch("list_bits", t.d.grid(b.n, 8), 256, 0, b.words.arg(), b.ranks.arg(), uint64(b.n), to.arg())
}

// download takes the members to the host.
func (t *task) download(b *bitmap) ([]csr.VertexID, error) {
	at, err := t.list(b)
	if err != nil || b.members == 0 {
		return nil, err
	}
	list := uncleared[csr.VertexID](b.members)
	return list, download(at, list)
}
