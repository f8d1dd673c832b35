//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/workgroup"

	"gorgonia.org/cu"

	"github.com/motifql/motif/kernels/cuda/shim"
)

// staging is pinned memory of the host, which all but short copies to and from the device go through, so that they run beside the
// host and no address of Go's memory outlives a call. It has two halves: the driver copies one while the host copies the other.
type staging struct {
	bytes  int // of a half
	most   int // that a half may grow to for long copies
	halves [2]half
}

type half struct {
	at   unsafe.Pointer
	done cu.Event // recorded behind the last copy
	busy bool     // that copy may still run
}

// A half begins with leastStaging and grows to mostStaging: on an H200 beside 16 cores, halves of 16 MiB copied by 8 threads move 31 GB/s to the
// card and 29 back, those of 4 MiB by 4 threads 16 and 15, the driver's own copies 7 to 9 and 14 to 17.
const (
	leastStaging = 1 << 20
	mostStaging  = 16 << 20
	leastPieces  = 4 // of a download: the first piece is copied by the driver alone. 18 MB took 0.85 ms in two pieces, 0.68 ms in five
)

// prepare allocates the memory. The device's thread calls it.
func (s *staging) prepare() error {
	if s.bytes == 0 {
		s.bytes, s.most = leastStaging, mostStaging
	}
	for i := range s.halves {
		h := &s.halves[i]
		var rc int
		if h.at, rc = shim.AllocHost(s.bytes); rc != 0 {
			return failed("cuMemHostAlloc", status(rc))
		}
		var err error
		if h.done, err = cu.MakeEvent(cu.DefaultEvent); err != nil {
			return failed("cuEventCreate", err)
		}
	}
	return nil
}

func (s *staging) release() {
	for i := range s.halves {
		h := &s.halves[i]
		if h.at != nil {
			_ = cu.MemFreeHost(h.at) // the device is closed, or has failed
		}
		if h.done != (cu.Event{}) {
			_ = cu.DestroyEvent(&h.done)
		}
		*h = half{}
	}
}

// grow makes room for a long copy. Where the host has no more pinned memory, it stays as it is.
func (s *staging) grow(d *Device, bytes int) error {
	if bytes <= 4*s.bytes || s.bytes >= s.most {
		return nil
	}
	for i := range s.halves {
		if err := s.halves[i].wait(d); err != nil {
			return err
		}
	}
	wide := staging{bytes: s.most, most: s.most}
	if wide.prepare() != nil {
		wide.release()
		s.most = s.bytes
		return nil
	}
	s.release()
	*s = wide
	return nil
}

// short tells whether the driver copies so few bytes faster by itself: it has read or written Go's memory when it returns.
func (s *staging) short(bytes int) bool { return bytes <= min(16<<10, s.bytes/64) }

// wait returns when the half is free.
func (h *half) wait(d *Device) error {
	if !h.busy {
		return nil
	}
	if err := h.done.Synchronize(); err != nil {
		return d.failed("cuEventSynchronize", err)
	}
	h.busy = false
	return nil
}

func (h *half) record(d *Device) error {
	if err := h.done.Record(cu.Stream{}); err != nil {
		return d.failed("cuEventRecord", err)
	}
	h.busy = true
	return nil
}

// upload copies from, and has read it when it returns. Later launches find it there.
func (s *staging) upload(d *Device, at cu.DevicePtr, from []byte) error {
	if n := len(from); n > 0 && s.short(n) {
		if err := settle(d); err != nil { // see download
			return err
		}
		if err := cu.MemcpyHtoD(at, unsafe.Pointer(&from[0]), int64(n)); err != nil {
			return d.failed("cuMemcpyHtoD", err)
		}
		return nil
	}
	if err := s.grow(d, len(from)); err != nil {
		return err
	}
	for i := 0; len(from) > 0; i++ {
		h, n := &s.halves[i%2], min(len(from), s.bytes)
		if err := h.wait(d); err != nil {
			return err
		}
		copyWide(unsafe.Slice((*byte)(h.at), n), from[:n])
		if err := cu.MemcpyHtoDAsync(at, h.at, int64(n), cu.Stream{}); err != nil {
			return d.failed("cuMemcpyHtoDAsync", err)
		}
		if err := h.record(d); err != nil {
			return err
		}
		at, from = at+cu.DevicePtr(n), from[n:]
	}
	return nil
}

// download fills to with what lies on the device once all earlier launches are done. It fails if they did. It waits for them before it
// asks for the copy: while a copy waits, the driver takes no other one, and so not the one that stops the kernels.
func (s *staging) download(d *Device, to []byte, at cu.DevicePtr) error {
	if err := settle(d); err != nil {
		return err
	}
	if n := len(to); n > 0 && s.short(n) {
		if err := cu.MemcpyDtoH(unsafe.Pointer(&to[0]), at, int64(n)); err != nil {
			return d.failed("cuMemcpyDtoH", err)
		}
		d.launched = 0
		return nil
	}
	if err := s.grow(d, len(to)); err != nil {
		return err
	}
	piece := min(s.bytes, max(leastStaging, len(to)/leastPieces))
	var coming []byte // of to, for which the copy to the half before runs
	for i := 0; len(to) > 0 || len(coming) > 0; i++ {
		h, n := &s.halves[i%2], min(len(to), piece)
		if err := h.wait(d); err != nil {
			return err
		}
		if n > 0 {
			if err := cu.MemcpyDtoHAsync(h.at, at, int64(n), cu.Stream{}); err != nil {
				return d.failed("cuMemcpyDtoHAsync", err)
			}
			if err := h.record(d); err != nil {
				return err
			}
		}
		if before := &s.halves[(i+1)%2]; len(coming) > 0 {
			if err := before.wait(d); err != nil {
				return err
			}
			copyWide(coming, unsafe.Slice((*byte)(before.at), len(coming)))
		}
		coming, at, to = to[:n], at+cu.DevicePtr(n), to[n:]
	}
	d.launched = 0
	return nil
}

// copyWays is how many threads copy between pinned memory and Go's. Tests change it.
var copyWays = 8

// copyWide copies by several threads what is long: one moves 10 GB/s or less, a card's link 25 to 50.
func copyWide(to, from []byte) {
	const least = 256 << 10
	ways := min(len(from)/least, runtime.GOMAXPROCS(0), copyWays)
	if ways < 2 {
		copy(to, from)
		return
	}
	var all workgroup.Group
	share := (len(from)/ways + 63) &^ 63
	for first := 0; first < len(from); first += share {
		all.Go(func() { copy(to[first:min(first+share, len(from))], from[first:]) })
	}
	all.Wait()
}

// leastUncleared is from how many bytes on uncleared saves time.
const leastUncleared = 64 << 10

// uncleared returns a list of n numbers that hold anything, for a caller that writes all of them. make would clear the list first, by one
// thread: for 16 MB that takes 1.9 to 5.8 ms beside an H200, and the copy from the card 0.7. Of what the standard library offers, only a
// strings.Builder has memory that is not cleared. T holds no pointers.
func uncleared[T uint32 | int32 | csr.VertexID](n int) []T {
	bytes := n * int(unsafe.Sizeof(T(0)))
	if bytes < leastUncleared {
		return make([]T, n)
	}
	var room strings.Builder
	room.Grow(bytes)
	room.WriteByte(0) // so that the string has the room's address
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.StringData(room.String()))), n)
}

// bytesOf is the memory of a list of numbers.
func bytesOf[T any](list []T) []byte {
	if len(list) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(list[0])))
}

// here is the device whose thread this is.
func here() (*Device, error) {
	if d, ok := threads.Load(shim.Thread()); ok {
		return d.(*Device), nil
	}
	return nil, fmt.Errorf("this is not the thread of a device")
}

// threads are the devices by the number that their threads bear.
var threads sync.Map
