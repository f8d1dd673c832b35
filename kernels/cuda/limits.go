//go:build cuda && cgo && linux

package cuda

// limits are the sizes at which kernels change their ways. Open hands in defaultLimits; the small graphs of tests get small ones.
type limits struct {
	hubDegree uint64 // the whole grid shares a vertex of so many edges
	bfs       bfsLimits
	triangles triangleLimits
	wedges    wedgeLimits
	cliqueLimits
}

func defaultLimits() limits {
	return limits{hubDegree: hubDegree, bfs: defaultBFSLimits, triangles: defaultTriangleLimits, wedges: defaultWedgeLimits}
}

// hubDegree is how many edges make it worth that all blocks wait for a vertex.
const hubDegree = 4096
