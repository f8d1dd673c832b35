package pattern

import "math/rand/v2"

// CommunityRequest asks for a division of a network into communities. The direction of its network is Both.
type CommunityRequest struct {
	Network
	Resolution    float64 // of modularity: more than 1 gives smaller communities
	MaxIterations int     // of label propagation
	Unsettled     bool    // labels that still change after MaxIterations are a result, too, not an error
	Seed          uint64  // of the order in which vertices move
}

// Communities says which community each vertex is in, and how good the division is.
type Communities struct {
	Components
	Modularity float64
	Iterations int  // of label propagation
	Converged  bool // no label changes any more
}

// Shuffled returns the numbers below n in an order that depends on the seed and the round alone.
func (r *CommunityRequest) Shuffled(n, round int) []uint32 {
	rng := rand.New(rand.NewPCG(r.Seed, uint64(round)))
	order := make([]uint32, n)
	for i := range order {
		j := rng.IntN(i + 1)
		order[i], order[j] = order[j], uint32(i)
	}
	return order
}
