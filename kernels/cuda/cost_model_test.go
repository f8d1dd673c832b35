package cuda

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// What the model decides, and what it says.
func TestWorth(t *testing.T) {
	rmat20 := Work{Vertices: 1 << 20, Edges: 16_100_000, Workers: 16}
	for _, c := range []struct {
		name string
		work Work
		gpu  bool
		says string
	}{
		{"triangles once the graph is there", rmat20.as(pattern.KindTriangles, 0, true, true), true, "the graph is there + kernel ~2.9 ms against CPU ~140 ms with 16 workers"},
		{"triangles with the graph to upload", rmat20.as(pattern.KindTriangles, 0, false, true), true, "upload 146 MB ~22 ms + kernel"},
		{"triangles with a device to start", rmat20.as(pattern.KindTriangles, 0, false, false), false, "start ~230 ms + upload"},
		{"4-cliques pay for the start", rmat20.as(pattern.KindCliqueCount, 4, false, false), true, "against CPU ~980 ms with 16 workers"},
		{"5-cliques, too", rmat20.as(pattern.KindCliqueCount, 5, false, false), true, "start"},
		{"9-cliques never", rmat20.as(pattern.KindCliqueCount, 9, true, true), false, "more than 8 vertices"},
		{"3-cliques are triangles", rmat20.as(pattern.KindCliqueCount, 3, true, true), true, "CPU ~140 ms"},
		{"trusses", rmat20.as(pattern.KindTrusses, 0, false, false), true, "upload 137 MB"},
		{"cores of what is there", rmat20.as(pattern.KindCores, 0, true, true), true, "the graph is there"},
		{"one search does not pay for an upload", rmat20.as(pattern.KindBFS, 0, false, true), false, "upload 137 MB"},
		{"a search where the graph is", rmat20.as(pattern.KindBFS, 0, true, true), true, "the graph is there"},
		{"a small graph", Work{Vertices: 100, Edges: 1000, Workers: 16}.as(pattern.KindTriangles, 0, true, true), false, "against CPU ~1 µs"},
		{"one worker", Work{Vertices: 1 << 16, Edges: 1_000_000, Workers: 1}.as(pattern.KindTriangles, 0, false, true), true, "with 1 worker"},
		{"few items", Work{Vertices: 1 << 20, Edges: 1 << 24, Items: 1000, Workers: 16}.as(pattern.KindCount, 0, true, true), false, ""},
		{"many items", Work{Vertices: 1 << 20, Edges: 1 << 24, Items: 1e9, Workers: 16}.as(pattern.KindCount, 0, false, false), true, ""},
		{"a formula of many", Work{Vertices: 1 << 20, Edges: 1 << 24, Items: 1e8, Workers: 16}.as(pattern.KindFormula, 0, true, true), true, ""},
		{"a filter of many", Work{Vertices: 1 << 20, Edges: 1 << 24, Items: 1e8, Workers: 16}.as(pattern.KindFilter, 0, true, true), true, ""},
		{"a small card", rmat20.on(2).as(pattern.KindTriangles, 0, true, true), false, "kernel ~180 ms"},
		{"what has no kernel", rmat20.as(pattern.KindShortestPath, 0, true, true), false, "no kernel"},
	} {
		gpu, why := Worth(c.work)
		if gpu != c.gpu || !strings.Contains(why, c.says) {
			t.Errorf("%s: GPU %v (%s), want %v (… %s …)", c.name, gpu, why, c.gpu, c.says)
		}
	}
}

func (w Work) as(kind pattern.RequestKind, k int, resident, started bool) Work {
	w.Kind, w.K, w.Resident, w.Started = kind, k, resident, started
	return w
}

func (w Work) on(processors int) Work {
	w.Processors = processors
	return w
}

// More edges, more items, fewer workers, a larger card, a device that is open, a graph that is there: none of them turns a
// request from the GPU to the CPU.
func TestMoreEdges(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var questions []question
	for q := range models {
		questions = append(questions, q)
	}
	decisions := [2]int{}
	for range 5000 {
		q := questions[r.IntN(len(questions))]
		w := Work{Kind: q.kind, K: q.k, Vertices: 1 + r.Uint64N(1<<r.IntN(28)), Workers: 1 + r.IntN(64), Resident: r.IntN(2) == 0,
			Started: r.IntN(2) == 0, Processors: 1 + r.IntN(200), Items: float64(r.Uint64N(1 << r.IntN(40)))}
		w.Edges = r.Uint64N(1 << r.IntN(34))
		gpu, why := Worth(w)
		if !gpu {
			decisions[0]++
			continue
		}
		decisions[1]++
		more := w
		switch r.IntN(6) {
		case 0:
			if !models[q].items { // a join of the same matches in a larger graph has more to upload
				more.Edges += r.Uint64N(1 + w.Edges)
			}
		case 1:
			more.Items *= 1 + r.Float64()
		case 2:
			more.Workers = 1 + r.IntN(w.Workers)
		case 3:
			more.Processors += r.IntN(100)
		case 4:
			more.Started = true
		case 5:
			more.Resident = true
		}
		if still, because := Worth(more); !still {
			t.Fatalf("%+v is for the GPU (%s), %+v is not (%s)", w, why, more, because)
		}
	}
	if min(decisions[0], decisions[1]) < 100 {
		t.Errorf("nothing but one device was chosen: %v", decisions)
	}
}

// Requests that come again go to the GPU when they have missed as much as the way there costs.
func TestDeferral(t *testing.T) {
	s := testgraph.Graph(2, testgraph.Cliques(1, 2), true)
	var l Deferral
	w := Work{Kind: pattern.KindBFS, Vertices: 1 << 20, Edges: 16_100_000, Workers: 16, Started: true}
	v := weigh(w)
	if v.GPU || v.Gain() <= 0 {
		t.Fatal(v)
	}
	for range 3 {
		if l.Decide(weigh(w), s, false).GPU {
			t.Fatal("looking is charged")
		}
	}
	times := 0
	for ; !l.Decide(weigh(w), s, true).GPU; times++ {
		if times > 1000 {
			t.Fatal("never")
		}
	}
	if want := v.Setup()/v.Gain() - 1; float64(times) < want-1 || float64(times) > want+1 {
		t.Errorf("after %d requests, expected about %.1f", times, want)
	}
	if why := l.Decide(weigh(w), s, true).String(); !strings.Contains(why, fmt.Sprintf("and %d more before this", times)) {
		t.Error(why)
	}
	other := Work{Kind: pattern.KindBFS, Vertices: 100, Edges: 200, Workers: 16}
	for range 100 { // on which nothing is missed
		if l.Decide(weigh(other), s, true).GPU {
			t.Fatal("a small graph goes to the GPU")
		}
	}
	var graphs []*csr.Snapshot
	for range 2 * mostDeferred {
		graphs = append(graphs, testgraph.Graph(2, testgraph.Cliques(1, 2), true))
		w.Items++
		l.Took(l.Decide(weigh(w), graphs[len(graphs)-1], true), s, 1)
	}
	if len(l.lost) > mostDeferred || len(l.taken) > mostDeferred {
		t.Errorf("%d graphs and %d requests", len(l.lost), len(l.taken))
	}
}

// Losses of requests of all kinds, on all graphs, pay for the start, and those on one graph for its upload.
func TestDeferralOfStart(t *testing.T) {
	a, b := testgraph.Graph(2, testgraph.Cliques(1, 2), true), testgraph.Graph(2, testgraph.Cliques(1, 2), true)
	var l Deferral
	rmat := Work{Vertices: 1 << 20, Edges: 16_100_000, Workers: 16}
	first, second := weigh(rmat.as(pattern.KindTriangles, 0, false, false)), weigh(rmat.as(pattern.KindBFS, 0, false, false))
	if l.Decide(first, a, true).GPU {
		t.Fatal("the first request pays for the start")
	}
	need := int((first.Setup()-first.Gain())/second.Gain()) + 2
	for i := range need {
		s := a
		if i%2 == 0 {
			s = b
		}
		if l.Decide(weigh(rmat.as(pattern.KindBFS, 0, false, false)), s, true).GPU {
			break
		}
		if i == need-1 {
			t.Errorf("nothing pays for the start after %d requests", need)
		}
	}
	c := testgraph.Graph(2, testgraph.Cliques(1, 2), true)
	if v := l.Decide(weigh(rmat.as(pattern.KindBFS, 0, false, true)), c, true); v.GPU {
		t.Errorf("losses on other graphs pay for the upload of this one: %v", v)
	}
}

// Measured times stand for the estimates of the same request, and correct those of others of its kind.
func TestDeferralLearns(t *testing.T) {
	s := testgraph.Graph(2, testgraph.Cliques(1, 2), true)
	small := Work{Vertices: 1 << 12, Edges: 1 << 15, Workers: 16}.as(pattern.KindTriangles, 0, true, true)
	var l Deferral
	v := l.Decide(weigh(small), s, true)
	if v.GPU {
		t.Fatal(v)
	}
	l.Took(v, s, 0.118) // the model said much less
	v = l.Decide(weigh(small), s, true)
	if !v.GPU || v.cpu != 0.118 || !strings.Contains(v.String(), "CPU ~120 ms (measured)") {
		t.Errorf("after 118 ms on the CPU: GPU %v (%v)", v.GPU, v)
	}
	l.Took(v, s, 0.4) // the driver compiles
	if v = l.Decide(weigh(small), s, true); !v.GPU || v.knew[byGPU] != "" {
		t.Errorf("after the first request on the GPU: GPU %v (%v)", v.GPU, v)
	}
	l.Took(v, s, 0.2) // the card is slower
	if v = l.Decide(weigh(small), s, true); v.GPU || v.kernel != 0.2 {
		t.Errorf("after 200 ms on the GPU: GPU %v (%v)", v.GPU, v)
	}
	other := small
	other.Edges *= 2
	model := weigh(other)
	if v = l.Decide(weigh(other), s, false); v.knew != [sides]string{"corrected", "corrected"} || v.cpu != model.cpu*mostLearned || v.kernel != model.kernel*mostLearned {
		t.Errorf("another graph: %v, by the model %v", v, model)
	}
	kept := weigh(small.as(pattern.KindCores, 0, true, true))
	if v = l.Decide(weigh(small.as(pattern.KindCores, 0, true, true)), s, false); v.cpu != kept.cpu || v.kernel != kept.kernel {
		t.Errorf("another kind: %v, by the model %v", v, kept)
	}
}

// A request that comes again and loses time has the GPU start beside it, once.
func TestDeferralStartsBeside(t *testing.T) {
	s := testgraph.Graph(2, testgraph.Cliques(1, 2), true)
	var l Deferral
	w := Work{Vertices: 1 << 20, Edges: 16_100_000, Workers: 16}.as(pattern.KindBFS, 0, false, false)
	begun := 0
	for i := range 100 {
		if l.Decide(weigh(w), s, false).StartBeside {
			t.Fatal("looking starts it")
		}
		v := l.Decide(weigh(w), s, true)
		if v.GPU {
			break
		}
		if v.StartBeside {
			lost := float64(i+1) * v.Gain()
			if begun++; begun > 1 || lost*16 < v.start || lost*16 > v.start+17*v.Gain() {
				t.Errorf("started %d times, now after %d requests that lost %.1f ms each", begun, i+1, 1e3*v.Gain())
			}
		}
		l.Took(v, s, v.cpu)
	}
	if begun != 1 {
		t.Errorf("started %d times", begun)
	}
	l = Deferral{}
	for range 100 { // requests that never come again
		w.Edges++
		if v := l.Decide(weigh(w), s, true); v.StartBeside {
			t.Fatal("started for a process that repeats nothing")
		} else if !v.GPU {
			l.Took(v, s, v.cpu)
		}
	}
}

// A filter that would build signatures goes where that takes less, and its time stands for no other.
func TestDeferralOfSignatures(t *testing.T) {
	s := testgraph.Graph(2, testgraph.Cliques(1, 2), true)
	var l Deferral
	w := Work{Kind: pattern.KindFilter, Vertices: 1 << 18, Edges: 3_800_000, Items: 260_000, Workers: 16}
	v := l.Decide(weigh(w), s, true)
	if v.GPU {
		t.Fatal(v)
	}
	l.Took(v, s, 0.12)
	w.Due = 300e6
	v = l.Decide(weigh(w), s, true)
	if !v.GPU || v.cpu != 0.12+v.due[byCPU] || v.knew[byCPU] != "measured" || !strings.Contains(v.String(), "of which signatures ~17 ms and ~1.2 s") {
		t.Errorf("with signatures to build: GPU %v (%v)", v.GPU, v)
	}
	l.Took(v, s, 100)
	w.Due = 0
	if v = l.Decide(weigh(w), s, false); v.cpu != 0.12 || v.knew[byGPU] != "" {
		t.Errorf("after signatures were built: %v", v)
	}
}

// A request that the CPU answers again and again is tried on the GPU, seldom enough, and goes where it took less.
func TestDeferralTries(t *testing.T) {
	s := testgraph.Graph(2, testgraph.Cliques(1, 2), true)
	small := Work{Vertices: 1 << 12, Edges: 1 << 15, Workers: 16}.as(pattern.KindTriangles, 0, true, true)
	for _, took := range []float64{0.1, 10} { // of what the model says
		var l Deferral
		model := weigh(small)
		cpu := model.kernel * 0.9 // so that the GPU seems no better
		spent, trials, tried := 0.0, 0, 0.0
		for range 200 {
			v := l.Decide(weigh(small), s, true)
			if !v.GPU {
				spent += cpu
				l.Took(v, s, cpu)
				continue
			}
			if v.knew[byGPU] == "" {
				if trials++; !v.trial || !strings.Contains(v.String(), "for a trial") {
					t.Errorf("on the GPU without a trial: %v", v)
				}
				if tried += model.kernel; tried > trialShare*spent {
					t.Errorf("%d trials of %.3g s after %.3g s on the CPU", trials, model.kernel, spent)
				}
			}
			l.Took(v, s, model.kernel*took)
		}
		last := l.Decide(weigh(small), s, false)
		if trials != 2 || last.GPU != (took < 0.9) { // the first one compiles
			t.Errorf("%d trials, at last GPU %v (%v)", trials, last.GPU, last)
		}
	}
}

// Lists of cliques go where the graph is, if that is large and they are not.
func TestWorthOfLists(t *testing.T) {
	for _, c := range []struct {
		work Work
		gpu  bool
	}{
		{Work{Kind: pattern.KindCliqueList, K: 4, Edges: 1 << 20, Resident: true}, true},
		{Work{Kind: pattern.KindCliqueList, K: 4, Edges: 1 << 20}, false},
		{Work{Kind: pattern.KindCliqueList, K: 4, Edges: 1 << 10, Resident: true}, false},
		{Work{Kind: pattern.KindCliqueList, K: 7, Edges: 1 << 20, Resident: true}, false},
	} {
		if gpu, why := Worth(c.work); gpu != c.gpu || why == "" {
			t.Errorf("%+v: on the GPU %v, because %q", c.work, gpu, why)
		}
	}
}

// Times and sizes are told in two digits.
func TestRoughly(t *testing.T) {
	for seconds, want := range map[float64]string{0: "1 µs", 1.26e-6: "1.3 µs", 370e-6: "370 µs", 999e-6: "1 ms", 3.14e-3: "3.1 ms", 0.1234: "120 ms", 0.999: "1 s", 12.3: "12 s", 1234: "1200 s"} {
		if got := roughly(seconds); got != want {
			t.Errorf("%v s: %s, want %s", seconds, got, want)
		}
	}
	for bytes, want := range map[float64]string{96: "1 kB", 12_345: "12 kB", 999_000: "1000 kB", 146e6: "146 MB"} {
		if got := megabytes(bytes); got != want {
			t.Errorf("%v bytes: %s, want %s", bytes, got, want)
		}
	}
}
