package exec

import (
	"math"

	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// EXCEPT, INTERSECT and OTHERWISE. EXCEPT and INTERSECT run the parts behind the first and count their rows. Then they run the first part,
// whose rows go on if the counts say so. DISTINCT is an operator of its own above.

// partRows is what a union knows of the rows of its parts.
type partRows struct {
	account *eval.Account
	part    int               // that runs
	counts  map[string]uint64 // how often each row occurs in the parts so far; with INTERSECT, the least of the parts
	next    map[string]uint64 // of INTERSECT: likewise in the part that runs
	found   bool              // the part that runs has given a row
	values  []value.Value
	key     []byte
}

// combine gives the current row to the chains, mult times.
func (u *union) combine(mult uint64) (bool, error) {
	for ; mult > 0; mult-- {
		u.more = true
		err := u.combineOnce()
		u.rows.account.Release()
		u.rows.counts, u.rows.next = nil, nil
		if err != nil || !u.more {
			return false, err
		}
	}
	return true, nil
}

func (u *union) combineOnce() error {
	r := u.rows
	if u.plan.Op == lang.OtherwiseOp {
		r.found = false
		for i := 0; i < len(u.parts) && !r.found; i++ {
			if err := u.parts[i].run(); err != nil {
				return err
			}
		}
		return nil
	}
	r.counts = map[string]uint64{}
	for r.part = 1; r.part < len(u.parts); r.part++ {
		r.next = map[string]uint64{}
		if err := u.parts[r.part].run(); err != nil {
			return err
		}
		if u.plan.Op == lang.ExceptOp {
			continue
		}
		if r.part > 1 {
			for key, n := range r.next {
				r.next[key] = min(n, r.counts[key])
			}
		}
		r.counts = r.next
	}
	r.part = 0
	return u.parts[0].run()
}

// kept takes a row of a part that occurs mult times, and returns how often it goes on.
func (u *union) kept(mult uint64) (uint64, error) {
	r := u.rows
	if u.plan.Op == lang.OtherwiseOp {
		r.found = true
		return mult, nil
	}
	r.values = r.values[:0]
	for _, slot := range u.plan.Slots {
		r.values = append(r.values, u.x.row[slot])
	}
	var err error
	if r.key, err = eval.AppendKeys(r.account, r.key[:0], r.values); err != nil {
		return 0, err
	}
	if r.part > 0 {
		return 0, u.note(mult)
	}
	n := r.counts[string(r.key)]
	switch {
	case u.plan.Op == lang.ExceptOp && u.plan.All:
		mult, n = mult-min(n, mult), n-min(n, mult)
	case u.plan.Op == lang.ExceptOp:
		if n > 0 {
			mult = 0
		}
		return mult, nil
	case u.plan.All:
		mult = min(n, mult)
		n -= mult
	default:
		return min(n, 1), nil
	}
	if len(r.counts) > 0 {
		r.counts[string(r.key)] = n
	}
	return mult, nil
}

// note counts a row of a part behind the first.
func (u *union) note(mult uint64) error {
	r := u.rows
	to := r.counts
	if u.plan.Op == lang.IntersectOp {
		if to = r.next; r.part > 1 && r.counts[string(r.key)] == 0 {
			return nil
		}
	}
	n, there := to[string(r.key)]
	if !there {
		if err := r.account.Charge(eval.EntryBytes + 24 + int64(len(r.key))); err != nil {
			return err
		}
	}
	if n > math.MaxUint64-mult {
		n = math.MaxUint64 - mult
	}
	to[string(r.key)] = n + mult
	return nil
}
