package pattern

// Graphlet is a connected simple undirected graph of two to five vertices. Vertices that an automorphism maps to each other make
// an orbit.
type Graphlet struct {
	Name  string
	Edges [][2]int
	Orbit []int // by vertex: number of its orbit, as Pržulj numbers them
}

// Size returns the number of vertices.
func (g *Graphlet) Size() int { return len(g.Orbit) }

// Members returns how many vertices an orbit has.
func (g *Graphlet) Members(orbit int) (n int) {
	for _, o := range g.Orbit {
		if o == orbit {
			n++
		}
	}
	return n
}

// Graphlets lists all graphlets, by rising numbers of vertices and edges. Their orbits have the numbers of N. Pržulj, "Biological network
// comparison using graphlet degree distribution" (2007). A test checks the list against all graphs.
var Graphlets = []Graphlet{
	{"edge", [][2]int{{0, 1}}, []int{0, 0}},
	{"path-3", [][2]int{{0, 1}, {0, 2}}, []int{2, 1, 1}},
	{"triangle", [][2]int{{0, 1}, {0, 2}, {1, 2}}, []int{3, 3, 3}},
	{"claw", [][2]int{{0, 1}, {0, 2}, {0, 3}}, []int{7, 6, 6, 6}},
	{"path-4", [][2]int{{0, 1}, {0, 2}, {1, 3}}, []int{5, 5, 4, 4}},
	{"paw", [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}}, []int{11, 10, 10, 9}},
	{"cycle-4", [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}}, []int{8, 8, 8, 8}},
	{"diamond", [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}}, []int{13, 13, 12, 12}},
	{"clique-4", [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, []int{14, 14, 14, 14}},
	{"star-5", [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}}, []int{23, 22, 22, 22, 22}},
	{"fork", [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 4}}, []int{21, 20, 19, 19, 18}},
	{"path-5", [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 4}}, []int{17, 16, 16, 15, 15}},
	{"cricket", [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}}, []int{33, 32, 32, 31, 31}},
	{"bull", [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}}, []int{26, 26, 25, 24, 24}},
	{"tadpole", [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {3, 4}}, []int{30, 29, 29, 28, 27}},
	{"banner", [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}}, []int{38, 37, 37, 35, 36}},
	{"cycle-5", [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 4}, {3, 4}}, []int{34, 34, 34, 34, 34}},
	{"dart", [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}}, []int{42, 41, 40, 40, 39}},
	{"butterfly", [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {3, 4}}, []int{44, 43, 43, 43, 43}},
	{"kite", [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 4}}, []int{48, 48, 47, 46, 45}},
	{"house", [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}, {3, 4}}, []int{53, 53, 52, 51, 51}},
	{"bipartite-2-3", [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}}, []int{50, 49, 49, 49, 50}},
	{"book", [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}}, []int{55, 55, 54, 54, 54}},
	{"tailed-clique", [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {2, 3}}, []int{58, 57, 57, 57, 56}},
	{"gem", [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {2, 4}}, []int{61, 60, 60, 59, 59}},
	{"subdivided-clique", [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 4}, {3, 4}}, []int{64, 64, 63, 63, 62}},
	{"hatted-clique", [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}}, []int{67, 67, 66, 66, 65}},
	{"wheel", [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {2, 4}, {3, 4}}, []int{69, 68, 68, 68, 68}},
	{"near-clique", [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}}, []int{71, 71, 71, 70, 70}},
	{"clique-5", [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}, []int{72, 72, 72, 72, 72}},
}

// Orbits returns the number of orbits of the graphlets of at most size vertices, 2 to 5.
func Orbits(size int) int { return []int{1, 4, 15, 73}[size-2] }
