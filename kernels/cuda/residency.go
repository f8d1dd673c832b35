//go:build cuda && cgo && linux

package cuda

import (
	"sync"
	"weak"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// residentIndex lists what lies on a device, so that nobody has to wait for its thread to ask.
type residentIndex struct {
	mu   sync.Mutex
	held map[residentKey]bool
}

type residentKey struct {
	of   weak.Pointer[csr.Snapshot]
	name string
}

func (n *residentIndex) add(r *residentGraph) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.held == nil {
		n.held = make(map[residentKey]bool)
	}
	n.held[residentKey{r.of, r.name}] = true
}

func (n *residentIndex) remove(r *residentGraph) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.held, residentKey{r.of, r.name})
}

// Weigh is Worth for a graph and a device, nil if none is open: it considers which views of the graph the device holds already.
func (d *Device) Weigh(w Work, s *csr.Snapshot) *Verdict {
	w = w.On(s)
	if d != nil {
		w.Started, w.Processors, w.Resident = true, d.info.Multiprocessor, d.holds(w, s)
	}
	return weigh(w)
}

// holds reports whether the graph that a request works on lies on the device.
func (d *Device) holds(w Work, s *csr.Snapshot) bool {
	neighbours := func(dir csr.Direction) string { return dir.String() + " " + typesName(w.Types) }
	switch w.Kind {
	case pattern.KindTriangles:
		return d.memory.index.have(s, "ranked "+typesName(w.Types)) || d.memory.index.have(s, neighbours(csr.Both))
	case pattern.KindCliqueCount: // the orientation is made there, of the neighbours
		if w.K == 3 && !w.partly() {
			w.Kind = pattern.KindTriangles
			return d.holds(w, s)
		}
		return d.memory.index.have(s, "oriented "+typesName(w.Types)) || d.memory.index.have(s, neighbours(csr.Both))
	case pattern.KindCliqueList:
		return d.memory.index.have(s, "oriented "+typesName(w.Types))
	case pattern.KindTrusses:
		return d.memory.index.have(s, neighbours(csr.Both))
	case pattern.KindCores: // who loses a neighbour is found by the reverse
		return d.memory.index.have(s, neighbours(w.Direction)) && d.memory.index.have(s, neighbours(w.Direction.Reverse()))
	case pattern.KindFilter, pattern.KindCount, pattern.KindMatch, pattern.KindFormula: // they need most of it, if not all
		return d.memory.index.have(s, neighbours(csr.Out)) || d.memory.index.have(s, neighbours(csr.Both))
	}
	return d.memory.index.have(s, neighbours(w.Direction))
}

func (n *residentIndex) have(s *csr.Snapshot, name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.held[residentKey{weak.Make(s), name}]
}

// Present reports whether there is a device. It starts none.
func Present() bool {
	n, err := Count()
	return err == nil && n > 0
}
