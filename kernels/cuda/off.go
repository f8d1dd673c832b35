//go:build !cuda || !cgo || !linux

package cuda

import "errors"

var errNotBuilt = errors.New("this motif was built without GPU support (build it with `make -C kernels/cuda`, on Linux)")

// List returns the devices there are, or why there is none.
func List() ([]Info, error) { return nil, errNotBuilt }

// Count returns how many devices there are, or why there is none.
func Count() (int, error) { return 0, errNotBuilt }

// Device is one GPU. There is none in this build.
type Device struct{}

// Close does nothing.
func (*Device) Close() {}

// Open returns an error: there is no GPU code in this build.
func Open(int) (*Device, error) { return nil, errNotBuilt }
