package importer

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/spool"
)

// A load keeps at most spillAt bytes of relationships in memory, and less where it may hold little. The others go to a temporary file.
const (
	spillAt    = 64 << 20
	spillShare = 16 // of the memory that a load may hold, this part is for relationships
)

// spill is where a load puts relationships that it does not keep in memory. Without a folder it keeps all.
type spill struct {
	folder string
	at     int // bytes of relationships in memory
	mem    *pattern.Memory
	spool  *spool.Spool
	graph  *csr.Spooled // what the load has built

	ids   *spool.List // of parts, in order of the file
	moved int         // parts whose ids are there
	room  idRoom      // for those on their way there
	held  int64       // bytes of the ids of all parts
}

// Graph is what LoadSpooled has read: Snapshot or, where it did not keep the relationships in memory, Spooled.
type Graph struct {
	Snapshot *csr.Snapshot
	Spooled  *csr.Spooled

	spool *spool.Spool
}

// Close removes the temporary file of the graph.
func (g *Graph) Close() error {
	if g == nil {
		return nil
	}
	return g.spool.Close()
}

// LoadSpooled is Load for a graph that need not fit in memory. What does not fit goes to a temporary file in folder, which goes with an
// error, with Graph.Close, or with the process. at is how many bytes of relationships are kept in memory; 0: a part of spec.Memory.
func LoadSpooled(ctx context.Context, spec Spec, folder string, at int, progress func(Progress)) (*Graph, *Report, error) {
	var done spill
	snap, report, err := load(ctx, spec, progress, func(l *loader) func() {
		if at == 0 {
			at = spillAt
			if spec.Memory > 0 {
				at = int(min(int64(at), max(spec.Memory/spillShare, 1<<16)))
			}
		}
		l.spill.folder, l.spill.at = folder, at
		l.spill.reset(l.b)
		return func() {
			if l.spill.graph == nil {
				_ = l.spill.spool.Close()
				l.spill.spool = nil
			}
			done = l.spill
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return &Graph{Snapshot: snap, Spooled: done.graph, spool: done.spool}, report, nil
}

// reset begins anew with a Builder.
func (s *spill) reset(b *csr.Builder) {
	s.ids.Drop()
	s.ids, s.moved, s.held = nil, 0, 0
	if s.folder != "" {
		b.SetSpool(s.open, s.at)
	}
}

// open returns the spool of the load.
func (s *spill) open() (_ *spool.Spool, err error) {
	if s.spool == nil {
		s.spool, err = spool.New(s.folder, func(n int64) { _ = s.mem.Charge(n) })
	}
	return s.spool, err
}

// pace moves the ids of parts to the spool once they are too many. Those that follow go straight there.
func (s *spill) pace(l *loader, parts []pairs) error {
	last := parts[len(parts)-1].ints
	if s.folder == "" || last == nil {
		return nil
	}
	if s.held += last.bytes(); s.ids == nil && s.held < int64(s.at) {
		return nil
	}
	if s.ids == nil {
		to, err := s.open()
		if err != nil {
			return err
		}
		s.ids = to.NewList()
	}
	for ; s.moved < len(parts); s.moved++ {
		l.take(-parts[s.moved].ints.bytes())
		if err := parts[s.moved].ints.spill(s.ids, &s.room); err != nil {
			return err
		}
	}
	return nil
}

// cut cuts parts into runs of relationships that may be in memory at a time: run i is [cuts[i], cuts[i+1]). They are short where the Builder
// passes them on to the spool.
func (s *spill) cut(parts int, size func(i int) int) (cuts []int) {
	const share = 4 // of what may be in memory
	all := 0
	for i := range parts {
		all += 8 * size(i)
	}
	cuts, held := []int{0}, 0
	for i := range parts {
		n := 8 * size(i)
		if s.folder != "" && all >= s.at && held > 0 && held+n > s.at/share {
			cuts, held = append(cuts, i), 0
		}
		held += n
	}
	return append(cuts, parts)
}

// build makes the graph of what was read: a snapshot, or what spill.graph gets.
func build(ctx context.Context, l *loader) (*csr.Snapshot, *csr.Data, csr.Dropped, error) {
	if !l.b.Spilled() {
		s, dropped, err := l.b.Build(ctx, l.Workers)
		if err != nil {
			return nil, nil, dropped, err
		}
		return s, &s.Data, dropped, nil
	}
	g, dropped, err := l.b.BuildSpooled(ctx, l.Workers, func(done, total uint64) {
		l.progress(Progress{Stage: stageBuild, Bytes: done, Total: total, Lines: l.report.Lines})
	})
	if err != nil {
		return nil, nil, dropped, err
	}
	l.spill.graph = g
	return nil, &g.Data, dropped, nil
}
