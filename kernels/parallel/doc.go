// Package parallel deals the work of a kernel to workers.
//
// Input: how many items there are, a chunk, a flag that stops. Output: none; fn has been called once for every chunk, unless stop is set.
//
// What makes it fast: workers take chunks by one atomic addition, and one worker alone starts no goroutine.
//
// It never decides how many workers a call may have: that is the environment's.
package parallel
