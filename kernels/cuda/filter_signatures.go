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
	return keep(t, s, x.Mechanism().String(), func(up *task) (buffer, error) {
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
	sig                         buffer
	g                           *adjacent
	classes, first, labels, own buffer
	positions                   buffer
	words                       int // of 4 labels around a vertex
	counts                      counts
}

func generate(ctx context.Context, t *task, s *csr.Snapshot, env *pattern.Env, x filter.Part, part int, sig buffer) (err error) {
	g := &signer{task: t, s: s, x: x, sig: sig, words: (s.Labels.Len() + 3) / 4}
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
		err = g.triangles()
	} else {
		err = g.neighbours(env, part)
	}
	if err != nil {
		return err
	}
	return t.d.wait("signatures") // what they were made from goes
}

// tables uploads the labels of each class, which labels a vertex of each class adds around its neighbours, and where labels are counted.
func (g *signer) tables() error {
	first, labels := []uint32{0}, []uint32{}
	own := make([]uint32, (len(g.s.Classes)+1)*g.words)
	for i := range g.s.Classes {
		for _, l := range g.s.Classes[i].Labels {
			labels = append(labels, uint32(l))
			own[i*g.words+int(l)/4] |= 1 << (l % 4 * 8)
		}
		first = append(first, uint32(len(labels)))
	}
	first = append(first, uint32(len(labels))) // of no class
	for _, x := range []struct {
		to   *buffer
		list []uint32
	}{{&g.first, first}, {&g.labels, labels}, {&g.own, own}, {&g.positions, g.x.Positions()}} {
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
		return b, g.d.launch("sig_around", g.d.grid(g.g.vertices, 4), 128, 0, g.g.offsets.arg(), g.g.targets.arg(), uint64(g.g.vertices), g.classes.arg(),
			g.first.arg(), g.labels.arg(), uint64(g.words), b.arg(), g.d.stop.arg())
	})
}

func (g *signer) neighbours(env *pattern.Env, part int) error {
	around, err := g.around()
	if err != nil {
		return err
	}
	n, labels, width, words := uint64(g.g.vertices), uint64(g.s.Labels.Len()), uint64(g.x.Width()), uint64(g.x.Words())
	if part == partQuantity {
		return g.d.launch("sig_quantity", g.d.grid(g.g.vertices, 256), 256, 0, n, around.arg(), uint64(g.words), labels, g.positions.arg(), width,
			words, g.sig.arg())
	}
	full := make([]uint32, 4)
	for _, at := range g.x.Positions() {
		for bit := at; bit < at+uint32(width); bit++ {
			full[bit/32] |= 1 << (bit % 32)
		}
	}
	most, err := upload(g.task, full)
	if err != nil {
		return err
	}
	leave := uint64(0)
	if env.Uses(pattern.GPUFilterFull) {
		leave = 1
	}
	err = g.d.launch("sig_paths", g.d.grid(g.g.vertices, 4), 128, 0, g.g.offsets.arg(), g.g.targets.arg(), n, g.classes.arg(), g.first.arg(),
		g.labels.arg(), uint64(g.words), labels, around.arg(), g.own.arg(), g.positions.arg(), width, words, most.arg(), leave, g.sig.arg(), g.counts.arg(), g.d.stop.arg())
	if err != nil {
		return err
	}
	left, err := g.counts.read()
	env.Took(pattern.GPUFilterFull, uint64(left[0]))
	return err
}

func (g *signer) triangles() error {
	n := int64(g.g.vertices)
	degree, err := g.alloc(4 * n)
	if err != nil {
		return err
	}
	grid := g.d.grid(int(n), 8)
	if err := g.d.launch("sig_degrees", grid, 256, 0, g.g.offsets.arg(), g.g.targets.arg(), uint64(n), degree.arg()); err != nil {
		return err
	}
	up, edges, err := g.scan(degree, n)
	if err != nil {
		return err
	}
	list, err := g.alloc(4 * int64(edges))
	if err != nil {
		return err
	}
	if err := g.d.launch("sig_orient", grid, 256, 0, g.g.offsets.arg(), g.g.targets.arg(), uint64(n), up.arg(), list.arg()); err != nil {
		return err
	}
	return g.d.launch("sig_triangles", min(int(n+3)/4, 16*g.d.info.Multiprocessor), 128, 0, up.arg(), list.arg(), uint64(n), min(1024, g.d.hubDegree),
		g.classes.arg(), g.first.arg(), g.labels.arg(), g.positions.arg(), uint64(g.s.Labels.Len()), uint64(g.x.Width()), uint64(g.x.Words()), g.sig.arg(), g.counts.arg(), g.d.stop.arg())
}
