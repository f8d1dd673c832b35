package csr

import "unsafe"

// Gather reads the cells of many elements: kinds has 0 where there is none, and nums the number of an integer, a float or a boolean. It
// does not read text.
func Gather[T ~uint32 | ~uint64](c *Column, ids []T, kinds []Kind, nums []uint64) {
	if c == nil {
		clear(kinds[:len(ids)])
		return
	}
	for i := 0; i < len(ids); i++ {
		at := uint64(ids[i]) / ChunkLen
		var chunk *Chunk
		if at < uint64(len(c.chunks)) {
			chunk = c.Chunk(int(at))
		}
		if chunk != nil && (chunk.Kind == KindInt || chunk.Kind == KindFloat) {
			i += gatherNumbers(chunk, at*ChunkLen, ids[i:], kinds[i:], nums[i:]) - 1
			continue
		}
		id := ids[i]
		if chunk == nil {
			cell, _ := c.Get(uint64(id))
			kinds[i], nums[i] = cell.Kind, cell.Num
			continue
		}
		position, present := chunk.position(int(uint64(id) % ChunkLen))
		switch {
		case !present:
			kinds[i] = 0
		case chunk.Kind == KindMixed:
			kinds[i], nums[i] = chunk.Kinds[position], chunk.Nums[position]
		case chunk.Kind == KindBool:
			kinds[i], nums[i] = KindBool, chunk.Bools[position>>6]>>(position&63)&1
		default:
			kinds[i] = chunk.Kind
		}
	}
}

// gatherNumbers is Gather for integers or floats, up to the first element outside of the chunk. It returns how many elements it has read.
func gatherNumbers[T ~uint32 | ~uint64](chunk *Chunk, base uint64, ids []T, kinds []Kind, nums []uint64) int {
	kinds, nums = kinds[:len(ids)], nums[:len(ids)]
	values := chunk.numbers()
	if len(values) == ChunkLen { // all are present
		for i, id := range ids {
			slot := uint64(id) - base
			if slot >= ChunkLen {
				return i
			}
			kinds[i], nums[i] = chunk.Kind, values[slot]
		}
		return len(ids)
	}
	for i, id := range ids {
		slot := uint64(id) - base
		if slot >= ChunkLen {
			return i
		}
		position, present := chunk.position(int(slot))
		if !present {
			kinds[i] = 0
			continue
		}
		kinds[i], nums[i] = chunk.Kind, values[position]
	}
	return len(ids)
}

// numbers returns the bits of the values of a chunk of integers or floats.
func (c *Chunk) numbers() []uint64 {
	if c.Kind == KindInt {
		return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(c.Ints))), len(c.Ints))
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(c.Floats))), len(c.Floats))
}
