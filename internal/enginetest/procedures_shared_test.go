package enginetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/storage/importer"
)

// figureQueries ask procedures for the quantities of TRUTH.tsv: the last column of the first row is the figure.
var figureQueries = []struct{ quantity, query string }{
	{"max_core_degeneracy", "CALL algo.kcore() YIELD core RETURN max(core)"},
	{"max_core_vertices", "CALL algo.kcore() YIELD node, core RETURN core, count(*) ORDER BY core DESC LIMIT 5"},
	{"max_core_vertices", "CALL algo.kcore({k: 'max'}) YIELD node RETURN count(*)"},
	{"kmax_truss", "CALL algo.ktruss({k: 'max'}) YIELD truss RETURN max(truss)"},
	{"kmax_truss_edges", "CALL algo.ktruss({k: 'max'}) YIELD source RETURN count(*)"},
	{"triangles", "CALL algo.triangleCount()"},
	{"triangles", "CALL algo.triangleCount({perNode: true}) YIELD count RETURN sum(count) / 3"},
	{"connected_components", "CALL algo.connectedComponents() YIELD component RETURN count(DISTINCT component)"},
	{"largest_component", "CALL algo.connectedComponents() YIELD component RETURN component, count(*) AS n ORDER BY n DESC LIMIT 1"},
	{"cliques_4", "CALL algo.cliqueCount({size: 4})"},
	{"cliques_5", "CALL algo.cliqueCount({maxSize: 5}) YIELD size, count WHERE size = 5 RETURN sum(count)"},
	{"max_clique", "CALL algo.maximumClique() YIELD size"},
	{"max_clique", "CALL algo.maximalCliques() YIELD size RETURN max(size)"},
	{"cliques_4", "CALL algo.motifs({size: 4}) YIELD motif, count WHERE motif = 'clique-4' RETURN count"},
	{"triangles", "CALL algo.orbits({size: 3}) YIELD orbits RETURN sum(orbits[3]) / 3"},
	{"diameter", "CALL algo.diameter({direction: 'BOTH'}) YIELD length"},
}

// TestSharedProcedures asks every procedure of the real graphs and compares with what is known of them. With -short it
// takes graphs of up to 30,000 relationships, else of up to a million, and with MOTIF_TRUTH=all any. A query that takes over
// 10 seconds is given up, and said to be.
func TestSharedProcedures(t *testing.T) {
	files, err := filepath.Glob(shared.File(t, "data", "*.zst"))
	if err != nil {
		t.Fatal(err)
	}
	most := int64(300_000)
	if testing.Short() {
		most = 30_000
	}
	graphs, answers, late := 0, 0, 0
	for _, file := range files {
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		known := shared.Truths(t, name)
		edges := known["edges_undirected_simple"]
		if strings.Contains(file, ".tar.") || edges == 0 || edges > most && os.Getenv("MOTIF_TRUTH") != "all" {
			continue
		}
		graphs++
		t.Run(name, func(t *testing.T) {
			db := loaded(t, importer.Spec{Files: []string{file}, Undirected: true})
			for _, q := range figureQueries {
				want, ok := known[q.quantity]
				if !ok {
					continue
				}
				got, err := figure(t, db, q.query)
				switch {
				case errors.Is(err, context.DeadlineExceeded):
					t.Logf("%s: not within 10 seconds", q.query)
					late++
				case err != nil || got != fmt.Sprint(want):
					t.Errorf("%s: %s, %v; want %d", q.query, got, err, want)
				default:
					answers++
				}
			}
		})
	}
	t.Logf("%d graphs, %d answers, %d queries given up", graphs, answers, late)
	if graphs < 5 || late > answers/10 {
		t.Errorf("%d answers for %d graphs, and %d queries were given up", answers, graphs, late)
	}
}

// figure is the last value of the first row.
func figure(t *testing.T, db *motif.DB, query string) (string, error) {
	rows, err := db.Query(t.Context(), query, nil, motif.WithTimeout(10*time.Second))
	if err != nil {
		return "", err
	}
	defer rows.Close()
	if !rows.Next() {
		return "no row", rows.Err()
	}
	row := rows.Row()
	return fmt.Sprint(row.At(row.Len() - 1)), nil
}
