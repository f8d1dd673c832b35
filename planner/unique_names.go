package planner

import (
	"fmt"

	"github.com/motifql/motif/lang"
)

// uniqueNames gives out names so that no two things of a plan have the same one.
type uniqueNames struct {
	taken map[string]bool // names that a made-up one must not be
	used  map[string]bool // names in the plan
	made  int             // names made up so far
	tried map[string]int  // by name, the numbers behind it that are used up
}

// claim notes that the plan uses a name.
func (u *uniqueNames) claim(name string) { u.taken[name], u.used[name] = true, true }

// reserve notes the names of elements and of the columns of procedures, so that made-up ones differ.
func (u *uniqueNames) reserve(clauses []lang.Clause) {
	for _, c := range clauses {
		if call, ok := c.(*lang.CallClause); ok {
			if p := call.Procedure(); p != nil {
				for _, name := range yielded(p, call) {
					u.taken[name] = true
				}
			}
		}
		m, ok := c.(*lang.Match)
		if !ok {
			continue
		}
		for _, p := range m.Paths {
			for _, n := range p.Nodes {
				u.taken[n.Name] = true
			}
			for _, r := range p.Rels {
				u.taken[r.Name] = true
			}
		}
	}
}

// makeUp returns a name that nothing has.
func (u *uniqueNames) makeUp() string {
	for {
		u.made++
		if name := fmt.Sprint("_", u.made); !u.taken[name] && !u.used[name] {
			u.claim(name)
			return name
		}
	}
}

// fresh returns a name that nothing in the plan has: the one given, if possible.
func (u *uniqueNames) fresh(name string) string {
	try := name
	for i := max(1, u.tried[name]); u.used[try]; {
		i++
		try = fmt.Sprint(name, "_", i)
		u.tried[name] = i
	}
	u.used[try] = true
	return try
}
