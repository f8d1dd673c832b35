package motif

import (
	"cmp"
	"fmt"

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

// GPUs lists the graphics processors that this build can use. The error says why the list is empty, or why a GPU is missing from it.
func GPUs() ([]GPU, error) {
	list, err := cuda.List()
	out := make([]GPU, len(list))
	for i, d := range list {
		out[i] = GPU{Name: fmt.Sprintf("cuda:%d", d.Ordinal), Model: d.Name, Memory: d.Memory, Free: d.Free, Processors: d.Multiprocessor,
			Capability: d.Capability, Driver: d.Driver}
	}
	return out, err
}

// device returns what a query's stages run on.
func (db *DB) device(c *queryConfig) (pattern.Device, error) {
	if c.brute {
		return testgraph.Brute{}, nil
	}
	d, err := db.devices.Device(c.device, cmp.Or(c.workers, db.cfg.workers))
	if err != nil {
		return nil, &QueryError{Code: "ArgumentError.NoDevice", Message: fmt.Sprintf("no %v: %v", c.device, err),
			pretty: fmt.Sprintf("no %v: %v; --device cpu does without", c.device, err)}
	}
	return d, nil
}
