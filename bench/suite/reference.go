package suite

// Reference is what is known of a row beforehand: the right answer, and the time of the best research code and of Kùzu 0.11.3. The
// times were measured elsewhere and not in this suite: tables mark them as references. Zero values are not known.
type Reference struct {
	Want    string
	Seconds float64
	Code    string
	Kuzu    float64
	Over    bool // Kùzu was stopped after Kuzu seconds
}

// references holds them by row. The answers on real graphs come from other programs (shared data, TRUTH.tsv, and the query sets'
// own files), those on generated graphs from bench/peers and from loops over bitmaps.
var references = map[string]Reference{
	"slashdot/triangle": {Want: "25963", Seconds: .016, Code: "SubgraphMatching", Kuzu: .086},
	"slashdot/diamond":  {Want: "302672", Seconds: .026, Kuzu: .26},
	"slashdot/clique4":  {Want: "85150", Seconds: .022, Code: "RapidMatch", Kuzu: .35},
	"slashdot/cycle4":   {Want: "722991", Seconds: .082, Code: "SubgraphMatching", Kuzu: 1.76},
	"slashdot/house":    {Want: "3530511", Seconds: .112, Code: "RapidMatch", Kuzu: 4.2},
	"slashdot/cycle5":   {Want: "13902775", Seconds: 1.353},
	"kron16/diamond":    {Want: "33743192", Seconds: .098, Kuzu: 10.7},
	"kron16/clique4":    {Want: "12468270", Seconds: .278, Kuzu: 14.9},
	"kron16/cycle4":     {Want: "77212867", Seconds: 1.79, Kuzu: 60, Over: true},
	"kron16/clique5":    {Want: "178766305", Seconds: 3.3},
	"hprd/dense16":      {Want: "14235", Seconds: .051},
	"wordnet/dense16":   {Want: "1500000", Seconds: 1.69},

	"wiki-Vote/diamond": {Want: "40544543", Seconds: .046, Code: "GraphMiner"},
	"wiki-Vote/cycle4":  {Want: "57654491", Seconds: .85},
	"wiki-Vote/house":   {Want: "9488779111", Seconds: 14.3, Code: "GraphPi"},
	"wiki-Vote/motifs4": {Want: "1048807458 1127174796 23343657 283932309 28077125 2077903", Seconds: .51},
	"kron16/triangles":  {Want: "15615367", Seconds: .21, Code: "GraphMiner", Kuzu: 3.6},

	"lsqb-example/q1": {Want: "8"},
	"lsqb-example/q2": {Want: "3"},
	"lsqb-example/q3": {Want: "6"},
	"lsqb-example/q4": {Want: "8"},
	"lsqb-example/q5": {Want: "3"},
	"lsqb-example/q6": {Want: "8"},
	"lsqb-example/q7": {Want: "11"},
	"lsqb-example/q8": {Want: "2"},
	"lsqb-example/q9": {Want: "4"},
	"lsqb-0.1/q3":     {Want: "30456"},
	"lsqb-0.1/q6":     {Want: "55607896"},
	"lsqb-0.1/q9":     {Want: "51009398"},

	"slashdot/k4":      {Want: "2260269", Seconds: .060},
	"slashdot/k8":      {Want: "617633062", Seconds: 1.06, Code: "Pivoter"},
	"slashdot/trusses": {Want: "36", Seconds: .155, Code: "PKT"},
	"enron/k5":         {Want: "5809356", Seconds: .10},
	"enron/k8":         {Want: "20318270", Seconds: .42},
	"stanford3/k6":     {Want: "940211556", Seconds: 5.1},
	"stanford3/k8":     {Want: "19066294933", Seconds: 7.2},
	"wiki-Vote/k12":    {Want: "654478", Seconds: .24},
	"wiki-Vote/k14":    {Want: "41433", Seconds: .18},
	"kron16/k4":        {Want: "290935864", Seconds: 1.5, Code: "kClist"},
	"kron16/tc":        {Want: "15615367", Seconds: .21, Code: "GraphMiner"},
	"kron16/trusses":   {Seconds: 1.3, Code: "PKT"},
	"kron18/cores":     {Seconds: .066, Code: "PKC"},
	"kron18/tc":        {Seconds: 2.0},
	"kron18/bfs":       {Seconds: .0034, Code: "GAP"},
	"kron18/trusses":   {Seconds: 9.0, Code: "PKT"},
}
