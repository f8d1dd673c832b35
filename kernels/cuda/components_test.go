//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"reflect"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/components"
)

// Components are the CPU's, their numbers and sizes, too.
func TestComponents(t *testing.T) {
	d, r := device(t), seeds(t)
	taken := new(pattern.Tally)
	for name, s := range graphs(r) {
		if s.N() == 0 {
			continue
		}
		q := &pattern.ComponentRequest{Within: someVertices(r, s)}
		want, err := components.Find(background, s, q, env())
		if err != nil {
			t.Fatal(err)
		}
		e := without(r, pattern.ComponentFirst)
		d.bfs.row = []uint64{3, 40}[r.IntN(2)]
		got, err := d.Components(background, s, q, e)
		if err != nil {
			t.Fatalf("%s: %+v: %v", name, q, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %+v (off: %v):\n got %v\nwant %v", name, q, e.Without, got, want)
		}
		taken.TakeOver(e.Tally)
		if _, err := d.Components(background, s, &pattern.ComponentRequest{Strong: true}, env()); !errors.Is(err, ErrDeclined) {
			t.Fatalf("strong components: %v", err)
		}
	}
	driven(t, taken, pattern.ComponentFirst)
}
