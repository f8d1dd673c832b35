package filter

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Composite signatures. S(v) is a bit string in parts, each part divided into buckets that hold unary counts (0000, 0001,
// 0011 ... for 0, 1, 2 ...), so that S(u) & S(v) == S(u) says that no count of u is above v's:
//
//   - quantity: v's neighbours by label;
//   - path: walks v-x-y, y != v, by the labels of x and y;
//   - triangle: triangles v-x-y by the labels of x and y, in either order.
//
// Adjacency here is over all types in both directions, with each neighbour once and without loops: a superset of what any edge of a pattern
// can use.
//
// Why it is sound. A part is tested in scopes in which different neighbours, walks and triangles around u are matched to different ones
// around v. Under DIFFERENT NODES, vertices differ. Under DIFFERENT RELATIONSHIPS, relationships differ, and they determine
// the vertices if no two vertices have more than one relationship of the scope's types and no vertex has a loop. In other
// scopes walks may fold up (y = v) and neighbours coincide, so there is no signature test; arc consistency says as much there.
// In the pattern, a neighbour, walk or triangle adds at most one to a bucket, even if its labels fall into it twice, and
// only certain labels count. In the graph, each counts under all its labels. So a collision adds to S(v) at least what it
// adds to S(u), and counts that reach a bucket's width on both sides are equal. Scopes are tested one by one.
//
// A snapshot builds a part once, when queries that could use it have done as much work as the building takes. So in the long run it costs no
// more than the work done without it. No quick query waits for a part that takes long: see ripe.

type partKind int

const (
	quantity partKind = iota
	path
	triangle
	partKinds
)

// part is the layout of one part and, once built, its words of all vertices.
type part struct {
	keys    uint64 // how many labels or pairs of labels there are
	buckets uint64
	width   int // bits of a bucket, which no word boundary cuts
	words   int // words a vertex

	cost atomic.Uint64 // list elements that it takes to build it
	long longest       // searches without it
	work atomic.Uint64 // list elements that queries without it have gone through
	once workgroup.Once
	sig  atomic.Pointer[[]uint64] // words words a vertex
}

// Limits of the layout by part: words a vertex and widths of buckets. Counts matter for neighbours, kinds for structures.
var (
	maxWords = [partKinds]int{2, 2, 1}
	minWidth = [partKinds]int{2, 1, 1}
	maxWidth = [partKinds]int{16, 4, 4}
)

// bucket returns the bucket that counts a key: its own bucket if there are enough.
func (p *part) bucket(key uint64) int {
	if p.keys <= p.buckets {
		return int(key)
	}
	hi, _ := bits.Mul64(key*0x9E3779B97F4A7C15, p.buckets)
	return int(hi)
}

// add counts n more in bucket b of sig.
func (p *part) add(sig []uint64, b, n int) {
	perWord := 64 / p.width
	word, shift := &sig[b/perWord], b%perWord*p.width
	mask := uint64(1)<<p.width - 1
	old := *word >> shift & mask
	*word |= (old<<n | (1<<n - 1)) & mask << shift
}

// fit sets the layout for counts of a given mean: buckets twice as wide as that, within limits, and as many of them as there are keys or
// room for. Room that is left makes them wider.
func (p *part) fit(kind partKind, keys uint64, mean float64) {
	p.keys = max(1, keys)
	p.width = max(minWidth[kind], min(maxWidth[kind], int(2*mean)+1))
	p.words = maxWords[kind]
	p.buckets = min(p.keys, uint64(p.words*(64/p.width)))
	p.words = int(p.buckets+uint64(64/p.width)-1) / (64 / p.width)
	for p.width < maxWidth[kind] && uint64(p.words*(64/(p.width+1))) >= p.buckets {
		p.width++
	}
}

// signatures is what a snapshot keeps of its signatures.
type signatures struct {
	s      *csr.Snapshot
	labels uint64
	parts  [partKinds]part
	adj    func() *csr.Adjacency
	hist   passing[histograms]
	// orientation has every edge once, towards the end of greater degree; triangleCost is what it makes of that part.
	orientation  passing[csr.Adjacency]
	triangleCost func() uint64
}

// passing is made when it is asked for, and again after it was dropped.
type passing[T any] struct {
	made atomic.Pointer[T]
	turn sync.Mutex
	make func() *T
}

func (p *passing[T]) get() *T {
	if x := p.made.Load(); x != nil {
		return x
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	if x := p.made.Load(); x != nil {
		return x
	}
	x := p.make()
	p.made.Store(x)
	return x
}

// Bytes is the memory of what is built and of what building goes on with; see csr.Sized.
func (g *signatures) Bytes() (bytes uint64) {
	for kind := range partKinds {
		if sig := g.parts[kind].sig.Load(); sig != nil {
			bytes += 8 * uint64(len(*sig))
		}
	}
	if h := g.hist.made.Load(); h != nil {
		bytes += 8*uint64(len(h.offsets)) + 4*uint64(len(h.labels)) + uint64(len(h.counts))
	}
	if a := g.orientation.made.Load(); a != nil {
		bytes += 8*uint64(len(a.Offsets)) + 4*uint64(len(a.Targets))
	}
	return bytes
}

// dropPassing drops what no part that is still to be built needs.
func (g *signatures) dropPassing() {
	if g.parts[quantity].sig.Load() != nil && g.parts[path].sig.Load() != nil {
		g.hist.made.Store(nil)
	}
	if g.parts[triangle].sig.Load() != nil {
		g.orientation.made.Store(nil)
	}
}

type signatureKey struct{}

// String names it for PROFILE.
func (signatureKey) String() string { return "layout of signatures" }

// signaturesOf returns the signatures of s, of which no part need be built yet.
func signaturesOf(s *csr.Snapshot) *signatures {
	if g, ok := csr.FindDerived(s, signatureKey{}).(*signatures); ok {
		return g
	}
	return s.Derived(signatureKey{}, func() any {
		g := &signatures{s: s, labels: uint64(s.Labels.Len())}
		g.adj = func() *csr.Adjacency { return s.Adjacency(nil, csr.Both) }
		g.hist.make = func() *histograms {
			adj := g.adj()
			defer s.Deriving("labels around nodes")()
			return newHistograms(s, adj)
		}
		g.orientation.make = func() *csr.Adjacency {
			adj := g.adj()
			defer s.Deriving("triangles of signatures")()
			return orient(adj, s.N())
		}
		g.triangleCost = sync.OnceValue(g.countTriangleCost)
		g.plan()
		return g
	}).(*signatures)
}

// plan chooses the layout from the snapshot's sizes: mean degree, labels a vertex, and what types tell of wedges.
func (g *signatures) plan() {
	n, l := float64(max(1, g.s.N())), float64(max(1, g.labels))
	carried := 0.0 // labels of a vertex
	for _, c := range g.s.Stats.LabelCount {
		carried += float64(c) / n
	}
	wedges := 0.0
	for _, t := range g.s.Stats.Types {
		wedges += t.OutOut + t.InIn + 2*t.InOut
	}
	degree := 2 * float64(g.s.M()) / n
	g.parts[quantity].fit(quantity, g.labels, degree*carried/l)
	g.parts[path].fit(path, g.labels*g.labels, wedges/n*carried*carried/(l*l))
	// How many triangles there are is not known. Few to a kind is the rule, and telling kinds apart is what matters.
	g.parts[triangle].fit(triangle, g.labels*(g.labels+1)/2, 1)
	g.parts[quantity].cost.Store(2 * g.s.M())
	// Every edge goes through the labels around its end, and for triangles through its end's oriented neighbours: a
	// guess until it is counted, see words.
	g.parts[path].cost.Store(uint64(4 * float64(g.s.M()) * min(l, degree+1))) // each costs some two of others
	g.parts[triangle].cost.Store(uint64(min(wedges+1, 2*float64(g.s.M())*degree)))
}

// Spent notes that a query for p went through n list elements of s. Once the queries that could use a part of the signatures, or depths, have
// spent what it costs, the next one builds it. A search of the filter's candidates calls Candidates.Spent instead, which is cheaper.
func Spent(s *csr.Snapshot, p *pattern.Pattern, n uint64) { newVicinity(s, p, false).spent(n) }

// gpuSpeed is how many list elements a search on a GPU goes through while the CPU's workers go through one.
const gpuSpeed = 32

// SpentOnGPU is Spent for a search on a GPU. Depths pay later for it, since the CPU computes coreness, and trussness where the GPU cannot: labelled
// 5-cliques of an RMAT graph of 2^18 vertices took .24 s on an H200, and their trussness 2.4 s on 16 cores. Signatures are computed on the GPU, too.
func SpentOnGPU(s *csr.Snapshot, p *pattern.Pattern, n uint64) {
	x := newVicinity(s, p, false)
	x.spentOnDepths(n / gpuSpeed)
	x.spentOnSignatures(n)
}

func (x *vicinity) spent(n uint64) {
	x.spentOnDepths(n)
	x.spentOnSignatures(n)
}

// Due returns how many list elements the CPU would go through to build the signatures that a filter of p would build now.
func Due(s *csr.Snapshot, p *pattern.Pattern) (elements uint64) {
	g, ok := csr.FindDerived(s, signatureKey{}).(*signatures)
	if !ok || len(p.Edges) == 0 {
		return 0
	}
	x := newVicinity(s, p, false)
	for kind := range partKinds {
		part := &g.parts[kind]
		if cost := part.cost.Load(); part.sig.Load() == nil && part.ripe(x.p) && x.asks(kind) {
			elements += cost
		}
	}
	return elements
}

// spentOnSignatures notes that a query went through n list elements without the signatures that it could use.
func (x *vicinity) spentOnSignatures(n uint64) {
	if x.s.Labels.Len() == 0 || len(x.p.Edges) == 0 {
		return
	}
	g, ok := csr.FindDerived(x.s, signatureKey{}).(*signatures)
	if !ok {
		if n < littleSpent {
			return // nearly nothing, and the snapshot may not live long
		}
		g = signaturesOf(x.s)
	}
	for kind := range partKinds {
		part := &g.parts[kind]
		if part.sig.Load() == nil && part.work.Load() < maxWork && x.asks(kind) {
			part.work.Add(min(n, maxWork))
			if n >= quickBuild/2 {
				part.long.note(x.p, n)
			}
		}
	}
}

// maxWork is where work stops to be added up.
const maxWork = math.MaxUint64 / 4

// littleSpent is the number of list elements below which a search does not lay out signatures to add its work to theirs.
const littleSpent = 256

// asks reports whether the pattern asks for anything in a part of the signatures.
func (x *vicinity) asks(kind partKind) bool {
	for u := range x.labels {
		if x.asksOf(u, kind) {
			return true
		}
	}
	return false
}

// quickBuild is how many list elements a part may cost that any query builds. It takes less than a tenth of a second.
const quickBuild = 1 << 25

// ripe reports whether it is time to build a part for a filter of p. A part that takes long is built by a pattern whose last search took half as long,
// or when all searches took sixteen times as long.
func (x *part) ripe(p *pattern.Pattern) bool {
	work, cost := x.work.Load(), x.cost.Load()
	return work >= cost && (cost <= quickBuild || work/16 >= cost || x.long.of(p) >= cost/2)
}

// longest remembers the long searches of a few patterns.
type longest struct {
	mu   sync.Mutex
	last map[*pattern.Pattern]uint64 // list elements; a cached plan keeps its patterns
}

// mostLong is how many patterns longest knows.
const mostLong = 64

func (l *longest) note(p *pattern.Pattern, n uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil || len(l.last) >= mostLong {
		l.last = make(map[*pattern.Pattern]uint64)
	}
	l.last[p] = n
}

func (l *longest) of(p *pattern.Pattern) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last[p]
}

// words returns a part's words. It returns nil if it is too early for p to build them, unless atOnce.
func (g *signatures) words(p *pattern.Pattern, kind partKind, atOnce bool) []uint64 {
	x := &g.parts[kind]
	if x.sig.Load() == nil {
		if !atOnce && kind == triangle && x.ripe(p) {
			x.cost.Store(g.triangleCost())
		}
		if !atOnce && !x.ripe(p) {
			return nil
		}
		x.once.Do(func() {
			defer g.s.Deriving(techniques[kind].String())()
			sig := g.build(kind)
			x.sig.Store(&sig)
			g.dropPassing()
		})
	}
	return *x.sig.Load()
}

// techniques are the parts' switches and counters.
var techniques = [partKinds]pattern.Technique{pattern.SignatureQuantity, pattern.SignaturePath, pattern.SignatureTriangle}

// signatures tests the parts that the snapshot has and that ask for something, one after the other.
func (f *filter) signatures() error {
	if f.s.Labels.Len() == 0 || len(f.p.Edges) == 0 {
		return nil
	}
	g, ok := csr.FindDerived(f.s, signatureKey{}).(*signatures)
	if !ok {
		if f.env.Filter == pattern.FilterAuto {
			return nil // no query has spent anything yet
		}
		g = signaturesOf(f.s)
	}
	for u := range f.p.Vertices {
		for kind, m := range techniques {
			if !f.open(u) || !f.env.Uses(m) {
				continue
			}
			if err := f.signature(g, u, partKind(kind)); err != nil {
				return err
			}
		}
	}
	return nil
}

// signature tests one part on the candidates of u.
func (f *filter) signature(g *signatures, u int, kind partKind) error {
	if !f.around.asksOf(u, kind) {
		return nil
	}
	sig := g.words(f.p, kind, f.env.Filter != pattern.FilterAuto)
	if sig == nil {
		return nil
	}
	test := sigTest{sig, g.parts[kind].words, g.queries(f.around, u, kind)}
	before := f.out.Sets[u].List()
	list, err := f.pass(before, &test)
	if err != nil {
		return err
	}
	f.env.Took(techniques[kind], uint64(len(before)-len(list)))
	return f.replace(u, list)
}

// sigTest is one part with the query signatures of a vertex, one for each scope.
type sigTest struct {
	sig     []uint64
	words   int
	queries [][]uint64
}

// pass returns the members of list that pass t, in order.
func (f *filter) pass(list []csr.VertexID, t *sigTest) ([]csr.VertexID, error) {
	if len(list) > chunk {
		return f.keepBy(list, t.passes)
	}
	room := f.roomFor(len(list))
	if n := t.copyPassing(room, list); n < len(list) {
		return append(make([]csr.VertexID, 0, n), room[:n]...), f.ctx.Err()
	}
	return list, f.ctx.Err()
}

// copyPassing copies the members of list that pass to room, which is as long, and returns how many they are. It writes every member and goes
// on behind those that pass: most tests cannot be foreseen, and a jump that was guessed wrongly takes longer than a test.
func (t *sigTest) copyPassing(room, list []csr.VertexID) (n int) {
	if len(t.queries) != 1 || t.words > 2 {
		for _, v := range list {
			if room[n] = v; t.passes(v) {
				n++
			}
		}
		return n
	}
	sig, q := t.sig, t.queries[0]
	if t.words == 1 {
		for _, v := range list {
			if room[n] = v; q[0]&^sig[v] == 0 {
				n++
			}
		}
		return n
	}
	a, b := q[0], q[1]
	for _, v := range list {
		of := sig[2*uint64(v):]
		if room[n] = v; a&^of[0]|b&^of[1] == 0 {
			n++
		}
	}
	return n
}

// passes reports whether the signature of v covers all query signatures.
func (t *sigTest) passes(v csr.VertexID) bool {
	of := t.sig[int(v)*t.words : (int(v)+1)*t.words]
	for _, q := range t.queries {
		for i, w := range q {
			if w&of[i] != w {
				return false
			}
		}
	}
	return true
}
