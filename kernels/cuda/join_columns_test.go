//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// What a sink of columns gets of some query vertices is what brute force finds of them, as often.
func TestJoinColumns(t *testing.T) {
	d, r := device(t), seeds(t)
	defer smallTurns(r)()
	batches, weighted := 0, 0
	tooFew := func() bool { return batches < 10**roundFlag || weighted == 0 }
	for i := 0; i < 60**roundFlag || tooFew() && i < 600**roundFlag; i++ { // by chance, most of the first graphs may have no match
		s := testgraph.Random(r.Uint64(), testgraph.Options{Simple: r.IntN(3) == 0})
		p := testgraph.RandomPattern(r, s)
		easier(p)
		j := testgraph.RandomJob(r, s, p)
		var err error
		if j.Candidates, err = filter.Run(background, s, p, env()); err != nil {
			t.Fatal(err)
		}
		j.Order = anyOrder(r, j)
		read := r.Perm(len(p.Vertices))[:r.IntN(len(p.Vertices)+1)]
		want, got := &projection{read: read}, &projection{read: read, room: 1 + r.IntN(50)}
		e := without(r, joinTechniques...)
		if err := d.Match(background, j, e, got); errors.Is(err, ErrDeclined) && len(got.rows) == 0 {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		if err := (testgraph.Brute{}).Match(background, j, env(), want); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.sorted(), want.sorted()) || e.Tally.Embeddings.Load() != uint64(len(want.rows)) {
			t.Fatalf("of %v found\n%v (%d matches told)\nwant\n%v\n%v\norder %+v", read, got.rows, e.Tally.Embeddings.Load(), want.rows, p, j.Order)
		}
		if few := (&projection{read: read, room: 1, most: 1 + r.IntN(3)}); len(want.rows) > 3 {
			if err := d.Match(background, j, e, few); err != nil || len(few.rows) < few.most {
				t.Fatalf("%d matches until %d were enough, %v", len(few.rows), few.most, err)
			}
		}
		batches, weighted = batches+got.batches, weighted+got.weighted
	}
	if tooFew() {
		t.Errorf("%d batches of columns, %d of them with weights", batches, weighted)
	}
}

// projection keeps the vertices that it reads of each match, or of the first ones.
type projection struct {
	read              []int
	room, most        int // rows of a batch; matches that are enough, 0: all
	batches, weighted int // of columns, and with weights
	rows              []string
}

func (k *projection) NeedEdges() bool     { return false }
func (k *projection) ReadVertices() []int { return k.read }
func (k *projection) ReadEdges() []int    { return nil }
func (k *projection) BatchRows() int      { return k.room }
func (k *projection) Repeats() bool       { return false }

func (k *projection) Emit(batch []pattern.Embedding) (bool, error) {
	for _, e := range batch {
		var row []uint32
		for _, u := range k.read {
			row = append(row, uint32(e.Vertices[u]))
		}
		k.add(row, e.Weight)
	}
	return k.wants(), nil
}

func (k *projection) EmitColumns(c *pattern.Columns) (bool, error) {
	k.batches++
	if len(c.Weights) > 0 {
		k.weighted++
	}
	if c.Len > k.room || len(c.Vertices) != len(k.read) || len(c.Weights) > 0 && len(c.Weights) != c.Len {
		return false, fmt.Errorf("%d rows of %d columns with %d weights", c.Len, len(c.Vertices), len(c.Weights))
	}
	for i := range c.Len {
		var row []uint32
		for _, column := range c.Vertices {
			row = append(row, uint32(column[i]))
		}
		weight := uint64(1)
		if len(c.Weights) > 0 {
			weight = c.Weights[i]
		}
		k.add(row, weight)
	}
	return k.wants(), nil
}

func (k *projection) add(row []uint32, weight uint64) {
	for range weight {
		k.rows = append(k.rows, fmt.Sprint(row))
	}
}

func (k *projection) wants() bool { return k.most == 0 || len(k.rows) < k.most }

func (k *projection) sorted() []string {
	slices.Sort(k.rows)
	return k.rows
}
