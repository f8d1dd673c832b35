package exec

import (
	"cmp"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// wcc finds weak components.
func wcc(g *projected) (*gdsResult, error) {
	if o := g.c.option("threshold"); o != nil {
		n, err := g.network()
		if err != nil {
			return nil, err
		}
		if n.Weight.Absent {
			return nil, eval.At(o.pos, eval.Errorf(eval.CodeArgumentValue, "the option `threshold` needs the option `relationshipWeightProperty`"))
		}
		least, err := g.c.float("threshold", 0, -math.MaxFloat64, math.MaxFloat64)
		if err != nil {
			return nil, err
		}
		s := g.s
		if g.s, err = g.c.part(s, func(e csr.EdgeID) (bool, error) {
			cell, _ := s.EdgeProp(e, n.Weight.Key)
			return cell.Kind == csr.KindFloat && math.Float64frombits(cell.Num) > least, nil
		}); err != nil {
			return nil, err
		}
	}
	a, err := g.ask(&pattern.Request{Kind: pattern.KindComponents, Components: &pattern.ComponentRequest{Types: g.types, Within: g.within}})
	if err != nil {
		return nil, err
	}
	return g.groups(a.Components, "component", "minComponentSize")
}

// groups names the groups of nodes by the smallest id of their nodes, or by 0, 1, 2 in the order of these ids.
func (g *projected) groups(of *pattern.Components, what, least string) (*gdsResult, error) {
	name := nameComponents(g.s, of)
	size := make([]int64, len(name))
	for v, i := range of.Of {
		if i != pattern.NoComponent && g.has(csr.VertexID(v)) {
			size[i]++
		}
	}
	consecutive, err := g.c.truth("consecutiveIds")
	if err != nil {
		return nil, err
	}
	if consecutive {
		order := make([]int, len(name))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(name[i], name[j]) })
		for rank, i := range order {
			name[i] = int64(rank)
		}
	}
	f := &gdsResult{of: g, values: make([]float64, g.s.N()), whole: true, about: map[string]value.Value{}}
	for v, i := range of.Of {
		if i != pattern.NoComponent {
			f.values[v] = float64(name[i])
		}
	}
	few, err := g.c.number(least, 0, 0)
	if few > 0 {
		f.kept = func(v csr.VertexID) bool { return size[of.Of[v]] >= few }
	}
	sizes := make([]float64, 0, len(size))
	for _, n := range size {
		if n > 0 {
			sizes = append(sizes, float64(n))
		}
	}
	f.about[what+"Count"], f.about[what+"Distribution"] = value.OfInt(int64(len(sizes))), distribution(sizes)
	return f, cmp.Or(err, g.c.account.Charge(8*int64(len(f.values))+32*int64(len(name))))
}

// divides returns an algorithm that finds communities.
func divides(kind pattern.RequestKind) gdsAlgorithm {
	return func(g *projected) (*gdsResult, error) {
		if err := g.c.refuse("includeIntermediateCommunities", "leave it out: the communities on the way are not kept"); err != nil {
			return nil, err
		}
		r := &pattern.CommunityRequest{Resolution: 1, MaxIterations: 1000}
		var err error
		if r.Network, err = g.network(); err != nil {
			return nil, err
		}
		r.Direction = csr.Both
		if kind == pattern.KindLabels {
			n, err := g.c.number("maxIterations", 1, 1000)
			if err != nil {
				return nil, err
			}
			r.MaxIterations, r.Unsettled = int(min(n, math.MaxInt32)), g.c.option("maxIterations") != nil
		}
		a, err := g.ask(&pattern.Request{Kind: kind, Community: r})
		if err != nil {
			return nil, err
		}
		f, err := g.groups(&a.Communities.Components, "community", "minCommunitySize")
		if err == nil {
			f.about["modularity"] = value.OfFloat(a.Communities.Modularity)
			f.about["ranIterations"], f.about["didConverge"] = value.OfInt(int64(a.Communities.Iterations)), value.OfBool(a.Communities.Converged)
		}
		return f, err
	}
}

// similarPairs finds pairs of nodes with common neighbours.
func similarPairs(g *projected) (*gdsResult, error) {
	r := &pattern.SimilarityRequest{Network: pattern.Network{Types: g.types, Direction: csr.Out, Within: g.within}}
	k, err := g.c.number("topK", 1, 10)
	if err != nil {
		return nil, err
	}
	r.TopK = int(min(k, math.MaxInt32))
	if r.Cutoff, err = g.c.float("similarityCutoff", 0, 0, 1); err != nil {
		return nil, err
	}
	word, err := g.c.word("similarityMetric", "jaccard", "overlap", "cosine")
	if err == nil && word != "" {
		r.Metric, err = pattern.ParseMetric(word)
	}
	if err != nil {
		return nil, err
	}
	few, err := g.c.number("degreeCutoff", 1, 1)
	if err != nil {
		return nil, err
	}
	compared, err := g.comparable(few)
	if err != nil {
		return nil, err
	}
	a, err := g.ask(&pattern.Request{Kind: pattern.KindSimilarity, Similarity: r})
	if err != nil {
		return nil, err
	}
	f := &gdsResult{of: g, values: a.Similarities.Score, source: a.Similarities.Source, target: a.Similarities.Target}
	if err := f.best(); err != nil {
		return nil, err
	}
	f.about = map[string]value.Value{"nodesCompared": value.OfInt(compared), "similarityPairs": value.OfInt(int64(len(f.values))), "similarityDistribution": distribution(slices.Clone(f.values))}
	return f, nil
}

// comparable counts the nodes with at least few relationships, and takes those of the others out of g.
func (g *projected) comparable(few int64) (n int64, err error) {
	a, err := g.ask(&pattern.Request{Kind: pattern.KindDegree, Scores: &pattern.ScoreRequest{
		Network: pattern.Network{Types: g.types, Direction: csr.Out, Within: g.within, Weight: &pattern.Weight{Absent: true, Default: 1}}}})
	if err != nil {
		return 0, err
	}
	for _, x := range a.Scores {
		if x >= float64(few) {
			n++
		}
	}
	if few > 1 {
		s := g.s
		g.s, err = g.c.part(s, func(e csr.EdgeID) (bool, error) {
			from, _ := s.Endpoints(e)
			return a.Scores[from] >= float64(few), nil
		})
	}
	return n, err
}

// best keeps the most similar pairs of all.
func (f *gdsResult) best() error {
	most, err := f.of.c.number("topN", 0, 0)
	if err != nil || most == 0 {
		return err
	}
	order := make([]int, len(f.values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(f.values[j], f.values[i]) })
	g := gdsResult{}
	for _, i := range order[:min(most, int64(len(order)))] {
		g.values, g.source, g.target = append(g.values, f.values[i]), append(g.source, f.source[i]), append(g.target, f.target[i])
	}
	f.values, f.source, f.target = g.values, g.source, g.target
	return nil
}

// distribution describes numbers: the extremes, the mean, and the numbers that some shares of them do not exceed. It sorts the list.
func distribution(list []float64) value.Value {
	slices.Sort(list)
	at := func(share float64) value.Value {
		if len(list) == 0 {
			return value.OfFloat(0)
		}
		return value.OfFloat(list[max(0, int(math.Ceil(share*float64(len(list))))-1)])
	}
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return mapOf("min", at(0), "max", at(1), "mean", value.OfFloat(sum/max(1, float64(len(list)))),
		"p50", at(.5), "p75", at(.75), "p90", at(.9), "p95", at(.95), "p99", at(.99), "p999", at(.999))
}
