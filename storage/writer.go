package storage

import (
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/roaring"
)

// writer encodes a graph into blocks on all cores and writes them from one goroutine.
type writer struct {
	store    *Store
	epoch    uint64
	progress func(stage string, done, total uint64)
	shared   bool                 // others write to the store meanwhile, and it may be closed
	to       func(v stored) error // where values go instead of the store; nil: to the store

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

// stored is a value on its way to Badger. A task that is done sends one without key.
type stored struct {
	key, value []byte
	weight     uint64
}

// run writes all blocks of d, the record "meta" with their number last.
func (w *writer) run(ctx context.Context, d *csr.Data) error {
	tasks := w.tasks(d)
	total := uint64(0)
	for _, t := range tasks {
		total += t.weight
	}
	// The longest first, so that the cores finish together.
	slices.SortStableFunc(tasks, func(a, b task) int { return int(int64(b.weight) - int64(a.weight)) })
	group, ctx := errgroup.WithContext(ctx)
	values := make(chan stored, 64)
	group.Go(func() error {
		if w.to != nil {
			return w.writeTo(ctx, values)
		}
		if w.shared {
			return w.writeShared(ctx, values)
		}
		return w.store.guard("writing the graph", func() error { return w.write(ctx, values, total) })
	})
	group.Go(func() error {
		defer close(values)
		if err := w.encode(ctx, tasks, values); err != nil {
			return err
		}
		m := newMeta(d)
		for kind := kindAdjacency; kind <= lastEpochKind; kind++ {
			m.blocks[kind] = w.blocks[kind].Load()
		}
		return w.emitter(ctx, values)(metaKey(w.epoch, recordMeta), m.encode())
	})
	return group.Wait()
}

func (w *writer) encode(ctx context.Context, tasks []task, values chan<- stored) error {
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(w.store.opt.Workers)
	emit := w.emitter(inner, values)
	for _, t := range tasks {
		if inner.Err() != nil {
			break
		}
		group.Go(func() error {
			if err := t.run(emit); err != nil {
				return err
			}
			return send(inner, values, stored{weight: t.weight})
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

func send(ctx context.Context, values chan<- stored, v stored) error {
	select {
	case values <- v:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// emitter counts blocks and cuts them into values.
func (w *writer) emitter(ctx context.Context, values chan<- stored) emitFunc {
	return func(key, payload []byte) error {
		w.blocks[key[0]].Add(1)
		return split(key, payload, func(key, value []byte) error {
			return send(ctx, values, stored{key: key, value: value})
		})
	}
}

// write hands values to Badger until the channel closes. It reports progress and watches the free space.
func (w *writer) write(ctx context.Context, values <-chan stored, total uint64) error {
	batch := w.store.db.NewWriteBatch()
	defer batch.Cancel()
	w.progress(StageWrite, 0, total)
	done, checked := uint64(0), uint64(0)
	if err := w.store.roomToWrite(0); err != nil {
		return err
	}
	for v := range values {
		if v.key == nil {
			done += v.weight
			w.progress(StageWrite, done, total)
			continue
		}
		if err := batch.Set(v.key, v.value); err != nil {
			return err
		}
		w.keys++
		w.bytes += uint64(len(v.key) + len(v.value))
		if w.bytes-checked >= roomStep {
			checked = w.bytes
			if err := w.store.roomToWrite(w.bytes); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return batch.Flush()
}

// writeTo hands values to the function to.
func (w *writer) writeTo(ctx context.Context, values <-chan stored) error {
	for v := range values {
		if v.key == nil {
			continue
		}
		w.keys++
		w.bytes += uint64(len(v.key) + len(v.value))
		if err := w.to(v); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// writeShared is write beside transactions: in small steps, between which the store may be closed.
func (w *writer) writeShared(ctx context.Context, values <-chan stored) error {
	var batch []storedPart
	size := uint64(0)
	flush := func() error {
		done, err := w.store.use()
		if err != nil {
			return err
		}
		defer done()
		err = w.store.roomToWrite(w.bytes)
		if err == nil {
			err = w.store.set("compacting", batch)
		}
		batch, size = batch[:0], 0
		return err
	}
	for v := range values {
		if v.key == nil {
			continue
		}
		batch = append(batch, storedPart{v.key, v.value})
		n := uint64(len(v.key) + len(v.value))
		w.keys++
		w.bytes += n
		if size += n; size >= sharedStep || len(batch) == 1000 {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil || len(batch) == 0 {
		return err
	}
	return flush()
}

// sharedStep is how many bytes a compaction writes at once: less than a transaction of Badger holds.
const sharedStep = 512 << 10

// tasks cuts the graph into pieces that can be encoded at once.
func (w *writer) tasks(d *csr.Data) []task {
	var all []task
	add := func(weight uint64, run func(emit emitFunc) error) { all = append(all, task{weight, run}) }
	add(1, func(emit emitFunc) error { return emit(metaKey(w.epoch, recordDict), encodeDict(d)) })
	add(1, func(emit emitFunc) error { return emit(metaKey(w.epoch, recordClasses), encodeClasses(d.Classes)) })
	add(1, func(emit emitFunc) error { return emit(metaKey(w.epoch, recordStats), encodeStats(d.Stats)) })
	if len(d.Schema.Indexes)+len(d.Schema.Constraints) > 0 {
		add(1, func(emit emitFunc) error { return emit(metaKey(w.epoch, recordSchema), encodeSchema(&d.Schema)) })
	}
	for t := range d.Rels {
		r := &d.Rels[t]
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
	all = append(all, idTasks(w.epoch, columnNodeID, d.NodeIDs)...)
	all = append(all, idTasks(w.epoch, columnRelID, d.RelIDs)...)
	for l := range d.Labels.Names() {
		add(1, func(emit emitFunc) error { return w.emitLabel(d.Classes, csr.LabelID(l), emit) })
	}
	for i := range d.External {
		space := &d.External[i]
		all = append(all, chunkTasks(space.IDs, func(chunk uint64) []byte { return externalKey(w.epoch, uint32(i), chunk) })...)
		add(d.Vertices, func(emit emitFunc) error { return w.emitLookup(uint32(i), space, emit) })
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
	for lo := 0; lo < len(c.Chunks); lo += chunksPerTask {
		run := c.Chunks[lo:min(lo+chunksPerTask, len(c.Chunks))]
		all = append(all, task{uint64(len(run)) * csr.ChunkLen, func(emit emitFunc) error {
			for i, chunk := range run {
				if chunk == nil || chunk.Len() == 0 {
					continue
				}
				payload, err := encodeChunk(chunk)
				if err == nil {
					err = emit(key(uint64(lo+i)), payload)
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

func (w *writer) emitLabel(classes []csr.Class, l csr.LabelID, emit emitFunc) error {
	for chunk, set := range labelSets(labelRanges(classes, l)) {
		if err := emit(labelKey(w.epoch, uint32(l), chunk), roaring.Encode(set)); err != nil {
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
