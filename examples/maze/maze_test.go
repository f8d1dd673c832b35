package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// routed parses and routes a chip.
func routed(t *testing.T, text string) (*chip, error) {
	t.Helper()
	c, err := parseChip(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRouter(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer r.db.Close()
	return c, r.route(t.Context())
}

// neighbours are the cells of c beside one.
func (c *chip) neighbours(at cell) (list []cell) {
	for _, n := range []cell{{at.x + 1, at.y}, {at.x - 1, at.y}, {at.x, at.y + 1}, {at.x, at.y - 1}} {
		if n.x >= 0 && n.x < c.width && n.y >= 0 && n.y < c.height && !c.walls[n] {
			list = append(list, n)
		}
	}
	return list
}

// steps is the length of a shortest way from some cells to others that goes around those taken; -1 if there is none. It tries
// all cells that can be reached in one step more, until there is no other.
func (c *chip) steps(from, to []cell, taken map[cell]bool) int {
	reached := map[cell]bool{}
	for _, at := range from {
		reached[at] = !taken[at]
	}
	for n := 0; ; n++ {
		if slices.ContainsFunc(to, func(at cell) bool { return reached[at] }) {
			return n
		}
		more := map[cell]bool{}
		for at, ok := range reached {
			for _, next := range c.neighbours(at) {
				if ok && !reached[next] && !taken[next] {
					more[next] = true
				}
			}
		}
		if len(more) == 0 {
			return -1
		}
		for at := range more {
			reached[at] = true
		}
	}
}

// check replays the routes: the wires of a net join its pins, keep to free cells that no other net has, and every leg was as
// short as the wires before it let it be.
func check(t *testing.T, c *chip) {
	t.Helper()
	taken := map[cell]string{}
	for _, n := range c.nets {
		for _, p := range n.pins {
			taken[p] = n.name
		}
	}
	for _, n := range c.nets {
		others := map[cell]bool{}
		for at, name := range taken {
			others[at] = name != n.name
		}
		have, want := []cell{n.pins[0]}, slices.Clone(n.pins[1:])
		for _, leg := range n.legs {
			if short := c.steps(have, want, others); short != len(leg)-1 {
				t.Errorf("net %s: a leg of %d steps where %d would do", n.name, len(leg)-1, short)
			}
			if !slices.Contains(have, leg[0]) || !slices.Contains(want, leg[len(leg)-1]) {
				t.Errorf("net %s: a leg from %v to %v joins nothing", n.name, leg[0], leg[len(leg)-1])
			}
			for i, at := range leg {
				if i > 0 && !slices.Contains(c.neighbours(leg[i-1]), at) || c.walls[at] || others[at] {
					t.Errorf("net %s: a leg cannot go to %v", n.name, at)
				}
				taken[at] = n.name
			}
			have = append(have, leg...)
			want = slices.DeleteFunc(want, func(p cell) bool { return slices.Contains(leg, p) })
		}
		if len(want) > 0 {
			t.Errorf("net %s: the pins %v are not joined", n.name, want)
		}
	}
}

func TestSampleChip(t *testing.T) {
	c, err := routed(t, sample)
	if err != nil {
		t.Fatal(err)
	}
	check(t, c)
	many := slices.ContainsFunc(c.nets, func(n *net) bool { return len(n.pins) > 3 })
	if len(c.nets) < 6 || !many {
		t.Errorf("%d nets; one of more than three pins: %v", len(c.nets), many)
	}
}

// The picture in the folder is the one that the program draws of the sample.
func TestPicture(t *testing.T) {
	svg, err := run(t.Context(), sample)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile("maze.svg")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(kept), "<path") != strings.Count(svg, "<path") || strings.Count(string(kept), "<text") != strings.Count(svg, "<text") {
		t.Error("maze.svg is an old one: go run ./examples/maze in this folder")
	}
}

// Chips of random walls and pins: either all nets are routed well, or at least one net cannot be.
func TestRandomChips(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	done := 0
	for range 30 {
		w, h := 8+r.IntN(10), 6+r.IntN(8)
		grid := slices.Repeat([]byte("."), w*h)
		for i := range grid {
			if r.IntN(6) == 0 {
				grid[i] = '#'
			}
		}
		for _, name := range "aabbbccdd"[:2+r.IntN(8)] {
			grid[r.IntN(len(grid))] = byte(name)
		}
		text := ""
		for row := range slices.Chunk(grid, w) {
			text += string(row) + "\n"
		}
		c, err := routed(t, text)
		switch {
		case err == nil:
			check(t, c)
			done++
		case !errors.Is(err, errNoWay):
			t.Errorf("seed %d: %v\n%s", seed, err, text)
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
	if done < 8 {
		t.Errorf("seed %d: only %d of 30 chips could be routed", seed, done)
	}
}

// A net without a way is reported, not left out.
func TestNoWay(t *testing.T) {
	if _, err := routed(t, "a#.\n##.\n..a\n"); !errors.Is(err, errNoWay) {
		t.Error(err)
	}
	for _, text := range []string{"a.\n.\n", "aX\n"} {
		if _, err := parseChip(text); err == nil {
			t.Errorf("%q is a chip", text)
		}
	}
}
