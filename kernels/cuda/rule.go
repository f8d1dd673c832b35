package cuda

import "fmt"

// Work is a request as far as it matters for where to run it.
type Work struct {
	What  string // cliques, triangles, cores, trusses, breadth-first search
	K     int    // vertices of a clique
	Edges uint64 // relationships of the graph
}

// Worth says why a request is better left to the CPU; "" if a GPU is expected to be faster, the way there included. The rule
// comes from measurements on one H200 beside 16 cores (docs/performance-gpu.md). What it weighs: a graph goes to the device at
// some 10 GB/s once and stays there; a level that the host must look at costs 30 µs; and the CPU counts large cliques without
// finding them one by one, as the GPU does.
func Worth(w Work) string {
	least := uint64(0)
	switch w.What {
	case "cliques":
		if w.K > 6 {
			return "counting cliques of more than 6 vertices one by one takes longer"
		}
		least = 1 << 18
	case "triangles":
		least = 1 << 20
	case "trusses":
		least = 1 << 18
	case "cores":
		least = 1 << 22
	default:
		least = 1 << 24
	}
	if w.Edges < least {
		return fmt.Sprintf("fewer than %d relationships", least)
	}
	return ""
}
