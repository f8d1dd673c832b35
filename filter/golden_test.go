package filter_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/goldentest"
	"github.com/motifql/motif/internal/pattern"
)

// TestGolden runs the files of testdata. Commands:
//
//	graph                  sets the graph of the commands that follow; its input is a graph of goldentest
//	filter [holds=(n,...)] prints the candidate sets that each depth of the filter leaves of a MATCH clause, and the tiers that
//	                       ran; the clause's predicates hold on the nodes of holds
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
			case "filter":
				out, err = filterText(g, d)
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

// filterText runs the filter to each depth and prints the sets.
func filterText(g *goldentest.Graph, d *datadriven.TestData) (string, error) {
	m, err := g.Match(strings.ReplaceAll(d.Input, "\n", " "))
	if err != nil {
		return "", err
	}
	var holds []string
	for _, arg := range d.CmdArgs {
		if arg.Key == "holds" {
			holds = arg.Vals
		}
	}
	for i := range m.Pattern.Predicates {
		q := &m.Pattern.Predicates[i]
		q.Test = func(vertices []csr.VertexID, _ []csr.EdgeID) (bool, error) {
			return slices.Contains(holds, g.Name(vertices[q.Vertices[0]])), nil
		}
	}
	var b strings.Builder
	before := ""
	for _, depth := range []pattern.FilterDepth{pattern.FilterLabel, pattern.FilterDegree, pattern.FilterSignature, pattern.FilterRefine} {
		c, err := filter.Run(context.Background(), g.Snapshot, m.Pattern, &pattern.Env{Filter: depth, Workers: 1})
		if err != nil {
			return "", err
		}
		var sets strings.Builder
		for u, set := range c.Sets {
			fmt.Fprintf(&sets, "\n  %s: %s", m.Pattern.Vertices[u].Name, orNone(g.Names(set)))
		}
		if fmt.Fprint(&b, depth); sets.String() == before {
			b.WriteString(" as before")
		} else {
			b.WriteString(sets.String())
		}
		if before = sets.String(); depth == pattern.FilterRefine {
			b.WriteString("\ntiers")
			for _, tier := range c.Tiers {
				fmt.Fprintf(&b, "\n  %s %v", tier.Name, tier.Sizes)
			}
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

func orNone(names string) string {
	if names == "" {
		return "none"
	}
	return names
}
