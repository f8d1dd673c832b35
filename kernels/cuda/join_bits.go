//go:build cuda && cgo && linux

package cuda

import (
	"errors"

	"github.com/motifql/motif/internal/pattern"
)

// neighbourBits are neighbour lists as bitmaps, for count vertices from first on, each with span bits from vertex low on. One load then
// tells what takes a binary search otherwise.
type neighbourBits struct {
	first, count, low, span uint64
	at                      buffer
}

// bitsRoom is how many bytes the bitmaps of a view may take: as many as are mostly found in the cache. Tests change it.
var bitsRoom = int64(64 << 20)

// bits makes bitmaps of the lists that a source of step k looks up candidates in. Vertices with one label lie together by falling degree,
// so the first candidates have the long lists. A zero count means no long lists.
func (l *layout) bits(k int, o joinSource, lists *adjacent) (b neighbourBits, err error) {
	from, to := l.p.set(o.step), l.p.set(k)
	if l.env == nil || o.step == k || !l.env.Uses(pattern.JoinBits) {
		return b, nil
	}
	key := viewKey{lists, from, to}
	if made, ok := l.made[key]; ok {
		return made, nil
	}
	rows, columns := from.List(), to.List()
	b = neighbourBits{first: uint64(rows[0]), low: uint64(columns[0])}
	b.count, b.span = uint64(rows[len(rows)-1])+1-b.first, uint64(columns[len(columns)-1])+1-b.low
	words := (b.span + 31) / 32
	if b.count > 4*uint64(len(rows)) { // candidates here and there: hardly those with long lists come first
		b.count = 0
	}
	b.count = min(b.count, uint64(min(bitsRoom, l.t.d.memory.limit/64)/4)/words)
	if l.made == nil {
		l.made = make(map[viewKey]neighbourBits)
	}
	if b.count > 0 {
		if b.at, err = l.t.zeros(int64(b.count * words)); errors.Is(err, errNoRoom) {
			b, err = neighbourBits{}, nil
		}
	}
	if err == nil && b.count > 0 {
		err = l.t.d.launch("join_bits", l.t.d.grid(int(b.count), 8), 256, 0, lists.offsets.arg(), lists.targets.arg(), b.first, b.count, b.low, b.span, b.at.arg())
		l.env.Took(pattern.JoinBits, b.count)
	}
	l.made[key] = b
	return b, err
}
