//go:build cuda && cgo && linux

package cuda

import (
	"unsafe"

	"gorgonia.org/cu"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/workgroup"
)

// result brings what is read to the host: to a loan, or else depths in a byte each, if they fit, which are widened while the parents come.
func (b *search) result(out *pattern.Levels) error {
	n := b.vertices
	if b.request.Read == pattern.ReadSizes && b.level.level < bfsSizes {
		return b.sizes(out)
	}
	if lent, err := b.lend(out); lent || err != nil {
		return err
	}
	out.Depth = uncleared[int32](n)
	var widened workgroup.Group
	defer widened.Wait()
	if b.level.level >= 255 {
		if err := download(b.results, out.Depth); err != nil {
			return err
		}
	} else {
		if err := b.d.launch("bfs_pack", b.d.grid(n, 1024), 256, 0, b.results.arg(), uint64(n), b.packed.arg()); err != nil {
			return err
		}
		short := uncleared[uint32]((n + 3) / 4)
		if err := download(b.packed, short); err != nil {
			return err
		}
		widened.Go(func() { widen(out.Depth, short, max(1, b.env.Workers)) })
	}
	if b.request.Read != pattern.ReadAll {
		return nil
	}
	out.Parent = uncleared[csr.VertexID](n)
	return download(buffer{b.results.at + cu.DevicePtr(4*n), int64(4 * n)}, out.Parent)
}

// lend brings depths, and parents where they are read, to a loan, if there is one.
func (b *search) lend(out *pattern.Levels) (bool, error) {
	n, words := b.vertices, b.vertices
	if b.request.Read == pattern.ReadAll {
		words *= 2
	}
	x := b.loan(b.request.Returned, words, b.env)
	if x == nil {
		return false, nil
	}
	out.Back = b.d.loans.back(x)
	err := settle(b.d)
	if err == nil {
		err = x.fetch(b.d, 0, words, b.results, cu.Stream{})
	}
	if err == nil {
		err = b.d.wait("copying a search's answer")
	}
	if err != nil {
		return false, err
	}
	out.Depth = wordsAs[int32](x.words[:n])
	if words > n {
		out.Parent = wordsAs[csr.VertexID](x.words[n:words])
	}
	return true, nil
}

// bfsSizes is SIZES in bfs.cu.
const bfsSizes = 256

// sizes counts the vertices by depth on the device.
func (b *search) sizes(out *pattern.Levels) error {
	sizes, err := b.zeros(2 * bfsSizes)
	if err != nil {
		return err
	}
	if err := b.d.launch("bfs_sizes", b.d.grid(b.vertices, 1024), 256, 0, b.results.arg(), uint64(b.vertices), sizes.arg()); err != nil {
		return err
	}
	out.Sizes = make([]uint64, b.level.level+1)
	return download(sizes, out.Sizes)
}

// widen takes depths from the bytes of short, of which 255 is none.
func widen(depth []int32, short []uint32, workers int) {
	if len(depth) == 0 {
		return
	}
	bytes := unsafe.Slice((*uint8)(unsafe.Pointer(&short[0])), len(depth))
	inParallel(len(depth), workers, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			depth[v] = int32(bytes[v]+1) - 1
		}
	})
}
