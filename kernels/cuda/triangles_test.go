//go:build cuda && cgo && linux

package cuda

import (
	"slices"
	"testing"

	"github.com/motifql/motif/kernels"
)

func TestTriangles(t *testing.T) {
	d, r := device(t), seeds(t)
	for name, s := range graphs(r) {
		perNode := r.IntN(2) == 0
		want, wantBy, err := kernels.Triangles(background, s, nil, perNode, env())
		if err != nil {
			t.Fatal(err)
		}
		got, by, err := d.Triangles(background, s, nil, perNode, env())
		if err != nil || got != want || !slices.Equal(by, wantBy) {
			t.Fatalf("%s: %d triangles, %v; want %d\nby vertex %v\nwant      %v", name, got, err, want, by, wantBy)
		}
	}
}
