package exec

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	candidates "github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/kernels/paths"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// answerWay is a way to answer a random query.
type answerWay struct {
	name  string
	query *query
}

// compareRandom answers random queries in several ways and compares the rows with those of the interpreter of clauses. next draws a
// graph, a query, and the ways to answer it. stream keeps the random numbers of one test apart from another's. MOTIF_QUERIES sets how
// many queries there are, MOTIF_SEED which is the first.
func compareRandom(t *testing.T, stream uint64, next func(seed uint64, rng *rand.Rand) (*csr.Snapshot, string, []answerWay)) {
	count, first := 1000, uint64(0)
	if testing.Short() {
		count = 300
	}
	if n, err := strconv.Atoi(os.Getenv("MOTIF_QUERIES")); err == nil {
		count = n
	}
	if n, err := strconv.ParseUint(os.Getenv("MOTIF_SEED"), 10, 64); err == nil {
		first = n
	}
	compared, nonEmpty := 0, 0
	for seed := first; seed < first+uint64(count); seed++ {
		s, text, ways := next(seed, rand.New(rand.NewPCG(seed, stream)))
		script, err := lang.Parse(text)
		if err == nil {
			_, err = lang.Check(script.Statements[0], nil)
		}
		if err != nil { // such as a query that aggregates one thing and reads another
			continue
		}
		if refused(script.Statements[0], s) {
			continue
		}
		wanted, ok := interpreted(s, script.Statements[0].Query)
		if !ok {
			continue
		}
		compared++
		if len(wanted) > 0 {
			nonEmpty++
		}
		for _, way := range ways {
			got, err := way.query.rows(t, text)
			if err != nil || !slices.Equal(sorted(got), sorted(wanted)) {
				t.Fatalf("seed %d, %s: %s\n got %q (%v)\nwant %q\n%s", seed, way.name, text, sorted(got), err, sorted(wanted), way.query.plan)
			}
		}
	}
	t.Logf("%d queries compared, %d with rows", compared, nonEmpty)
	if count >= 300 && (compared < count/2 || nonEmpty < count/4) {
		t.Errorf("%d of %d queries compared, %d with rows: too few to mean anything", compared, count, nonEmpty)
	}
}

// interpreted returns the rows that the interpreter gives. ok is false if it takes too long.
func interpreted(s *csr.Snapshot, q *lang.Query) (wanted []string, ok bool) {
	defer func() {
		if r := recover(); r == (tooLong{}) {
			ok = false
		} else if r != nil {
			panic(r)
		}
	}()
	columns, rows := (&interpreter{s: s, steps: new(int)}).query(q, bindings{})
	for _, r := range rows {
		var cells []value.Value
		for _, c := range columns {
			cells = append(cells, r[c])
		}
		wanted = append(wanted, (&query{s: s}).show(cells))
	}
	return wanted, true
}

// onCPU filters and joins as queries do outside of tests.
type onCPU struct{ testgraph.Brute }

func (d onCPU) Answer(ctx context.Context, r *pattern.Request, env *pattern.Env) (a pattern.Answer, err error) {
	switch r.Kind {
	case pattern.KindFilter:
		a.Candidates, err = candidates.Run(ctx, r.Snapshot, r.Pattern, env)
	case pattern.KindCount:
		a.Count, err = join.Count(ctx, r.Job, env)
	case pattern.KindMatch:
		err = join.Match(ctx, r.Job, env, r.Sink)
	case pattern.KindPathSearch:
		a.PathSearch, err = paths.NewSearch(ctx, r.PathJob, env)
	default:
		return d.Brute.Answer(ctx, r, env)
	}
	return a, err
}

// indexed returns s with indexes.
func indexed(s *csr.Snapshot) *csr.Snapshot {
	d := s.Draft()
	for _, on := range []string{"A", "B"} {
		if err := d.CreateRule(csr.Rule{Kind: csr.RuleIndex, Name: "i" + on, On: on, Keys: []string{"x"}}); err != nil {
			panic(err)
		}
	}
	s, err := d.Snapshot(context.Background())
	if err != nil {
		panic(err)
	}
	return s
}

// refused reports whether a query has something unsupported, such as a subquery inside a repetition.
func refused(q *lang.Statement, s *csr.Snapshot) bool {
	return slices.ContainsFunc([]bool{false, true}, func(brute bool) bool {
		_, err := planner.New(context.Background(), q, s, planner.Options{Brute: brute})
		return err != nil && (strings.Contains(err.Error(), "NotSupported") || strings.Contains(err.Error(), "InvalidPathPattern"))
	})
}
