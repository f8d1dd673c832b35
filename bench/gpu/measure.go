package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/cuda"
)

// work is one request on one graph.
type work struct {
	variant  string
	gpu, cpu request
	check    request // a quicker way for the CPU to the same answer, if there is one: for where cpu does not fit the budget
	key      string  // of the CPU's answer, which variants of a request share
	unit     string  // of answer.amount a second; or, where figure is set, of answer.amount
	bytes    int64   // that must be read or written at least; 0: nothing to compare with copies
	figure   bool
	without  pattern.Techniques // switched off throughout
	off      string             // what of that the row tells
	ablate   bool               // measure it without each of its techniques, too
	builds   bool               // the CPU's first run builds what later ones find: it is not timed
	depends  bool               // its answer may differ without a technique: the CPU is asked to do without it, too
	grows    string             // the variant whose times tell how much this one's grow from one graph to the next; "": the graph's size does
}

// request runs on a device. What it returns makes an answer of what the device gave, which is not timed.
type request func(ctx context.Context, env *pattern.Env) (func() answer, error)

// answer is what a work gives.
type answer struct {
	value  any           // compared by equal
	text   string        // for people
	amount float64       // of the work's unit
	took   time.Duration // what stands for the time of the call; 0: the time that it took
	fault  error         // that the answer has in itself
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case []uint32:
		b, ok := b.([]uint32)
		return ok && slices.Equal(a, b)
	case []int32:
		b, ok := b.([]int32)
		return ok && slices.Equal(a, b)
	}
	return a == b
}

// reference is the CPU's answer and how long it took.
type reference struct {
	answer    answer
	all, one  time.Duration // with all workers and with one; 0 if not measured
	done, was bool          // was: a row has told of it
}

// timing is how long a request took on the device.
type timing struct {
	answer answer
	taken  []pattern.Technique // techniques that were counted
	calls  []time.Duration
	busy   []time.Duration   // in other runs: of all kernels together, by the device's clock
	spans  []cuda.KernelTime // of the last of these
	cold   time.Duration     // with nothing on the device
	recold time.Duration     // the same again; 0 if it was not measured
}

func median(list []time.Duration) time.Duration {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// once runs the request on the device.
func (c *course) once(w *work, t *timing, without pattern.Techniques) (give func() answer, took time.Duration, err error) {
	env := &pattern.Env{Workers: c.o.Workers, Memory: new(pattern.Memory), Tally: new(pattern.Tally), Without: union(without, w.without)}
	began := time.Now()
	give, err = w.gpu(c.ctx, env)
	took = time.Since(began)
	if err != nil {
		return nil, took, err
	}
	t.taken = nil
	for m := range pattern.AllTechniques() {
		if env.Tally.Taken[m].Load() > 0 {
			t.taken = append(t.taken, m)
		}
	}
	return give, took, nil
}

// union is all techniques of both.
func union(a, b pattern.Techniques) pattern.Techniques {
	for i := range a {
		a[i] |= b[i]
	}
	return a
}

// share is what a work's repeated runs may take of a part's budget.
func (c *course) share() time.Duration { return min(c.o.Budget/40, c.left()/4) }

// repeat runs the request until there are enough runs, or three of a long one, or one of a very long one; then it runs it again for
// the times of its kernels, which take a little to measure. Where the budget ends meanwhile, what there is will do.
func (c *course) repeat(w *work, t *timing, without pattern.Techniques, limit time.Duration) error {
	err := c.times(w, t, without, limit)
	if err == nil && !w.figure {
		err = errors.Join(c.clock(w, t, without, limit), c.d.TimeKernels(false))
	}
	if len(t.calls) > 0 && c.ctx.Err() != nil && c.outer.Err() == nil {
		return nil
	}
	return err
}

// more reports whether more runs are wanted.
func (c *course) more(runs int, sum, limit time.Duration) bool {
	return runs == 0 || runs < c.o.Runs && (sum < limit || runs < 3 && sum < 3*limit)
}

// times measures calls.
func (c *course) times(w *work, t *timing, without pattern.Techniques, limit time.Duration) error {
	for sum := time.Duration(0); c.more(len(t.calls), sum, limit); {
		give, took, err := c.once(w, t, without)
		if err != nil {
			return err
		}
		sum += took
		if a := give(); len(t.calls) == 0 || t.answer.fault == nil {
			t.answer = a
		}
		t.calls = append(t.calls, cmp.Or(t.answer.took, took))
	}
	return nil
}

// clock measures kernels.
func (c *course) clock(w *work, t *timing, without pattern.Techniques, limit time.Duration) error {
	for sum := time.Duration(0); c.more(len(t.busy), sum, limit); {
		if err := c.d.TimeKernels(true); err != nil {
			return err
		}
		_, took, err := c.once(w, t, without)
		if err != nil {
			return err
		}
		if t.spans, err = c.d.KernelTimes(); err != nil {
			return err
		}
		busy := time.Duration(0)
		for _, k := range t.spans {
			busy += k.Time
		}
		t.busy = append(t.busy, busy)
		sum += took
	}
	return nil
}

// do measures a work and prints its rows. What does not fit the budget is said, and not done.
func (c *course) do(w *work) error {
	if c.left() <= 0 {
		c.o.Say(fmt.Sprintf("skipped: %s on %s from %s on, since its share of the part's budget of %v is spent", c.part.name, c.g.name, w.variant, c.o.Budget))
		return errSkip
	}
	expected := c.foresee(w)
	if expected.gpu > c.left() {
		c.o.Say(fmt.Sprintf("skipped: %s on %s, %s: it would take about %s, and there is %s left", c.part.name, c.g.name, w.variant, span(expected.gpu),
			span(c.left())))
		return nil
	}
	if expected.cpu > c.left() && w.check == nil && c.references[c.g.name+" "+w.key] == nil {
		c.o.Say(fmt.Sprintf("skipped: %s on %s, %s: to compare it the CPU would take about %s, and there is %s left", c.part.name, c.g.name, w.variant,
			span(expected.cpu), span(c.left())))
		return nil
	}
	c.o.Note(fmt.Sprintf("%s on %s: %s on the GPU", c.part.name, c.g.name, w.variant))
	t := &timing{}
	if err := c.time(w, t); err != nil {
		return c.skip(w.variant, err)
	}
	ref, err := c.compare(w, expected.cpu)
	if err != nil {
		return err
	}
	c.remember(w, past{c.g.scale, cmp.Or(t.recold, t.cold), ref.all})
	r := c.row(w, t, ref)
	c.out.print(r)
	if ref.one > 0 && !ref.was {
		again := *r
		again.CPU, again.Workers, again.Ratio = ref.one, 1, float64(ref.one)/float64(r.Call)
		c.out.print(&again)
	}
	ref.was = true
	if c.o.Kernels {
		for _, k := range t.spans {
			c.out.print(&Measurement{Part: r.Part, Graph: r.Graph, Scale: r.Scale, Edges: r.Edges, Variant: fmt.Sprintf("%s: %s x%d", r.Variant, k.Kernel, k.Launches),
				Runs: len(t.busy), Kernel: k.Time, Verified: r.Verified})
		}
	}
	if w.ablate {
		return c.ablate(w, t, r, ref)
	}
	return nil
}

// time runs a work on the empty device twice, the second time without having to compile anything, and then often with the
// graph there.
func (c *course) time(w *work, t *timing) (err error) {
	if err := c.d.Evict(); err != nil {
		return err
	}
	if _, t.cold, err = c.once(w, t, pattern.Techniques{}); err != nil {
		return err
	}
	if t.cold < c.share() && !w.figure {
		if err := c.d.Evict(); err != nil {
			return err
		}
		if _, t.recold, err = c.once(w, t, pattern.Techniques{}); err != nil {
			return err
		}
	}
	return c.repeat(w, t, pattern.Techniques{}, c.share())
}

// compare has the CPU answer the same, once for all works with the same key on a graph. Without an answer within the budget the
// result says so.
func (c *course) compare(w *work, expected time.Duration) (*reference, error) {
	key := c.g.name + " " + w.key
	if ref := c.references[key]; ref != nil {
		return ref, nil
	}
	ref := &reference{}
	name := fmt.Sprintf("not compared: %s on %s, %s", c.part.name, c.g.name, w.variant)
	if c.left() <= 0 {
		c.o.Say(fmt.Sprintf("%s: its share of the part's budget of %v is spent", name, c.o.Budget))
		return ref, nil
	}
	if w.check != nil {
		give, err := w.check(c.ctx, &pattern.Env{Workers: c.o.Workers, Memory: new(pattern.Memory), Tally: new(pattern.Tally)})
		if err != nil {
			return ref, c.skip(w.variant+" on the CPU", err)
		}
		ref.answer, ref.done = give(), true
	}
	if expected > c.left() {
		if ref.done {
			return ref, nil
		}
		c.o.Say(fmt.Sprintf("%s: the CPU would take about %s, and there is %s left", name, span(expected), span(c.left())))
		return ref, nil
	}
	c.references[key] = ref
	answer := func(workers int) (took time.Duration, err error) {
		c.o.Note(fmt.Sprintf("%s on %s: %s on the CPU with %d workers", c.part.name, c.g.name, w.variant, workers))
		var times []time.Duration
		untimed := w.builds && ref.all == 0
		for sum := time.Duration(0); len(times) == 0 || len(times) < 3 && sum < c.share()/4; {
			env := &pattern.Env{Workers: workers, Memory: new(pattern.Memory), Tally: new(pattern.Tally)}
			began := time.Now()
			give, err := w.cpu(c.ctx, env)
			if err != nil {
				return 0, err
			}
			took := time.Since(began)
			if ref.answer, ref.done = give(), true; untimed {
				untimed = false
				continue
			}
			times = append(times, took)
			sum += took
		}
		return median(times), nil
	}
	var err error
	if ref.all, err = answer(c.o.Workers); err == nil && c.o.Workers > 1 && ref.all*time.Duration(c.o.Workers) < c.share() {
		ref.one, err = answer(1)
	}
	if err != nil {
		if err = c.skip(w.variant+" on the CPU", err); err == errSkip {
			err = nil // there is still a row to print
		}
	}
	return ref, err
}

func (c *course) row(w *work, t *timing, ref *reference) *Measurement {
	r := &Measurement{Part: c.part.name, Graph: c.g.name, Scale: c.g.scale, Edges: c.g.simple, Variant: w.variant, Off: w.off, Runs: len(t.calls), Call: median(t.calls), Unit: w.unit,
		Bytes: w.bytes, Answer: t.answer.text, Verified: NotCompared}
	if r.Kernel = r.Call; len(t.busy) > 0 {
		r.Kernel = median(t.busy)
	}
	if !w.figure {
		r.EndToEnd = t.cold
	}
	if t.recold > 0 {
		r.First, r.Upload = max(0, t.cold-t.recold), max(0, t.recold-r.Call)
	}
	if ref.all > 0 {
		r.CPU, r.Workers, r.Ratio = ref.all, c.o.Workers, float64(ref.all)/float64(r.Call)
	}
	c.rate(w, r, &t.answer)
	c.verify(r, &t.answer, ref)
	return r
}

func (c *course) rate(w *work, r *Measurement, a *answer) {
	if r.Rate = a.amount; !w.figure {
		r.Rate /= max(r.Kernel, 1).Seconds()
	}
	r.Share = float64(w.bytes) / max(r.Kernel, 1).Seconds() / c.bandwidth
}

// verify sets what a row says of its answer.
func (c *course) verify(r *Measurement, a *answer, ref *reference) {
	switch {
	case a.fault != nil:
		r.Verified = Wrong
		c.o.Say(fmt.Sprintf("WRONG: %s on %s, %s: %v", r.Part, r.Graph, r.Variant, a.fault))
	case !ref.done:
		return
	case equal(a.value, ref.answer.value):
		r.Verified = Same
	default:
		r.Verified = Wrong
		c.o.Say(fmt.Sprintf("WRONG: %s on %s, %s: the GPU says %s, the CPU %s", r.Part, r.Graph, r.Variant, a.text, ref.answer.text))
	}
	if r.Verified == Wrong {
		c.wrong++
	}
}

// ablate measures the work without each of the techniques that it took.
func (c *course) ablate(w *work, full *timing, r *Measurement, ref *reference) error {
	for _, m := range full.taken {
		what := fmt.Sprintf("%s without %v", w.variant, m)
		c.o.Note(fmt.Sprintf("%s on %s: %s", c.part.name, c.g.name, what))
		if median(full.calls) > c.left() {
			c.o.Say(fmt.Sprintf("skipped: %s on %s, %s: its share of the part's budget of %v is spent", c.part.name, c.g.name, what, c.o.Budget))
			continue
		}
		t := &timing{}
		if err := c.repeat(w, t, pattern.Techniques{}.With(m), c.share()/8); err != nil {
			if err := c.skip(what, err); err != nil {
				return err
			}
			continue
		}
		right := ref
		if w.depends {
			var err error
			if right, err = c.referenceWithout(w, m); err != nil {
				return c.skip(what+" on the CPU", err)
			}
		}
		off := *r
		off.Off, off.Runs, off.Call, off.Kernel = m.String(), len(t.calls), median(t.calls), median(t.calls)
		if len(t.busy) > 0 {
			off.Kernel = median(t.busy)
		}
		off.EndToEnd, off.First, off.Upload = 0, 0, 0
		off.Answer, off.Verified = t.answer.text, NotCompared
		c.rate(w, &off, &t.answer)
		if off.CPU > 0 {
			off.Ratio = float64(off.CPU) / float64(off.Call)
		}
		c.verify(&off, &t.answer, right)
		c.out.print(&off)
	}
	return nil
}

// referenceWithout is what the CPU finds without a technique.
func (c *course) referenceWithout(w *work, m pattern.Technique) (*reference, error) {
	env := &pattern.Env{Workers: c.o.Workers, Memory: new(pattern.Memory), Tally: new(pattern.Tally), Without: pattern.Techniques{}.With(m)}
	give, err := w.cpu(c.ctx, env)
	if err != nil {
		return nil, err
	}
	return &reference{answer: give(), done: true}, nil
}

// past is how long a work took on the graph of a scale: once on the empty device, and on the CPU with all workers.
type past struct {
	scale    int
	gpu, cpu time.Duration
}

func (c *course) name(variant string) string {
	return fmt.Sprint(c.part.name, " ", c.g.kind, " ", variant)
}

// foresee is how long a work is expected to take from what it took on a smaller graph, generously; 0 where nothing is known. The
// device needs three runs at least.
func (c *course) foresee(w *work) past {
	list := c.history[c.name(w.variant)]
	if len(list) == 0 {
		return past{}
	}
	last := list[len(list)-1]
	gpu := math.Pow(2.5, float64(c.g.scale-last.scale)) // a little more than the edges do
	cpu := gpu
	if like := c.history[c.name(w.grows)]; len(like) >= 2 {
		now, before := like[len(like)-1], like[len(like)-2]
		if now.scale == c.g.scale && before.scale == last.scale {
			gpu, cpu = 1.5*float64(now.gpu)/float64(max(before.gpu, 1)), 1.5*float64(now.cpu)/float64(max(before.cpu, 1))
		}
	}
	return past{c.g.scale, time.Duration(3 * gpu * float64(last.gpu)), time.Duration(cpu * float64(last.cpu))}
}

// remember notes how long a work took, for foresee. What the CPU did not end is left out.
func (c *course) remember(w *work, p past) {
	if p.cpu > 0 {
		c.history[c.name(w.variant)] = append(c.history[c.name(w.variant)], p)
	}
}
