package csr

import (
	"slices"
	"unsafe"
)

// Budget limits what a Builder and its Build may hold. Charge takes n bytes, or gives -n back. It returns an error if
// more is taken than the budget has; the bytes count as taken then, too.
type Budget interface{ Charge(n int64) error }

// nameBytes is about what a dictionary takes for a name beside its text.
const nameBytes = 112

// SetBudget makes the Builder charge what it holds to m. Err returns m's error once the Builder has grown beyond it; the
// Builder adds nothing from then on.
func (b *Builder) SetBudget(m Budget) { b.budget = m }

// Err returns the first mistake of the caller, or the error of the budget. Build returns it, too.
func (b *Builder) Err() error { return b.err }

// charge charges n bytes to the budget and keeps its error.
func (b *Builder) charge(n int64) {
	if b.budget == nil {
		return
	}
	if err := b.budget.Charge(n); err != nil {
		b.fail(err)
	}
}

// grow returns list with room for n more, charged to the budget before it is allocated. While the items move, the old
// room and the new one are charged.
func grow[T any](b *Builder, list []T, n int) []T {
	if cap(list)-len(list) >= n || b.err != nil {
		return list
	}
	if b.budget == nil {
		return slices.Grow(list, n)
	}
	size := sizeOf[T]()
	ahead := int64(max(len(list)+n, cap(list)+cap(list)/4)) * size
	if b.charge(ahead); b.err != nil {
		b.charge(-ahead)
		return list
	}
	before := int64(cap(list)) * size
	list = slices.Grow(list, n)
	b.charge(int64(cap(list))*size - before - ahead)
	return list
}

func sizeOf[T any]() int64 {
	var item T
	return int64(unsafe.Sizeof(item))
}

// reach returns list with room for the item at i.
func reach[T any](b *Builder, list []T, i uint64) []T {
	if more := int(i) + 1 - len(list); more > 0 {
		if list = grow(b, list, more); b.err == nil {
			list = list[:i+1]
		}
	}
	return list
}

// take charges n bytes that Build is about to allocate.
func (j *assembly) take(n uint64) error {
	if j.budget == nil {
		return nil
	}
	err := j.budget.Charge(int64(n))
	if err != nil {
		j.give(n)
	}
	return err
}

// give gives n bytes back that nothing holds any more.
func (j *assembly) give(n uint64) {
	if j.budget != nil {
		_ = j.budget.Charge(-int64(n)) // a smaller charge fails only where a larger one has failed before
	}
}

// sortBytes is what sorting m relationships of n vertices takes while it runs.
func (j *assembly) sortBytes(m uint64) uint64 {
	if m < j.n/8 {
		return 24 * m
	}
	size := 16*(j.n+1)*uint64(sorters(j.workers, j.n, m)) + 16*(j.n+1) + 8*m
	if j.ordered {
		size += 16 * m
	}
	return size
}
