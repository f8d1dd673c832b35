//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gorgonia.org/cu"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
)

// failing has the emulator's driver fail a call: CALL:N[:STATUS], as the head of src/driver.cpp says. The cleanup ends that.
func failing(t *testing.T, plan string) {
	t.Helper()
	if err := os.Setenv("MOTIF_SIMT_FAIL", plan); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Unsetenv("MOTIF_SIMT_FAIL") })
}

func emulated(t *testing.T) *Device {
	d := device(t)
	if d.info.Name != emulatorName {
		t.Skip("only the emulator fails when it is told to")
	}
	d.staging.bytes, d.staging.most = 4096, 4096 // its graphs are small
	return d
}

// Each call of the driver that fails ends the request with an error that names it, nothing is lost, and the next request is
// answered.
func TestCallsFail(t *testing.T) {
	d := emulated(t)
	orientAll(t)
	s := testgraph.Graph(40, testgraph.RMAT(5, 8, 3), true) // small: it is put in order anew for each call
	c := (&pattern.Subgraph{}).Clique(5)
	want, err := clique.Count(background, s, c, env())
	if err != nil {
		t.Fatal(err)
	}
	ask := func() error {
		if err := d.do(func() error { // anew each time: uploads and kernels that were not loaded before can fail, too
			for d.memory.evict() {
			}
			d.functions = make(map[string]*function)
			return nil
		}); err != nil {
			return err
		}
		if err := d.run(background, func(task *task) error {
			few, many := make([]uint32, 4), make([]uint32, 2000)
			a, err := upload(task, few)
			if err != nil {
				return err
			}
			b, err := upload(task, many)
			if err == nil {
				err = errors.Join(download(a, few), download(b, many), d.wait("nothing"))
			}
			return err
		}); err != nil {
			return err
		}
		n, err := d.CountCliques(background, s, c, env())
		if err == nil && n != want {
			return fmt.Errorf("%v cliques, not %v", n, want)
		}
		return err
	}
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	if err := d.do(func() error { d.memory.evict(); return nil }); err != nil {
		t.Fatal(err)
	}
	used := d.memory.used
	for _, call := range []string{"cuMemAlloc", "cuMemFree", "cuMemcpyHtoD", "cuMemcpyHtoDAsync", "cuMemcpyDtoH", "cuMemcpyDtoHAsync", "cuMemsetD32Async", "cuEventRecord",
		"cuEventSynchronize", "cuModuleLoadData", "cuModuleGetFunction", "cuLaunchKernel", "cuCtxSynchronize", "kernel", "kernel:1:719", "cuMemcpyHtoDAsync:2:700"} {
		name, rest, many := strings.Cut(call, ":")
		for n := 1; ; n += 1 + n/4 { // kernels are launched more than a hundred times
			plan := fmt.Sprintf("%s:%d", name, n)
			if many {
				plan = name + ":" + rest
			}
			failing(t, plan)
			err := ask()
			_ = os.Unsetenv("MOTIF_SIMT_FAIL")
			if err == nil && n > 1 {
				break // it is not called as often
			}
			checkFailure(t, plan, name, err)
			if err := ask(); err != nil {
				t.Fatalf("after %s had failed: %v", plan, err)
			}
			if err := d.do(func() error { d.memory.evict(); return nil }); err != nil || d.memory.used != used {
				t.Fatalf("after %s had failed, %d bytes are in use, not %d; %v", plan, d.memory.used, used, err)
			}
			if many {
				break
			}
		}
	}
}

// checkFailure demands an error that tells of the call; a lack of memory leaves the request to the CPU.
func checkFailure(t *testing.T, plan, call string, err error) {
	t.Helper()
	switch {
	case call == "cuMemAlloc" && errors.Is(err, ErrDeclined):
	case call == "kernel" && err != nil && strings.Contains(err.Error(), "after kernel cliques_") || call == "kernel" && err != nil && strings.Contains(err.Error(), " last: "):
	case err != nil && strings.Contains(err.Error(), call) && !errors.Is(err, ErrDeclined):
	default:
		t.Fatalf("%s: %v", plan, err)
	}
}

// A device that does not start says which call failed, and holds nothing: the driver of the emulator ends the process where a
// context is let go with anything in it.
func TestStartFails(t *testing.T) {
	emulated(t).Close()
	for _, call := range []string{"cuDeviceGetCount", "cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuDeviceGetName", "cuDeviceGetAttribute",
		"cuMemGetInfo", "cuMemHostAlloc", "cuEventCreate", "cuMemAlloc", "cuStreamCreate"} {
		for n := 1; ; n++ {
			failing(t, fmt.Sprintf("%s:%d", call, n))
			d, err := Open(0)
			_ = os.Unsetenv("MOTIF_SIMT_FAIL")
			if err == nil {
				d.Close()
				if n == 1 {
					t.Errorf("%s is not called", call)
				}
				break
			}
			if !strings.Contains(err.Error(), call) && !errors.Is(err, errNoRoom) {
				t.Errorf("%s:%d: %v", call, n, err)
			}
		}
		device(t).Close()
	}
}

// Where a device does not start again after a failure, requests say so, until it does.
func TestStartsAgain(t *testing.T) {
	d := emulated(t)
	s := testgraph.Graph(64, testgraph.RMAT(6, 8, 3), true)
	triangles := func() error { _, _, err := d.Triangles(background, s, nil, false, env()); return err }
	failing(t, "kernel:1:700")
	if err := triangles(); err == nil || !strings.Contains(err.Error(), ": IllegalAddress") {
		t.Fatal(err)
	}
	failing(t, "cuStreamCreate:1")
	if err := triangles(); err == nil || !strings.Contains(err.Error(), "cuda:0: it does not start again after a failure: cuStreamCreate: InvalidValue") {
		t.Fatal(err)
	}
	if err := triangles(); err != nil {
		t.Fatal(err)
	}
}

// Copies of any length arrive, in both directions, through two halves of pinned memory.
func TestCopies(t *testing.T) {
	d, r := device(t), seeds(t)
	d.staging.bytes, d.staging.most = 64, 64
	for _, n := range []int{0, 1, 15, 16, 17, 31, 32, 33, 48, 1000} {
		list := make([]uint32, n)
		for i := range list {
			list[i] = r.Uint32()
		}
		got := make([]uint32, n)
		err := d.run(background, func(t *task) error {
			b, err := upload(t, list)
			if err != nil {
				return err
			}
			if _, err := upload(t, make([]uint32, n)); err != nil { // so that pinned memory has something else
				return err
			}
			return download(b, got)
		})
		if err != nil || fmt.Sprint(got) != fmt.Sprint(list) {
			t.Fatalf("%d words: %v, %v; want %v", n, got, err, list)
		}
	}
	d.staging.most = 200 // which it grows to
	if got, want := make([]uint32, 1000), []uint32(nil); true {
		for range got {
			want = append(want, r.Uint32())
		}
		err := d.run(background, func(t *task) error {
			b, err := upload(t, want)
			if err != nil {
				return err
			}
			return download(b, got)
		})
		if err != nil || d.staging.bytes != 200 || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("halves of %d bytes: %v", d.staging.bytes, err)
		}
	}
	d.staging.most = mostStaging
	for _, n := range []int{0, 1, leastUncleared/4 - 1, leastUncleared / 4, 5<<18 + 3, 5 << 20} { // the last ones in several pieces
		want, got := make([]uint32, n), uncleared[uint32](n)
		for i := range want {
			want[i] = uint32(i) * 2654435761
		}
		err := d.run(background, func(t *task) error {
			b, err := upload(t, want)
			if err != nil {
				return err
			}
			return download(b, got)
		})
		if err != nil || len(got) != n || cap(got) != n || !slices.Equal(got, want) {
			t.Fatalf("%d words in pieces: %v", n, err)
		}
	}
	long := make([]byte, 5<<20)
	for i := range long {
		long[i] = byte(r.Uint32())
	}
	to := make([]byte, len(long))
	if copyWide(to, long); string(to) != string(long) {
		t.Error("a copy by several threads differs")
	}
	if err := download(buffer{}, make([]uint32, 1)); err == nil {
		t.Error("a download works on any thread")
	}
}

// What others take of the device's memory is seen when more of it is wanted, and what they give back, too.
func TestMemoryOfOthers(t *testing.T) {
	d := emulated(t)
	if os.Getenv("MOTIF_SIMT_MEMORY") == "" {
		d.Close()
		onEmulator(t, "MOTIF_SIMT_MEMORY=200000") // the emulator's own books are many times as large
		return
	}
	s := testgraph.Graph(64, testgraph.RMAT(6, 8, 3), true)
	graphs := func() int {
		if _, err := adjacencyOn(d, s); err != nil {
			t.Fatal(err)
		}
		return len(d.memory.graphs)
	}
	if graphs() != 1 {
		t.Fatal("the graph does not stay")
	}
	limit, room := d.memory.limit, int64(0)
	err := d.do(func() error {
		free, _, err := cu.MemInfo()
		room = free - d.memory.reserve
		if err != nil {
			return err
		}
		others, err := cu.MemAlloc(room - 2000)
		if err != nil {
			return err
		}
		defer func() { _ = cu.MemFree(others) }()
		d.memory.limit = 0 // so that it is asked for
		b, err := d.memory.alloc(500)
		if err != nil || d.memory.limit >= limit-room+3000 {
			return fmt.Errorf("a limit of %d after others took %d of %d, %v", d.memory.limit, room-2000, limit, err)
		}
		d.memory.free(b)
		if b, err = d.memory.alloc(2500); err != nil || len(d.memory.graphs) != 0 {
			return fmt.Errorf("%d graphs stay where there is no room, %v", len(d.memory.graphs), err)
		}
		d.memory.free(b)
		if _, err = d.memory.alloc(1 << 20); !errors.Is(err, errNoRoom) {
			return fmt.Errorf("memory that others have: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if graphs() != 1 {
		t.Fatal("the graph does not stay once there is room again")
	}
}

func adjacencyOn(d *Device, s *csr.Snapshot) (g *adjacent, err error) {
	err = d.run(background, func(t *task) error { g, err = adjacencyOf(t, s, nil, csr.Out); return err })
	return g, err
}

// Launches are counted and timed by kernel while somebody wants that, however many there are.
func TestKernelTimes(t *testing.T) {
	d := device(t)
	s := testgraph.Graph(64, testgraph.RMAT(6, 8, 3), true)
	if _, _, err := d.Triangles(background, s, nil, false, env()); err != nil { // its graph stays
		t.Fatal(err)
	}
	for _, n := range []int{1, spansAtMost/2 + 10, 0} {
		if err := d.TimeKernels(true); err != nil {
			t.Fatal(err)
		}
		for range n {
			if _, _, err := d.Triangles(background, s, nil, false, env()); err != nil {
				t.Fatal(err)
			}
		}
		list, err := d.KernelTimes()
		if n == 0 {
			if err != nil || len(list) != 0 {
				t.Errorf("%v, %v; want nothing", list, err)
			}
			continue
		}
		if err != nil || len(list) != 1 || list[0].Kernel != "triangles_warp" || list[0].Launches != n || list[0].Time <= 0 {
			t.Fatalf("%v, %v; want %d launches", list, err, n)
		}
	}
	if err := d.TimeKernels(false); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Triangles(background, s, nil, false, env()); err != nil || len(d.times.spans) != 0 {
		t.Errorf("%d launches are timed that nobody asked for, %v", len(d.times.spans), err)
	}
}

// A device that fails while several share a request is told of, and the next request is answered by all.
func TestGroupFailure(t *testing.T) {
	d := emulated(t)
	d.Close() // a context lives until all who hold it have noticed that it failed
	if os.Getenv("MOTIF_SIMT_DEVICES") == "" {
		onEmulator(t, "MOTIF_SIMT_DEVICES=3")
		return
	}
	g := NewGroup(devices(t, 3)...)
	s := testgraph.Graph(33, testgraph.Cliques(1, 33), true)
	for n := 1; n < 4; n++ {
		failing(t, fmt.Sprintf("kernel:%d:719", n))
		_, _, err := g.Triangles(background, s, nil, false, env())
		_ = os.Unsetenv("MOTIF_SIMT_FAIL")
		if err == nil || !strings.HasPrefix(err.Error(), "cuda:") || !strings.Contains(err.Error(), "kernel") {
			t.Errorf("kernel %d failed: %v", n, err)
		}
		if n, _, err := g.Triangles(background, s, nil, false, env()); err != nil || n != 33*32*31/6 {
			t.Errorf("the request after it: %d, %v", n, err)
		}
	}
}

// A request that waits for others on the device ends with its context.
func TestWaitForOthers(t *testing.T) {
	d := device(t)
	s := testgraph.Graph(33, testgraph.Cliques(1, 33), true)
	ctx, end := context.WithCancel(background)
	err := d.do(func() error { // no other request is taken meanwhile
		waiting := make(chan error)
		go func() {
			_, _, err := d.Triangles(ctx, s, nil, false, env())
			waiting <- err
		}()
		end()
		return <-waiting
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What runs ends with its context: a kernel that would take long stops at its next look, on one device and on several, and the next
// request is whole.
func TestStop(t *testing.T) {
	emulated(t)
	s := testgraph.Graph(1024, testgraph.RMAT(10, 30, 3), true)
	small := testgraph.Graph(33, testgraph.Cliques(1, 33), true)
	for _, n := range []int{1, 3} {
		g := NewGroup(devices(t, n)...)
		for _, count := range []func(ctx context.Context) error{
			func(ctx context.Context) error { _, _, err := g.Triangles(ctx, s, nil, false, env()); return err },
			func(ctx context.Context) error { _, err := g.CountHoms(ctx, s, walks(s, 7), env()); return err },
		} {
			ending, end := context.WithTimeout(background, 30*time.Millisecond)
			err := count(ending)
			end()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s after its end: %v", g.Name(), err)
			}
		}
		if n, _, err := g.Triangles(background, small, nil, false, env()); err != nil || n != 33*32*31/6 {
			t.Errorf("the request after one that was stopped: %d, %v", n, err)
		}
	}
}

// A request that is stopped as soon as it has begun stays so: the word that says it is not cleared behind that.
func TestStopAtOnce(t *testing.T) {
	d := device(t)
	ctx, end := context.WithCancel(background)
	stop := make([]uint32, 1)
	err := d.run(ctx, func(*task) error {
		end()
		for range 100 {
			time.Sleep(10 * time.Millisecond)
			if err := download(d.stop.word, stop); err != nil || stop[0] != 0 {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || stop[0] != 1 {
		t.Errorf("the word is %d, %v", stop[0], err)
	}
}

// A device that does not start is told of beside those that do.
func TestListWithout(t *testing.T) {
	if d := emulated(t); os.Getenv("MOTIF_SIMT_DEVICES") == "" {
		d.Close()
		onEmulator(t, "MOTIF_SIMT_DEVICES=3")
		return
	}
	failing(t, "cuDeviceGetName:2")
	list, err := List()
	if len(list) != 2 || err == nil || !strings.Contains(err.Error(), "does not start: cuDeviceGetName") {
		t.Errorf("%v, %v", list, err)
	}
}
