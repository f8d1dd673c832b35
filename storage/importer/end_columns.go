package importer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// endWords are pairs of words with which the names of the two end columns begin or end, as in "From Account" and "To Account".
var endWords = [][2]string{{"source", "target"}, {"src", "dst"}, {"src", "dest"}, {"from", "to"}, {"start", "end"}, {"head", "tail"},
	{"source", "destination"}, {"source", "dest"}, {"source", "sink"}, {"orig", "dest"}, {"origin", "destination"}, {"pickup", "dropoff"},
	{"sender", "receiver"}, {"sender", "recipient"}, {"payer", "payee"}, {"buyer", "seller"}, {"debtor", "creditor"}, {"debit", "credit"}, {"borrower", "lender"},
	{"donor", "recipient"}, {"follower", "followee"}, {"follower", "followed"}, {"follower", "following"}, {"caller", "callee"}, {"caller", "called"},
	{"citing", "cited"}, {"parent", "child"}, {"ancestor", "descendant"}, {"predecessor", "successor"},
	{"mentor", "mentee"}, {"referrer", "referred"}, {"referrer", "referee"}, {"subject", "object"}, {"user", "friend"}, {"von", "nach"}, {"quelle", "ziel"},
	{"origen", "destino"}}

// plainEnds is how many of endWords need no guess: they name the ends of graphs of all kinds.
const plainEnds = 6

// weakWords are words of endWords that alone also tell properties of a thing: where a person is from, the start and the end of an event.
var weakWords = []string{"from", "start", "head", "von", "debit"}

// idWords may follow a word of endWords without a change of meaning: source_id, fromNode.
var idWords = []string{"", "id", "node", "node id", "nodeid", "vertex", "vertex id", "key"}

// spanWords are words of names that tell the span or the size of a thing and not what it joins, as in from_date and to_date.
var spanWords = []string{"date", "time", "datetime", "timestamp", "year", "month", "day", "hour", "week", "valid", "age", "page", "amount", "balance", "value", "price",
	"lat", "lon", "lng", "latitude", "longitude", "x", "y", "pos", "position", "index", "offset", "line", "count", "type", "name", "at", "on"}

// guessEnds finds the end columns of a relationship in a header where no column is named exactly as an end.
// It looks at words in the names, then at values that are ids of nodes. If plain is set, it may take the first two columns.
func (h *header) guessEnds(head tableHead, plain bool) (start, end int) {
	var first []int
	for i, col := range h.columns {
		if plain && col.role == roleProperty {
			first = append(first, i)
		}
	}
	leading := len(first) >= 2
	fits := leading && h.share(head, first[0]) >= 0.5 && h.share(head, first[1]) >= 0.5
	for _, words := range endWords {
		if start, end = h.endsByWord(words, head); start >= 0 && (words[0] != "start" && words[0] != "head" || h.known != nil && !fits) {
			return start, end
		}
	}
	if !leading {
		return -1, -1
	}
	var ids []int
	for i, col := range h.columns {
		if col.untyped() && h.share(head, i) >= 0.9 {
			ids = append(ids, i)
		}
	}
	if !fits && len(ids) == 2 {
		return ids[0], ids[1]
	}
	return first[0], first[1]
}

// endsByWord finds two columns whose names differ in a pair of words only. Where nodes are known, half of the values must be ids.
func (h *header) endsByWord(words [2]string, head tableHead) (start, end int) {
	for i := range h.columns {
		rest, ok := h.restOfName(i, words[0], head)
		if !ok {
			continue
		}
		for j := range h.columns {
			if other, ok := h.restOfName(j, words[1], head); ok && i != j && rest == other {
				return i, j
			}
		}
	}
	return -1, -1
}

// restOfName is the name of column i without the word that it begins or ends with; false if the column is no end.
func (h *header) restOfName(i int, word string, head tableHead) (rest string, ok bool) {
	col := &h.columns[i]
	if !col.untyped() {
		return "", false
	}
	words := nameWords(col.name)
	if len(words) == 1 && words[0] != word { // sourceid, fromnode
		for _, id := range idWords[1:] {
			if words[0] == word+strings.ReplaceAll(id, " ", "") {
				words = []string{word, id}
				break
			}
		}
	}
	switch n := len(words); {
	case n > 0 && words[0] == word:
		words = words[1:]
	case n > 0 && words[n-1] == word:
		words = words[:n-1]
	default:
		return "", false
	}
	if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(spanWords, w) }) {
		return "", false
	}
	if i < len(head.columns) {
		rest := strings.Join(words, " ")
		switch k := head.classOf(i); {
		case k == classFloat && slices.Contains(idWords, rest) && !slices.Contains(weakWords, word): // 1.0, as data frames write an id
		case k > classLong && k < classText:
			return "", false
		}
	}
	return strings.Join(words, " "), h.known == nil || h.share(head, i) >= 0.5
}

// endPair is two columns whose names say that they are the ends of a relationship.
type endPair struct {
	start, end int
	words      [2]string
	rank       int  // 0: the names are nothing but the words, 1: words of ids follow, 2: other words follow
	weak       bool // the names may tell properties of a thing as well
}

// endPairs lists the pairs of columns whose names say that they are ends, those with the lowest rank only.
func (h *header) endPairs(head tableHead) (pairs []endPair) {
	for _, words := range endWords {
		for i := range h.columns {
			rest, ok := h.restOfName(i, words[0], head)
			if !ok {
				continue
			}
			for j := range h.columns {
				other, ok := h.restOfName(j, words[1], head)
				if !ok || i == j || rest != other {
					continue
				}
				p := endPair{start: i, end: j, words: words, rank: 2, weak: rest == "" && slices.Contains(weakWords, words[0])}
				if k := slices.Index(idWords, rest); k >= 0 {
					p.rank = min(k, 1)
				}
				pairs = append(pairs, p)
			}
		}
	}
	best := 2
	for _, p := range pairs {
		best = min(best, p.rank)
	}
	return slices.DeleteFunc(pairs, func(p endPair) bool { return p.rank > best })
}

// nameWords splits a name into words in small letters: at blanks and signs, and before a capital letter.
func nameWords(name string) []string {
	var b strings.Builder
	last := rune(0)
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			b.WriteByte(' ')
		}
		if last = r; !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// share is the share of the first values of column i that are ids of nodes.
func (h *header) share(head tableHead, i int) float64 {
	if h.known == nil || i >= len(head.columns) {
		return 0
	}
	have, all := 0, 0
	for _, v := range head.columns[i] {
		if v == "" {
			continue
		}
		if all++; h.known([]byte(v)) {
			have++
		}
	}
	return float64(have) / float64(max(all, 1))
}

// endGuess is the names of two columns that Motif took for the ends, and of the two to try next.
type endGuess struct {
	start, end, first, second string
}

// noteGuess keeps what guessEnds chose. The two columns with the most ids of nodes are the next to try.
func (h *header) noteGuess(head tableHead, start, end int) {
	order := []int{start, end}
	for i, col := range h.columns {
		if i != start && i != end && col.untyped() {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := h.share(head, i), h.share(head, j)
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	i, j := min(order[0], order[1]), max(order[0], order[1])
	h.guess = &endGuess{h.columns[start].name, h.columns[end].name, h.columns[i].name, h.columns[j].name}
}

// String names the columns taken.
func (g *endGuess) String() string { return fmt.Sprintf("the columns %q and %q", g.start, g.end) }

// flag is the flag of motif load that names the columns to try next.
func (g *endGuess) flag() string { return endFlag(g.first, g.second) }

// advice says how to confirm the columns taken. The flag cannot tell two columns of one name apart.
func (g *endGuess) advice() string {
	const header = "write :START_ID and :END_ID behind their names in the header"
	if g.start == g.end {
		return header
	}
	return header + ", or " + endFlag(g.start, g.end)
}

func endFlag(start, end string) string {
	return fmt.Sprintf(`--types "%s=START_ID,%s=END_ID"`, start, end)
}

// explain adds to the error about an id which columns Motif took for the ends.
func (h *header) explain(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && h.guess != nil {
		e.Msg += fmt.Sprintf("; Motif took %s for the ends", h.guess)
		err = e.hint("if other columns are the ends, name them, as in %s; %s", h.guess.flag(), skipHint)
	}
	return err
}

// noneLoaded is the error about a relationship file all of whose rows were left out.
func (p *properties) noneLoaded(h *header, file string, bad *BadRow, rows uint64) error {
	e := &Error{File: file, Msg: fmt.Sprintf("no row could be loaded: all %d are bad", rows)}
	if rows == 1 {
		e.Msg = "no row could be loaded: the only one is bad"
	}
	if bad != nil && bad.Error != nil {
		e.Msg += "; the first: " + bad.Error.Msg
	}
	if h != nil && h.guess != nil {
		e.Hint = fmt.Sprintf("if other columns are the ends, name them, as in %s", h.guess.flag())
	}
	return e
}
