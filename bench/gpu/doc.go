// Package gpu is `motif bench gpu`: it measures the kernels of a GPU beside those of the CPU, on graphs that it generates.
//
// Options go in; a row for each request comes out, with both times. A part (cliques, bfs, ...) is a list of works, and a
// work is one request on one graph. A part skips the works that its budget has no time for, and prints a line for each.
// A work switches off, one by one, the techniques that its first run counted (pattern.Tally): a new technique is measured
// without a change here. No time is printed for an answer that differs from the CPU's: Run fails with ErrWrong.
package gpu

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/cuda"
	"github.com/motifql/motif/kernels/hom"
)

// Options say what is measured.
type Options struct {
	Only    []string      // parts; none: all
	Scales  []int         // of RMAT graphs, 2^scale vertices each
	Edges   int           // drawn for each vertex of an RMAT graph
	Budget  time.Duration // of each part
	Runs    int           // of each work, if they are short beside the budget
	Workers int           // of the CPU's kernels
	Kernels bool          // a row for each kernel of a request, too
	Peers   []Peer        // times of other programs, which rows of their names show
	Table   io.Writer     // gets a line a row as they come; or nil
	CSV     io.Writer     // gets the same as CSV; or nil
	Say     func(line string)
	Note    func(line string) // what is going on right now
}

// Parts lists the names of all parts.
func Parts() (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// Check says what is wrong with the options; "" if nothing is.
func (o *Options) Check() string {
	for _, name := range o.Only {
		if !slices.Contains(Parts(), name) {
			return fmt.Sprintf("there is no part %q: there are %s", name, strings.Join(Parts(), ", "))
		}
	}
	for _, s := range o.Scales {
		if s < 4 || s > 26 {
			return fmt.Sprintf("a scale of %d: it must be from 4 to 26", s)
		}
	}
	switch {
	case len(o.Scales) == 0:
		return "no scale is given"
	case o.Edges < 1 || o.Edges > 256:
		return fmt.Sprintf("%d edges a vertex: they must be from 1 to 256", o.Edges)
	case o.Runs < 1:
		return "no runs"
	case o.Budget <= 0:
		return "no budget"
	}
	return ""
}

// wants reports whether a part is to be measured.
func (o *Options) wants(part string) bool { return len(o.Only) == 0 || slices.Contains(o.Only, part) }

// together is all devices that share a count.
type together struct {
	counter interface {
		CountCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (pattern.Count128, error)
	}
	devices int
}

// device is a GPU as far as it is measured.
type device interface {
	Info() cuda.Info
	CopyBandwidth() (bytesPerSecond float64, err error)
	Evict() error
	TimeKernels(on bool) error
	KernelTimes() ([]cuda.KernelTime, error)
	Filter(ctx context.Context, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env) (*pattern.Candidates, error)
	Count(ctx context.Context, j *pattern.Job, env *pattern.Env) (pattern.Count128, error)
	CountHoms(ctx context.Context, s *csr.Snapshot, h *hom.Counter, env *pattern.Env) ([]pattern.Count128, error)
	CountCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (pattern.Count128, error)
	ListCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env, emit func(clique []csr.VertexID) (more bool, err error)) error
	Active() cuda.Active
	SetLambda(level2, level3 float64)
	CliqueParts(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, parts int, env *pattern.Env) ([]cuda.PartCount, error)
	Triangles(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, perNode bool, env *pattern.Env) (uint64, []uint64, error)
	Cores(ctx context.Context, s *csr.Snapshot, r *pattern.CoreRequest, env *pattern.Env) (*pattern.Cores, error)
	Trusses(ctx context.Context, s *csr.Snapshot, r *pattern.TrussRequest, env *pattern.Env) (*pattern.Trusses, error)
	BFS(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) (*pattern.Levels, error)
}
