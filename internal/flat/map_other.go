//go:build !linux || (!amd64 && !arm64) || cuda

package flat

import (
	"errors"
	"os"
)

// Supported reports whether this build maps files.
const Supported = false

// mapFile fails.
func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }
