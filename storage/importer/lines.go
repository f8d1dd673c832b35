package importer

import (
	"bytes"
	"strings"
)

// blank says which bytes separate the words of a line. The carriage return of a CRLF line end is one.
var blank = [256]bool{' ': true, '\t': true, '\r': true, '\v': true, '\f': true}

// skipBlanks returns the first position from i on that holds no blank.
func skipBlanks(data []byte, i int) int {
	for i < len(data) && blank[data[i]] {
		i++
	}
	return i
}

// wordEnd returns where the word at i ends: at a blank, a line end or the end of data.
func wordEnd(data []byte, i int) int {
	for i < len(data) && !blank[data[i]] && data[i] != '\n' {
		i++
	}
	return i
}

// lineEnd returns the position of the line end at or after i, or len(data).
func lineEnd(data []byte, i int) int {
	if n := bytes.IndexByte(data[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(data)
}

// trimBlanks narrows [lo, hi) to what lies between blanks.
func trimBlanks(data []byte, lo, hi int) (int, int) {
	for lo < hi && blank[data[lo]] {
		lo++
	}
	for hi > lo && blank[data[hi-1]] {
		hi--
	}
	return lo, hi
}

// parseInt reads b if it is an int64 in the one way that FormatInt writes it: no plus sign, no leading zeros.
// So two texts are the same integer only if they are the same text.
func parseInt(b []byte) (n int64, ok bool) {
	digits := b
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > 19 || digits[0] == '0' && (negative || len(digits) > 1) {
		return 0, false
	}
	var u uint64 // 19 digits stay below 2^64
	for _, c := range digits {
		if c -= '0'; c > 9 {
			return 0, false
		}
		u = u*10 + uint64(c)
	}
	if negative {
		return -int64(u), u <= 1<<63
	}
	return int64(u), u < 1<<63
}

// word is one blank-separated word of a line.
type word struct{ lo, hi int }

// lines walks over the lines of a chunk that are not blank and splits them at blanks.
type lines struct {
	c     *chunk
	pos   int // start of the next line
	words []word
}

// next splits the next line into words; it reports false at the end of the chunk. A blank line has no words.
func (l *lines) next() bool {
	data, i := l.c.data, l.pos
	if i >= len(data) {
		return false
	}
	l.words = l.words[:0]
	for {
		if i = skipBlanks(data, i); i == len(data) {
			break
		}
		if data[i] == '\n' {
			i++
			break
		}
		end := wordEnd(data, i)
		l.words = append(l.words, word{i, end})
		i = end
	}
	l.pos = i
	return true
}

// comment reports whether the line starts with one of marks.
func (l *lines) comment(marks string) bool {
	return len(l.words) > 0 && strings.IndexByte(marks, l.c.data[l.words[0].lo]) >= 0
}

func (l *lines) text(i int) []byte { return l.c.data[l.words[i].lo:l.words[i].hi] }

// int reads word i as an integer from lo to hi; what says in an error which integer was expected.
func (l *lines) int(i int, lo, hi int64, what string) (int64, error) {
	n, ok := parseInt(l.text(i))
	if !ok || n < lo || n > hi {
		return 0, l.c.errorAt(l.words[i].lo, "found %s, expected %s", shown(l.text(i)), what)
	}
	return n, nil
}

// end is the position after the last word, for errors about what is missing.
func (l *lines) end() int { return l.words[len(l.words)-1].hi }
