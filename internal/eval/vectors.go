package eval

import (
	"math"

	"github.com/motifql/motif/internal/value"
)

// vectors reads the arguments of a function of two lists of numbers, which have the same length.
func vectors(name string, args []value.Value) (a, b []float64, err error) {
	for i, to := range []*[]float64{&a, &b} {
		if args[i].Kind() != value.List {
			return nil, nil, badArgument(name, "lists of numbers", args[i])
		}
		for _, x := range args[i].List() {
			f, ok := number(x)
			if !ok {
				return nil, nil, Errorf(CodeArgumentValue, "%s() takes lists of numbers, and an element is %s", name, Describe(x))
			}
			*to = append(*to, f)
		}
	}
	if len(a) != len(b) || len(a) == 0 {
		return nil, nil, Errorf(codeText, "%s() takes lists of one length, and not empty ones; these have %d and %d elements", name, len(a), len(b))
	}
	return a, b, nil
}

func vectorCosine(_ *Runtime, args []value.Value) (value.Value, error) {
	a, b, err := vectors("vector.similarity.cosine", args)
	if err != nil {
		return value.Value{}, err
	}
	var dot, aa, bb float64
	for i := range a {
		dot, aa, bb = dot+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
	}
	if aa == 0 || bb == 0 {
		return value.Value{}, Errorf(codeText, "vector.similarity.cosine() takes no list of zeros, which has no direction")
	}
	return value.OfFloat((1 + dot/math.Sqrt(aa)/math.Sqrt(bb)) / 2), nil
}

func vectorEuclidean(_ *Runtime, args []value.Value) (value.Value, error) {
	a, b, err := vectors("vector.similarity.euclidean", args)
	if err != nil {
		return value.Value{}, err
	}
	var sum float64
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return value.OfFloat(1 / (1 + sum)), nil
}
