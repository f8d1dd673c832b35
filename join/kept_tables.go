package join

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// keptSearch is what one share of a search makes and later ones use. Each share pays for what it uses.
type keptSearch struct {
	views  map[viewKey]*csr.Adjacency
	tables map[int]keptTables // by step; a worker has them while it searches
	work   uint64             // list elements that workers have looked at
}

// keptTables is the room of a step's tables, and whether they were of use. The numbers in them are for the candidates of an earlier share.
type keptTables struct {
	memo    memoTable
	scatter scatterTable
}

// keptBy returns what the searches of earlier shares have kept; nil: nothing.
func keptBy(s *pattern.Share) *keptSearch {
	if s == nil {
		return nil
	}
	kept, _ := s.Kept.(*keptSearch)
	return kept
}

// keptFor returns what the search of a share keeps; nil if s is nil.
func keptFor(s *pattern.Share) *keptSearch {
	if s == nil {
		return nil
	}
	kept, ok := s.Kept.(*keptSearch)
	if !ok {
		kept = &keptSearch{views: map[viewKey]*csr.Adjacency{}, tables: map[int]keptTables{}}
		s.Kept = kept
	}
	return kept
}

// takeKept calls take with what earlier shares have left for step k, if this is a share; take removes what it uses.
func takeKept(w *worker, k int, take func(*keptTables)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if kept := keptFor(w.run.share); kept != nil {
		of := kept.tables[k]
		take(&of)
		kept.tables[k] = of
	}
}

// takeTable returns the table of step k with room for n entries that an earlier share has left, all of them stale.
func takeTable(w *worker, k, n int) (t memoTable, ok bool) {
	takeKept(w, k, func(of *keptTables) {
		t, of.memo = of.memo, memoTable{}
		ok = t.memoOff || len(t.entries) == n
	})
	if ok {
		t.forget()
	}
	return t, ok
}

// takeCounts likewise returns room for n counts.
func takeCounts(w *worker, k, n int) (t scatterTable, ok bool) {
	takeKept(w, k, func(of *keptTables) {
		t, of.scatter = of.scatter, scatterTable{}
		ok = n > 0 && len(t.counts) == n
	})
	return t, ok
}

// leaveTables leaves the tables of a share to the next one, and tells how much work it was. The caller has the run's lock.
func leaveTables(w *worker) {
	kept := keptFor(w.run.share)
	if kept == nil {
		return
	}
	kept.work += w.work
	for k := range w.levels {
		lv, of := &w.levels[k], kept.tables[k]
		if t := lv.memo; t.entries != nil || t.lookups > 0 {
			of.memo = t
			if t.memoOff {
				of.memo.entries = nil // nobody asks for them again
			}
		}
		if t := lv.scatter; t.counts != nil {
			of.scatter = scatterTable{counts: t.counts, nonzero: t.nonzero}
		}
		if of.memo.lookups > 0 || of.scatter.counts != nil {
			kept.tables[k] = of
		}
	}
}
