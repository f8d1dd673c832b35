//go:build cuda && cgo && linux

package cuda

// part is one of several equal parts of a request whose items are dealt like cards: of the items 0, 1, 2 ... those that leave
// the remainder at when divided by of. Items come by falling size, so that every part gets its share of the heavy ones.
type part struct{ at, of int }

// whole is all of a request.
var whole = part{0, 1}

// from returns the part's first item from i on.
func (p part) from(i int) int { return i + (p.at-i%p.of+p.of)%p.of }

// count returns how many items of [first, last) the part has, where first is one of them or last is not above it.
func (p part) count(first, last int) int { return max(0, (last-first+p.of-1)/p.of) }
