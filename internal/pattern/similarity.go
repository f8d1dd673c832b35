package pattern

import (
	"fmt"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// SimilarityMetric says how the numbers of neighbours, in common and of each, become a similarity from 0 to 1.
type SimilarityMetric uint8

const (
	Jaccard SimilarityMetric = iota // common / (a + b - common)
	Overlap                         // common / min(a, b)
	Cosine                          // common / sqrt(a * b)
)

var metricNames = []string{"jaccard", "overlap", "cosine"}

// ParseMetric reads the name of a metric.
func ParseMetric(name string) (SimilarityMetric, error) {
	i := slices.Index(metricNames, name)
	if i < 0 {
		return 0, fmt.Errorf("there is no similarity called %q; there are %v", name, metricNames)
	}
	return SimilarityMetric(i), nil
}

// Of returns the similarity of two vertices of a and b neighbours.
func (m SimilarityMetric) Of(common, a, b int) float64 {
	switch m {
	case Overlap:
		return float64(common) / float64(min(a, b))
	case Cosine:
		return float64(common) / math.Sqrt(float64(a)*float64(b))
	}
	return float64(common) / float64(a+b-common)
}

// SimilarityRequest asks which vertices have the most neighbours in common with each vertex. Its network has no weight.
type SimilarityRequest struct {
	Network
	Metric  SimilarityMetric
	TopK    int            // at most so many for each vertex, at least 1
	Cutoff  float64        // only those that are at least so similar
	Sources []csr.VertexID // only for these; nil: for all
}

// Similarities lists pairs by source; those of a source fall by score, then rise by the id of the node. A score is above 0.
type Similarities struct {
	Source, Target []csr.VertexID
	Score          []float64
}
