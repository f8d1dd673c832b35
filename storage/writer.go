package storage

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/roaring"
)

// writer encodes a graph into blocks on all cores. One goroutine gets them in order of their keys, the records last.
type writer struct {
	epoch    uint64
	workers  int
	progress func(stage string, done, total uint64)
	put      func(key, value []byte) error // keeps what it gets
	spooled  *csr.Spooled                  // what has the relationships, if the graph itself has not
	records  func() error                  // nil, or called before the records, whose keys come before those of all blocks

	blocks [lastEpochKind + 1]atomic.Uint64
	bytes  uint64 // of keys and values written
	keys   uint64
}

// task makes the blocks of one piece of the graph. Its weight is about how many values it encodes.
type task struct {
	weight uint64
	run    func(emit emitFunc) error
}

// emitFunc takes a block with its logical key.
type emitFunc func(key, payload []byte) error

// run writes all blocks of d, the record "meta" with their number among the records.
func (w *writer) run(ctx context.Context, d *csr.Data) error {
	if err := w.runTasks(ctx, w.tasks(d)); err != nil {
		return err
	}
	if w.records != nil {
		if err := w.records(); err != nil {
			return err
		}
	}
	m := newMeta(d)
	if w.spooled != nil {
		m.reshape(w.spooled.Shapes)
	}
	for kind := kindAdjacency; kind <= lastEpochKind; kind++ {
		m.blocks[kind] = w.blocks[kind].Load()
	}
	records := []struct {
		name    string
		payload []byte
	}{{recordClasses, encodeClasses(d.Classes)}, {recordDict, encodeDict(d)}, {recordMeta, m.encode()}, {recordSchema, nil}, {recordStats, encodeStats(d.Stats)}}
	if len(d.Schema.Indexes)+len(d.Schema.Constraints) > 0 {
		records[3].payload = encodeSchema(&d.Schema)
	}
	for _, r := range records {
		if r.payload == nil {
			continue
		}
		key, version := metaKey(w.epoch, r.name), byte(0)
		if r.name == recordSchema && formatOf(&d.Schema) > plainFormat {
			version = formatVersion
		}
		if err := splitAs(version, key, r.payload, w.write); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (w *writer) write(key, value []byte) error {
	w.keys++
	w.bytes += uint64(len(key) + len(value))
	return w.put(key, value)
}

// runTasks encodes tasks in parallel and writes what they emit in their order. Few of them wait to be written at a time.
func (w *writer) runTasks(ctx context.Context, tasks []task) error {
	total, done := uint64(0), uint64(0)
	for _, t := range tasks {
		total += t.weight
	}
	w.progress(StageWrite, 0, total)
	group, ctx := errgroup.WithContext(ctx)
	encoded := make(chan chan []storedPart, w.workers)
	group.Go(func() error {
		defer close(encoded)
		for _, t := range tasks {
			out := make(chan []storedPart, 1)
			select {
			case encoded <- out:
			case <-ctx.Done():
				return ctx.Err()
			}
			group.Go(guarded(func() error { return w.encode(t, out) }))
		}
		return nil
	})
	group.Go(guarded(func() error {
		for i := 0; ; i++ {
			out, more := <-encoded
			if !more {
				return nil
			}
			select {
			case parts := <-out:
				for _, p := range parts {
					if err := w.write(p.key, p.value); err != nil {
						return err
					}
				}
			case <-ctx.Done():
				return ctx.Err()
			}
			done += tasks[i].weight
			w.progress(StageWrite, done, total)
		}
	}))
	return passOn(group.Wait())
}

// encode runs a task and sends what it emits.
func (w *writer) encode(t task, out chan<- []storedPart) error {
	var parts []storedPart
	err := t.run(func(key, payload []byte) error {
		w.blocks[key[0]].Add(1)
		return split(key, payload, func(key, value []byte) error {
			parts = append(parts, storedPart{key, value})
			return nil
		})
	})
	if err == nil {
		out <- parts
	}
	return err
}

// tasks cuts the graph into pieces that can be encoded at once, in order of the keys of their blocks.
func (w *writer) tasks(d *csr.Data) []task {
	var all []task
	add := func(weight uint64, run func(emit emitFunc) error) { all = append(all, task{weight, run}) }
	if w.spooled != nil {
		all = w.runTasksOf(w.spooled)
	}
	for t := range d.Rels {
		r := d.Rels[t].Ready()
		cuts := adjacencySegments(r)
		for i := 1; i < len(cuts); i++ {
			lo, hi := cuts[i-1], cuts[i]
			add(r.Offsets[hi]-r.Offsets[lo], func(emit emitFunc) error {
				return encodeAdjacency(r, lo, hi, func(first uint32, payload []byte) error {
					return emit(adjacencyKey(w.epoch, uint32(t), first), payload)
				})
			})
		}
	}
	all = append(all, w.propertyTasks(d.VertexProps, columnVertex)...)
	all = append(all, w.propertyTasks(d.EdgeProps, columnEdge)...)
	all = append(all, idTasks(w.epoch, columnNodeID, d.StoredNodeIDs())...)
	all = append(all, idTasks(w.epoch, columnRelID, d.StoredRelIDs())...)
	for l, ranges := range allLabelRanges(d.Classes, d.Labels.Len()) {
		add(1, func(emit emitFunc) error { return w.emitLabel(ranges, csr.LabelID(l), emit) })
	}
	for i := range d.External {
		add(d.Vertices, func(emit emitFunc) error { return w.emitLookup(uint32(i), &d.External[i], emit) })
	}
	for i := range d.External {
		all = append(all, chunkTasks(d.External[i].IDs, func(chunk uint64) []byte { return externalKey(w.epoch, uint32(i), chunk) })...)
	}
	return all
}

// chunksPerTask is how many chunks of a column one task encodes.
const chunksPerTask = 64

func (w *writer) propertyTasks(columns []*csr.Column, column byte) []task {
	var all []task
	for k, c := range columns {
		all = append(all, chunkTasks(c, func(chunk uint64) []byte { return columnKey(w.epoch, column, uint32(k), chunk) })...)
	}
	return all
}

func chunkTasks(c *csr.Column, key func(chunk uint64) []byte) []task {
	if c == nil {
		return nil
	}
	var all []task
	for lo := 0; lo < c.NumChunks(); lo += chunksPerTask {
		hi := min(lo+chunksPerTask, c.NumChunks())
		all = append(all, task{uint64(hi-lo) * csr.ChunkLen, func(emit emitFunc) error {
			for i := lo; i < hi; i++ {
				chunk := c.Chunk(i)
				if chunk == nil || chunk.Len() == 0 {
					continue
				}
				payload, err := encodeChunk(chunk)
				if err == nil {
					err = emit(key(uint64(i)), payload)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}})
	}
	return all
}

func idTasks[T ~uint64](epoch uint64, column byte, ids []T) []task {
	var all []task
	const step = chunksPerTask * csr.ChunkLen
	for lo := 0; lo < len(ids); lo += step {
		run := ids[lo:min(lo+step, len(ids))]
		all = append(all, task{uint64(len(run)), func(emit emitFunc) error {
			for i := 0; i < len(run); i += csr.ChunkLen {
				chunk := uint64(lo+i) / csr.ChunkLen
				if err := emit(columnKey(epoch, column, 0, chunk), appendInts(nil, run[i:min(i+csr.ChunkLen, len(run))])); err != nil {
					return err
				}
			}
			return nil
		}})
	}
	return all
}

func (w *writer) emitLabel(ranges []csr.Range, l csr.LabelID, emit emitFunc) error {
	sets := labelSets(ranges)
	for _, chunk := range slices.Sorted(maps.Keys(sets)) {
		if err := emit(labelKey(w.epoch, uint32(l), chunk), roaring.Encode(sets[chunk])); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) emitLookup(space uint32, ids *csr.ExternalSpace, emit emitFunc) error {
	entries, err := sortedLookup(ids)
	if err != nil {
		return err
	}
	for block := uint32(0); len(entries) > 0; block++ {
		n := cutLookup(entries)
		if err := emit(lookupKey(w.epoch, space, block), encodeLookup(entries[:n])); err != nil {
			return err
		}
		entries = entries[n:]
	}
	return nil
}
