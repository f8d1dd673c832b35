//go:build unix

package files

import "syscall"

// withoutWaiting opens a pipe at once, even if nobody writes to it.
const withoutWaiting = syscall.O_NONBLOCK
