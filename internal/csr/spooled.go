package csr

import (
	"context"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/spool"
)

// Spooled is the graph of a Builder whose relationships are in a spool: what Build would return, but for the rows. It has no views.
type Spooled struct {
	Data // Rels without Offsets and Targets

	Runs   []Run
	Shapes []RowShape  // by type
	Simple *spool.List // the pairs of different vertices that are joined, each once: two numbers u<<32 | v below Vertices, not those of Data

	Spool *spool.Spool
	Room  uint64      // bytes that the Builder was to take for relationships
	rows  *spool.List // source<<32 | target of every relationship, in order of id
}

// RowShape is what Rels of a type would have: their Lo, the length of Offsets, the length of Targets.
type RowShape struct{ Lo, Offsets, Edges uint64 }

// Run is the rows of some sources of a type.
type Run struct {
	Type    TypeID
	Sources Range
	First   EdgeID // the first relationship
	Edges   uint64
}

// RunEdges is about how many relationships a Run has. A single source may have more.
const RunEdges = 1 << 20

// Rows reads the rows of a run. Rels.First is that of the run, so Offsets begins with 0.
func (g *Spooled) Rows(run Run) (*Rels, error) {
	r := emptyRows(run.Sources, run.First, run.Edges)
	words := make([]uint64, min(run.Edges, 1<<14))
	for at := uint64(0); at < run.Edges; at += uint64(len(words)) {
		words = words[:min(uint64(len(words)), run.Edges-at)]
		if err := g.rows.Read(uint64(run.First)+at, words); err != nil {
			return nil, err
		}
		r.fill(at, words, 1)
	}
	r.sumOffsets()
	return r, nil
}

// rowsOf makes rows of sorted relationships, the first of each width words.
func rowsOf(words []uint64, width int, sources Range, first EdgeID) *Rels {
	r := emptyRows(sources, first, uint64(len(words)/width))
	r.fill(0, words, width)
	r.sumOffsets()
	return r
}

// emptyRows has room for rows of some sources, with m relationships. fill writes the targets, and counts each behind its source in Offsets.
func emptyRows(sources Range, first EdgeID, m uint64) *Rels {
	return &Rels{First: first, Lo: sources.Lo, Offsets: hugepages.Make[uint64](sources.Len() + 1), Targets: hugepages.Make[VertexID](m)}
}

// fill takes the next sorted relationships, which begin at position at.
func (r *Rels) fill(at uint64, words []uint64, width int) {
	targets := r.Targets[at:][:len(words)/width]
	for i := range targets {
		w := words[i*width]
		targets[i] = VertexID(w)
		r.Offsets[VertexID(w>>32)-r.Lo+1]++
	}
}

// sumOffsets makes offsets of counts.
func (r *Rels) sumOffsets() {
	for i := range len(r.Offsets) - 1 {
		r.Offsets[i+1] += r.Offsets[i]
	}
}

// The relationships pass through four lists, each in order of writing:
//
//	relList.spilled  by type: as they were added
//	buckets          by the smaller end: a bucket is sorted in memory, so both directions and all types of a pair meet
//	kept             by type: without the repeats and loops that DropRepeats leaves out. Degrees are known now, hence the order of vertices
//	buckets          of a type, by the new number of the source: sorted in memory, they are the rows
//
// A relationship is one word there, or two, where its index or its type has to go along.
const (
	typeShift       = 41 // of the second word: type, index, whether the source is the larger end
	maxSpilledTypes = 1 << (64 - typeShift)
	maxSpilledEdges = 1 << (typeShift - 1)
)

// spooledAssembly is the state of one BuildSpooled.
type spooledAssembly struct {
	*assembly
	g      *Spooled
	spool  *spool.Spool
	room   uint64        // words of a bucket
	width  int           // words of a relationship
	kept   []*spool.List // by type, of the same width
	order  *spool.List   // index of every relationship, in order of id; nil unless ordered
	only   TypeID        // the type with relationships, where width is 1
	pairs  *typePairs
	simple bool // the kept relationships are the pairs of different vertices

	progress func(done, total uint64)
	done     uint64 // relationships, each counted when a list takes it
}

// passes is how often done counts a relationship that stays: in both kinds of buckets before and after they are sorted.
const passes = 4

// tick notes that the relationships of some words went from one list to the next.
func (j *spooledAssembly) tick(words int) {
	j.done += uint64(words / j.width)
	j.progress(min(j.done, passes*j.edges), passes*j.edges)
}

// BuildSpooled is Build for a Builder that has spilled relationships. The memory it takes grows with the vertices, and not with the
// relationships unless they have properties or ids.
// progress, if not nil, learns how much of the work on relationships is done.
func (b *Builder) BuildSpooled(ctx context.Context, workers int, progress func(done, total uint64)) (*Spooled, Dropped, error) {
	if workers <= 0 {
		workers = defaultWorkers()
	}
	if progress == nil {
		progress = func(uint64, uint64) {}
	}
	j := &spooledAssembly{g: &Spooled{Spool: b.spill.to, Room: uint64(b.spill.at)}, spool: b.spill.to, progress: progress, assembly: &assembly{Builder: b, ctx: ctx, workers: min(workers, maxWorkers), n: uint64(len(b.setOf))}}
	j.ordered = b.given[1] > 0 || slices.ContainsFunc(b.edgeProps, func(c *Column) bool { return c != nil })
	j.room = max(64, uint64(b.spill.at/edgeBytes)/uint64(2*j.workers))
	for _, step := range []func() error{j.flush, j.resolve, j.number, j.sortRows, j.columns, j.describe} {
		if b.err != nil {
			return nil, Dropped{}, b.err
		}
		if err := ctx.Err(); err != nil {
			return nil, Dropped{}, err
		}
		if err := step(); err != nil {
			return nil, Dropped{}, err
		}
	}
	j.g.Data = j.data
	return j.g, j.dropped, nil
}

// flush moves all relationships to the spool.
func (j *spooledAssembly) flush() error {
	used := 0
	for t := range j.rels {
		r := &j.rels[t]
		if err := r.move(j.spool); err != nil {
			return err
		}
		j.free(r)
		if r.spilled.Len() > 0 {
			used++
		}
	}
	if j.width = 2; used == 1 && !j.ordered && j.n <= 1<<31 {
		j.width = 1
	}
	if len(j.rels) > maxSpilledTypes || j.edges > maxSpilledEdges {
		return fmt.Errorf("%d relationships of %d types are more than a load by temporary files takes", j.edges, len(j.rels))
	}
	return nil
}

// columns brings the columns into the order of the numbers of vertices and relationships.
func (j *spooledAssembly) columns() error {
	vertices := permutation{
		n:    j.n,
		old:  j.n,
		from: func(i uint64) uint64 { return uint64(j.data.NodeIDs[i]) },
		to:   func(i uint64) (uint64, bool) { return uint64(j.dense[i]), true },
	}
	edges := permutation{n: j.data.Edges, old: j.edges, chunk: j.chunkOrder}
	if slices.ContainsFunc(j.edgeProps, (*Column).sparse) {
		if err := j.take(8 * j.edges); err != nil {
			return err
		}
		places, next := make([]uint64, j.edges), uint64(0) // place + 1; 0: dropped
		err := j.order.Each(j.ctx, func(words []uint64) error {
			for _, old := range words {
				next++
				places[old] = next
			}
			return nil
		})
		if err != nil {
			return err
		}
		edges.to = func(i uint64) (uint64, bool) { return places[i] - 1, places[i] > 0 }
	}
	return j.permuteColumns(vertices, edges)
}

// chunkOrder reads the indices of the relationships of a chunk.
func (j *spooledAssembly) chunkOrder(chunk int) (func(i uint64) uint64, error) {
	first := uint64(chunk) * ChunkLen
	old := make([]uint64, min(ChunkLen, j.order.Len()-first))
	err := j.order.Read(first, old)
	return func(i uint64) uint64 { return old[i-first] }, err
}

// describe fills what is left of the graph.
func (j *spooledAssembly) describe() error {
	d := &j.data
	d.Vertices, d.NextNode, d.NextRel = j.n, NodeID(j.n), RelID(d.Edges)
	j.nodeStableIDs()
	if !j.givenRelIDs() {
		return nil
	}
	if err := j.take(8 * d.Edges); err != nil {
		return err
	}
	d.RelIDs, d.NextRel = make([]RelID, 0, d.Edges), 0
	return j.order.Each(j.ctx, func(words []uint64) error {
		for _, index := range words {
			d.RelIDs = append(d.RelIDs, j.relIDs[index])
			d.NextRel = max(d.NextRel, j.relIDs[index]+1)
		}
		return nil
	})
}
