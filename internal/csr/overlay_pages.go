package csr

import (
	"maps"
	"sync/atomic"
	"unsafe"
)

// The parts of an overlay: arrays of which a successor shares what it does not change. A snapshot's own parts never
// change; whoever makes the next snapshot copies the pages that it writes to.

const (
	pageBits = 7
	pageLen  = 1 << pageBits
)

// pageArray is a sparse array. Places that were never set read as zero.
type pageArray[T any] []*[pageLen]T

func (p pageArray[T]) get(i uint64) (x T) {
	if k := i >> pageBits; k < uint64(len(p)) && p[k] != nil {
		x = p[k][i%pageLen]
	}
	return x
}

// pageEdit makes the successor of an array.
type pageEdit[T any] struct{ from, to pageArray[T] }

func edit[T any](p pageArray[T]) *pageEdit[T] { return &pageEdit[T]{p, p} }

func (e *pageEdit[T]) set(i uint64, x T) {
	k := int(i >> pageBits)
	if e.to = ownPages(e.from, e.to, k); e.to[k] == nil {
		e.to[k] = new([pageLen]T)
	} else if k < len(e.from) && e.to[k] == e.from[k] {
		page := *e.from[k]
		e.to[k] = &page
	}
	e.to[k][i%pageLen] = x
}

// ownPages returns a list of pages to write to that has place k. from is the predecessor's list, which it never returns; to
// is the successor's list so far.
func ownPages[P any](from, to []*P, k int) []*P {
	if len(to) <= k || len(from) > 0 && &to[0] == &from[0] {
		grown := make([]*P, max(k+1, len(to)), max(k+1+k/8, len(to)))
		copy(grown, to)
		return grown
	}
	return to
}

// rowPage says where the rows of some vertices are.
type rowPage struct{ lo, hi [pageLen]uint64 }

// rowEdit makes the successor of a list of pages. Where a page is missing, the offsets say where rows are.
type rowEdit struct {
	from, to []*rowPage
	first    VertexID // of offsets
	offsets  []uint64
}

func (e *rowEdit) set(v VertexID, lo, hi uint64) {
	k := int(v >> pageBits)
	if e.to = ownPages(e.from, e.to, k); e.to[k] == nil {
		e.to[k] = e.page(k)
	} else if k < len(e.from) && e.to[k] == e.from[k] {
		page := *e.from[k]
		e.to[k] = &page
	}
	e.to[k].lo[v%pageLen], e.to[k].hi[v%pageLen] = lo, hi
}

func (e *rowEdit) page(k int) *rowPage {
	page := new(rowPage)
	base := Rels{Lo: e.first, Offsets: e.offsets}
	for i := range pageLen {
		page.lo[i], page.hi[i] = base.Row(VertexID(k<<pageBits + i))
	}
	return page
}

// pagesBytes is the memory of a list of pages.
func pagesBytes[P any](pages []*P) uint64 {
	var page P
	size := 8 * uint64(len(pages))
	for _, p := range pages {
		if p != nil {
			size += uint64(unsafe.Sizeof(page))
		}
	}
	return size
}

// claim says how much of an array with room behind its end is taken. Of the successors of a snapshot the first one
// may go on in place, others have to copy.
type claim struct{ used atomic.Uint64 }

// take reports whether n places behind the first used are ours now, and returns the claim of the successor's array.
func (c *claim) take(used, n uint64) (mine bool, next *claim) {
	if c != nil && c.used.CompareAndSwap(used, used+n) {
		return true, c
	}
	next = new(claim)
	next.used.Store(used + n)
	return false, next
}

// extend returns old with more behind it: in place where that is allowed and there is room.
func extend[T any](old, more []T, inPlace bool) []T {
	if inPlace {
		return append(old, more...)
	}
	out := make([]T, len(old), len(old)+len(more)+(len(old)+len(more))/8)
	copy(out, old)
	return append(out, more...)
}

// layers is a map that grows by small maps. Merging keeps them few.
type layers[K comparable, V any] []map[K]V

func (l layers[K, V]) get(k K) (V, bool) {
	for i := len(l) - 1; i >= 0; i-- {
		if v, ok := l[i][k]; ok {
			return v, true
		}
	}
	var none V
	return none, false
}

// with returns l with the entries of m over it; l stays as it is.
func (l layers[K, V]) with(m map[K]V) layers[K, V] {
	if len(m) == 0 {
		return l
	}
	at := len(l)
	for at > 0 && len(l[at-1]) < 2*len(m) {
		at--
		merged := maps.Clone(l[at])
		maps.Copy(merged, m)
		m = merged
	}
	return append(l[:at:at], m)
}
