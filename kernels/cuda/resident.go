//go:build cuda && cgo && linux

package cuda

import (
	"sync"
	"weak"

	"github.com/motifql/motif/internal/csr"
)

// names are what lies on a device, for those who ask without waiting for its thread.
type names struct {
	mu   sync.Mutex
	held map[residentName]bool
}

type residentName struct {
	of   weak.Pointer[csr.Snapshot]
	name string
}

func (n *names) add(r *resident) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.held == nil {
		n.held = make(map[residentName]bool)
	}
	n.held[residentName{r.of, r.name}] = true
}

func (n *names) remove(r *resident) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.held, residentName{r.of, r.name})
}

// Weigh is Worth for a graph and a device, which is asked for what lies on it already; nil: none is open.
func (d *Device) Weigh(w Work, s *csr.Snapshot) *Verdict {
	w = w.On(s)
	if d != nil {
		w.Started, w.Processors, w.Resident = true, d.info.Multiprocessor, d.holds(w, s)
	}
	return weigh(w)
}

// holds tells whether the graph that a stage works on lies on the device.
func (d *Device) holds(w Work, s *csr.Snapshot) bool {
	neighbours := func(dir csr.Direction) string { return dir.String() + " " + typesName(w.Types) }
	switch w.What {
	case "triangles":
		return d.memory.names.have(s, "ranked "+typesName(w.Types)) || d.memory.names.have(s, neighbours(csr.Both))
	case "cliques": // the orientation is made there, of the neighbours
		if w.K == 3 && !w.partly() {
			w.What = "triangles"
			return d.holds(w, s)
		}
		return d.memory.names.have(s, "oriented "+typesName(w.Types)) || d.memory.names.have(s, neighbours(csr.Both))
	case "lists of cliques":
		return d.memory.names.have(s, "oriented "+typesName(w.Types))
	case "trusses":
		return d.memory.names.have(s, neighbours(csr.Both))
	case "cores": // who loses a neighbour is found by the reverse
		return d.memory.names.have(s, neighbours(w.Direction)) && d.memory.names.have(s, neighbours(w.Direction.Reverse()))
	case "filter", "join", "formula": // they need most of it, if not all
		return d.memory.names.have(s, neighbours(csr.Out)) || d.memory.names.have(s, neighbours(csr.Both))
	}
	return d.memory.names.have(s, neighbours(w.Direction))
}

func (n *names) have(s *csr.Snapshot, name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.held[residentName{weak.Make(s), name}]
}

// Present tells whether there is a device, without starting one.
func Present() bool {
	n, err := Count()
	return err == nil && n > 0
}
