package cuda

import (
	"fmt"
	"math"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Work is a request as the cost model sees it.
type Work struct {
	Kind     pattern.RequestKind
	K        int     // vertices of a clique
	Vertices uint64  // of the graph
	Edges    uint64  // relationships of the types asked for
	Items    float64 // filter: candidates tested; join: partial matches expected; formula: list elements
	Workers  int     // of the query, on the CPU
	Due      float64 // filter: list elements that signatures cost which it would build first

	Types     csr.TypeSet           // that the graph is of
	Direction csr.Direction         // of a request that follows one direction
	Within    *pattern.CandidateSet // the graph is the one among these; nil: all vertices
	Share     float64               // where Within is not known: the expected share of the vertices; 0: all

	Resident   bool // the graph is on the device
	Started    bool // the device is open
	Processors int  // multiprocessors of the device; 0: as the card that was measured has
}

// On fills in the graph: its vertices, and the relationships of the types among the vertices of Within. It expects Within to have the
// same share of the relationships as of the vertices.
func (w Work) On(s *csr.Snapshot) Work {
	w.Vertices, w.Edges = s.N(), 0
	for t, st := range s.Stats.Types {
		if w.Types.Has(csr.TypeID(t)) {
			w.Edges += st.Edges
		}
	}
	if w.Within != nil {
		w.Share = float64(w.Within.Len()) / float64(max(1, w.Vertices))
	}
	if w.partly() {
		w.Edges = uint64(float64(w.Edges) * w.Share)
	}
	return w
}

// partly tells whether the request is for some vertices only.
func (w Work) partly() bool { return w.Within != nil || w.Share > 0 && w.Share < 1 }

// law estimates a time by the size of a request: unit for a million edges of a graph of 16 edges a vertex, or for a million
// items. It grows by these powers of the edges (or items) and of the edges a vertex.
type law struct {
	unit           time.Duration
	edges, perNode float64
}

// model estimates what one question costs. The CPU's law must grow at least as fast as the GPU's, and as the upload: else more edges
// would turn a request from the GPU to the CPU (see TestMoreEdges).
type model struct {
	cpu, gpu         law     // on 16 workers; on the GPU, the graph there
	perEdge, perNode float64 // bytes uploaded
	launches, turns  float64 // kernels launched; times that the host looks at what came, and decides
	scaling          float64 // n workers of the CPU take the time of one over n to this power
	items            bool    // the size is Items, not Edges
}

// The card and the host that the laws were measured on: one H200 beside 16 cores.
const (
	measuredWorkers    = 16
	measuredProcessors = 132
)

// What it costs to reach the GPU.
const (
	linkRate   = 6.5e9                  // bytes a second to the device: triangles of RMAT 20x16 and 22x16, first run against the others
	launchTime = 5 * time.Microsecond   // assumed: one kernel
	turnTime   = 30 * time.Microsecond  // one look of the host
	startTime  = 230 * time.Millisecond // a context, and what the driver loads: 205 to 260 ms
)

// What a list element of signatures takes, on 16 workers and on the GPU. RMAT 20x16 with 5 labels: 1.26 G elements in 4.9 s and in 68 ms.
const (
	dueOnCPU = 4e-9
	dueOnGPU = 55e-12
)

// question is a kind of request, cliques by their size.
type question struct {
	kind pattern.RequestKind
	k    int
}

// models by question. The laws are fitted to the table of docs/performance-gpu.md (RMAT 16x16, 20x16 and 21x48); a
// note says "assumed" where the table has too little. Nobody measured how more workers help (0.85 is assumed: they share the memory's
// bandwidth), except for the filter: one worker spends most of its time.
var models = map[question]model{
	{pattern.KindTriangles, 0}: {law{4400 * time.Microsecond, 1.25, 0.3}, law{150 * time.Microsecond, 1.05, 0.3}, 8, 16, 4, 3, 0.85, false}, // RMAT 22x16, too

	{pattern.KindCores, 0}: {law{5300 * time.Microsecond, 1.15, -0.05}, law{1600 * time.Microsecond, 0.58, 0}, 8, 8, 20, 15, 0.85, false}, // GPU: RMAT 18x16, 20x16, 24x8

	{pattern.KindTrusses, 0}: {law{143 * time.Millisecond, 1, 1.39}, law{11300 * time.Microsecond, 0.956, 0.87}, 8, 8, 200, 60, 0.85, false}, // GPU: all of 18x16, 20x16, 23x15

	{pattern.KindBFS, 0}: {law{290 * time.Microsecond, 1, 0}, law{58 * time.Microsecond, 0.98, -0.91}, 8, 8, 12, 2, 0.85, false}, // the answer's way back is most of it

	{pattern.KindDiameter, 0}:   {law{6 * time.Millisecond, 1, 0}, law{time.Millisecond, 1, -0.9}, 8, 40, 100, 12, 0.85, false}, // assumed: five searches, components, and two passes of 64
	{pattern.KindComponents, 0}: {law{1200 * time.Microsecond, 1, 0}, law{105 * time.Microsecond, 1, -1.2}, 8, 8, 12, 3, 0.85, false},

	{pattern.KindCliqueCount, 4}: {law{38 * time.Millisecond, 1.19, 1.5}, law{1620 * time.Microsecond, 1.09, 1.5}, 8, 8, 10, 8, 0.85, false}, // perNode assumed

	{pattern.KindCliqueCount, 5}: {law{210 * time.Millisecond, 1.89, 2}, law{2380 * time.Microsecond, 1.47, 2}, 8, 8, 10, 8, 0.85, false}, // likewise

	{pattern.KindCliqueCount, 6}: {law{500 * time.Millisecond, 2, 2.5}, law{10300 * time.Microsecond, 1.93, 2.5}, 8, 8, 20, 16, 0.85, false}, // powers of the rest assumed

	{pattern.KindCliqueCount, 7}: {law{1400 * time.Millisecond, 2, 2.5}, law{50 * time.Millisecond, 2, 2.5}, 8, 8, 20, 16, 0.85, false},

	{pattern.KindCliqueCount, 8}: {law{5030 * time.Millisecond, 2, 2.5}, law{166 * time.Millisecond, 2, 2.5}, 8, 8, 20, 16, 0.85, false},

	{pattern.KindFilter, 0}: {law{55 * time.Millisecond, 0.95, 0}, law{850 * time.Microsecond, 0.3, 0}, 8, 16, 20, 8, 0.2, true}, // 5 labels, all signatures there

	{pattern.KindFormula, 0}: {law{12 * time.Millisecond, 0.4, 0}, law{2 * time.Millisecond, 0.4, 0}, 8, 16, 60, 20, 0.85, true}, // RMAT 16x16 to 20x16, 5 labels or none; elements are estimates, within a factor of 5

	{pattern.KindCount, 0}: {law{60 * time.Millisecond, 0.7, 0}, law{6 * time.Millisecond, 0.7, 0}, 8, 16, 30, 12, 0.85, true}, // patterns of four nodes, 5 labels, RMAT 16x16 to 20x16; partial matches are estimates, within a factor of 10
}

// modelOf finds the model of a request. The join lists what it counts, and triangles are the 3-cliques.
func modelOf(w Work) (model, bool) {
	q := question{kind: w.Kind}
	switch {
	case w.Kind == pattern.KindMatch:
		q.kind = pattern.KindCount
	case w.Kind == pattern.KindCliqueCount && w.K == 3:
		q.kind = pattern.KindTriangles
	case w.Kind == pattern.KindCliqueCount:
		q.k = w.K
	}
	m, ok := models[q]
	return m, ok
}

// of is the law's time for a request.
func (l law) of(m model, w Work) float64 {
	if m.items {
		return l.unit.Seconds() * math.Pow(w.Items/1e6, l.edges)
	}
	edges, vertices := float64(w.Edges), float64(max(1, w.Vertices))
	return l.unit.Seconds() * math.Pow(edges/1e6, l.edges) * math.Pow(max(edges/vertices, 1)/16, l.perNode)
}

// Verdict says where a request should run, and by what times.
type Verdict struct {
	GPU     bool
	because string // instead of times
	start   float64
	bytes   float64 // to upload
	kernel  float64
	cpu     float64
	workers int
	due     [sides]float64 // seconds that signatures take which it would build first
	times   int            // requests that the CPU got before this one pays for start and upload
	trial   bool           // the estimate is against the GPU, but the CPU has taken long enough to try

	// StartBeside says that the GPU is to start while the CPU answers: requests like this one come again, and have lost more than one of
	// the CPU's workers loses to the start.
	StartBeside bool

	work      Work
	estimates [sides]float64 // of the model alone
	knew      [sides]string  // whether a time was measured, or corrected by others; else it is the model's
}

// Setup is how many seconds the GPU takes before it can begin. Later requests share them.
func (v *Verdict) Setup() float64 { return v.start + v.bytes/linkRate }

// Gain is how many seconds the GPU then saves each time.
func (v *Verdict) Gain() float64 { return v.cpu - v.kernel }

// String is the reason.
func (v *Verdict) String() string {
	if v.because != "" {
		return v.because
	}
	way := ""
	if v.start > 0 {
		way = fmt.Sprintf("start ~%s + ", roughly(v.start))
	}
	if v.bytes > 0 {
		way += fmt.Sprintf("upload %s ~%s", megabytes(v.bytes), roughly(v.bytes/linkRate))
	} else {
		way += "the graph is there"
	}
	workers := fmt.Sprintf("%d workers", v.workers)
	if v.workers <= 1 {
		workers = "1 worker"
	}
	known := func(device int) string {
		if v.knew[device] == "" {
			return ""
		}
		return " (" + v.knew[device] + ")"
	}
	text := fmt.Sprintf("%s + kernel ~%s%s against CPU ~%s%s with %s", way, roughly(v.kernel), known(byGPU), roughly(v.cpu), known(byCPU), workers)
	if v.due[byCPU] > 0 {
		text += fmt.Sprintf(", of which signatures ~%s and ~%s", roughly(v.due[byGPU]), roughly(v.due[byCPU]))
	}
	if v.trial {
		text += ", for a trial"
	}
	if v.times > 0 {
		text += fmt.Sprintf(", and %d more before this", v.times)
	}
	return text
}

// Worth reports whether a GPU should answer a request sooner than the CPU, start and upload included, and by what times.
func Worth(w Work) (gpu bool, why string) {
	v := weigh(w)
	return v.GPU, v.String()
}

// Lists of cliques of up to so many vertices, from a graph of at least so many relationships, go where the graph is. Larger cliques
// take too long before the first one comes. 20,000,000 4-cliques of RMAT 16x16 took 0.35 s on the GPU and 5.3 s with 16 workers.
const (
	listed     = 5
	listedFrom = 1 << 18
)

func weigh(w Work) *Verdict {
	m, ok := modelOf(w)
	lists := w.Kind == pattern.KindCliqueList
	switch {
	case !ok && w.Kind == pattern.KindCliqueCount:
		return &Verdict{because: "the CPU is expected to count cliques of more than 8 vertices sooner"}
	case lists && w.Resident && w.K <= listed && w.Edges >= listedFrom:
		return &Verdict{GPU: true, because: "the graph is there, so that a first page comes as soon, and all pages sooner"}
	case lists:
		return &Verdict{because: "how many of them will be taken is not known"}
	case !ok:
		return &Verdict{because: "there is no kernel for it"}
	}
	processors := float64(measuredProcessors)
	if w.Processors > 0 {
		processors = float64(w.Processors)
	}
	v := &Verdict{work: w, workers: w.Workers, kernel: m.gpu.of(m, w)*measuredProcessors/processors + m.launches*launchTime.Seconds() + m.turns*turnTime.Seconds()}
	if !w.Resident {
		edges := float64(w.Edges)
		if w.partly() && w.Share > 0 { // all of the graph is uploaded
			edges /= w.Share
		}
		v.bytes = m.perEdge*edges + m.perNode*float64(w.Vertices)
	}
	if !w.Started {
		v.start = startTime.Seconds()
	}
	v.cpu = m.cpu.of(m, w) * math.Pow(measuredWorkers/float64(max(1, w.Workers)), m.scaling)
	v.estimates = [sides]float64{byCPU: v.cpu, byGPU: v.kernel}
	v.due = [sides]float64{byCPU: w.Due * dueOnCPU * math.Pow(measuredWorkers/float64(max(1, w.Workers)), 0.85), byGPU: w.Due * dueOnGPU}
	v.addDue()
	v.GPU = v.Setup()+v.kernel < v.cpu
	return v
}

// addDue adds what signatures take to both times.
func (v *Verdict) addDue() {
	v.cpu += v.due[byCPU]
	v.kernel += v.due[byGPU]
}

func megabytes(bytes float64) string {
	if bytes < 1e6 {
		return digits(max(1, bytes/1e3)) + " kB"
	}
	return fmt.Sprintf("%.0f MB", bytes/1e6)
}

// digits is a number in two of them.
func digits(x float64) string {
	if x >= 10 {
		step := math.Pow(10, math.Floor(math.Log10(x))-1)
		return fmt.Sprintf("%.0f", math.Round(x/step)*step)
	}
	return fmt.Sprintf("%.2g", x)
}

// roughly is a time in two digits.
func roughly(seconds float64) string {
	switch {
	case seconds < 995e-6:
		return digits(max(1, seconds*1e6)) + " µs"
	case seconds < 0.995:
		return digits(seconds*1e3) + " ms"
	}
	return digits(seconds) + " s"
}
