//go:build !cuda || !cgo || !linux

package cuda

import "errors"

var errNotBuilt = errors.New("this motif was built without GPU support (build it with `make -C kernels/cuda`, on Linux)")

// List returns no devices and says why.
func List() ([]Info, error) { return nil, errNotBuilt }

// Count returns 0 and says why.
func Count() (int, error) { return 0, errNotBuilt }

// Device is one GPU. Nothing makes one in this build.
type Device struct{}

// Close does nothing.
func (*Device) Close() {}

// Open returns an error: there is no GPU code in this build.
func Open(int) (*Device, error) { return nil, errNotBuilt }
