//go:build cuda && cgo && linux

package cuda

import (
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/cuda/shim"
)

// loans are memory of the host that long answers lie in, for askers that give it back. It is registered with the driver, so that the card
// writes into it without a copy between: 16 MB take 0.31 ms beside an H200, and 0.7 by way of staging. It is Go's memory: an answer that is
// never given back, or that outlasts the device, stays what it is.
type loans struct {
	mu    sync.Mutex // answers come back on any thread
	list  []*loan
	asked int       // words that were asked for last
	aside cu.Stream // for copies beside kernels
}

// loan is the room of one answer.
type loan struct {
	words  []uint32
	pinned runtime.Pinner
	lent   bool
}

// Loans are from leastLoan words on: what is shorter takes no longer by way of staging. Registering takes as long as many copies, so the first
// answer of a size gets none. The memory of all stays below mostLoans words.
const (
	leastLoan = 1 << 16
	mostLoans = 64 << 20
)

// loanFrom and loanMost are leastLoan and mostLoans. Tests change them.
var loanFrom, loanMost = leastLoan, mostLoans

// loan returns room for an answer of n words, if the asker gives it back; nil: there is none.
func (t *task) loan(returned bool, n int, env *pattern.Env) *loan {
	if !returned || !env.Uses(pattern.GPULoans) {
		return nil
	}
	x := t.d.loans.take(n)
	if x != nil {
		env.Took(pattern.GPULoans, 1)
	}
	return x
}

// take returns room for n words, nil if there is none. The device's thread calls it.
func (l *loans) take(n int) *loan {
	l.mu.Lock()
	defer l.mu.Unlock()
	again := l.asked == n
	l.asked = n
	if n < loanFrom || n > loanMost {
		return nil
	}
	fits := func(x *loan) bool { return !x.lent && len(x.words) >= n && len(x.words)-n <= n/4 }
	if i := slices.IndexFunc(l.list, fits); i >= 0 {
		l.list[i].lent = true
		return l.list[i]
	}
	if !again || !l.makeRoom(n) {
		return nil
	}
	x := &loan{words: uncleared[uint32](n), lent: true}
	x.pinned.Pin(&x.words[0])
	if shim.RegisterHost(unsafe.Pointer(&x.words[0]), 4*n) != 0 { // the answer then goes by way of staging
		x.pinned.Unpin()
		return nil
	}
	l.list = append(l.list, x)
	return x
}

// makeRoom drops loans that nobody has until n words more are below the limit.
func (l *loans) makeRoom(n int) bool {
	for {
		sum := n
		for _, x := range l.list {
			sum += len(x.words)
		}
		if sum <= loanMost {
			return true
		}
		i := slices.IndexFunc(l.list, func(x *loan) bool { return !x.lent })
		if i < 0 {
			return false
		}
		l.list[i].drop()
		l.list = slices.Delete(l.list, i, i+1)
	}
}

func (x *loan) drop() {
	_ = shim.UnregisterHost(unsafe.Pointer(&x.words[0])) // the memory itself is Go's
	x.pinned.Unpin()
}

// back returns what gives a loan back, once.
func (l *loans) back(x *loan) func() {
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		x.lent = false
	})
}

// release ends all loans; answers keep their memory.
func (l *loans) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range l.list {
		x.drop()
	}
	l.list = nil
	if l.aside != (cu.Stream{}) {
		_ = l.aside.Destroy() // the device is closed, or has failed
		l.aside = cu.Stream{}
	}
}

// beside returns a stream whose copies run beside kernels. The device's thread calls it.
func (l *loans) beside() (cu.Stream, error) {
	if l.aside != (cu.Stream{}) {
		return l.aside, nil
	}
	const nonBlocking = cu.StreamFlags(1)
	made, err := cu.MakeStream(nonBlocking)
	if err != nil {
		return made, failed("cuStreamCreate", err)
	}
	l.aside = made
	return made, nil
}

// wordsAs is a list of words as one of another type of four bytes.
func wordsAs[T int32 | csr.VertexID](words []uint32) []T {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&words[0])), len(words))
}

// loanPiece is how many words one copy to a loan has: a short copy of another stream waits for no more.
const loanPiece = 1 << 20

// fetch begins to copy n words from the device to a place in the loan, on a stream. All earlier launches must be done.
func (x *loan) fetch(d *Device, at, n int, from buffer, stream cu.Stream) error {
	for done := 0; done < n; done += loanPiece {
		bytes := 4 * int64(min(loanPiece, n-done))
		if err := cu.MemcpyDtoHAsync(unsafe.Pointer(&x.words[at+done]), from.at+cu.DevicePtr(4*done), bytes, stream); err != nil {
			return d.failed("cuMemcpyDtoHAsync", err)
		}
	}
	return nil
}
