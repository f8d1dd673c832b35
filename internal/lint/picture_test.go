package lint

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const pictureFile = "../../docs/img/architecture.svg"

// room is a box of the picture: a folder, with what lies below it if deep.
type room struct {
	folder, about string
	deep          bool
}

// rooms are what a query, a file or a commit passes through, and what that leans on. Tools, tests and benchmarks are not drawn.
var rooms = []room{
	{"cmd/motif", "the command", false},
	{"internal/repl", "the shell", false},
	{"draw", "pictures of answers", false},
	{".", "package motif: the API", false},
	{"lang", "text to checked tree", false},
	{"planner", "tree to plan of operators", false},
	{"planner/match", "order, estimates, symmetry", false},
	{"internal/exec", "operators make rows", false},
	{"internal/eval", "expressions make values", false},
	{"internal/device", "CPU or GPU, per request", false},
	{"filter", "candidate sets", false},
	{"join", "embeddings", false},
	{"kernels", "cliques, cores, paths, sets", true},
	{"kernels/cuda", "the same on a GPU", true},
	{"storage", "epochs (Badger), change log", false},
	{"storage/importer", "graph files in", false},
	{"storage/exporter", "graph files out", false},
	{"internal/csr", "the graph in memory", false},
	{"internal/pattern", "patterns, requests, sinks", false},
	{"internal/value", "values and their order", false},
}

// lane is a way through the rooms: functions in the order in which they are called.
type lane struct {
	title, color string
	steps        []step
}

// step names a function by folder and name, with its type if it is a method. The test fails when it is not there.
type step struct{ folder, function, about string }

// roomOf is the index of the room that a folder belongs to, or -1.
func roomOf(folder string) int {
	best := -1
	if strings.HasSuffix(folder, "test") {
		return best // helpers of tests
	}
	for i, r := range rooms {
		if (folder == r.folder || r.deep && r.folder != "." && within(folder, r.folder)) && (best < 0 || len(r.folder) > len(rooms[best].folder)) {
			best = i
		}
	}
	return best
}

// module reads what the picture is made of: which room imports which, and the functions of every folder.
func readModule(root string) (imports map[[2]int]bool, functions map[string]bool, err error) {
	imports, functions = make(map[[2]int]bool), make(map[string]bool)
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		folder := path.Dir(filepath.ToSlash(rel))
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				name := fn.Name.Name
				if fn.Recv != nil {
					name = receiver(fn.Recv.List[0].Type) + "." + name
				}
				functions[folder+" "+name] = true
			}
		}
		for _, spec := range file.Imports {
			target, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if !within(target, module) {
				continue
			}
			to := strings.TrimPrefix(strings.TrimPrefix(target, module), "/")
			if to == "" {
				to = "."
			}
			if a, b := roomOf(folder), roomOf(to); a >= 0 && b >= 0 && a != b {
				imports[[2]int{a, b}] = true
			}
		}
		return nil
	})
	return imports, functions, err
}

// levels puts every room above all that it imports: 0 for rooms that import none.
func levels(imports map[[2]int]bool) []int {
	level := make([]int, len(rooms))
	for range rooms {
		for e := range imports {
			level[e[0]] = max(level[e[0]], level[e[1]]+1)
		}
	}
	return level
}

// direct drops the arrows that a longer way stands for, so that the picture can be read.
func direct(imports map[[2]int]bool) [][2]int {
	reach := maps.Clone(imports)
	for k := range rooms {
		for i := range rooms {
			for j := range rooms {
				if reach[[2]int{i, k}] && reach[[2]int{k, j}] {
					reach[[2]int{i, j}] = true
				}
			}
		}
	}
	var out [][2]int
	for e := range imports {
		longer := false
		for k := range rooms {
			longer = longer || imports[[2]int{e[0], k}] && reach[[2]int{k, e[1]}]
		}
		if !longer {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int { return (a[0]-b[0])*len(rooms) + a[1] - b[1] })
	return out
}

const (
	roomWidth, roomHeight = 190, 46
	gapX, gapY            = 22, 46
	pictureWidth          = 1120
)

// node is a room in its row, or, with width 0, the place where an arrow passes a row.
type node struct {
	room  int
	level int
	x     float64 // its left edge
	width float64
	near  []int // nodes one row above or below that it is joined to
}

// route is the way of an arrow: nodes from its upper end to its lower one.
type route []int

// layout gives every room a place and every arrow a way: a row a level, ordered so that nodes stand near their neighbours.
func layout(level []int, arrows [][2]int) (nodes []node, routes []route) {
	for i := range rooms {
		nodes = append(nodes, node{room: i, level: level[i], width: roomWidth})
	}
	for _, e := range arrows {
		way := route{e[0]}
		for l := level[e[0]] - 1; l > level[e[1]]; l-- {
			nodes = append(nodes, node{room: -1, level: l})
			way = append(way, len(nodes)-1)
		}
		way = append(way, e[1])
		for k := 1; k < len(way); k++ {
			a, b := way[k-1], way[k]
			nodes[a].near, nodes[b].near = append(nodes[a].near, b), append(nodes[b].near, a)
		}
		routes = append(routes, way)
	}
	rows := make([][]int, slices.Max(level)+1)
	for i, n := range nodes {
		rows[n.level] = append(rows[n.level], i)
	}
	best, crossings := slices.Clone(nodes), -1
	for range 60 {
		for _, row := range rows {
			order(nodes, row)
		}
		if n := crossed(nodes, routes); crossings < 0 || n < crossings {
			best, crossings = slices.Clone(nodes), n
		}
	}
	return best, routes
}

// order sorts a row by where the neighbours of its nodes stand, and centres it.
func order(nodes []node, row []int) {
	middle := func(i int) float64 { return nodes[i].x + nodes[i].width/2 }
	want := make(map[int]float64)
	for _, i := range row {
		sum, n := middle(i)/8, 0.125
		for _, k := range nodes[i].near {
			sum, n = sum+middle(k), n+1
		}
		want[i] = sum / n
	}
	slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(want[a], want[b]) })
	width := -float64(gapX)
	for _, i := range row {
		width += nodes[i].width + gapX
	}
	left := (pictureWidth - width) / 2
	for _, i := range row {
		nodes[i].x = left
		left += nodes[i].width + gapX
	}
}

// crossed counts the pairs of arrows that cross between two rows.
func crossed(nodes []node, routes []route) (n int) {
	type piece struct{ level, from, to float64 }
	var pieces []piece
	for _, way := range routes {
		for k := 1; k < len(way); k++ {
			a, b := nodes[way[k-1]], nodes[way[k]]
			pieces = append(pieces, piece{float64(a.level), a.x + a.width/2, b.x + b.width/2})
		}
	}
	for i, p := range pieces {
		for _, q := range pieces[:i] {
			if p.level == q.level && (p.from-q.from)*(p.to-q.to) < 0 {
				n++
			}
		}
	}
	return n
}

// curve writes the path of an arrow through the rows.
func curve(nodes []node, y func(level int) float64, way route) string {
	var b strings.Builder
	for k := 1; k < len(way); k++ {
		from, to := nodes[way[k-1]], nodes[way[k]]
		ax, ay := from.x+from.width/2, y(from.level)+roomHeight
		bx, by := to.x+to.width/2, y(to.level)
		if k == 1 {
			fmt.Fprintf(&b, "M%.0f %.0f", ax, ay)
		}
		fmt.Fprintf(&b, "C%.0f %.0f %.0f %.0f %.0f %.0f", ax, (ay+by)/2, bx, (ay+by)/2, bx, by-1)
		if k < len(way)-1 {
			fmt.Fprintf(&b, "V%.0f", by+roomHeight)
		}
	}
	return b.String()
}

// draw makes the picture: the rooms with their arrows above, the lanes below.
func draw(imports map[[2]int]bool) string {
	arrows := direct(imports)
	level := levels(imports)
	nodes, routes := layout(level, arrows)
	top := slices.Max(level)
	y := func(level int) float64 { return 40 + float64(top-level)*(roomHeight+gapY) }
	height := y(-1)
	const laneHeight = 112
	total := height + float64(len(lanes))*laneHeight + 16
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" font-family="Helvetica, Arial, sans-serif" role="img">`+"\n", pictureWidth, total)
	b.WriteString("<title>The rooms of Motif and the ways through them</title>\n")
	b.WriteString(`<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#6b7280"/></marker></defs>` + "\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%.0f" fill="#ffffff"/>`+"\n", pictureWidth, total)
	b.WriteString(`<text x="20" y="24" font-size="13" fill="#374151">Rooms: an arrow leads from a folder to one that it imports. It is left out where a longer way stands for it.</text>` + "\n")
	for _, way := range routes {
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="#9ca3af" stroke-width="1.3" marker-end="url(#tip)"/>`+"\n", curve(nodes, y, way))
	}
	for i, r := range rooms {
		title := r.folder
		if title == "." {
			title = "motif"
		}
		box(&b, nodes[i].x, y(level[i]), roomWidth, "#eef2ff", "#6366f1", title, r.about)
	}
	for i, l := range lanes {
		drawLane(&b, l, height+float64(i)*laneHeight)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawLane draws one way from left to right.
func drawLane(b *strings.Builder, l lane, top float64) {
	fmt.Fprintf(b, `<text x="20" y="%.0f" font-size="13" font-weight="bold" fill="%s">%s</text>`+"\n", top+14, l.color, html.EscapeString(l.title))
	gap := 14.0
	width := (pictureWidth - 40 - gap*float64(len(l.steps)-1)) / float64(len(l.steps))
	for i, s := range l.steps {
		left := 20 + float64(i)*(width+gap)
		folder := s.folder
		if folder == "." {
			folder = "motif"
		}
		box(b, left, top+24, width, "#ffffff", l.color, folder, s.function)
		fmt.Fprintf(b, `<text x="%.1f" y="%.0f" font-size="10.5" text-anchor="middle" fill="#374151">%s</text>`+"\n", left+width/2, top+24+roomHeight+14, html.EscapeString(s.about))
		if i > 0 {
			fmt.Fprintf(b, `<path d="M%.1f %.0fh%.0f" stroke="#6b7280" stroke-width="1.5" marker-end="url(#tip)"/>`+"\n", left-gap, top+24+roomHeight/2, gap-1)
		}
	}
}

// box draws a rectangle with a title and a line below it.
func box(b *strings.Builder, x, y, width float64, fill, stroke, title, about string) {
	fmt.Fprintf(b, `<rect x="%.1f" y="%.0f" width="%.1f" height="%d" rx="6" fill="%s" stroke="%s"/>`, x, y, width, roomHeight, fill, stroke)
	fmt.Fprintf(b, `<text x="%.1f" y="%.0f" font-size="12.5" font-weight="bold" text-anchor="middle" fill="#111827">%s</text>`, x+width/2, y+19, html.EscapeString(title))
	size := min(11.5, 1.75*(width-8)/float64(len(about)))
	fmt.Fprintf(b, `<text x="%.1f" y="%.0f" font-size="%.1f" text-anchor="middle" fill="#4b5563">%s</text>`+"\n", x+width/2, y+36, size, html.EscapeString(about))
}

// TestPicture compares the picture of ARCHITECTURE.md with the imports; go test ./internal/lint -run TestPicture -rewrite draws it anew.
func TestPicture(t *testing.T) {
	imports, functions, err := readModule("../..")
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rooms {
		if _, err := os.Stat(filepath.Join("../..", r.folder)); err != nil {
			t.Errorf("room %s: %v", r.folder, err)
		}
		if roomOf(r.folder) != i {
			t.Errorf("room %s is drawn twice", r.folder)
		}
	}
	for _, l := range lanes {
		for _, s := range l.steps {
			if !functions[s.folder+" "+s.function] {
				t.Errorf("%s: there is no function %s in %s", l.title, s.function, s.folder)
			}
		}
	}
	picture := draw(imports)
	if *rewrite {
		if err := os.WriteFile(pictureFile, []byte(picture), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old, err := os.ReadFile(pictureFile); err != nil || string(old) != picture {
		t.Errorf("docs/img/architecture.svg is not what the imports give (%v): look at the change, then go test ./internal/lint -run TestPicture -rewrite", err)
	}
}
