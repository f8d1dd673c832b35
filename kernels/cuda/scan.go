//go:build cuda && cgo && linux

package cuda

import "gorgonia.org/cu"

// scanTile is how many items a block of the kernels of scan.cu takes.
const scanTile = 4096

// scan returns the prefix sums of n counts of 4 bytes: n+1 offsets of 8 bytes, and the last one, the sum of all. It waits for what
// was launched before.
func (t *task) scan(counts buffer, n int64) (offsets buffer, total uint64, err error) {
	if offsets, err = t.alloc(8 * (n + 1)); err != nil {
		return offsets, 0, err
	}
	s, err := newScan(t, n)
	if err != nil {
		return offsets, 0, err
	}
	if err := s.sum(counts, n, false, offsets, buffer{}); err != nil {
		return offsets, 0, err
	}
	total, err = s.total(n)
	return offsets, total, err
}

// scanBits is scan for the numbers of bits in n words, so that offsets[i] is the rank of the first bit of word i.
func (t *task) scanBits(words buffer, n int64) (offsets buffer, total uint64, err error) {
	if offsets, err = t.alloc(8 * (n + 1)); err != nil {
		return offsets, 0, err
	}
	s, err := newScan(t, n)
	if err != nil {
		return offsets, 0, err
	}
	if err := s.sum(words, n, true, offsets, buffer{}); err != nil {
		return offsets, 0, err
	}
	total, err = s.total(n)
	return offsets, total, err
}

// scanner is what prefix sums of up to so many items need meanwhile.
type scanner struct {
	*task
	sums buffer // by tile, and of all
}

func newScan(t *task, most int64) (*scanner, error) {
	sums, err := t.alloc(8 * (tiles(most) + 1))
	return &scanner{t, sums}, err
}

// tiles counts the last offset as an item, too.
func tiles(n int64) int64 { return n/scanTile + 1 }

// sum fills wide with n+1 offsets of 8 bytes, or narrow with such of 4: the other one is the zero buffer. The host does not wait.
// The counts stay; they may not lie where the offsets go.
func (s *scanner) sum(counts buffer, n int64, bits bool, wide, narrow buffer) error {
	count := uint64(0)
	if bits {
		count = 1
	}
	blocks := int(tiles(n))
	if err := s.d.launch("scan_tiles", blocks, 256, 0, counts.arg(), uint64(n), count, s.sums.arg()); err != nil {
		return err
	}
	if err := s.d.launch("scan_sums", 1, min(1024, (blocks+31)/32*32), 0, s.sums.arg(), uint64(blocks)); err != nil {
		return err
	}
	return s.d.launch("scan_items", blocks, 256, 0, counts.arg(), uint64(n), count, s.sums.arg(), wide.arg(), narrow.arg())
}

// total waits for sum and returns the sum of all n counts.
func (s *scanner) total(n int64) (uint64, error) {
	var x [1]uint64
	err := download(buffer{s.sums.at + cu.DevicePtr(8*tiles(n)), 8}, x[:])
	return x[0], err
}
