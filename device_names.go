package motif

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/cuda"
)

// GPU describes a graphics processor that queries can run on.
type GPU struct {
	Name       string // as WithDevice and the knob "device" take it: cuda:0
	Model      string
	Memory     int64 // bytes
	Free       int64 // bytes
	Processors int
	Capability string // such as 9.0
	Driver     string // version of the driver's interface
}

// GPUs lists the graphics processors that this build can use. The error says why there is none, or why those do not start that are not
// in the list.
func GPUs() ([]GPU, error) {
	list, err := cuda.List()
	out := make([]GPU, len(list))
	for i, d := range list {
		out[i] = GPU{Name: fmt.Sprintf("cuda:%d", d.Ordinal), Model: d.Name, Memory: d.Memory, Free: d.Free, Processors: d.Multiprocessor,
			Capability: d.Capability, Driver: d.Driver}
	}
	return out, err
}

// deviceChoice is what the knob "device" was set to: auto, cpu, or a GPU by its number.
type deviceChoice struct {
	kind    deviceKind
	ordinal int
	one     bool // this one alone, whatever others there are
}

type deviceKind uint8

const (
	anyDevice deviceKind = iota
	cpuDevice
	cudaDevice
)

func (d deviceChoice) String() string {
	switch d.kind {
	case anyDevice:
		return "auto"
	case cpuDevice:
		return "cpu"
	}
	if !d.one {
		return "cuda"
	}
	return fmt.Sprintf("cuda:%d", d.ordinal)
}

// parseDevice reads auto, cpu, cuda or cuda:N.
func parseDevice(text string) (deviceChoice, error) {
	switch text = strings.ToLower(strings.TrimSpace(text)); {
	case text == "auto" || text == "":
		return deviceChoice{}, nil
	case text == "cpu":
		return deviceChoice{kind: cpuDevice}, nil
	case text == "cuda":
		return deviceChoice{kind: cudaDevice}, nil
	}
	if number, ok := strings.CutPrefix(text, "cuda:"); ok {
		if n, err := strconv.Atoi(number); err == nil && n >= 0 {
			return deviceChoice{kind: cudaDevice, ordinal: n, one: true}, nil
		}
	}
	if strings.HasPrefix(text, "gpu") || strings.HasPrefix(text, "nvidia") {
		return deviceChoice{}, fmt.Errorf("there is no device %q; did you mean cuda?", text)
	}
	return deviceChoice{}, fmt.Errorf("there is no device %q: there are auto, cpu, cuda and cuda:N", text)
}

// devices opens those that queries ask for, once each.
type devices struct {
	mu     sync.Mutex
	open   map[int]*openGPU
	closed bool
	users  sync.WaitGroup // requests that run
}

// openGPU is a device that is open, or that somebody opens, who holds its lock: that takes a while, and others may start beside it.
type openGPU struct {
	mu     sync.Mutex
	device *cuda.Device
}

func (g *devices) entry(ordinal int) *openGPU {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = make(map[int]*openGPU)
	}
	if g.open[ordinal] == nil {
		g.open[ordinal] = new(openGPU)
	}
	return g.open[ordinal]
}

// device returns a device by its number. One that did not start is tried again by the next query.
func (g *devices) device(ordinal int) (d *cuda.Device, err error) {
	e := g.entry(ordinal)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.device == nil {
		e.device, err = cuda.Open(ordinal)
	}
	return e.device, err
}

func (g *devices) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.users.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range g.open {
		if e.device != nil {
			e.device.Close()
		}
	}
	g.open = nil
}

// device is what a query's stages run on.
func (db *DB) device(c *queryConfig) (pattern.Device, error) {
	switch {
	case c.brute:
		return testgraph.Brute{}, nil
	case c.device.kind == cpuDevice:
		return cpu{}, nil
	case c.device.kind == cudaDevice:
		if _, err := db.gpus.device(c.device.ordinal); err != nil {
			return nil, &QueryError{Code: "ArgumentError.NoDevice", Message: fmt.Sprintf("no %v: %v", c.device, err),
				pretty: fmt.Sprintf("no %v: %v; --device cpu does without", c.device, err)}
		}
	}
	return withGPU(&db.gpus, c.device, cmp.Or(c.workers, db.cfg.workers)), nil
}
