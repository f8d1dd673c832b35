package pattern

// Triad is a directed graph on three vertices, connected or not.
type Triad struct {
	Name  string // numbers of mutual, asymmetric and absent pairs, and a letter
	Edges [][2]int
}

// Triads lists the 16 directed graphs on three vertices. They have the names of P. W. Holland and S. Leinhardt, "Local structure in social
// networks" (1976): D is down, U up, C a cycle, T transitive. A test checks the list against all graphs.
var Triads = []Triad{
	{"003", nil},
	{"012", [][2]int{{0, 1}}},
	{"102", [][2]int{{0, 1}, {1, 0}}},
	{"021D", [][2]int{{1, 0}, {1, 2}}},
	{"021U", [][2]int{{0, 1}, {2, 1}}},
	{"021C", [][2]int{{0, 1}, {1, 2}}},
	{"111D", [][2]int{{0, 1}, {1, 0}, {2, 1}}},
	{"111U", [][2]int{{0, 1}, {1, 0}, {1, 2}}},
	{"030T", [][2]int{{0, 1}, {2, 1}, {0, 2}}},
	{"030C", [][2]int{{1, 0}, {2, 1}, {0, 2}}},
	{"201", [][2]int{{0, 1}, {1, 0}, {1, 2}, {2, 1}}},
	{"120D", [][2]int{{1, 0}, {1, 2}, {0, 2}, {2, 0}}},
	{"120U", [][2]int{{0, 1}, {2, 1}, {0, 2}, {2, 0}}},
	{"120C", [][2]int{{0, 1}, {1, 2}, {0, 2}, {2, 0}}},
	{"210", [][2]int{{0, 1}, {1, 2}, {2, 1}, {0, 2}, {2, 0}}},
	{"300", [][2]int{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {0, 2}, {2, 0}}},
}
