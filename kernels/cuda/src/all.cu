// All kernels, as one module.
#include "cliques.cu"
#include "cliques_lanes.cu"
#include "bfs.cu"
#include "triangles.cu"
#include "cores.cu"
#include "trusses.cu"
