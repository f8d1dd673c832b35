package csr

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// What a snapshot derives, it keeps for later queries: views, signatures, orientations, rows with weights. On a large graph that is several times the
// graph. Trim bounds it: it drops what has not been used for longest. A query that still reads something dropped goes on reading it, and a query that
// asks for it again makes it again.

// Sized is implemented by results of Derived that take memory worth counting. Others count as nothing, and Trim never drops them.
type Sized interface {
	Bytes() uint64 // may grow between two calls
}

// use says when something was last asked for, in ends of queries.
type use struct{ last atomic.Uint64 }

// note notes that somebody asks now. It writes only if nobody has since the last query ended.
func (u *use) note(s *Snapshot) {
	if now := s.ends.Load(); u.last.Load() != now {
		u.last.Store(now)
	}
}

// kept is something that Trim may drop.
type kept struct {
	last, bytes uint64
	drop        func()
}

// KeptBytes is the memory of what s keeps for later queries and could drop.
func KeptBytes(s *Snapshot) (bytes uint64) {
	for _, k := range listKept(s) {
		bytes += k.bytes
	}
	return bytes
}

// Trim is called when a query of s has ended. It drops what has not been used for longest, until the rest takes at most so many bytes.
func Trim(s *Snapshot, most uint64) {
	s.ends.Add(1)
	if !s.grown.Swap(false) {
		return
	}
	list := listKept(s)
	total := uint64(0)
	for _, k := range list {
		total += k.bytes
	}
	slices.SortFunc(list, func(a, b kept) int { return cmp.Or(cmp.Compare(a.last, b.last), cmp.Compare(b.bytes, a.bytes)) })
	for _, k := range list {
		if total <= most {
			return
		}
		k.drop()
		total -= k.bytes
	}
}

// listKept lists what takes memory and can be made again.
func listKept(s *Snapshot) (list []kept) {
	s.derived.Range(func(key, x any) bool {
		d := x.(*derivation)
		if got, ok := d.done.Load().(Sized); ok {
			if bytes := got.Bytes(); bytes > 0 {
				list = append(list, kept{d.last.Load(), bytes, func() { s.derived.CompareAndDelete(key, x) }})
			}
		}
		return true
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, v := range s.views {
		if bytes := viewBytes(s, v.adj.Load()); bytes > 0 {
			list = append(list, kept{v.last.Load(), bytes, func() { dropView(s, key, v) }})
		}
	}
	return list
}

func dropView(s *Snapshot, key viewKey, v *view) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.views[key] == v {
		delete(s.views, key)
	}
}
