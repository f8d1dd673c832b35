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
	shelfLen = 256 // pages
)

// pageList is a sparse list of pages. Successors share pages and shelves, so that a change copies little of a long list.
type pageList[P any] []*[shelfLen]*P

// at returns page k, or nil.
func (l pageList[P]) at(k uint64) *P {
	if s := k / shelfLen; s < uint64(len(l)) && l[s] != nil {
		return l[s][k%shelfLen]
	}
	return nil
}

// all calls f for every page.
func (l pageList[P]) all(f func(k int, page *P)) {
	for s, shelf := range l {
		if shelf == nil {
			continue
		}
		for i, page := range shelf {
			if page != nil {
				f(s*shelfLen+i, page)
			}
		}
	}
}

// pageListEdit makes the successor of a list.
type pageListEdit[P any] struct{ from, to pageList[P] }

// own returns page k to write to: a copy of the predecessor's page, or what missing makes where there is none.
func (e *pageListEdit[P]) own(k uint64, missing func() *P) *P {
	s := int(k / shelfLen)
	if len(e.to) <= s || len(e.from) > 0 && &e.to[0] == &e.from[0] {
		e.to = append(make(pageList[P], 0, max(s+1+s/8, len(e.to))), e.to...)
		e.to = e.to[:max(s+1, len(e.to))]
	}
	switch {
	case e.to[s] == nil:
		e.to[s] = new([shelfLen]*P)
	case s < len(e.from) && e.to[s] == e.from[s]:
		shelf := *e.from[s]
		e.to[s] = &shelf
	}
	page := &e.to[s][k%shelfLen]
	if *page == nil {
		*page = missing()
	} else if *page == e.from.at(k) {
		own := **page
		*page = &own
	}
	return *page
}

// pageArray is a sparse array. Places that were never set read as zero.
type pageArray[T any] struct{ pages pageList[[pageLen]T] }

func (p pageArray[T]) get(i uint64) (x T) {
	if page := p.pages.at(i >> pageBits); page != nil {
		x = page[i%pageLen]
	}
	return x
}

// pageEdit makes the successor of an array.
type pageEdit[T any] struct{ pageListEdit[[pageLen]T] }

func edit[T any](p pageArray[T]) *pageEdit[T] {
	return &pageEdit[T]{pageListEdit[[pageLen]T]{p.pages, p.pages}}
}

func (e *pageEdit[T]) set(i uint64, x T) {
	e.own(i>>pageBits, func() *[pageLen]T { return new([pageLen]T) })[i%pageLen] = x
}

// done returns the successor.
func (e *pageEdit[T]) done() pageArray[T] { return pageArray[T]{e.to} }

// rowPage says where the rows of some vertices are.
type rowPage struct{ lo, hi [pageLen]uint64 }

// rowEdit makes the successor of a list of pages. Where a page is missing, the offsets say where rows are.
type rowEdit struct {
	pageListEdit[rowPage]
	first   VertexID // of offsets
	offsets []uint64
}

func editRows(from pageList[rowPage], first VertexID, offsets []uint64) *rowEdit {
	return &rowEdit{pageListEdit[rowPage]{from, from}, first, offsets}
}

func (e *rowEdit) set(v VertexID, lo, hi uint64) {
	k := uint64(v >> pageBits)
	page := e.own(k, func() *rowPage { return e.page(k) })
	page.lo[v%pageLen], page.hi[v%pageLen] = lo, hi
}

func (e *rowEdit) page(k uint64) *rowPage {
	page := new(rowPage)
	base := Rels{Lo: e.first, Offsets: e.offsets}
	for i := range uint64(pageLen) {
		page.lo[i], page.hi[i] = base.Row(VertexID(k<<pageBits + i))
	}
	return page
}

// bytes is the memory of a list of pages.
func (l pageList[P]) bytes() uint64 {
	var page P
	size := 8 * uint64(len(l))
	for _, shelf := range l {
		if shelf != nil {
			size += 8 * shelfLen
		}
	}
	l.all(func(int, *P) { size += uint64(unsafe.Sizeof(page)) })
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
