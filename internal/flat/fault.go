package flat

import (
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/motifql/motif/internal/workgroup"
)

// A read of mapped memory fails if the file got shorter, or if the disk fails. Under debug.SetPanicOnFault the failure is a panic of the
// goroutine that reads. workgroup and the module root set that for each of their goroutines, and ask AsFault what the panic was.

// Fault is the error of a mapped file that could not be read.
type Fault struct {
	Path string
	Err  error
}

func (f *Fault) Error() string { return fmt.Sprintf("reading %s failed: %v", f.Path, f.Err) }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// AsFault returns the *Fault of a panic with some value, or nil if the panic was no read of a mapped file.
func AsFault(value any) *Fault {
	err, ok := value.(interface {
		error
		Addr() uintptr
	})
	if !ok {
		return nil
	}
	ranges.Lock()
	defer ranges.Unlock()
	for _, r := range ranges.list {
		if err.Addr() >= r.lo && err.Addr() < r.hi {
			return &Fault{r.path, err}
		}
	}
	return nil
}

// Guarded returns the error of fn, or the *Fault that ended it. Other panics pass.
func Guarded(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		value, _ := workgroup.Origin(v)
		fault := AsFault(value)
		if fault == nil {
			panic(v)
		}
		err = fault
	}()
	return fn()
}

// ranges are the addresses of mapped files.
var ranges struct {
	sync.Mutex
	list []addresses
}

type addresses struct {
	lo, hi uintptr
	path   string
}
