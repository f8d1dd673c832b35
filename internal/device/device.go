// Package device runs the stages of a query on the CPU or on a GPU.
//
// A pattern.Request goes in, the device's answer comes out: the same one, whichever device gives it. Queries are fast where
// choose, the one function that decides, expects a GPU to answer sooner than the CPU, start and upload included (see
// kernels/cuda/cost_model.go). Explain prints what choose returns, Answer follows it. Builds without the tag cuda only have the CPU.
// A request that a GPU declines is never lost: the CPU answers it.
package device

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/cuda"
)

// Choice is a value of the knob "device": auto (the zero value), cpu, cuda, or one GPU by its number.
type Choice struct {
	kind    choiceKind
	ordinal int
	one     bool // only the GPU of this number
}

type choiceKind uint8

const (
	auto choiceKind = iota
	onCPU
	onGPU
)

// Auto reports whether the engine chooses.
func (d Choice) Auto() bool { return d.kind == auto }

// Asked reports whether a GPU was asked for.
func (d Choice) Asked() bool { return d.kind == onGPU }

// String is what ParseChoice reads.
func (d Choice) String() string {
	switch d.kind {
	case auto:
		return "auto"
	case onCPU:
		return "cpu"
	}
	if !d.one {
		return "cuda"
	}
	return fmt.Sprintf("cuda:%d", d.ordinal)
}

// ParseChoice reads auto (or nothing), cpu, cuda or cuda:N.
func ParseChoice(text string) (Choice, error) {
	switch text = strings.ToLower(strings.TrimSpace(text)); {
	case text == "auto" || text == "":
		return Choice{}, nil
	case text == "cpu":
		return Choice{kind: onCPU}, nil
	case text == "cuda":
		return Choice{kind: onGPU}, nil
	}
	if number, ok := strings.CutPrefix(text, "cuda:"); ok {
		if n, err := strconv.Atoi(number); err == nil && n >= 0 {
			return Choice{kind: onGPU, ordinal: n, one: true}, nil
		}
	}
	if strings.HasPrefix(text, "gpu") || strings.HasPrefix(text, "nvidia") {
		return Choice{}, fmt.Errorf("there is no device %q; did you mean cuda?", text)
	}
	return Choice{}, fmt.Errorf("there is no device %q: there are auto, cpu, cuda and cuda:N", text)
}

// Pool opens the GPUs that queries ask for, each once, and keeps what helps to choose between them and the CPU.
type Pool struct {
	Closed   error         // what requests get after Close
	Deferral cuda.Deferral // time that repeated requests lost on the CPU; only builds with a GPU add to it

	mu     sync.Mutex
	open   map[int]*openGPU
	closed bool
	users  sync.WaitGroup // requests that run
}

// openGPU is a GPU that is open. Whoever opens it holds the lock: that takes a while, and others may start beside it.
type openGPU struct {
	mu     sync.Mutex
	device *cuda.Device
}

// Device returns what the stages of a query run on, which has so many workers on the CPU. It fails where c asks for a GPU that does
// not start.
func (p *Pool) Device(c Choice, workers int) (pattern.Device, error) {
	switch c.kind {
	case onCPU:
		return CPU{}, nil
	case onGPU:
		if _, err := p.start(c.ordinal); err != nil {
			return nil, err
		}
	}
	return p.withGPU(c, workers), nil
}

// Close waits for the requests that run, and closes the GPUs. It does not wait for one that starts beside them, which then closes itself.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.users.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.open {
		if e.device != nil {
			e.device.Close()
		}
	}
	p.open = nil
}

func (p *Pool) entry(ordinal int) *openGPU {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = make(map[int]*openGPU)
	}
	if p.open[ordinal] == nil {
		p.open[ordinal] = new(openGPU)
	}
	return p.open[ordinal]
}

// start returns a GPU by its number. The next query tries again to start one that failed.
func (p *Pool) start(ordinal int) (d *cuda.Device, err error) {
	e := p.entry(ordinal)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.device == nil {
		e.device, err = cuda.Open(ordinal)
	}
	return e.device, err
}
