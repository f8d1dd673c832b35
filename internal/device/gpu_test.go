//go:build cuda && cgo && linux

package device

import (
	"errors"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/motifql/motif/kernels/cuda"
)

// A GPU that starts beside the requests is found once it has started, and closed with the pool, whichever ends first.
func TestStartBeside(t *testing.T) {
	if _, err := cuda.Count(); err != nil {
		if os.Getenv("MOTIF_NEED_GPU") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	closed, before := errors.New("closed"), runtime.NumGoroutine()
	for i := range 10 {
		p := &Pool{Closed: closed}
		g := gpu{pool: p}
		p.startBeside(0)
		if i%2 == 0 {
			for end := time.Now().Add(2 * time.Minute); g.opened() == nil; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("it does not start")
				}
			}
			d := g.opened()
			if again, err := p.start(0); err != nil || again != d {
				t.Fatalf("another device starts: %v", err)
			}
		}
		p.Close()
		if _, err := p.enter(); !errors.Is(err, closed) {
			t.Errorf("a closed pool lets a request in: %v", err)
		}
	}
	for end := time.Now().Add(2 * time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a device outlives its pool")
		}
	}
}
