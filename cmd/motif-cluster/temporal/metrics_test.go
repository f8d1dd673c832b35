package temporal

import (
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/cmd/motif-cluster/storetest"
)

// TestMetrics reads what a worker counts as Prometheus reads it.
func TestMetrics(t *testing.T) {
	m := newMetrics(3)
	address, err := m.serve(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	folder := storetest.Random(t, rand.New(rand.NewPCG(1, 1)), 30, 90)
	g := newGraphs(t.TempDir())
	defer g.close()
	work := func(query string) {
		env := environment(t, g, m)
		env.ExecuteWorkflow(queryType, Request{Snapshot: folder, Query: query, Format: "csv", Slots: 1, Units: 4, Budget: time.Minute}, nil)
	}
	read := func() string {
		answer, err := http.Get("http://" + address.String() + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	work(queries[0])
	text := read()
	for _, want := range []string{`motif_units_total{result="run"} 4`, `motif_units_total{result="failed"} 0`, `motif_units_total{result="split"} 0`, "motif_slots 3", "motif_slots_busy 0"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "motif_unit_seconds_total 0\n") {
		t.Errorf("units took no time:\n%s", text)
	}
	work("MATCH (a)-->(b) RETURN sum(a.i / (b.i - b.i))")
	if text := read(); strings.Contains(text, `result="failed"} 0`) {
		t.Errorf("no unit has failed:\n%s", text)
	}
}
