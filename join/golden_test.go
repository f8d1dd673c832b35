package join_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/goldentest"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// TestGolden runs the files of testdata. Commands:
//
//	graph                     sets the graph of the commands that follow; its input is a graph of goldentest
//	count [order=(u,...)]     prints the program that counts the matches of a MATCH clause, and their number
//	match [order=(u,...)] [edges]  prints the program that lists them, and the matches; with edges, their relationships, too
//
// order names the vertices in the order of the search; else the planner chooses. Brute force checks every number.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var g *goldentest.Graph
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out string
			var err error
			switch d.Cmd {
			case "graph":
				if g, err = goldentest.Parse(d.Input); err == nil {
					out = fmt.Sprintf("%d nodes, %d relationships", g.N(), g.M())
				}
			case "count":
				out, err = countText(g, d)
			case "match":
				out, err = matchText(g, d)
			default:
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			if err != nil {
				out = "error: " + err.Error()
			}
			return out
		})
	})
}

// goldenJob makes the job of a command.
func goldenJob(g *goldentest.Graph, d *datadriven.TestData) (*pattern.Job, error) {
	m, err := g.Match(strings.ReplaceAll(d.Input, "\n", " "))
	if err != nil {
		return nil, err
	}
	p := m.Pattern
	c, err := filter.Run(context.Background(), g.Snapshot, p, &pattern.Env{Workers: 1})
	if err != nil {
		return nil, err
	}
	j := &pattern.Job{Snapshot: g.Snapshot, Pattern: p, Candidates: c}
	sizes := make([]float64, len(p.Vertices))
	for u := range sizes {
		sizes[u] = float64(c.Sets[u].Len())
	}
	j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: g.Snapshot, Sizes: sizes}).Order
	for _, arg := range d.CmdArgs {
		if arg.Key != "order" {
			continue
		}
		var seq []int
		for _, name := range arg.Vals {
			u := slices.IndexFunc(p.Vertices, func(v pattern.Vertex) bool { return v.Name == name })
			if u < 0 {
				return nil, fmt.Errorf("no vertex %q", name)
			}
			seq = append(seq, u)
		}
		j.Order = orderOf(p, seq...)
	}
	return j, nil
}

func countText(g *goldentest.Graph, d *datadriven.TestData) (string, error) {
	j, err := goldenJob(g, d)
	if err != nil {
		return "", err
	}
	env := &pattern.Env{Workers: 1}
	text, err := join.ProgramText(j, env, nil)
	if err != nil {
		return "", err
	}
	n, err := join.Count(context.Background(), j, env)
	if err != nil {
		return "", err
	}
	want, err := testgraph.Brute{}.Count(context.Background(), j, &pattern.Env{})
	if err != nil || want != n {
		return "", errors.Join(err, fmt.Errorf("%v matches, by brute force %v", n, want))
	}
	return fmt.Sprintf("%scount %v", text, n), nil
}

func matchText(g *goldentest.Graph, d *datadriven.TestData) (string, error) {
	j, err := goldenJob(g, d)
	if err != nil {
		return "", err
	}
	env := &pattern.Env{Workers: 1}
	found, want := &namedMatches{g: g, edges: d.HasArg("edges")}, &namedMatches{g: g, edges: d.HasArg("edges")}
	text, err := join.ProgramText(j, env, found)
	if err != nil {
		return "", err
	}
	if err := join.Match(context.Background(), j, env, found); err != nil {
		return "", err
	}
	if err := (testgraph.Brute{}).Match(context.Background(), j, &pattern.Env{}, want); err != nil {
		return "", err
	}
	slices.Sort(found.lines)
	slices.Sort(want.lines)
	if !slices.Equal(found.lines, want.lines) {
		return "", fmt.Errorf("matches %q, by brute force %q", found.lines, want.lines)
	}
	return text + strings.Join(found.lines, "\n"), nil
}

// namedMatches is a sink that writes each match as a line of names.
type namedMatches struct {
	g     *goldentest.Graph
	edges bool
	lines []string
}

func (s *namedMatches) NeedEdges() bool { return s.edges }

func (s *namedMatches) Emit(batch []pattern.Embedding) (bool, error) {
	for _, m := range batch {
		var words []string
		for _, v := range m.Vertices {
			words = append(words, s.g.Name(v))
		}
		for _, e := range m.Edges {
			words = append(words, fmt.Sprint("#", s.g.RelID(e)))
		}
		for range m.Weight {
			s.lines = append(s.lines, strings.Join(words, " "))
		}
	}
	return true, nil
}
