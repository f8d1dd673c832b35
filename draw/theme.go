package draw

// palette has the colours of groups: those of M. Okabe and K. Ito, which people see apart whose colour vision differs. The
// last one is for everything beyond.
var palette = []string{"#56b4e9", "#e69f00", "#009e73", "#f0e442", "#cc79a7", "#0072b2", "#d55e00", "#a6761d", "#b4b9bf"}

// colours are those of a role; "none" paints nothing.
type colours struct{ fill, line string }

// theme gives each role its colours.
type theme struct {
	page  string
	roles map[role]colours
}

// halo is the width of the page's colour around text, in font sizes.
const halo = 0.36

var light = theme{page: "#ffffff", roles: map[role]colours{
	nodeRole:      {"#b4b9bf", "#2b313a"},
	bareRole:      {"#ffffff", "#7c838c"},
	edgeRole:      {"none", "#7c838c"},
	addedRole:     {"none", "#c3c8ce"},
	headRole:      {"#6b727b", "none"},
	addedHeadRole: {"#c3c8ce", "none"},
	captionRole:   {"#1d2127", "none"},
	typeRole:      {"#555c66", "none"},
	softRole:      {"#555c66", "none"},
	boldRole:      {"#1d2127", "none"},
	boxRole:       {"#f6f7f9", "#aab1ba"},
	barRole:       {"#56b4e9", "none"},
	expectRole:    {"none", "#555c66"},
	alarmRole:     {"#fff3e6", "#d55e00"},
	alarmTextRole: {"#a84300", "none"},
	badgeRole:     {"#ffffff", "#2b313a"},
	flowRole:      {"none", "#9aa3ad"},
	gapRole:       {"#ffffff", "none"},
}}

var dark = theme{page: "#15181c", roles: map[role]colours{
	nodeRole:      {"#b4b9bf", "#e8ebee"},
	bareRole:      {"#15181c", "#8b939c"},
	edgeRole:      {"none", "#8b939c"},
	addedRole:     {"none", "#4a5159"},
	headRole:      {"#a3abb4", "none"},
	addedHeadRole: {"#4a5159", "none"},
	captionRole:   {"#eceff2", "none"},
	typeRole:      {"#aeb5be", "none"},
	softRole:      {"#aeb5be", "none"},
	boldRole:      {"#eceff2", "none"},
	boxRole:       {"#1f242a", "#59616b"},
	barRole:       {"#3d86ad", "none"},
	expectRole:    {"none", "#aeb5be"},
	alarmRole:     {"#33241a", "#d55e00"},
	alarmTextRole: {"#ff9a4d", "none"},
	badgeRole:     {"#15181c", "#e8ebee"},
	flowRole:      {"none", "#69727c"},
	gapRole:       {"#15181c", "none"},
}}

// roleNames are the classes of SVG.
var roleNames = map[role]string{nodeRole: "n", bareRole: "nb", edgeRole: "e", addedRole: "ea", headRole: "h", addedHeadRole: "ha", captionRole: "c", typeRole: "t",
	softRole: "s", boldRole: "b", boxRole: "x", barRole: "r", expectRole: "w", alarmRole: "al", alarmTextRole: "at", badgeRole: "g", flowRole: "f", gapRole: "bg"}
