// Package parallel deals the work of a kernel to workers.
//
// Input: the number of items, the size of a chunk, a flag to stop, and a function. Output: none. For calls the function once for every
// chunk, unless the flag is set meanwhile.
//
// What makes it fast: a worker takes a chunk by one atomic addition, and a single worker starts no goroutine.
//
// It never decides how many workers a call may have: the environment does.
package parallel
