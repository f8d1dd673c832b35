//go:build cuda && cgo && linux

package cuda

import (
	"context"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// mostLabels is for how many labels signatures.cu has room.
const mostLabels = 128

// Parts of signatures.
const (
	partQuantity = iota
	partPath
	partTriangle
)

// signatureOf keeps a part of the signatures. It is generated here, unless the host has it already.
func signatureOf(ctx context.Context, t *task, s *csr.Snapshot, env *pattern.Env, x filter.Part, part int) (buffer, error) {
	return keep(t, s, x.Technique().String(), func(up *task) (buffer, error) {
		if built := x.Built(); built != nil {
			return upload(up, built)
		}
		if labels := s.Labels.Len(); labels > mostLabels || labels == 0 || !env.Uses(pattern.GPUFilterGenerate) {
			return upload(up, x.Build())
		}
		sig, err := up.zeros(2 * int64(x.Words()) * int64(s.N()))
		if err != nil {
			return sig, err
		}
		scratch := &task{d: t.d}
		defer scratch.end()
		if err := generate(ctx, scratch, s, env, x, part, sig); err != nil {
			return sig, err
		}
		env.Took(pattern.GPUFilterGenerate, 1)
		return sig, ctx.Err() // a part that was stopped is not kept
	})
}

// signer generates a part.
type signer struct {
	*task
	s                           *csr.Snapshot
	x                           filter.Part
	part                        int
	sig                         buffer
	g                           *adjacent
	classes, first, labels, own buffer
	from, to                    buffer   // of classes
	table                       []uint32 // the bucket of each label, or pair
	where                       buffer   // for paths the same, else where the bucket begins
	words                       int      // of 4 labels around a vertex
	counts                      counts
}

func generate(ctx context.Context, t *task, s *csr.Snapshot, env *pattern.Env, x filter.Part, part int, sig buffer) (err error) {
	g := &signer{task: t, s: s, x: x, part: part, sig: sig, words: (s.Labels.Len() + 3) / 4}
	if g.g, err = adjacencyOf(t, s, nil, csr.Both); err != nil {
		return err
	}
	if g.classes, err = classesOf(t, s); err != nil {
		return err
	}
	if err := g.tables(); err != nil {
		return err
	}
	if part == partTriangle {
		err = g.triangles(env)
	} else {
		err = g.neighbours(env)
	}
	if err != nil {
		return err
	}
	return t.d.wait("signatures") // what they were made from goes
}

// tables uploads the labels of each class, which labels a vertex of each class adds around its neighbours, and where labels are counted.
func (g *signer) tables() error {
	first, labels := []uint32{0}, []uint32{}
	var from, to []uint32
	own := make([]uint32, (len(g.s.Classes)+1)*g.words)
	for i := range g.s.Classes {
		for _, l := range g.s.Classes[i].Labels {
			labels = append(labels, uint32(l))
			own[i*g.words+int(l)/4] |= 1 << (l % 4 * 8)
		}
		first = append(first, uint32(len(labels)))
		from, to = append(from, uint32(g.s.Classes[i].Lo)), append(to, uint32(g.s.Classes[i].Hi))
	}
	to = append(to, 0)
	first = append(first, uint32(len(labels))) // of no class
	g.table = g.x.Table()
	where := g.table
	if g.part != partPath {
		where = make([]uint32, len(g.table))
		for i, b := range g.table {
			where[i] = g.x.Position(int(b))
		}
	}
	for _, x := range []struct {
		to   *buffer
		list []uint32
	}{{&g.first, first}, {&g.labels, labels}, {&g.own, own}, {&g.from, from}, {&g.to, to}, {&g.where, where}} {
		var err error
		if *x.to, err = upload(g.task, x.list); err != nil {
			return err
		}
	}
	var err error
	g.counts, err = newCounts(g.task)
	return err
}

// around keeps how many neighbours of each label a vertex has.
func (g *signer) around() (buffer, error) {
	return keep(g.task, g.s, "labels around", func(up *task) (buffer, error) {
		b, err := up.alloc(4 * int64(g.words) * int64(g.g.vertices))
		if err != nil {
			return b, err
		}
		long := g.d.hubDegree / 4
		if many := 16 * uint64(len(g.s.Classes)); g.d.hubDegree == hubDegree {
			long = max(long, many)
		}
		return b, g.d.launch("sig_around", g.d.grid(g.g.vertices, 4), 128, 0, g.g.offsets.arg(), g.g.targets.arg(), uint64(g.g.vertices), g.classes.arg(),
			g.first.arg(), g.labels.arg(), g.from.arg(), g.to.arg(), uint64(len(g.s.Classes)), long, uint64(g.words), b.arg(), g.d.stop.arg())
	})
}

func (g *signer) neighbours(env *pattern.Env) error {
	around, err := g.around()
	if err != nil {
		return err
	}
	n, labels, width, words := uint64(g.g.vertices), uint64(g.s.Labels.Len()), uint64(g.x.Width()), uint64(g.x.Words())
	if g.part == partQuantity {
		return g.d.launch("sig_quantity", g.d.grid(g.g.vertices, 256), 256, 0, n, around.arg(), uint64(g.words), labels, g.where.arg(), width,
			words, g.sig.arg())
	}
	leave := uint64(0)
	if env.Uses(pattern.GPUFilterFull) {
		leave = 1
	}
	err = g.d.launch("sig_paths", g.d.grid(g.g.vertices, 4), 128, 0, g.g.offsets.arg(), g.g.targets.arg(), n, g.classes.arg(), g.first.arg(),
		g.labels.arg(), uint64(g.words), labels, around.arg(), g.own.arg(), g.where.arg(), uint64(g.x.Buckets()), width, words, g.to.arg(), leave,
		g.sig.arg(), g.counts.arg(), g.d.stop.arg())
	if err != nil {
		return err
	}
	left, err := g.counts.read()
	env.Took(pattern.GPUFilterFull, uint64(left[0]))
	return err
}

func (g *signer) triangles(env *pattern.Env) error {
	n := int64(g.g.vertices)
	degree, err := g.alloc(4 * n)
	if err != nil {
		return err
	}
	grid := g.d.grid(int(n), 8)
	if err := g.d.launch("sig_degrees", grid, 256, 0, g.g.offsets.arg(), g.g.targets.arg(), uint64(n), degree.arg()); err != nil {
		return err
	}
	up, m, err := g.scan(degree, n)
	if err != nil {
		return err
	}
	list, err := g.alloc(4 * int64(m))
	if err != nil {
		return err
	}
	if err := g.d.launch("sig_orient", grid, 256, 0, g.g.offsets.arg(), g.g.targets.arg(), uint64(n), up.arg(), list.arg()); err != nil {
		return err
	}
	full := uint64(0) // never
	if env.Uses(pattern.GPUFilterFull) {
		for _, b := range g.table {
			full |= (1<<g.x.Width() - 1) << g.x.Position(int(b))
		}
	}
	return g.d.launch("sig_triangles", min(int(m/512)+1, 16*g.d.info.Multiprocessor), 128, 0, up.arg(), list.arg(), uint64(n), m, min(1024, g.d.hubDegree),
		g.classes.arg(), g.first.arg(), g.labels.arg(), g.where.arg(), uint64(g.s.Labels.Len()), uint64(g.x.Width()), full, g.sig.arg(), g.counts.arg(), g.d.stop.arg())
}
